//! Sources with labels, held to LLVM's assembler.

use std::io::Write;
use std::process::{Command, Stdio};

use wavetank_asm::assemble;
use wavetank_gcn::{Chip, Dialect};

const SOURCE: &str = "
start:
    s_mov_b32 s0, 10             ; comments
loop:   s_sub_u32 s0, s0, 0x12345 // of both sorts
    s_cmp_eq_u32 s0, 0
    s_cbranch_scc0 loop          /* and over
                                    two lines */
1:  s_cbranch_vccz 1f
    s_branch 1b
1:  v_add_f32 v0, 0x3f8ccccd, v1
    s_cbranch_execz end
    s_call_b64 s[2:3], start
    s_branch -1
# a line of its own
end:
    s_nop 0
    s_cbranch_scc1 end
    s_endpgm
";

/// The bytes of `.text`, as `llvm-mc` and `llvm-objcopy` 14 make them; `None` where they are not installed.
fn llvm(source: &str, cpu: &str) -> Option<Vec<u8>> {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let (object, binary) = (format!("{folder}/{cpu}.o"), format!("{folder}/{cpu}.bin"));
    let mut mc = Command::new("llvm-mc-14")
        .args(["-arch=amdgcn", &format!("-mcpu={cpu}"), "-filetype=obj"])
        .args(["-o", &object])
        .stdin(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = mc.stdin.take().expect("stdin is a pipe");
    input.write_all(source.as_bytes()).expect("llvm-mc reads");
    drop(input);
    assert!(mc.wait().expect("llvm-mc ends").success());
    let copied = Command::new("llvm-objcopy-14")
        .args(["-O", "binary", "--only-section=.text", &object, &binary])
        .status()
        .ok()?;
    assert!(copied.success());
    Some(std::fs::read(&binary).expect("llvm-objcopy wrote"))
}

#[test]
fn labels_resolve_as_llvm_does() {
    let mut code = Vec::new();
    let done = assemble(SOURCE, Chip::Gfx900, Dialect::Llvm, |line| {
        code.extend_from_slice(line.bytes());
    });
    assert_eq!(done, Ok(()));
    match llvm(SOURCE, "gfx900") {
        Some(expected) => assert_eq!(code, expected),
        None => {
            assert!(
                std::env::var_os("CI").is_none_or(|ci| ci != "true"),
                "llvm-mc-14 is absent"
            );
            eprintln!("SKIP labels_resolve_as_llvm_does: llvm-mc-14 is absent");
        }
    }
}
