//! Sources as people have them: marks of editors, many wrong lines.

use wavetank_asm::{Options, assemble, assemble_lines, assemble_object, text_of};
use wavetank_isa::{Chip, Dialect};

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
    let told: Vec<_> = lines.iter().map(|(n, t)| (*n, t.as_str())).collect();
    assert_eq!(
        told,
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
            most_errors: most,
            ..Options::new(Chip::Gfx900)
        };
        assemble_lines("a.s", &source, &options, each)
    };
    assert_eq!(run(10, &mut lines).unwrap_err().0.len(), 10);
    assert!(lines <= 10);
    lines = 0;
    assert_eq!(run(usize::MAX, &mut lines).unwrap_err().0.len(), 1999);
    assert_eq!(lines, 1000);
}

#[test]
fn errors_are_told_in_plain_characters_and_clipped() {
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
