//! Arguments in user SGPRs: kernels start 256 bytes after their entry (LLVM's "User Guide for AMDGPU Backend", "Preloaded Kernel
//! Arguments").

use std::fs;
use std::path::Path;

use crate::common::{directory, wavetank_in};

/// Two kernels that store their second and third argument, and the way that they came: 1 from the entry, which loads the
/// arguments, 2 from the place after 256 bytes, which finds them in s2 and s3. One of them asks for that.
const SOURCE: &str = r#"
.macro kernel name, length
.text
.globl \name
.p2align 8
.type \name,@function
\name:
    s_load_dwordx2 s[2:3], s[0:1], 0x8
    s_waitcnt lgkmcnt(0)
    s_mov_b32 s4, 1
    s_branch .L\name
    .p2align 8, 0
    s_mov_b32 s4, 2
.L\name:
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    v_mov_b32 v0, s2
    v_mov_b32 v1, s3
    v_mov_b32 v2, s4
    v_mov_b32 v3, 0
    s_waitcnt lgkmcnt(0)
    global_store_dwordx3 v3, v[0:2], s[6:7]
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel \name
    .amdhsa_kernarg_size 16
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_user_sgpr_kernarg_preload_length \length
    .amdhsa_user_sgpr_kernarg_preload_offset 2
    .amdhsa_next_free_vgpr 4
    .amdhsa_next_free_sgpr 16
    .amdhsa_accum_offset 4
.end_amdhsa_kernel
.endm
kernel preloads, 2
kernel loads, 0
"#;

/// Metadata of a kernel.
fn metadata(name: &str) -> String {
    format!(
        "  - {{.name: {name}, .symbol: {name}.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .wavefront_size: 64,
     .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .sgpr_count: 16, .vgpr_count: 4, .max_flat_workgroup_size: 64,
     .args: [{{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}},
             {{.size: 4, .offset: 8, .value_kind: by_value}}, {{.size: 4, .offset: 12, .value_kind: by_value}}]}}\n"
    )
}

/// Assembles the kernels.
fn build(folder: &Path, gpu: &str) {
    let metadata = metadata("preloads") + &metadata("loads");
    let source = format!(
        ".amdgcn_target \"amdgcn-amd-amdhsa--{gpu}\"\n.amdhsa_code_object_version 5\n{SOURCE}\n.amdgpu_metadata\n\
         amdhsa.version: [1, 2]\namdhsa.kernels:\n{metadata}.end_amdgpu_metadata\n"
    );
    fs::write(folder.join("way.s"), source).expect("the test directory can be written");
    wavetank_in(folder, &format!("asm --gpu {gpu} way.s -o way.co")).success();
}

/// The dwords that a kernel stores.
fn stored(folder: &Path, options: &str, kernel: &str) -> Vec<u32> {
    fs::write(folder.join("in"), [0; 12]).expect("the test directory can be written");
    let args = "--arg inout:in:out --arg u32:0xabcd1234 --arg u32:77";
    let words = format!("launch way.co {kernel} --grid 64 --block 64 {options} {args}");
    wavetank_in(folder, &words).success();
    let bytes = fs::read(folder.join("out")).expect("the launch wrote");
    let (dwords, _) = bytes.as_chunks();
    dwords
        .iter()
        .map(|bytes| u32::from_le_bytes(*bytes))
        .collect()
}

#[test]
fn kernels_start_after_their_prologue() {
    for gpu in ["gfx90a", "gfx942"] {
        let folder = directory(&format!("preload-{gpu}"));
        build(&folder, gpu);
        for options in ["", "--engine interpreter", "--check"] {
            let [preloads, loads] =
                ["preloads", "loads"].map(|name| stored(&folder, options, name));
            assert_eq!(preloads, [0xabcd_1234, 77, 2], "{gpu} {options}");
            assert_eq!(loads, [0xabcd_1234, 77, 1], "{gpu} {options}");
        }
        let checked = wavetank_in(&folder, "check way.co");
        assert_eq!(checked.code, Some(0), "{checked:?}");
    }
}
