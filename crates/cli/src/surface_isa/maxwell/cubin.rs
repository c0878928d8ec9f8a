//! The listing of a cubin.

use std::fmt::Write;
use std::path::Path;

use wavetank_quote::plain;
use wavetank_surface_isa::SurfaceIsa;
use wavetank_surface_isa::maxwell::{Cubin, Generation};

use crate::exit::{Failure, Result, shown};

/// The code of a cubin, for a generation or its own.
pub(super) fn listing(file: &Path, bytes: &[u8], generation: Option<Generation>) -> Result<String> {
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
        let (name, listing) = (plain(section.name), generation.listing(section.code));
        // Writing to a string does not fail.
        let _ = write!(text, "\n// {name}\n{listing}");
    }
    Ok(text)
}
