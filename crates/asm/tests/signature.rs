//! Kernels of signatures, held to directives that are written by hand.

use wavetank_asm::{Options, assemble_object};
use wavetank_gcn::{Chip, Dialect};

use crate::objects::{described, llvm};

/// Code, and after a line `; ----` the directives that `--kernel` stands for. Names are such that they could be read as
/// truth values or numbers.
const SOURCE: &str = include_str!("sources/signature.s");
const SIGNATURE: &str =
    "n(global const f32* no, u8 on, local f64* l, i64 inf, f16 e1) lds 1000 dims 2";

fn options(cpu: &str, version: u8, signatures: &[&str]) -> Options<'static> {
    let kernels = signatures
        .iter()
        .map(|text| text.parse().expect("a signature"));
    Options {
        version,
        kernels: kernels.collect(),
        ..Options::new(Chip::from_name(cpu).expect("a chip"))
    }
}

#[test]
fn signatures_stand_for_directives() {
    let (code, _) = SOURCE.split_once("; ----").expect("both halves");
    // SGPRs: 21, and after them VCC; FLAT_SCRATCH as well on gfx6, and XNACK_MASK on gfx900 (the guide, "Kernel
    // Descriptor", `GRANULATED_WAVEFRONT_SGPR_COUNT`).
    for (cpu, version, sgprs) in [
        ("gfx600", 4, "25"),
        ("gfx701", 4, "23"),
        ("gfx803", 3, "23"),
        ("gfx900", 5, "25"),
    ] {
        let ours = assemble_object("n.s", code, &options(cpu, version, &[SIGNATURE]));
        let ours = described(&ours.unwrap_or_else(|errors| panic!("{cpu}: {errors}")));
        let minor = (version - 3).to_string();
        let source = SOURCE.replace("VERSION", &minor).replace("SGPRS", sgprs);
        let mut source = source.replace("CPU", cpu);
        // gfx6 has no such field, and version 3 does not say its target.
        for (absent, line) in [
            (
                cpu == "gfx600",
                ".amdhsa_reserve_flat_scratch 0\n".to_owned(),
            ),
            (
                version == 3,
                format!("amdhsa.target: amdgcn-amd-amdhsa--{cpu}\n"),
            ),
        ] {
            if absent {
                assert!(source.contains(&line));
                source = source.replace(&line, "");
            }
        }
        let Some(theirs) = llvm("signature", &source, cpu, version) else {
            return;
        };
        for (what, text) in described(&theirs) {
            assert_eq!(ours.get(&what), Some(&text), "{cpu}: {what}");
        }
    }
}

#[test]
fn kernels_begin_at_multiples_of_256_bytes() {
    let source = "s_nop 0\n b: s_endpgm\n a: s_nop 1\n s_endpgm";
    let object = assemble_object("two.s", source, &options("gfx900", 5, &["a()", "b()"]));
    let object = object.expect("it is right");
    let found = |name: &str| {
        let symbol = object.symbols.iter().find(|s| s.name == name).expect(name);
        (symbol.value, symbol.size)
    };
    // Each reaches to the next.
    assert_eq!((found("b"), found("a")), ((256, 256), (512, 8)));
    let text = object
        .sections
        .iter()
        .find(|s| s.name == ".text")
        .expect("code");
    assert_eq!(text.align, 256);
}

#[test]
fn kernels_in_another_syntax_are_the_same() {
    let made = |dialect, source| {
        let options = Options {
            dialect,
            ..options("gfx900", 5, &["k(global u32* out)"])
        };
        let object = assemble_object("k.s", source, &options);
        described(&object.unwrap_or_else(|errors| panic!("{dialect}: {errors}")))
    };
    let llvm = made(Dialect::Llvm, "k: v_mov_b32 v6, vcc_lo ; a copy\n s_endpgm");
    let clrx = made(Dialect::Clrx, "k: v_mov_b32 v6, vcc_lo; s_endpgm # the end");
    assert_eq!(llvm, clrx);
}

#[test]
fn names_that_a_source_does_not_have_are_reported() {
    let kernel = "k: s_endpgm\n";
    let directives =
        ".amdhsa_kernel k\n.amdhsa_next_free_vgpr 1\n.amdhsa_next_free_sgpr 1\n.end_amdhsa_kernel";
    let metadata = ".amdgpu_metadata\namdhsa.version: [1, 2]\n.end_amdgpu_metadata";
    for (cpu, version, source, signature, under, sentence) in [
        (
            "gfx900",
            5,
            kernel,
            "kern()",
            "kern",
            "the source has no label `kern`",
        ),
        (
            "gfx600",
            5,
            kernel,
            "k() lds 32769",
            "32769",
            "32768 bytes of LDS at most",
        ),
        ("gfx900", 2, kernel, "k()", "k", "version 2"),
        (
            "gfx900",
            5,
            directives,
            "k()",
            "k",
            "there is another kernel `k`",
        ),
        ("gfx900", 5, metadata, "k()", "k", "metadata already"),
        ("gfx900", 5, "k = 1", "k()", "k", "`k` is not a label"),
    ] {
        let errors = assemble_object("k.s", source, &options(cpu, version, &[signature]));
        let errors = errors.expect_err(sentence).0;
        let error = &errors[0].error;
        assert_eq!(&signature[error.span.clone()], under, "{errors:?}");
        assert!(error.message.contains(sentence), "{errors:?}");
        assert_eq!(errors[0].file.as_deref(), Some("--kernel"));
    }
    let twice = assemble_object("k.s", kernel, &options("gfx900", 5, &["k()", "k()"]));
    assert_eq!(twice.expect_err("two").0.len(), 1);
}
