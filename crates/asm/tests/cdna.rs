//! Sources for chips of CDNA: descriptors and flags, as `llvm-mc` 19 makes them.

use wavetank_asm::{Options, assemble_object};
use wavetank_gcn::Chip;
use wavetank_object::CodeObject;

/// Returns a source of one kernel for a target, with lines of code and fields of the descriptor.
fn source(target: &str, version: u8, code: &str, fields: &[&str]) -> String {
    let fields: String = fields.iter().map(|f| format!(".amdhsa_{f}\n")).collect();
    format!(
        ".amdgcn_target \"amdgcn-amd-amdhsa--{target}\"
        .amdhsa_code_object_version {version}
        .text
        .globl k
        .p2align 8
        .type k,@function
        k: {code}
        s_endpgm
        .rodata
        .p2align 6
        .amdhsa_kernel k
        .amdhsa_next_free_vgpr 64
        .amdhsa_next_free_sgpr 16
        {fields}
        .end_amdhsa_kernel"
    )
}

/// Returns the `e_flags` and the last 32 bytes of the descriptor.
fn made(source: &str) -> Result<(u32, Vec<u8>), String> {
    let made = assemble_object("k.s", source, &Options::new(Chip::Gfx900));
    let object = made.map_err(|errors| errors.to_string())?;
    let file = object.write().expect("a small file");
    let flags = u32::from_le_bytes([48, 49, 50, 51].map(|at: usize| file[at]));
    let section = object.sections.iter().find(|s| s.name == ".rodata");
    let bytes = &section.expect("descriptors").bytes;
    Ok((flags, bytes[32..64].to_vec()))
}

#[test]
fn descriptors_and_flags_are_those_of_llvm() {
    let fields = [
        "accum_offset 32",
        "tg_split 1",
        "user_sgpr_kernarg_segment_ptr 1",
        "user_sgpr_kernarg_preload_length 4",
        "user_sgpr_kernarg_preload_offset 2",
    ];
    let code = "v_mfma_f32_32x32x1f32 a[0:31], v0, v1, a[0:31]
        v_accvgpr_read_b32 v2, a3
        global_store_dword v[4:5], a3, off";
    let (flags, descriptor) =
        made(&source("gfx90a:sramecc+:xnack-", 5, code, &fields)).expect("a source");
    assert_eq!(flags, 0xe3f);
    let words = |hex: [u32; 8]| hex.map(u32::to_le_bytes).concat();
    let expected = words([0, 0, 0, 0x10007, 0xac_0087, 0x8c, 0x104_0008, 0]);
    assert_eq!(descriptor, expected);

    let fields = [
        "accum_offset 32",
        "enable_private_segment 1",
        "user_sgpr_kernarg_segment_ptr 1",
        "user_sgpr_kernarg_preload_length 4",
        "user_sgpr_kernarg_preload_offset 2",
    ];
    let code = "v_mfma_f32_32x32x1_2b_f32 a[0:31], v0, v1, a[0:31]";
    let expected = words([0, 0, 0, 7, 0xac_0087, 0x8d, 0x104_0008, 0]);
    for (target, version, flags) in [
        ("gfx942", 5, 0x54c),
        ("gfx950:xnack+", 5, 0x74f),
        ("gfx9-4-generic", 6, 0x0100_055f),
    ] {
        let (found, descriptor) = made(&source(target, version, code, &fields)).expect(target);
        assert_eq!(found, flags, "{target}: {found:#x}");
        assert_eq!(descriptor, expected, "{target}");
    }
    let code = "v_accvgpr_write_b32 a0, v1";
    let (flags, descriptor) = made(&source("gfx908", 5, code, &[])).expect("a source");
    assert_eq!(flags, 0x530);
    let words = words([0, 0, 0, 0, 0xac_008f, 0x80, 0, 0]);
    assert_eq!(descriptor, words);
}

#[test]
fn fields_are_those_of_the_chip() {
    for (target, fields, problem) in [
        ("gfx90a", &[][..], "no `.amdhsa_accum_offset`"),
        ("gfx90a", &["accum_offset 30"], "a multiple of 4"),
        ("gfx90a", &["accum_offset 128"], "the wave has 64 registers"),
        ("gfx908", &["accum_offset 32"], "gfx908 has no"),
        ("gfx90a", &["enable_private_segment 1"], "gfx90a has no"),
        ("gfx942", &["reserve_flat_scratch 1"], "gfx942 has no"),
        (
            "gfx942",
            &["user_sgpr_flat_scratch_init 1"],
            "gfx942 has no",
        ),
        (
            "gfx90a",
            &["accum_offset 4", "user_sgpr_kernarg_preload_length 20"],
            "at most 16 user SGPRs",
        ),
    ] {
        let error = made(&source(target, 5, "", fields)).expect_err(target);
        assert!(error.contains(problem), "{target} {fields:?}: {error}");
    }
}

/// AGPRs follow VGPRs in the file of both, or are in a file that is as large.
#[test]
fn registers_are_counted_as_the_chip_has_them() {
    for (target, total) in [("gfx908", 34), ("gfx90a", 66), ("gfx950", 66)] {
        let offset = if target == "gfx908" {
            ""
        } else {
            ".amdhsa_accum_offset 32"
        };
        let source = format!(
            ".amdgcn_target \"amdgcn-amd-amdhsa--{target}\"
            .if totalnumvgprs(34, 31) != {total}
            .error \"another total\"
            .endif
            k: s_endpgm
            .amdhsa_kernel k
            .amdhsa_next_free_vgpr totalnumvgprs(34, 31)
            .amdhsa_next_free_sgpr 0
            {offset}
            .end_amdhsa_kernel"
        );
        let made = assemble_object("k.s", &source, &Options::new(Chip::Gfx900));
        assert!(made.is_ok(), "{target}: {}", made.unwrap_err());
    }
}

/// Listings of compiled kernels are instructions throughout.
#[test]
fn compiled_kernels_are_instructions() {
    let root = std::env::var_os("WAVETANK_SHARED").map(std::path::PathBuf::from);
    let root = root.unwrap_or_else(|| {
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
    });
    let Ok(folder) = std::fs::read_dir(root.join("kernels/cdna/co")) else {
        eprintln!("SKIP compiled_kernels_are_instructions: the shared data is absent");
        return;
    };
    let mut count = 0;
    for entry in folder {
        let path = entry.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("a file");
        let object = CodeObject::parse(&bytes).expect("a code object");
        let listing = wavetank_asm::Listing::of(&object).expect("a chip of CDNA");
        let mut text = Vec::new();
        let written = listing.write(wavetank_gcn::Dialect::Llvm, &mut text);
        written.expect("a vector takes everything");
        let text = String::from_utf8(text).expect("listings are text");
        assert!(text.contains("s_endpgm"), "{}", path.display());
        let unknown: Vec<_> = text.lines().filter(|l| l.contains(".long 0x")).collect();
        assert!(unknown.is_empty(), "{}: {unknown:?}", path.display());
        count += 1;
    }
    assert!(count > 60, "{count} objects");
}

/// A kernel of a signature has the accumulation registers that its code names (LLVM, `getTotalNumVGPRs`: they follow the VGPRs, from
/// a multiple of 4 on; on gfx908 there are as many of each).
#[test]
fn kernels_of_signatures_have_accumulation_registers() {
    let code = "k: v_mfma_f32_4x4x1f32 a[0:3], v5, v1, a[36:39]\n s_endpgm";
    for (chip, vgprs, expected) in [
        (Chip::Gfx908, "40", "0"),
        (Chip::Gfx90a, "48", "8"),
        (Chip::Gfx942, "48", "8"),
    ] {
        let options = |kernels: &[&str]| Options {
            kernels: kernels
                .iter()
                .map(|k| k.parse().expect("a signature"))
                .collect(),
            ..Options::new(chip)
        };
        let ours = assemble_object("k.s", code, &options(&["k()"])).expect("a source");
        let offset = match expected {
            "0" => String::new(),
            offset => format!(".amdhsa_accum_offset {offset}\n"),
        };
        let by_hand = format!(
            "{code}\n.rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr {vgprs}\n{offset}
            .amdhsa_next_free_sgpr 3\n.amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_reserve_vcc 0
            .amdhsa_reserve_flat_scratch 0\n.end_amdhsa_kernel"
        );
        let by_hand = by_hand.replace(
            ".amdhsa_reserve_flat_scratch 0\n",
            if chip == Chip::Gfx942 {
                ""
            } else {
                ".amdhsa_reserve_flat_scratch 0\n"
            },
        );
        let theirs = assemble_object("k.s", &by_hand, &options(&[])).expect("a source");
        let [ours, theirs] = [ours, theirs].map(|object| {
            let descriptors = object.sections.into_iter().find(|s| s.name == ".rodata");
            descriptors.expect("descriptors").bytes
        });
        // Behind the sizes and the place of the code.
        assert_eq!(ours[24..], theirs[24..], "{chip}");
    }
}
