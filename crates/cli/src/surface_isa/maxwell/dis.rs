//! `wavetank dis` of cubins, bundles and words of NVIDIA's.

use std::fmt::Write;
use std::path::Path;

use wavetank_quote::plain;
use wavetank_surface_isa::maxwell::{Cubin, Generation, Listing, decode};

use crate::exit::{Failure, Result, shown};
use crate::input::read_text;
use crate::output::{Output, Stdout, told};
use crate::paint::Painted;

/// Lists plain bundles, or the code of a cubin, for a generation or its own.
pub fn dis(file: &Path, bytes: &[u8], raw: bool, generation: Option<Generation>) -> Result {
    let text = match (raw, generation) {
        (true, Some(generation)) => Listing {
            code: bytes,
            generation,
        }
        .to_string(),
        _ => cubin(file, bytes, generation)?,
    };
    let mut out = Painted::new(Stdout::lock());
    let written = std::io::Write::write_all(&mut out, text.as_bytes());
    told(written.and_then(|()| std::io::Write::flush(&mut out)).err())
}

fn cubin(file: &Path, bytes: &[u8], generation: Option<Generation>) -> Result<String> {
    let cubin = Cubin::read(bytes);
    let cubin = cubin.map_err(|error| Failure::usage(error.to_string()).of(file))?;
    let own = || Generation::from_number(cubin.sm);
    let Some(generation) = generation.or_else(own) else {
        let sentence = format!(
            "this cubin is for SM number {}, and SUATOMs are read of 50, 52, 53, 60, 61 and 62: choose one of them with \
             --isa maxwell:52 to read its code all the same",
            cubin.sm
        );
        return Err(Failure::usage(sentence).of(file));
    };
    let mut text = format!(
        "// {}: SM {}, read as {generation}\n",
        shown(file),
        cubin.sm
    );
    if cubin.sections.is_empty() {
        text += "// no section with code\n";
    }
    for section in &cubin.sections {
        let code = section.code;
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "\n// {}\n{}",
            plain(section.name),
            Listing { code, generation }
        );
    }
    Ok(text)
}

/// A line of text for each line with a word of 64 bits in hexadecimal; `!reject` for one that is no SUATOM.
pub fn dis_hex(file: &Path, generation: Generation) -> Result {
    let source = read_text(file)?;
    let mut out = Output::new();
    let mut wrong = Vec::new();
    for (n, line) in source.lines().enumerate() {
        let digits = line.trim();
        let digits = digits.strip_prefix("0x").unwrap_or(digits);
        let hex = digits.len() == 16 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        match u64::from_str_radix(digits, 16).ok().filter(|_| hex) {
            Some(word) => {
                let inst = decode(word, generation);
                out.text += &inst.map_or("!reject".to_owned(), |inst| inst.to_string());
                out.text.push('\n');
            }
            None => wrong.push(n + 1),
        }
        out.settle();
    }
    out.finish()?;
    match wrong[..] {
        [] => Ok(()),
        [first, ..] => {
            let sentence = format!(
                "line {first} is no word of 16 hexadecimal digits ({} such in all)",
                wrong.len()
            );
            Err(Failure::usage(sentence).of(file))
        }
    }
}
