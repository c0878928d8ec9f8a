//! Every shipped code object is read, and agrees with its folder's name, its sources and itself.

mod common;

use std::path::Path;

use wavetank_object::{ArgKind, CodeObject, SymbolKind};

fn parse(path: &Path) -> CodeObject {
    let bytes = std::fs::read(path).expect("a readable file");
    CodeObject::parse(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The chip and version that the path tells: `clang15-cov2/gfx900/x.hsaco`, `bench/bench_gfx900.hsaco`.
fn told(path: &Path) -> (String, Option<u8>) {
    let text = path.to_string_lossy();
    let chip = text.rsplit_once("gfx").expect("a chip in the path").1;
    let chip: String = chip.chars().take_while(char::is_ascii_digit).collect();
    let version = text
        .split_once("-cov")
        .map(|(_, v)| v[..1].parse().unwrap());
    (format!("gfx{chip}"), version)
}

#[test]
fn all_are_read_and_hold_together() {
    let Some(paths) = common::code_objects() else {
        return;
    };
    let mut kernels = 0;
    for path in paths {
        let object = parse(&path);
        let (chip, version) = told(&path);
        let name = path.display();
        assert_eq!(object.target().chip, chip, "{name}");
        if let Some(version) = version {
            assert_eq!(object.version(), version, "{name}");
        }
        assert!(!object.kernels().is_empty(), "{name}");
        for kernel in object.kernels() {
            kernels += 1;
            let descriptor = &kernel.descriptor;
            let at = format!("{name}: {}", kernel.name);
            assert_eq!(
                descriptor.group_segment_fixed_size, kernel.group_segment_fixed_size,
                "{at}"
            );
            assert_eq!(
                descriptor.private_segment_fixed_size, kernel.private_segment_fixed_size,
                "{at}"
            );
            assert_eq!(
                descriptor.kernarg_size,
                u64::from(kernel.kernarg_segment_size),
                "{at}"
            );
            assert_eq!(kernel.wavefront_size, Some(64), "{at}");
            // The descriptor's counts are rounded up to granules.
            let vgprs = kernel.vgpr_count.unwrap();
            assert!(
                (vgprs..vgprs.max(1) + 4).contains(&descriptor.vgpr_count),
                "{at}"
            );
            let sgprs = kernel.sgpr_count.unwrap();
            let granule = if object.target().major() >= 9 { 16 } else { 8 };
            assert!(descriptor.sgpr_count >= sgprs, "{at}");
            assert!(descriptor.sgpr_count < sgprs + granule + 8, "{at}: {sgprs}");
            let used: u32 = descriptor.user_sgprs().map(|(s, _)| s.registers()).sum();
            assert_eq!(used, descriptor.rsrc2.user_sgpr_count, "{at}");
            let (symbol, distance) = object.symbol_at(kernel.entry).unwrap();
            let expected = if object.version() == 2 { 256 } else { 0 };
            assert_eq!(
                (symbol.name.as_str(), distance),
                (kernel.name.as_str(), expected),
                "{at}"
            );
            assert_eq!(symbol.kind, SymbolKind::Kernel, "{at}");
        }
        let image = object.load_image(0x7f00_0000_0000).unwrap();
        assert_eq!(image.bytes.len() as u64, object.image_size());
    }
    assert!(kernels > 300, "{kernels}");
}

#[test]
fn vecadd_has_the_arguments_of_its_source() {
    let Some(kernels) = common::kernels() else {
        return;
    };
    // kernel void vecadd(global const float *a, global const float *b, global float *c, uint n)
    for folder in [
        "clang15-cov2",
        "clang15-cov3",
        "clang15-cov4",
        "clang19-cov5",
    ] {
        let object = parse(&kernels.join(format!("co/{folder}/gfx900/vecadd.hsaco")));
        let kernel = object.kernel("vecadd").expect("vecadd");
        let explicit: Vec<_> = kernel
            .explicit_args()
            .map(|arg| {
                (
                    arg.type_name.as_deref().unwrap(),
                    arg.kind,
                    arg.offset,
                    arg.size,
                    arg.is_const,
                )
            })
            .collect();
        let buffer = ArgKind::GlobalBuffer;
        assert_eq!(
            explicit,
            [
                ("float*", buffer, 0, 8, true),
                ("float*", buffer, 8, 8, true),
                ("float*", buffer, 16, 8, false),
                ("uint", ArgKind::ByValue, 24, 4, false),
            ],
            "{folder}"
        );
        let hidden = kernel.hidden_args().next().unwrap();
        assert_eq!(
            hidden.offset, 32,
            "{folder}: hidden arguments start on 8 bytes"
        );
    }
}
