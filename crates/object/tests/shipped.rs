//! Every shipped code object is read, and agrees with its folder's name, its sources and itself.

use std::path::Path;
use std::process::Command;

use wavetank_object::{Arg, ArgKind, CodeObject, Error, Kernel, SymbolKind};

fn parse(path: &Path) -> CodeObject {
    let bytes = std::fs::read(path).expect("a readable file");
    CodeObject::parse(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The chip and version in a path: `clang15-cov2/gfx900/x.hsaco`, `bench/bench_gfx900.hsaco`.
fn chip_and_version(path: &Path) -> (String, Option<u8>) {
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
    let Some(paths) = crate::common::code_objects() else {
        return;
    };
    let mut kernels = 0;
    for path in paths {
        let object = parse(&path);
        let (chip, version) = chip_and_version(&path);
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
        assert_eq!(image.size, object.image_size());
        assert!(image.bytes.len() as u64 <= image.size);
    }
    assert!(kernels > 300, "{kernels}");
}

#[test]
fn vecadd_has_the_arguments_of_its_source() {
    let Some(kernels) = crate::common::kernels() else {
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

#[test]
fn fmaloop_has_the_signature_and_size_of_its_source() {
    let Some(kernels) = crate::common::kernels() else {
        return;
    };
    // reqd_work_group_size(256,1,1) kernel void fmaloop(global float *out, uint n)
    for file in [
        "bench/bench_gfx600",
        "bench/bench_gfx906",
        "clang19-cov6/gfx900/bench",
    ] {
        let object = parse(&kernels.join(format!("co/{file}.hsaco")));
        let kernel = object.kernel("fmaloop").expect("fmaloop");
        assert_eq!(kernel.reqd_workgroup_size, Some([256, 1, 1]), "{file}");
        let args: Vec<_> = kernel.explicit_args().collect();
        assert_eq!(
            (args[0].offset, args[0].size, args[0].kind),
            (0, 8, ArgKind::GlobalBuffer)
        );
        assert_eq!(
            (args[1].offset, args[1].size, args[1].kind),
            (8, 4, ArgKind::ByValue)
        );
        assert_eq!(args.len(), 2, "{file}");
        assert_eq!(
            (kernel.language.as_deref(), kernel.kernarg_segment_align),
            (Some("OpenCL C"), 8)
        );
    }
}

#[test]
fn relocations_of_virtual_tables_and_function_pointers_are_applied() {
    let Some(kernels) = crate::common::kernels() else {
        return;
    };
    let base = 0x7f12_3450_0000;
    for chip in ["gfx803", "gfx900", "gfx906"] {
        let object = parse(&kernels.join(format!("co/hip/{chip}/suite.hsaco")));
        let image = object.load_image(base).unwrap();
        let word = |address: u64| {
            let at = (image.address_of(address) - base) as usize;
            u64::from_le_bytes(image.bytes[at..at + 8].try_into().unwrap())
        };
        let address = |name: &str| object.symbol(name).expect(name).address;
        // __device__ fp tab[2] = {f1, f2};
        assert_eq!(word(address("tab")), base + address("_Z2f1f"), "{chip}");
        assert_eq!(word(address("tab") + 8), base + address("_Z2f2f"), "{chip}");
        // Third slot of a virtual table: the first virtual function (Itanium C++ ABI, 2.5).
        assert_eq!(
            word(address("_ZTV1A") + 16),
            base + address("_ZNK1A1fEf"),
            "{chip}"
        );
        assert_eq!(
            word(address("_ZTV1B") + 16),
            base + address("_ZNK1B1fEf"),
            "{chip}"
        );
        let inside = address("_Z3ackii") + 0x10;
        let (symbol, distance) = object.symbol_at(inside).unwrap();
        assert_eq!((symbol.name.as_str(), distance), ("_Z3ackii", 0x10));
        let loaded = image.address_of(inside);
        assert_eq!(image.virtual_address_of(loaded), Some(inside));
        let error = object.load_image(base + 8).unwrap_err();
        assert!(
            matches!(error, Error::MisalignedBase { align: 0x1000, .. }),
            "{error}"
        );
    }
}

/// `key: value` pairs of the YAML that a dump tool prints, in order.
fn dumped(text: &str) -> Vec<(&str, &str)> {
    let lines = text.lines().map(|line| line.trim_start_matches([' ', '-']));
    let pairs = lines.filter_map(|line| line.split_once(':'));
    pairs
        .map(|(k, v)| (k, v.trim().trim_matches('\'')))
        .collect()
}

#[test]
fn metadata_agrees_with_the_dump_tool() {
    let (Some(paths), Some(tool)) = (
        crate::common::code_objects(),
        crate::common::tool(&["llvm-readelf-14", "llvm-readelf"]),
    ) else {
        return;
    };
    for path in paths {
        let stem = path.file_stem().unwrap().to_string_lossy();
        let chosen = [
            "vecadd", "reduce", "sgemm", "suite", "printf", "bench", "tex",
        ];
        if !chosen.iter().any(|name| stem.starts_with(name)) {
            continue;
        }
        let dump = Command::new(tool)
            .arg("--notes")
            .arg(&path)
            .output()
            .expect("a dump");
        let dump = String::from_utf8_lossy(&dump.stdout);
        let dump = dumped(&dump);
        let object = parse(&path);
        let v2 = object.version() == 2;
        let number = |new: &str, old: &str, field: fn(&Kernel) -> u32| {
            let key = if v2 { old } else { new };
            let theirs: Vec<_> = dump
                .iter()
                .filter(|(k, _)| *k == key)
                .map(|p| p.1)
                .collect();
            let ours: Vec<_> = object
                .kernels()
                .iter()
                .map(|k| field(k).to_string())
                .collect();
            assert_eq!(ours, theirs, "{key} of {}", path.display());
        };
        number(".kernarg_segment_size", "KernargSegmentSize", |k| {
            k.kernarg_segment_size
        });
        number(".kernarg_segment_align", "KernargSegmentAlign", |k| {
            k.kernarg_segment_align
        });
        number(".group_segment_fixed_size", "GroupSegmentFixedSize", |k| {
            k.group_segment_fixed_size
        });
        number(
            ".private_segment_fixed_size",
            "PrivateSegmentFixedSize",
            |k| k.private_segment_fixed_size,
        );
        number(".sgpr_count", "NumSGPRs", |k| k.sgpr_count.unwrap());
        number(".vgpr_count", "NumVGPRs", |k| k.vgpr_count.unwrap());
        number(".max_flat_workgroup_size", "MaxFlatWorkGroupSize", |k| {
            k.max_flat_workgroup_size.unwrap()
        });

        let args = || object.kernels().iter().flat_map(|kernel| &kernel.args);
        let theirs = |key: &str| -> Vec<String> {
            let found = dump.iter().filter(|(k, _)| *k == key);
            found
                .map(|(_, value)| value.replace('_', "").to_lowercase())
                .collect()
        };
        let kinds: Vec<_> = args()
            .map(|arg| arg.kind.as_str().replace('_', ""))
            .collect();
        assert_eq!(kinds, theirs(if v2 { "ValueKind" } else { ".value_kind" }));
        let sizes: Vec<_> = args().map(|arg| arg.size.to_string()).collect();
        assert_eq!(sizes, theirs(if v2 { "Size" } else { ".size" }));
        let (key, ours): (_, fn(&Arg) -> u32) = if v2 {
            ("Align", |arg| arg.align)
        } else {
            (".offset", |arg| arg.offset)
        };
        let ours: Vec<_> = args().map(|arg| ours(arg).to_string()).collect();
        assert_eq!(ours, theirs(key), "{}", path.display());
    }
}
