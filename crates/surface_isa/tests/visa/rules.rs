//! Every rule of the assembler: what is refused, where, and what was expected.

use wavetank_surface_isa::visa::{parse, source};

/// A line with `[` and `]` around what is wrong (empty where something is missing), and how the sentence begins.
const REFUSED: &[(&str, &str)] = &[
    // The words.
    (
        "[]",
        "the line ends here: expected `typed_atomic` and an operation",
    ),
    (
        "[typed_atomc].add (8) T6 V32 V0 V0 V0 V36 V0 V38",
        "`typed_atomc` is not known: expected `typed_atomic`",
    ),
    ("typed_atomic[] (8) T6 V32", "expected `.` and an operation"),
    (
        "typed_atomic.[ad] (8) T6 V32",
        "`ad` is not an operation: expected one of add, sub, ",
    ),
    (
        "typed_atomic.add.[32] (8) T6 V32",
        "`32` is not a size: expected `.16`",
    ),
    (
        "typed_atomic.add.16[.16] (8) T6 V32",
        "expected nothing after `.16`",
    ),
    (
        "typed_atomic.add [T6] V32",
        "expected `(` and mask and execution size, such as `(M1, 8)`, found `T6`",
    ),
    (
        "typed_atomic.add ([32]) T6",
        "`32` is not an execution size: expected 1, 2, 4, 8 or 16",
    ),
    (
        "typed_atomic.add (M1, [3]) T6",
        "`3` is not an execution size: expected 1, 2, 4, 8 or 16",
    ),
    (
        "typed_atomic.add ([M9], 8) T6",
        "`M9` is not a mask: expected `M1` to `M8`, or `M1_NM` to `M8_NM`",
    ),
    (
        "typed_atomic.add (M1 [8]) T6",
        "expected `,` between mask and execution size, found `8`",
    ),
    (
        "typed_atomic.add (M1, 8 [T6]",
        "expected `)` after the execution size, found `T6`",
    ),
    (
        "typed_atomic.add (8) [V32]",
        "`V32` is not a surface: expected `T0` to `T255`",
    ),
    ("typed_atomic.add (8) [T256] V32", "`T256` is not a surface"),
    (
        "typed_atomic.add (8) T6 V32 V0[]",
        "the line ends here: expected R, such as `V32.0`, or `%null.0`",
    ),
    (
        "typed_atomic.add (8) T6 V32 [T7]",
        "`T7` is not a variable: expected V, such as `V32.0`, or `%null.0`",
    ),
    (
        "typed_atomic.add (8) T6 V32.[65536]",
        "`65536` is not an offset of U: expected bytes from 0 to 65535",
    ),
    (
        "typed_atomic.add (8) T6 [V4294967296]",
        "there is no variable `V4294967296`",
    ),
    (
        "typed_atomic.add (8) T6 V32 V0 V0 V0 V36 V0 V38 [V39]",
        "`V39` follows Dst, the last operand",
    ),
    (
        "([Q1]) typed_atomic.add",
        "`Q1` is not a predicate: expected `P1` to `P4095`",
    ),
    (
        "([P0]) typed_atomic.add",
        "there is no predicate `P0`: expected `P1` to `P4095`",
    ),
    (
        "(![P4096].any) typed_atomic.add",
        "there is no predicate `P4096`",
    ),
    (
        "(P1.[some]) typed_atomic.add",
        "`some` combines nothing: expected `any` or `all`",
    ),
    (
        "(P1 [typed_atomic.add]",
        "expected `)` after the predicate, found `typed_atomic.add`",
    ),
    // The description on Src0: "For the INC and DEC atomic operation it must be V0".
    (
        "typed_atomic.inc (8) T6 V32 V0 V0 V0 [V36] V0 V38",
        "inc takes no source: Src0 must be the null variable",
    ),
    (
        "typed_atomic.dec (8) T6 V32 V0 V0 V0 [V36.0] V0 V38",
        "dec takes no source: Src0 must be the null variable",
    ),
    (
        "typed_atomic.add (8) T6 V32 V0 V0 V0 [%null.0] V0 V38",
        "add stores old + src0: Src0 must be a variable",
    ),
    // The description on Src1: for CMPXCHG, and for all others V0 (but FCMPWR, docs/reference/errata.md).
    (
        "typed_atomic.cmpxchg (8) T6 V32 V0 V0 V0 V36 [V0] V38",
        "cmpxchg stores old == src1 ? src0 : old: Src1 must be a variable",
    ),
    (
        "typed_atomic.fcmpwr (8) T6 V32 V0 V0 V0 V36 [V0] V38",
        "fcmpwr stores src0 == old ? src1 : old: Src1 must be a variable",
    ),
    (
        "typed_atomic.xchg (8) T6 V32 V0 V0 V0 V36 [V37] V38",
        "xchg takes no second source (only cmpxchg and fcmpwr do): Src1 must be",
    ),
    (
        "typed_atomic.predec (8) T6 V32 V0 V0 V0 V0 [V37] V38",
        "predec takes no second source",
    ),
    // The description's table of offsets.
    (
        "typed_atomic.add (8) T6 [V0] V0 V0 V0 V36 V0 V38",
        "U is null, and every surface has an X address",
    ),
    (
        "typed_atomic.add (8) T6 V32 [V0] V34 V0 V36 V0 V38",
        "V is null and R is not: surfaces with a third coordinate",
    ),
    // The null variable and the channels of a thread.
    (
        "typed_atomic.add (8) T6 V32 [%null.4] V0 V0 V36 V0 V38",
        "V is byte 4 of the null variable, which has none",
    ),
    (
        "typed_atomic.add [(M8, 8)] T6 V32 V0 V0 V0 V36 V0 V38",
        "8 channels from M8 on are 28 to 35, and a thread has 32",
    ),
];

#[test]
fn mistakes_are_reported_with_their_place() {
    for (marked, sentence) in REFUSED {
        let start = marked.find('[').expect("a place");
        let end = marked.find(']').expect("its end") - 1;
        let line = marked.replace(['[', ']'], "");
        let error = parse(&line).expect_err(marked);
        assert!(error.message.starts_with(sentence), "{marked}: {error}");
        assert_eq!(error.span, start..end, "{marked}: {error}");
    }
}

#[test]
fn help_names_what_was_meant() {
    let line = "typed_atomic.xhcg (8) T6 V32 V0 V0 V0 V36 V0 V38";
    let error = parse(line).expect_err("no operation");
    let snippet = error.snippet(line);
    assert!(
        snippet.ends_with("\n               ^^^^\n  help: did you mean `xchg`?"),
        "{snippet}"
    );
}

/// By the description Src0 of PREDEC may be a variable, and Dst null for any operation.
#[test]
fn what_the_description_leaves_open_is_taken() {
    for line in [
        "typed_atomic.predec (8) T6 V32 V0 V0 V0 V36 V0 V38",
        "typed_atomic.predec (8) T6 V32 V0 V0 V0 V0 V0 V38 // a comment",
        "  TYPED_ATOMIC.Max.16 ( m2_nm ,16 )  t6 v32 %NULL V0.0 V0 V36 V0 V0",
        "(p1.ANY)typed_atomic.add(8)T6 V32 V33 V34 V35 V36 V0 V0",
        "typed_atomic.add (8) %slm %r0.4 V0 V0 V0 V36 V0 V0",
    ] {
        assert!(parse(line).is_ok(), "{line}: {:?}", parse(line));
    }
}

#[test]
fn declarations_decide_types_and_are_read_as_intel_writes_them() {
    let text = "\
.version 4.1
.kernel \"k\"
.decl V32 v_type=G type=ud num_elts=16 align=GRF
.decl V33 v_type=G type=d num_elts=8 align=GRF alias=<V32, 0>
.decl A0 v_type=A num_elts=1
.decl P1 v_type=P num_elts=16
.decl T6 v_type=T num_elts=1 v_name=T6
    (P1) typed_atomic.maxsint (M1, 8) T6 V32.0 %null.0 %null.0 %null.0 V33.0 %null.0 V33.0 /// $0
    typed_atomic.max (M1, 8) T6 V32.0 %null.0 %null.0 %null.0 V33.0 %null.0 V32.0
.decl V35 v_type=G type=ud num_elts=8
.decl V34 v_type=G type=xd num_elts=8
.decl V34 v_type=G num_elts=8
.decl V34 v_type=Q num_elts=8
.decl V34 v_type=G type=ud num_elts=0
.decl V34 some
";
    let (lines, errors) = source(text, usize::MAX);
    let numbers: Vec<usize> = lines.iter().map(|line| line.number).collect();
    assert_eq!(numbers, [8]);
    let reported: Vec<(usize, &str)> = errors
        .iter()
        .map(|e| (e.number, e.error.message.as_str()))
        .collect();
    let expected = [
        (9, "Src0 of max must have type ud, and this variable has d"),
        (
            10,
            "`V35` is not the next of its class: expected `V34`, since variables are told by their numbers",
        ),
        (
            11,
            "`xd` is not a valid type: expected one such as `ud` or `d`",
        ),
        (12, "expected `type=ud`"),
        (13, "`Q` is not a class: expected G, P, T, A or S"),
        (
            14,
            "`0` is not a valid number of elements: expected 1 to 65535",
        ),
        (
            15,
            "`some` is not a valid attribute: expected one such as `num_elts=8`",
        ),
    ];
    assert_eq!(reported, expected);
    assert_eq!(source(text, 2).1.len(), 2);
}

#[test]
fn versions_have_names() {
    use wavetank_surface_isa::visa::Version;
    assert_eq!(Version::from_name("visa"), Some(Version::new(4, 1)));
    assert_eq!(Version::from_name("visa:3.3"), Some(Version::new(3, 3)));
    for name in ["visa:", "visa:3", "visa:2.0", "visa:3.x", "gfx900", "vis"] {
        assert_eq!(Version::from_name(name), None, "{name}");
    }
}

/// Types are UD and D, so that elements begin at dwords.
#[test]
fn operands_begin_with_an_element() {
    let text = |offset: u32| format!("typed_atomic.inc.16 (8) T6 V32.{offset} V0 V0 V0 V0 V0 V0");
    for offset in 0..64 {
        let text = text(offset);
        match (offset % 4, wavetank_surface_isa::visa::parse(&text)) {
            (0, read) => assert!(read.is_ok(), "{text}"),
            (_, read) => {
                let error = read.expect_err("within an element");
                assert_eq!(&text[error.span.clone()], format!("V32.{offset}"));
                assert_eq!(error.column(&text), 28);
            }
        }
    }
}

/// A number that has no room marks its operand.
#[test]
fn a_variable_without_room_is_marked() {
    use wavetank_surface_isa::visa::{Ids, encode, parse_with_parts};
    let text = "typed_atomic.inc (8) T6 V32 V65536 V0 V0 V0 V0 V0";
    let (inst, places) = parse_with_parts(text).expect("text");
    assert!(encode(&inst, Ids::Wide).is_ok());
    let error = encode(&inst, Ids::Narrow).expect_err("16 bits");
    assert_eq!(&text[places.unencoded(&error).span], "V65536");
}
