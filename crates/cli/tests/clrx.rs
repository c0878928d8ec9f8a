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

/// A loader writes both halves of an address into the code, as AMD's driver does for OpenCL 2.0.
#[test]
fn halves_of_addresses_are_left_to_the_loader() {
    let folder = directory("clrx-halves");
    let source = "\
.amdcl2
.gpu Fiji
.globaldata
    .int 1
table:
    .int 30, 50, 70, 110
.kernel look
    .config
        .dims x
        .useargs
        .setupargs
        .arg out, uint*, global
    .text
        s_load_dwordx2 s[8:9], s[4:5], 48
        v_and_b32 v1, 3, v0
        v_lshlrev_b32 v1, 2, v1
        v_mov_b32 v2, table&0xffffffff
        v_mov_b32 v3, table>>32
        v_add_u32 v2, vcc, v2, v1
        v_addc_u32 v3, vcc, 0, v3, vcc
        s_mov_b32 s2, table%%0x100000000
        s_mov_b32 s3, table//0x100000000
        flat_load_dword v4, v[2:3]
        s_load_dword s2, s[2:3], 4
        s_waitcnt vmcnt(0) & lgkmcnt(0)
        v_add_u32 v4, vcc, s2, v4
        v_lshlrev_b32 v1, 2, v0
        v_mov_b32 v3, s9
        v_add_u32 v2, vcc, s8, v1
        v_addc_u32 v3, vcc, 0, v3, vcc
        flat_store_dword v[2:3], v4
        s_endpgm
";
    fs::write(folder.join("look.s"), source).expect("a file");
    wavetank_in(&folder, "asm --dialect clrx look.s -o look.co").success();
    let launch = "launch look.co look --grid 64 --block 64 --arg out:out.bin:256";
    wavetank_in(&folder, launch).success();
    let after = fs::read(folder.join("out.bin")).expect("a file");
    let table = [30, 50, 70, 110];
    for (n, after) in after.chunks(4).enumerate() {
        let after = u32::from_le_bytes([after[0], after[1], after[2], after[3]]);
        assert_eq!(after, table[n % 4] + 50, "element {n}");
    }
}

/// A kernel for Mesa's Clover, as drivers before and from LLVM 4.0 on start it. `.globaldata` is right behind the code.
const CLOVER: &str = "\
.get_llvm_version LLVM
.ifarch gcn1.2
    UNIT = 4                # scalar loads count bytes, not dwords
.else
    UNIT = 1
.endif
.globaldata
    .int 3, 5, 7, 11
.kernel blend
    .args
        .arg global, 8
        .arg scalar, 2, 4, 4, sext      # a short
        .arg scalar, 4
        .arg griddim
        .arg gridoffset, 4
    .config
        .dims x
    .if LLVM >= 40000
        .default_hsa_features
    .else
        .tgsize
    .endif
.text
blend:
.if LLVM >= 40000
        .skip 256
first = 0
args = %s[6:7]
        s_load_dword s3, s[4:5], UNIT
        s_waitcnt lgkmcnt(0)
        s_and_b32 s3, s3, 0xffff
        s_mul_i32 s3, s3, s8
.else
first = 9                   # behind groups, items, and the size of a group
args = %s[0:1]
        s_load_dword s3, args, 6*UNIT
        s_waitcnt lgkmcnt(0)
        s_mul_i32 s3, s3, s4
.endif
        s_load_dwordx2 s[16:17], args, first*UNIT
        s_load_dwordx2 s[10:11], args, (first+2)*UNIT
        s_load_dword s12, args, (first+4)*UNIT
        s_load_dword s13, args, (first+7)*UNIT
        s_waitcnt lgkmcnt(0)
        v_add_i32 v0, vcc, s3, v0
        v_cmp_gt_u32 vcc, s11, v0
        s_and_saveexec_b64 s[14:15], vcc
        s_cbranch_execz end
        s_getpc_b64 s[20:21]
        s_add_u32 s20, s20, table-.
        s_addc_u32 s21, s21, 0
        v_lshlrev_b32 v1, 2, v0
.ifnarch gcn1.2
        s_mov_b32 s18, -1
        s_mov_b32 s19, 0xf000
        s_mov_b64 s[22:23], s[18:19]
        v_mov_b32 v2, 0
        buffer_load_dword v3, v[1:2], s[16:19], 0 addr64
        s_waitcnt vmcnt(0)
        v_and_b32 v4, 3, v3
        v_lshlrev_b32 v4, 2, v4
        v_mov_b32 v5, 0
        buffer_load_dword v5, v[4:5], s[20:23], 0 addr64
.else
        v_mov_b32 v2, s17
        v_add_u32 v1, vcc, s16, v1
        v_addc_u32 v2, vcc, 0, v2, vcc
        flat_load_dword v3, v[1:2]
        s_waitcnt vmcnt(0) & lgkmcnt(0)
        v_and_b32 v4, 3, v3
        v_lshlrev_b32 v4, 2, v4
        v_mov_b32 v5, s21
        v_add_u32 v4, vcc, s20, v4
        v_addc_u32 v5, vcc, 0, v5, vcc
        flat_load_dword v5, v[4:5]
.endif
        s_waitcnt vmcnt(0) & lgkmcnt(0)
        v_mul_lo_u32 v5, v5, s10
        v_add_i32 v3, vcc, v5, v3
        v_add_i32 v3, vcc, s12, v3
        v_add_i32 v3, vcc, s13, v3
.ifnarch gcn1.2
        buffer_store_dword v3, v[1:2], s[16:19], 0 addr64
.else
        flat_store_dword v[1:2], v3
.endif
end:
        s_endpgm
table:
";

/// The same for AMD's Catalyst, by buffers of 32 or 64 bits, and through the LDS.
const CATALYST: &str = "\
SMUL = 1
.ifarch gcn1.2
    SMUL = 4
.endif
.globaldata
    .int 3, 5, 7, 11
.kernel blend
    .config
        .dims x
        .arg n, uint
        .arg data, int*, global
        .arg factor, short
        .arg part, int*, local
        .userdata ptr_uav_table, 0, 2, 2
        .userdata imm_const_buffer, 0, 4, 4
        .userdata imm_const_buffer, 1, 8, 4
        .useconstdata
    .text
        s_buffer_load_dword s0, s[4:7], 4*SMUL
        s_buffer_load_dword s1, s[4:7], 24*SMUL
        s_buffer_load_dword s13, s[4:7], 3*SMUL
        s_buffer_load_dword s20, s[8:11], 0
    .if64
        s_buffer_load_dwordx2 s[22:23], s[8:11], 4*SMUL
        s_buffer_load_dwordx2 s[18:19], s[4:7], 0x20*SMUL
    .else
        s_buffer_load_dword s22, s[8:11], 4*SMUL
        s_buffer_load_dword s18, s[4:7], 0x20*SMUL
    .endif
        s_buffer_load_dword s21, s[8:11], 8*SMUL
        s_buffer_load_dword s16, s[8:11], 12*SMUL
        s_waitcnt lgkmcnt(0)
        s_mul_i32 s0, s0, s12
        s_add_u32 s0, s0, s1
        v_mov_b32 v9, v0                    # local id
        v_add_i32 v0, vcc, s0, v0
        v_cmp_gt_u32 vcc, s20, v0
        s_and_saveexec_b64 s[0:1], vcc
        s_cbranch_execz end
        s_load_dwordx4 s[4:7], s[2:3], 12*8*SMUL
        s_load_dwordx4 s[8:11], s[2:3], 10*8*SMUL
        v_lshlrev_b32 v1, 2, v0
        s_waitcnt lgkmcnt(0)
    .if32
        buffer_load_dword v3, v1, s[4:7], s22 offen
    .elseifarch gcn1.2
        s_and_b32 s5, s5, 0xffff
        s_and_b32 s9, s9, 0xffff
        s_add_u32 s4, s4, s22
        s_addc_u32 s5, s5, s23
        s_add_u32 s8, s8, s18
        s_addc_u32 s9, s9, s19
        v_mov_b32 v2, s5
        v_add_u32 v1, vcc, s4, v1
        v_addc_u32 v2, vcc, 0, v2, vcc
        flat_load_dword v3, v[1:2]
    .else
        v_mov_b32 v2, s23
        v_add_i32 v1, vcc, s22, v1
        v_addc_u32 v2, vcc, 0, v2, vcc
        buffer_load_dword v3, v[1:2], s[4:7], 0 addr64
    .endif
        s_waitcnt vmcnt(0) & lgkmcnt(0)
        v_and_b32 v4, 3, v3
        v_lshlrev_b32 v4, 2, v4
    .if32
        buffer_load_dword v5, v4, s[8:11], s18 offen
    .elseifarch gcn1.2
        v_mov_b32 v5, s9
        v_add_u32 v4, vcc, s8, v4
        v_addc_u32 v5, vcc, 0, v5, vcc
        flat_load_dword v5, v[4:5]
    .else
        v_mov_b32 v5, s19
        v_add_i32 v4, vcc, s18, v4
        v_addc_u32 v5, vcc, 0, v5, vcc
        buffer_load_dword v5, v[4:5], s[8:11], 0 addr64
    .endif
        s_waitcnt vmcnt(0) & lgkmcnt(0)
        v_mul_lo_u32 v5, v5, s21
        v_add_i32 v3, vcc, v5, v3
        v_add_i32 v3, vcc, s13, v3
        # through the LDS, in the same wave
        s_mov_b32 m0, 0x8000
        v_lshlrev_b32 v9, 2, v9
        v_add_i32 v9, vcc, s16, v9
        ds_write_b32 v9, v3
        s_waitcnt lgkmcnt(0)
        ds_read_b32 v3, v9
        s_waitcnt lgkmcnt(0)
    .if32
        buffer_store_dword v3, v1, s[4:7], s22 offen
    .elseifarch gcn1.2
        flat_store_dword v[1:2], v3
    .else
        buffer_store_dword v3, v[1:2], s[4:7], 0 addr64
    .endif
end:
        s_endpgm
";

/// What [`CLOVER`] and [`CATALYST`] make of a number in a grid of one dimension without offset, with the factor -5.
fn blended(before: i32) -> i32 {
    let table = [3, 5, 7, 11];
    before + table[(before & 3) as usize] * -5 + 1
}

/// Assembles a source for a chip, and launches its kernel over 192 work-items, of which 150 do something.
fn blend(name: &str, chip: &str, source: &str, args: &str) {
    let folder = directory(name);
    let numbers: Vec<i32> = (0..192).map(|n| n * 3 - 77).collect();
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    fs::write(folder.join("blend.s"), source).expect("a file");
    fs::write(folder.join("in.bin"), &bytes).expect("a file");
    let asm = format!("asm --dialect clrx --gpu {chip} blend.s -o blend.bin");
    wavetank_in(&folder, &asm).success();
    let launch = format!("launch blend.bin blend --gpu {chip} --grid 192 --block 64 {args}");
    wavetank_in(&folder, &launch).success();
    let after = fs::read(folder.join("out.bin")).expect("a file");
    let after = after
        .chunks(4)
        .map(|n| i32::from_le_bytes([n[0], n[1], n[2], n[3]]));
    for ((n, before), after) in numbers.iter().enumerate().zip(after) {
        let want = if n < 150 { blended(*before) } else { *before };
        assert_eq!(after, want, "{name}: element {n}");
    }
}

/// A chip of each generation that these drivers have.
const CHIPS: [&str; 3] = ["gfx600", "gfx704", "gfx803"];

#[test]
fn kernels_for_clover_run() {
    let args = "--arg inout:in.bin:out.bin --arg i16:-5 --arg u32:150";
    for version in [30900, 40000] {
        for chip in CHIPS {
            let source = format!(".gallium\n.llvm_version {version}\n{CLOVER}");
            let name = format!("clrx-gallium-{version}-{chip}");
            blend(&name, chip, &source, args);
        }
    }
}

#[test]
fn kernels_for_catalyst_run() {
    let args = "--arg u32:150 --arg inout:in.bin:out.bin --arg i16:-5 --arg lds:256";
    for bits in [32, 64] {
        for chip in CHIPS {
            let source = format!(".amd\n.{bits}bit\n{CATALYST}");
            let name = format!("clrx-amd-{bits}-{chip}");
            blend(&name, chip, &source, args);
        }
    }
}

#[test]
fn programs_of_clover_are_made_alone() {
    let folder = directory("clrx-gallium-alone");
    let source = ".gallium\n.kernel k\n.config\n.dims x\n.text\nk: s_endpgm\n";
    fs::write(folder.join("k.s"), source).expect("a file");
    fs::write(folder.join("l.s"), source.replace('k', "l")).expect("a file");
    for command in [
        "asm --dialect clrx k.s l.s -o k.bin",
        "asm --dialect clrx --gpu gfx600,gfx803 k.s -o k.bin",
    ] {
        let refused = wavetank_in(&folder, command);
        assert_eq!(refused.code, Some(2));
        assert!(
            refused.stderr.contains("one source for one chip"),
            "{refused:?}"
        );
    }
    wavetank_in(&folder, "asm --dialect clrx -c k.s -o k.o").success();
    let object = fs::read(folder.join("k.o")).expect("a file");
    assert!(object.starts_with(b"\x7fELF"));
}

/// What no driver of these has, or gives.
#[test]
fn programs_for_catalyst_are_told_what_is_not_there() {
    let folder = directory("clrx-amd-wrong");
    let source = ".amd\n.kernel k\n.config\n.dims x\n.arg i, image2d\n.text\ns_endpgm\n";
    fs::write(folder.join("k.s"), source).expect("a file");
    wavetank_in(&folder, "asm --dialect clrx --raw k.s -o k.bin").success();
    assert_eq!(
        fs::read(folder.join("k.bin")).expect("a file"),
        [0, 0, 0x81, 0xbf]
    );
    let refused = wavetank_in(&folder, "asm --dialect clrx --gpu gfx900 k.s -o k.co");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("for gfx900"), "{refused:?}");
    wavetank_in(&folder, "asm --dialect clrx --gpu gfx600 k.s -o k.co").success();
    wavetank_in(&folder, "info k.co").success();
    let launch = "launch k.co k --grid 64 --block 64 --gpu gfx600";
    let refused = wavetank_in(&folder, launch);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("wants the image `i`"),
        "{refused:?}"
    );
}
