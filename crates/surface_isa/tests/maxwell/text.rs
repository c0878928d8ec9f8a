//! Accepted text besides the canonical one, and the errors of other lines.

use wavetank_surface_isa::maxwell::{Control, Generation, assemble, encode, print};

fn word(line: &str) -> u64 {
    let (inst, _) = assemble(line, Generation::Sm52).expect(line);
    encode(&inst).expect(line)
}

#[test]
fn the_examples_of_the_reference_text() {
    assert_eq!(
        word(
            "SUATOM.D.2D.ADD.IGN R10, [R2], R4, R1; // Coordinates in R2 and R3. SamplePtr and headerPtr in R1."
        ),
        0xea70_0086_0047_020a
    );
    assert_eq!(
        word("SUATOM.D.BA.1D.U64.TRAP R2, [R3], R4, 0x100; // Surface header pointer is fetched"),
        0xea14_1000_1047_0302
    );
}

#[test]
fn one_meaning_has_several_spellings() {
    let plain = word("SUATOM.D.2D.ADD R10, [R2], R4, 0x10;");
    for line in [
        "SUATOM.D.2D.ADD.U32 R10, [R2], R4, 0x10;",
        "SUATOM.D.2D.ADD.U32.NEAR R10,[R2],R4,#16",
        "suatom.d.2d.add.near r10, [ r2 ], r4, 0X10",
        "  @PT SUATOM.D.2D.ADD R10 , [R2] , R4 , 16 ; /* a comment */ // and another",
        "/*0008*/ SUATOM.D.2D.ADD R10, [R2], /* data */ R4, 16;",
    ] {
        assert_eq!(word(line), plain, "{line}");
    }
    let cas = word("SUATOM.D.1D.CAS R8, [R4], R12, R1;");
    assert_eq!(word("SUATOM.D.1D.CAS PT, R8, [R4], R12, R1;"), cas);
}

#[test]
fn marks_of_the_control_word() {
    let line = "SUATOM.D.2D.ADD R10, [R2], R4, R1 &req_6 &rd0 &wr1 &reuse_8 ?stall4.yield;";
    let (inst, control) = assemble(line, Generation::Sm52).expect(line);
    let expected = Control {
        stall: 4,
        yields: true,
        write: Some(1),
        read: Some(0),
        wait: 0b110,
        reuse: 8,
    };
    assert_eq!(control, expected);
    // Slots of 21 bits: stall 0-3, yield 4, write 5-7, read 8-10, wait 11-16, reuse 17-20.
    let bits = 4 | 1 << 4 | 1 << 5 | 6 << 11 | 8 << 17;
    assert_eq!(control.bits(), bits);
    assert_eq!(
        Control::word([Control::NONE, control, Control::NONE]),
        0x7e0 | bits << 21 | 0x7e0 << 42
    );
    assert_eq!(print(&inst, control), line);
    let other = line.replace(
        "&req_6 &rd0 &wr1 &reuse_8 ?stall4.yield",
        "?stall0x4.YIELD &wr1 &REQ_0x6 &reuse_8 &rd0",
    );
    assert_eq!(assemble(&other, Generation::Sm52), Ok((inst, control)));
}

/// What an error points at, with its column, and what its sentence has.
#[test]
fn errors_name_place_and_way_out() {
    for (line, place, column, parts) in [
        ("", "", 1, &["expected `SUATOM`"][..]),
        (
            "RED.E.ADD [R2], R0;",
            "RED",
            1,
            &["`RED` is not an instruction", "SUATOM"],
        ),
        ("SUATOM", "", 7, &["expected `.D` or `.P`"]),
        (
            "SUATOM.X.1D.ADD R0, [R1], R2, R3;",
            "X",
            8,
            &["`.D` or `.P`", "`.X`"],
        ),
        (
            "SUATOM.P.BA.1D.ADD R0, [R1], R2, R3;",
            "BA",
            10,
            &["`.BA`", "`.D` only"],
        ),
        (
            "SUATOM.D.4D.ADD R0, [R1], R2, R3;",
            "4D",
            10,
            &["a dimension", ".1D_BUFFER", ".3D"],
        ),
        (
            "SUATOM.D.1D.SUB R0, [R1], R2, R3;",
            "SUB",
            13,
            &["an operation", ".EXCH", "`.SUB`"],
        ),
        (
            "SUATOM.D.1D R0, [R1], R2, R3;",
            "",
            12,
            &["an operation", "there is none"],
        ),
        (
            "SUATOM.D.1D.ADD.U16 R0, [R1], R2, R3;",
            "U16",
            17,
            &["a size", ".F32.FTZ.RN", ".IGN"],
        ),
        (
            "SUATOM.D.1D.ADD.F32 R0, [R1], R2, R3;",
            "F32",
            17,
            &[".F32.FTZ.RN"],
        ),
        (
            "SUATOM.D.1D.ADD.U64.U64 R0, [R1], R2, R3;",
            "U64",
            21,
            &[".IGN .NEAR .TRAP"],
        ),
        (
            "SUATOM.P.1D.ADD.U64 R0, [R1], R2, R3;",
            "U64",
            17,
            &["size from the surface"],
        ),
        (
            "SUATOM.D.1D.ADD.IGN.U64 R0, [R1], R2, R3;",
            "U64",
            21,
            &["the operands"],
        ),
        (
            "SUATOM.D.1D.ADD R255, [R1], R2, R3;",
            "R255",
            17,
            &["Rd", "R0 to R254"],
        ),
        (
            "SUATOM.D.1D.ADD R0 [R1], R2, R3;",
            "[",
            20,
            &["expected `,`", "Rd and [Ra]"],
        ),
        (
            "SUATOM.D.1D.ADD R0, R1, R2, R3;",
            "R1",
            21,
            &["expected `[`"],
        ),
        (
            "SUATOM.D.1D.ADD R0, [R1, R2, R3;",
            ",",
            24,
            &["expected `]`"],
        ),
        (
            "SUATOM.D.1D.ADD R0, [R1], 5, R3;",
            "5",
            27,
            &["Rb of the data"],
        ),
        ("SUATOM.D.1D.ADD R0, [R1], R2;", ";", 29, &["Rb and Rc"]),
        (
            "SUATOM.D.1D.ADD R0, [R1], R2, 0x2000;",
            "0x2000",
            31,
            &["13 bits", "0x1fff"],
        ),
        ("SUATOM.D.1D.ADD R0, [R1], R2, x;", "x", 31, &["Rc"]),
        ("SUATOM.D.1D.ADD P7, R0, [R1], R2, R3;", "P7", 17, &["Rd"]),
        (
            "@P9 SUATOM.D.1D.ADD R0, [R1], R2, R3;",
            "P9",
            2,
            &["guard", "P0 to P6"],
        ),
        (
            "SUATOM.D.1D.ADD R0, [R1], R2, R3 &rd7;",
            "rd7",
            35,
            &["0 to 6"],
        ),
        (
            "SUATOM.D.1D.ADD R0, [R1], R2, R3 &req_64;",
            "req_64",
            35,
            &["0 to 63"],
        ),
        (
            "SUATOM.D.1D.ADD R0, [R1], R2, R3 ?stall16;",
            "stall16",
            35,
            &["0 to 15"],
        ),
        (
            "SUATOM.D.1D.ADD R0, [R1], R2, R3 &rd1 &rd1;",
            "&rd1",
            39,
            &["stands twice"],
        ),
        (
            "SUATOM.D.1D.ADD R0, [R1], R2, R3 &foo;",
            "foo",
            35,
            &["`&req_N`", "?stallN"],
        ),
        (
            "SUATOM.D.1D.ADD R0, [R1], R2, R3, R4;",
            ",",
            33,
            &["expected `;`"],
        ),
        (
            "SUATOM.D.1D.ADD R0, [R1], R2, R3; EXIT;",
            "EXIT",
            35,
            &["one instruction a line"],
        ),
    ] {
        let error = assemble(line, Generation::Sm52).expect_err(line);
        assert_eq!(&line[error.span.clone()], place, "{line}: {error}");
        assert_eq!(error.column(line), column, "{line}: {error}");
        for part in parts {
            assert!(error.message.contains(part), "{line}: {error}");
        }
    }
}
