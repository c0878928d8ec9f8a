//! Kernel descriptors against the assembler: what its directives say must come out of the bytes it makes.

use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object, ObjectSection};
use wavetank_object::{DenormMode, KernelDescriptor, RoundMode, Target, UserSgpr};

/// Assembles a file of `tests/data` and gives the first bytes of a section.
fn assemble<const N: usize>(source: &str, flags: &[&str], section: &str) -> Option<[u8; N]> {
    let llvm_mc = crate::common::tool(&["llvm-mc-14", "llvm-mc"])?;
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(source);
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{section}.o"));
    let status = Command::new(llvm_mc)
        .args(["-triple=amdgcn-amd-amdhsa", "-filetype=obj", "-o"])
        .args([&out, &source])
        .args(flags)
        .status()
        .expect("the assembler starts");
    assert!(status.success());
    let bytes = std::fs::read(out).expect("the assembler's output");
    let file = object::File::parse(&*bytes).expect("an ELF file");
    let section = file.section_by_name(section).expect("the section");
    Some(section.data().expect("its bytes")[..N].try_into().unwrap())
}

#[test]
fn directives_of_version_4() {
    let flags = ["-mcpu=gfx906", "-mattr=+sramecc,-xnack"];
    let Some(bytes) = assemble("descriptor-v4.s", &flags, ".rodata") else {
        return;
    };
    let target: Target = "gfx906:sramecc+:xnack-".parse().unwrap();
    let descriptor = KernelDescriptor::decode(&bytes, &target);
    assert_eq!(descriptor.group_segment_fixed_size, 1234);
    assert_eq!(descriptor.private_segment_fixed_size, 77);
    assert_eq!(descriptor.kernarg_size, 300);
    let sgprs: Vec<_> = descriptor.user_sgprs().collect();
    assert_eq!(
        sgprs,
        [
            (UserSgpr::PrivateSegmentBuffer, 0),
            (UserSgpr::DispatchPtr, 4),
            (UserSgpr::KernargSegmentPtr, 6),
            (UserSgpr::FlatScratchInit, 8),
            (UserSgpr::PrivateSegmentSize, 10),
        ]
    );
    // 37 VGPRs in granules of 4; 41 SGPRs, VCC and flat scratch (6 in all without XNACK: 2 + 4) in granules of 16.
    assert_eq!(descriptor.vgpr_count, 40);
    assert_eq!(descriptor.sgpr_count, 48);
    assert!(!descriptor.uses_dynamic_stack && !descriptor.wavefront_size32);
    assert!(descriptor.is_ptr64 && !descriptor.is_xnack_enabled);
    assert_eq!(descriptor.private_element_size, 4);

    let rsrc1 = descriptor.rsrc1;
    assert_eq!(rsrc1.float_round_mode_32, RoundMode::PlusInfinity);
    assert_eq!(rsrc1.float_round_mode_16_64, RoundMode::MinusInfinity);
    assert_eq!(rsrc1.float_denorm_mode_32, DenormMode::FlushOutput);
    assert_eq!(rsrc1.float_denorm_mode_16_64, DenormMode::FlushInput);
    assert_eq!(rsrc1.float_mode(), 1 | 2 << 2 | 1 << 4 | 2 << 6);
    assert!(!rsrc1.dx10_clamp && !rsrc1.ieee_mode && rsrc1.fp16_ovfl);

    let rsrc2 = descriptor.rsrc2;
    assert_eq!(rsrc2.user_sgpr_count, 11);
    assert!(rsrc2.enable_private_segment);
    // X is on unless it is switched off.
    assert!(rsrc2.enable_sgpr_workgroup_id_x && rsrc2.enable_sgpr_workgroup_id_y);
    assert!(!rsrc2.enable_sgpr_workgroup_id_z && rsrc2.enable_sgpr_workgroup_info);
    assert_eq!(rsrc2.enable_vgpr_workitem_id, 2);
    assert_eq!(
        rsrc2.exceptions,
        1 << 2 | 1 << 6,
        "division by zero: float and integer"
    );
}

#[test]
fn kernel_code_of_version_2() {
    let flags = ["-mcpu=gfx900", "--amdhsa-code-object-version=2"];
    let Some(bytes) = assemble("descriptor-v2.s", &flags, ".text") else {
        return;
    };
    let descriptor = KernelDescriptor::decode_v2(&bytes, &"gfx900".parse().unwrap());
    assert_eq!(descriptor.entry_byte_offset, 512);
    assert_eq!(descriptor.private_segment_fixed_size, 20);
    assert_eq!(descriptor.group_segment_fixed_size, 4096);
    assert_eq!(descriptor.gds_segment_size, 16);
    assert_eq!(descriptor.kernarg_size, 88);
    assert_eq!(descriptor.private_element_size, 16);
    assert!(descriptor.is_ptr64 && descriptor.uses_dynamic_stack && descriptor.is_xnack_enabled);
    let sgprs: Vec<_> = descriptor.user_sgprs().collect();
    assert_eq!(
        sgprs,
        [
            (UserSgpr::PrivateSegmentBuffer, 0),
            (UserSgpr::KernargSegmentPtr, 4),
            (UserSgpr::GridWorkgroupCountY, 6),
        ]
    );
    assert_eq!(descriptor.rsrc2.user_sgpr_count, 7);
    assert_eq!(descriptor.rsrc2.enable_vgpr_workitem_id, 1);
    assert_eq!(descriptor.rsrc1.float_mode(), 0xc3);
    assert_eq!(descriptor.rsrc1.float_round_mode_32, RoundMode::Zero);
    assert_eq!(descriptor.rsrc1.float_denorm_mode_16_64, DenormMode::Keep);
    assert!(descriptor.rsrc1.ieee_mode && !descriptor.rsrc1.dx10_clamp);
    assert_eq!(descriptor.vgpr_count, 24);
    assert_eq!(descriptor.sgpr_count, 48);
}
