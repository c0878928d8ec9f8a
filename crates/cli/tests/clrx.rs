//! Kernels written in CLRX's dialect: assembled, linked and launched.

use std::fs;

use crate::common::{directory, wavetank_in};

/// Adds a number to each element; the work-items behind the last one do nothing.
const ROCM: &str = "\
.rocm
.gpu Fiji
.kernel add
    .config
        .dims x
        .use_dispatch_ptr
        .use_kernarg_segment_ptr
        .arg data, \"uint*\", 8, , globalbuf, u32, global, default
        .arg n, \"uint\", 4, , value, u32
        .arg more, \"uint\", 4, , value, u32
.text
id = %v0
args = %s[2:3]
numbers = %s[8:9]
.macro offset place, base, index
    v_lshlrev_b32 v1, 2, \\index        # bytes
    v_add_u32 \\place[0], vcc, \\base[0], v1
    v_mov_b32 \\place[1], \\base[1]
    v_addc_u32 \\place[1], vcc, 0, \\place[1], vcc
.endm
add:
    .skip 256
    s_load_dword s5, s[0:1], 4          # the size of a work-group
    s_load_dwordx2 s[6:7], args, 0
    s_load_dwordx2 numbers, args, 8
    s_waitcnt lgkmcnt(0)
    s_and_b32 s5, s5, 0xffff
    s_mul_i32 s5, s5, s4                # s4 is the number of the work-group
    v_add_u32 id, vcc, s5, id
    v_cmp_gt_u32 vcc, numbers[0], id
    s_and_saveexec_b64 s[10:11], vcc
    s_cbranch_execz end
place = %v[2:3]
base = %s[6:7]
    offset place, base, id
    flat_load_dword v4, place
    s_waitcnt vmcnt(0) & lgkmcnt(0)
    v_add_u32 v4, vcc, numbers[1], v4
    flat_store_dword place, v4
end:
    s_endpgm
";

/// The same for AMD Catalyst's OpenCL 2.0: six numbers of the driver stand before the arguments.
fn amdcl2() -> String {
    let code = ROCM.split_once("id = %v0").expect("the code").1;
    let code = code
        .replace("s[2:3]\n", "s[6:7]\n")
        .replace("s[0:1], 4 ", "s[4:5], 4 ")
        .replace("add:\n    .skip 256\n", "")
        .replace("s5", "s12")
        .replace("s12, s4 ", "s12, s8 ")
        .replace("s[6:7], args, 0", "s[14:15], args, 48")
        .replace("args, 8", "args, 56")
        .replace("s[8:9]", "s[16:17]")
        .replace("base = %s[6:7]", "base = %s[14:15]");
    format!(
        ".amdcl2\n.gpu fiji\n.kernel add\n.config\n.dims x\n.useargs\n.usesetup\n.setupargs\n\
         .arg data, uint*, global\n.arg n, uint\n.arg more, uint\n.text\nid = %v0{code}"
    )
}

/// Assembles a source, and launches its kernel over 3 work-groups of 64, of whose work-items 150 do something.
fn add_five(name: &str, source: &str) {
    let folder = directory(name);
    let numbers: Vec<u32> = (0..192).map(|n| n * 3).collect();
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    fs::write(folder.join("add.s"), source).expect("a file");
    fs::write(folder.join("in.bin"), bytes).expect("a file");
    wavetank_in(&folder, "asm --dialect clrx add.s -o add.co").success();
    let launch = "launch add.co add --grid 192 --block 64 --arg inout:in.bin:out.bin --arg u32:150 --arg u32:5";
    wavetank_in(&folder, launch).success();
    let after = fs::read(folder.join("out.bin")).expect("a file");
    let after = after
        .chunks(4)
        .map(|n| u32::from_le_bytes([n[0], n[1], n[2], n[3]]));
    for ((n, before), after) in numbers.iter().enumerate().zip(after) {
        let more = if n < 150 { 5 } else { 0 };
        assert_eq!(after, before + more, "{name}: element {n}");
    }
}

#[test]
fn a_kernel_for_rocm_runs() {
    add_five("clrx-rocm", ROCM);
}

#[test]
fn a_kernel_for_opencl_runs() {
    add_five("clrx-amdcl2", &amdcl2());
}

#[test]
fn other_formats_assemble_as_instructions_alone() {
    let folder = directory("clrx-formats");
    let source =
        ".gallium\n.kernel k\n.args\n.arg scalar, 4\n.config\n.dims xyz\n.text\nk: s_endpgm\n";
    fs::write(folder.join("k.s"), source).expect("a file");
    wavetank_in(&folder, "asm --dialect clrx --raw k.s -o k.bin").success();
    assert_eq!(
        fs::read(folder.join("k.bin")).expect("a file"),
        [0, 0, 0x81, 0xbf]
    );
    let refused = wavetank_in(&folder, "asm --dialect clrx k.s -o k.co");
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("which is not written here"),
        "{refused:?}"
    );
}
