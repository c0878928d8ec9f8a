//! Files that are linked run: code and data of one are used by the other.

use std::io::Write as _;
use std::process::{Command, Stdio};

use wavetank_link::{Input, Options, Relocatable, link};

use crate::common::{directory, wavetank_in};

const KERNEL: &str = "
    .text
    .globl scale
    .p2align 8
    .type scale,@function
scale:
    s_load_dwordx2 s[2:3], s[0:1], 0x0
    s_getpc_b64 s[4:5]
    s_add_u32 s4, s4, times_factor@rel32@lo+4
    s_addc_u32 s5, s5, times_factor@rel32@hi+12
    s_swappc_b64 s[30:31], s[4:5]
    v_lshlrev_b32 v1, 2, v0
    global_store_dword v1, v2, s[2:3]
    s_endpgm
    .size scale, .-scale
    .section .rodata,\"a\",@progbits
    .amdhsa_kernel scale
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_next_free_vgpr 4
        .amdhsa_next_free_sgpr 32
    .end_amdhsa_kernel
    .amdgpu_metadata
---
amdhsa.version: [ 1, 1 ]
amdhsa.kernels:
  - .name: scale
    .symbol: scale.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 38
    .vgpr_count: 4
    .max_flat_workgroup_size: 64
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
...
    .end_amdgpu_metadata
";

const FUNCTION: &str = "
    .text
    .globl times_factor
    .hidden times_factor
    .p2align 8
times_factor:
    s_getpc_b64 s[6:7]
    s_add_u32 s6, s6, factor@gotpcrel32@lo+4
    s_addc_u32 s7, s7, factor@gotpcrel32@hi+12
    s_load_dwordx2 s[6:7], s[6:7], 0x0
    s_waitcnt lgkmcnt(0)
    s_load_dwordx2 s[6:7], s[6:7], 0x0
    s_waitcnt lgkmcnt(0)
    s_load_dword s8, s[6:7], 0x0
    s_waitcnt lgkmcnt(0)
    v_mul_lo_u32 v2, v0, s8
    s_setpc_b64 s[30:31]
    .data
    .globl factor
    .p2align 3
factor:
    .quad number
    .section .rodata,\"a\",@progbits
number:
    .long 7
";

/// The object file that LLVM's assembler makes of a source, or `None` where there is none.
fn assembled(source: &str) -> Option<Relocatable> {
    let mut mc = Command::new("llvm-mc-14");
    mc.args([
        "-triple",
        "amdgcn-amd-amdhsa",
        "-mcpu",
        "gfx900",
        "--filetype=obj",
    ]);
    let child = mc.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        let ci = std::env::var_os("CI").is_some_and(|ci| ci == "true");
        assert!(!ci, "llvm-mc-14 is absent");
        eprintln!("SKIP kernels that are linked: llvm-mc-14 is absent");
        return None;
    };
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(source.as_bytes()).expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    Some(Relocatable::read(&output.stdout).expect("an object file"))
}

#[test]
fn functions_and_data_of_other_files_are_used() {
    let (Some(kernel), Some(function)) = (assembled(KERNEL), assembled(FUNCTION)) else {
        return;
    };
    let inputs = [("kernel.o", &kernel), ("function.o", &function)];
    let inputs = inputs.map(|(name, object)| Input { name, object });
    let file = link(&inputs, &Options::default()).expect("they are linked");
    let folder = directory("functions_and_data_of_other_files_are_used");
    std::fs::write(folder.join("scale.hsaco"), file).expect("a file");
    let words = "launch scale.hsaco scale --grid 64 --block 64 --arg print:u32:64";
    let text = wavetank_in(&folder, words).success();
    // Rows of the buffer begin with the number of their first element.
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with("arg0"))
        .skip(1);
    let words = rows.flat_map(|row| row.split_whitespace().skip(1));
    let numbers: Vec<u32> = words.map_while(|word| word.parse().ok()).collect();
    let expected: Vec<u32> = (0..64).map(|lane| lane * 7).collect();
    assert_eq!(numbers, expected, "{text}");
    // By itself the kernel lacks the function, which is told with its place.
    let error = link(&inputs[..1], &Options::default()).expect_err("half of it");
    assert_eq!(
        error.to_string(),
        "symbol `times_factor` is not defined; kernel.o, scale (.text+0x10) uses it"
    );
}
