//! Sources as people have them: marks of editors, many wrong lines.

use std::cell::RefCell;

use wavetank_asm::{
    Message, Options, assemble, assemble_code, assemble_lines, assemble_object, text_of,
};
use wavetank_gcn::{Chip, Dialect};

fn texts(source: &str) -> Result<Vec<(usize, String)>, wavetank_asm::Errors> {
    let mut texts = Vec::new();
    assemble(source, Chip::Gfx900, Dialect::Llvm, |line| {
        texts.push((line.number, line.inst.to_string()));
    })?;
    Ok(texts)
}

#[test]
fn byte_order_marks_and_lone_carriage_returns_are_read() {
    let source = "\u{feff}start:\rs_nop 1\r\ns_branch start\rend: s_nop 2\r";
    let lines = texts(source).expect("a source");
    let lines_read: Vec<_> = lines.iter().map(|(n, t)| (*n, t.as_str())).collect();
    assert_eq!(
        lines_read,
        [(2, "s_nop 1"), (3, "s_branch 65534"), (4, "s_nop 2")]
    );
    // Elsewhere it is no mark.
    assert!(texts("s_nop 0\n\u{feff}s_nop 1").is_err());
}

#[test]
fn enough_errors_are_enough() {
    let source = "s_nop 0\nwrong\n".repeat(1000) + &"twice:\n".repeat(1000);
    let mut lines = 0;
    let run = |most, lines: &mut usize| {
        let each = |_: &_| *lines += 1;
        let options = Options {
            max_errors: most,
            ..Options::new(Chip::Gfx900)
        };
        assemble_lines("a.s", &source, &options, each)
    };
    let errors = run(10, &mut lines).unwrap_err();
    // Twenty lines have been read.
    assert_eq!((errors.0.len(), errors.unread()), (10, 2980));
    assert!(lines <= 10);
    lines = 0;
    let errors = run(usize::MAX, &mut lines).unwrap_err();
    assert_eq!((errors.0.len(), errors.unread()), (1999, 0));
    assert_eq!(lines, 1000);
}

/// A source with labels is read twice for its instructions, and gives its messages once.
#[test]
fn messages_are_received_once() {
    let source = "l: s_branch l\n.macro note text\n  .warning \"\\text\"\n.endm\nnote near\n.print \"\\033[2J\"\n\
                  .if 0\n.print \"skipped\"\n.warning\n.endif\n";
    for dialect in Dialect::ALL {
        let received = RefCell::new(Vec::new());
        let receive = |message: &Message| received.borrow_mut().push(message.clone());
        let options = Options {
            dialect,
            messages: &receive,
            ..Options::new(Chip::Gfx900)
        };
        assemble_lines("a.s", source, &options, |_| {}).expect("a source");
        let received = received.take();
        let [Message::Warning { source, line }, print] = &received[..] else {
            panic!("{received:?}");
        };
        assert_eq!(
            (source.as_str(), line.number, &*line.text),
            ("a.s", 1, "  .warning \"near\"")
        );
        assert_eq!(
            (line.error.message.as_str(), line.error.span.clone()),
            ("near", 2..17)
        );
        assert_eq!(line.around, ["in the macro `note`, which line 5 uses"]);
        assert_eq!(print, &Message::Print("\u{1b}[2J".to_owned()));
        assert_eq!(print.to_string(), "\\u{1b}[2J");
    }
    for wrong in [
        ".print",
        ".print 5",
        ".print \"a\" b",
        ".warning a",
        ".warning \"a\" b",
    ] {
        assert_eq!(texts(wrong).unwrap_err().0.len(), 1, "{wrong}");
    }
}

#[test]
fn errors_are_printed_in_plain_characters_and_clipped() {
    let error = texts("s_nop 0 \u{1b}]0;title\u{7}")
        .unwrap_err()
        .to_string();
    assert!(
        !error.contains('\u{1b}') && error.contains("\\u{1b}]0;title\\u{7}"),
        "{error}"
    );
    let long = format!("s_nop 0, {}", "x".repeat(1 << 20));
    for source in [long.as_str(), &long[9..]] {
        let error = texts(source).unwrap_err().to_string();
        assert!(error.len() < 1000, "{} bytes", error.len());
    }
}

#[test]
fn bytes_that_are_no_utf_8_stay() {
    let data = b"\xff\x80\xf4\x8f\x9f\xbf\xc3\xa4\xc3";
    for before in [&b"/* \xfe */"[..], b"# all else is text"] {
        for data in [&data[..], &data[2..8]] {
            let source = [before, b"\n.ascii \"", data, b"\""].concat();
            let object = assemble_object("a.s", &text_of(source), &Options::new(Chip::Gfx900));
            let object = object.expect("it is assembled");
            let text = object
                .sections
                .iter()
                .find(|section| section.name == ".text");
            assert_eq!(&*text.expect("a section").bytes, data);
        }
    }
}

fn code(source: &str) -> Result<Vec<u8>, wavetank_asm::Errors> {
    assemble_code("a.s", source, &Options::new(Chip::Gfx900))
}

/// Bytes are those of LLVM 14.
#[test]
fn instructions_have_the_values_that_come_later() {
    let source = "s_mov_b32 s0, x\n s_add_u32 s0, s0, lab-start\n s_movk_i32 s1, x\n\
                  start: s_nop 0\n lab: .long 5\n s_nop 1\n .set x, 0x1234\n";
    let words = [
        0xbe80_00ff_u32,
        0x1234,
        0x8000_ff00,
        4,
        0xb001_1234,
        0xbf80_0000,
        5,
        0xbf80_0001,
    ];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(code(source).expect("a source"), bytes);
    let mut lines_read = Vec::new();
    assemble(source, Chip::Gfx900, Dialect::Llvm, |line| {
        let mut text = String::new();
        line.print(Dialect::Llvm, &mut text)
            .expect("a string takes all");
        lines_read.push((line.address, text, line.bytes().to_vec()));
        assert_eq!(line.waits_for(), None);
    })
    .expect("a source");
    let lines = [
        (0, "s_mov_b32 s0, x", 0..8),
        (8, "s_add_u32 s0, s0, lab-start", 8..16),
        (16, "s_movk_i32 s1, x", 16..20),
        (20, "s_nop 0", 20..24),
        (28, "s_nop 1", 28..32),
    ];
    let expected = lines.map(|(at, text, place)| (at, text.to_owned(), bytes[place].to_vec()));
    assert_eq!(lines_read, expected);
}

#[test]
fn plain_code_waits_for_no_linker() {
    let source = ".globl f\ns_nop 0\ns_add_u32 s0, s0, f@rel32@lo+4";
    let error = code(source).unwrap_err().to_string();
    assert!(error.starts_with("line 3: only a linker knows"), "{error}");
    let mut waiting = Vec::new();
    assemble(source, Chip::Gfx900, Dialect::Llvm, |line| {
        waiting.push(line.waits_for().map(str::to_owned));
    })
    .expect("a source");
    assert_eq!(waiting, [None, Some("f@rel32@lo+4".to_owned())]);
    let error = code("s_nop 0\n.section .text.f, \"ax\"\ns_nop 1").unwrap_err();
    assert!(
        error.to_string().contains("`.text` and `.text.f`"),
        "{error}"
    );
    // Data are no code.
    assert_eq!(code(".data\n.quad f").expect("a source"), []);
}

/// What clang 20 and later print: the registers of a kernel depend on those of functions further below.
#[test]
fn kernels_have_functions_of_symbols_that_come_later() {
    let written = |fields: &str, symbols: &str| {
        let source = format!(
            ".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"\nk: s_endpgm\n.section .rodata\n.amdhsa_kernel k\n{fields}\n\
             .end_amdhsa_kernel\n{symbols}"
        );
        let object = assemble_object("k.s", &source, &Options::new(Chip::Gfx900));
        let object = object.unwrap_or_else(|errors| panic!("{errors}"));
        let section = object.sections.into_iter().find(|s| s.name == ".rodata");
        section.expect("a section").bytes
    };
    let computed = written(
        ".amdhsa_next_free_vgpr max(totalnumvgprs(k.num_agpr, k.num_vgpr), 1, 0)\n\
         .amdhsa_next_free_sgpr max(k.numbered_sgpr+extrasgprs(k.uses_vcc, k.uses_flat_scratch, 1), 1, 0)\
         -extrasgprs(k.uses_vcc, k.uses_flat_scratch, 1)\n\
         .amdhsa_reserve_vcc k.uses_vcc\n.amdhsa_private_segment_fixed_size k.private_seg_size",
        ".set k.num_vgpr, max(4, f.num_vgpr)\n.set k.num_agpr, max(0, f.num_agpr)\n\
         .set k.numbered_sgpr, max(33, f.numbered_sgpr)\n.set k.uses_vcc, or(0, f.uses_vcc)\n\
         .set k.uses_flat_scratch, or(1, f.uses_flat_scratch)\n.set k.private_seg_size, 0+max(f.private_seg_size)\n\
         .set f.num_vgpr, amdgpu.max_num_vgpr\n.set f.num_agpr, 0\n.set f.numbered_sgpr, amdgpu.max_num_sgpr\n\
         .set f.uses_vcc, 1\n.set f.uses_flat_scratch, 0\n.set f.private_seg_size, 16\n\
         .set amdgpu.max_num_vgpr, 41\n.set amdgpu.max_num_sgpr, 34",
    );
    let plain = written(
        ".amdhsa_next_free_vgpr 41\n.amdhsa_next_free_sgpr 34\n.amdhsa_private_segment_fixed_size 16",
        "",
    );
    assert_eq!(computed, plain);
}

/// `.option.machine_version_major` and its like exist in version 2 alone, by which sources tell the versions apart.
#[test]
fn names_of_version_2_exist_there_alone() {
    let asks = ".ifdef .option.machine_version_major\n.long .option.machine_version_major\n.else\n.long 0\n.endif";
    let version = |version: u8, before: &str| {
        let options = Options {
            version,
            ..Options::new(Chip::Gfx803)
        };
        let made = assemble_code("a.s", &format!("{before}{asks}"), &options);
        made.unwrap_or_else(|errors| panic!("{errors}"))[0]
    };
    assert_eq!([2, 3, 4, 5].map(|n| version(n, "")), [8, 0, 0, 0]);
    assert_eq!(version(5, ".hsa_code_object_version 2, 1\n"), 8);
    let set = ".set .option.machine_version_major, .amdgcn.gfx_generation_number\n";
    assert_eq!(version(5, set), 8);
}

/// The bytes are those of LLVM 19.
#[test]
fn long_forms_have_the_names_of_later_chips() {
    for (line, bytes) in [
        ("v_add_co_u32 v84, vcc, v13, v31", [0x54, 0x6a, 0x4a, 0xd2]),
        (
            "v_subrev_co_u32_e64 v84, s[0:1], v13, v31",
            [0x54, 0x00, 0x4e, 0xd2],
        ),
        (
            "v_div_scale_f32 v24, vcc, v22, -v22, v20 clamp",
            [0x18, 0x6a, 0xda, 0xd2],
        ),
    ] {
        for chip in [Chip::Gfx600, Chip::Gfx701] {
            let made = assemble_code("a.s", line, &Options::new(chip)).expect("an instruction");
            assert_eq!(made[..4], bytes, "{line}");
        }
    }
    assert!(code("v_max_f32 v1, v2").is_err());
    assert!(code("ds_read_b32 v0, v1 inst_offset:8").is_err());
    assert!(code("v_mov_b32 V0, v1").is_err());
}

#[test]
fn integers_have_the_suffixes_of_c() {
    // As LLVM 19 reads them.
    assert_eq!(
        code(".byte 7LL, 5U, 6ull, 0x8L\n.line 3\n.line"),
        Ok(vec![7, 5, 6, 8])
    );
    for wrong in [".byte 7LLL", ".byte 7LU", ".byte 7x"] {
        assert!(code(wrong).is_err(), "{wrong}");
    }
}

/// A definition that several others name, and several others these, is evaluated once.
#[test]
fn assignments_may_branch_as_often_as_they_like() {
    let names: String = (1..200)
        .map(|n| format!("x{n} = x{0} * x{0} | x{0}\n", n - 1))
        .collect();
    let made = code(&format!("{names}.long x199\nx0 = 1\n"));
    assert_eq!(made, Ok(vec![1, 0, 0, 0]));
    let error = code("a = b * 2\nb = a * 2\n.long a")
        .unwrap_err()
        .to_string();
    assert!(error.contains("depends on itself"), "{error}");
}

#[test]
fn names_of_directives_end_where_names_end() {
    let nops =
        |numbers: &[u8]| -> Vec<u8> { numbers.iter().flat_map(|n| [*n, 0, 0x80, 0xbf]).collect() };
    for (source, expected) in [
        (".if 0\n.elseif(1)\ns_nop 1\n.endif", &[1][..]),
        (
            ".if 0\n.if(1)\ns_nop 1\n.endif\ns_nop 2\n.endif\ns_nop 3",
            &[3],
        ),
        (
            ".if 0\n.ifdef(x)\n.else\ns_nop 1\n.endif\n.ifeq-1\n.endif\n.endif\ns_nop 3",
            &[3],
        ),
        (".if(1)\ns_nop 1\n.elseif(1)\ns_nop 2\n.endif", &[1]),
        (".ifeq-1\ns_nop 1\n.else\ns_nop 2\n.endif", &[2]),
        (".ifdef\"x\"\ns_nop 1\n.endif", &[]),
        (".rept(2)\n.rept(2)\ns_nop 4\n.endr\n.endr", &[4, 4, 4, 4]),
        (
            ".macro m x\n.if(\\x)\ns_nop 5\n.endif\n.endm\nm(1 == 1)\nm( 1 == 2 )\nm -1",
            &[5, 5],
        ),
        (".long(0xbf800006)", &[6]),
    ] {
        for dialect in Dialect::ALL {
            let options = Options {
                dialect,
                ..Options::new(Chip::Gfx900)
            };
            let made = assemble_code("a.s", source, &options);
            assert_eq!(made, Ok(nops(expected)), "{source}");
        }
    }
}

/// As LLVM 14 and 15 have it.
#[test]
fn words_of_the_language_come_before_symbols() {
    let word = |line: &str, name: &str| {
        let made = code(&format!(".set {name}, 1\n{line}\n"))?;
        Ok::<u32, wavetank_asm::Errors>(u32::from_le_bytes(made[..4].try_into().expect("a word")))
    };
    for (name, line, expected) in [
        ("scc", "s_mov_b32 s0, scc", 0xbe80_00fd),
        ("vccz", "s_mov_b32 s0, vccz", 0xbe80_00fb),
        ("shared_base", "s_mov_b32 s0, shared_base", 0xbe80_00eb),
        (
            "src_lds_direct",
            "v_mov_b32 v0, src_lds_direct",
            0x7e00_02fe,
        ),
        ("exec_lo", "s_mov_b32 s0, exec_lo", 0xbe80_007e),
        (
            "HW_REG_TRAPSTS",
            "s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS, 0, 4)",
            0xb880_1803,
        ),
        (
            "HW_REG_MODE",
            "s_getreg_b32 s0, hwreg(2, HW_REG_MODE, 4)",
            0xb880_1842,
        ),
        (
            "GS_OP_EMIT",
            "s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 1)",
            0xbf90_0122,
        ),
        ("mrt0", "exp mrt0 v0, v1, off, v3 done vm", 0xc400_180b),
        ("p10", "v_interp_mov_f32 v0, p10, attr0.x", 0xd402_0000),
        ("DST", "s_set_gpr_idx_mode gpr_idx(DST)", 0xbf9d_0008),
        // Where only a number can stand, they are names.
        ("s1", "v_mov_b32 v[s1], 0", 0x7e02_0280),
        ("scc", "s_mov_b32 s0, 2+scc", 0xbe80_0083),
        ("s1", "s_mov_b32 s0, (s1)", 0xbe80_0081),
        ("vcc", "s_waitcnt vmcnt(vcc)", 0xbf8c_0f71),
        ("s5", "s_waitcnt s5", 0xbf8c_0001),
        (
            "scc",
            "buffer_load_dword v0, off, s[0:3], s0 offset:scc",
            0xe050_0001,
        ),
        // Modifiers are where no operand can be.
        (
            "glc",
            "buffer_load_dword v0, off, s[0:3], 0, glc",
            0xe050_4000,
        ),
        ("glc", "s_mov_b32 s0, glc", 0xbe80_0081),
        ("clamp", "v_add_f32 v0, clamp, v1", 0x0200_0281),
        ("mul", "v_add_f32_e64 v0, v1, |0| mul:2", 0xd101_0200),
    ] {
        let made = word(line, name);
        assert_eq!(made, Ok(expected), "{name}: {line}: {made:x?}");
    }
    for (name, line) in [
        ("a0", "s_mov_b32 s0, a0"),
        ("tba", "s_mov_b32 s0, tba"),
        ("null", "v_mov_b32 v0, null"),
        ("v256", "v_mov_b32 v0, v256"),
        ("s1", "s_nop s1"),
        ("X", "exp X v0, v1, v2, v3"),
        ("X", "s_set_gpr_idx_mode gpr_idx(X)"),
        (
            "HW_REG_FLAT_SCR_LO",
            "s_getreg_b32 s0, hwreg(HW_REG_FLAT_SCR_LO)",
        ),
    ] {
        assert!(word(line, name).is_err(), "{name}: {line}");
    }
    let label = |target: &str| code(&format!("s_branch {target}\ns0: vcc: s_nop 0"));
    assert_eq!(label("(s0)").expect("a label")[..4], [0, 0, 0x82, 0xbf]);
    let error = label("s0").unwrap_err().to_string();
    assert!(error.contains("`s0` is a register, not a label"), "{error}");
}

#[test]
fn what_is_not_known_is_named() {
    for (line, name) in [
        ("v_mov_b32 v[A], s0", "A"),
        ("buffer_load_dword v0, off, s[0:3], 0 offset:A+1", "A+1"),
        ("s_load_dword s0, s[0:1], A", "A"),
        ("v_readlane_b32 s0, v1, A", "A"),
        ("s_getreg_b32 s0, hwreg(1, A, 4)", "A"),
    ] {
        let error = code(&format!(".globl A\n{line}")).unwrap_err().to_string();
        assert!(
            error.contains(&format!("`{name}` must be known here")),
            "{error}"
        );
    }
}

/// A hundred thousand parameters, each used: ten seconds, where each is looked for among all.
#[test]
fn macros_have_many_parameters() {
    let count = 20_000;
    let list = |of: fn(usize) -> String| (0..count).map(of).collect::<Vec<_>>().join(",");
    let names = list(|n| format!("p{n}"));
    let uses = list(|n| format!("\\p{n}"));
    let source = format!(
        ".macro m {names}\n.byte {uses}\n.endm\nm {}",
        list(|n| (n % 100).to_string())
    );
    let expected: Vec<u8> = (0..count).map(|n| (n % 100) as u8).collect();
    assert!(code(&source) == Ok(expected));
}
