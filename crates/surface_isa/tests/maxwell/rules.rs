//! The rules that the assembler keeps: each with its place and what was expected.

use wavetank_surface_isa::maxwell::{
    Generation, Op, Size, assemble, encode, operand_constraints, parse,
};

/// The error of a line: what it points at, and its sentence.
fn refused(line: &str, generation: Generation) -> (String, String) {
    let error = assemble(line, generation).expect_err(line);
    (line[error.span.clone()].to_owned(), error.message)
}

#[track_caller]
fn assert_refused(line: &str, place: &str, parts: &[&str]) {
    let (at, message) = refused(line, Generation::Sm52);
    assert_eq!(at, place, "{line}: {message}");
    for part in parts {
        assert!(message.contains(part), "{line}: {message}");
    }
}

/// The table "Reduction Operations" of the reference text, line by line.
pub(crate) const TABLE: [(&str, &str); 10] = [
    ("ADD", ".U32 .S32 .SD32 .U64 .F32.FTZ.RN .F16x2.RN"),
    ("MIN", ".U32 .S32 .SD32 .U64 .S64 .SD64 .F16x2.RN"),
    ("MAX", ".U32 .S32 .SD32 .U64 .S64 .SD64 .F16x2.RN"),
    ("INC", ".U32"),
    ("DEC", ".U32"),
    ("AND", ".U32 .S32 .SD32 .U64"),
    ("OR", ".U32 .S32 .SD32 .U64"),
    ("XOR", ".U32 .S32 .SD32 .U64"),
    ("EXCH", ".U32 .S32 .U64"),
    ("CAS", ".U32 .S32 .U64"),
];

#[test]
fn operations_take_the_sizes_of_the_table() {
    let (mut taken, mut all) = (0, 0);
    for (op, sizes) in TABLE {
        for size in Size::ALL {
            let line = format!("SUATOM.D.1D.{op}.{} R4, [R1], R8, R3;", size.name());
            let listed = sizes.split(' ').any(|s| &s[1..] == size.name());
            let done = assemble(&line, Generation::Sm52);
            assert_eq!(done.is_ok(), listed, "{line}");
            if let Err(error) = done {
                assert_eq!(&line[error.span.clone()], size.name());
                assert!(error.message.contains(&format!("`.{op}` does not take")));
                // It can be read all the same, as the disassembler prints it.
                let word = parse(&line, Generation::Sm52).map(|p| encode(&p.inst));
                assert!(matches!(word, Ok(Ok(_))), "{line}");
            }
            all += 1;
            taken += usize::from(listed);
        }
    }
    let listed: usize = Op::ALL
        .iter()
        .map(|op| operand_constraints::sizes(*op).len())
        .sum();
    assert_eq!((taken, all), (listed, 80));
}

#[test]
fn coordinates_are_aligned() {
    let line = |dim: &str, ra: &str| format!("SUATOM.D.{dim}.ADD R0, [{ra}], R1, R2;");
    for (dim, align) in [
        ("1D", 1),
        ("1D_BUFFER", 1),
        ("1D_ARRAY", 2),
        ("2D", 2),
        ("2D_ARRAY", 4),
        ("3D", 4),
    ] {
        for register in 0..=254 {
            let line = line(dim, &format!("R{register}"));
            // The last of an aligned group is R253 at most where there are two, R254 where there are three.
            let fits = register % align == 0 && !(align == 2 && register == 254);
            let done = assemble(&line, Generation::Sm52);
            assert_eq!(done.is_ok(), fits, "{line}");
        }
        assert_refused(&line(dim, "RZ"), "RZ", &["cannot be RZ", "R0 to R254"]);
    }
    let odd = line("2D", "R3");
    assert_refused(&odd, "R3", &["x, y", "multiple of 2", "such as R2"]);
    assert_refused(
        &line("3D", "R6"),
        "R6",
        &["x, y, z", "multiple of 4", "such as R4"],
    );
    assert_refused(&line("2D", "R254"), "R254", &["too high", "RZ"]);
}

#[test]
fn data_are_aligned() {
    let fits = |text: &str| assemble(text, Generation::Sm52).is_ok();
    for (line, ok) in [
        ("SUATOM.D.1D.ADD R1, [R1], R3, R5;", true),
        ("SUATOM.D.1D.ADD.U64 R2, [R1], R4, R5;", true),
        ("SUATOM.D.1D.ADD.U64 R3, [R1], R4, R5;", false),
        ("SUATOM.D.1D.ADD.U64 R2, [R1], R5, R5;", false),
        ("SUATOM.D.1D.ADD.U64 RZ, [R1], RZ, R5;", true),
        ("SUATOM.D.1D.CAS R1, [R1], R6, R5;", true),
        ("SUATOM.D.1D.CAS R1, [R1], R5, R5;", false),
        ("SUATOM.D.1D.CAS.U64 R2, [R1], R8, R5;", true),
        ("SUATOM.D.1D.CAS.U64 R2, [R1], R6, R5;", false),
        ("SUATOM.D.1D.CAS.U64 R2, [R1], R252, R5;", false),
        ("SUATOM.D.1D.CAS.U64 R2, [R1], R248, R5;", true),
        ("SUATOM.P.1D.CAS R1, [R1], R5, 0x5;", false),
    ] {
        assert_eq!(fits(line), ok, "{line}");
    }
    let line = "SUATOM.D.1D.CAS.U64 R2, [R1], R6, R5;";
    assert_refused(line, "R6", &["compare, then swap", "multiple of 4"]);
    let line = "SUATOM.D.1D.ADD.U64 R3, [R1], R4, R5;";
    assert_refused(line, "R3", &["the value before", "such as R2"]);
}

#[test]
fn the_handle_is_no_rz() {
    let line = "SUATOM.D.1D.ADD R0, [R1], R4, RZ;";
    assert_refused(line, "RZ", &["handle cannot be in RZ", "constant bank"]);
}

#[test]
fn spa_5_0_lacks_halves_and_sparse_status() {
    for (line, parts) in [
        (
            "SUATOM.D.1D.ADD.F16x2.FTZ.RN R0, [R1], R4, R2;",
            ["a size", ".SD64"],
        ),
        (
            "SUATOM.D.1D.ADD P1, R0, [R1], R4, R2;",
            ["sparse status", "maxwell:52"],
        ),
        (
            "SUATOM.D.1D.ADD PT, R0, [R1], R4, R2;",
            ["sparse status", "maxwell:52"],
        ),
        (
            "SUATOM.D.1D.CAS P1, R0, [R1], R4, 0x2;",
            ["sparse status", "maxwell:52"],
        ),
    ] {
        let (_, message) = refused(line, Generation::Sm50);
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        assert!(!message.contains("F16x2.RN"), "{message}");
        assemble(line, Generation::Sm52).expect(line);
    }
    let (at, message) = refused(
        "SUATOM.D.1D.ADD.INVALIDATOMICSIZE4 R0, [R1], R4, R2;",
        Generation::Sm50,
    );
    assert_eq!(at, "INVALIDATOMICSIZE4");
    assert!(
        message.ends_with("it takes .U32, .S32, .SD32, .U64, .F32.FTZ.RN"),
        "{message}"
    );
}

#[test]
fn some_variants_have_no_sparse_status() {
    for line in [
        "SUATOM.D.1D.ADD P1, R0, [R1], R4, 0x2;",
        "SUATOM.P.1D.ADD P1, R0, [R1], R4, R2;",
        "SUATOM.P.1D.CAS P1, R0, [R1], R4, R2;",
    ] {
        let (_, message) = refused(line, Generation::Sm52);
        assert!(
            message.contains("in CAS, and with the handle in a register"),
            "{message}"
        );
    }
}

/// What no form has is the status, and its place is marked.
#[test]
fn a_status_without_a_form_is_marked() {
    use wavetank_surface_isa::maxwell::{Generation, parse};
    for (generation, text) in [
        (Generation::Sm50, "SUATOM.D.1D.ADD P1, R0, [R1], R4, R2;"),
        (Generation::Sm50, "SUATOM.D.1D.CAS P1, R0, [R1], R4, R2;"),
        (Generation::Sm52, "SUATOM.P.1D.CAS P1, R0, [R1], R4, R2;"),
        (Generation::Sm52, "SUATOM.D.1D.ADD P1, R0, [R1], R4, 0x100;"),
    ] {
        let error = parse(text, generation).expect_err(text);
        assert_eq!(&text[error.span.clone()], "P1", "{error}");
    }
}
