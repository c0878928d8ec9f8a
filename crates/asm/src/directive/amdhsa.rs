//! Kernels of code object versions 3 to 6: `.amdhsa_kernel` to `.end_amdhsa_kernel`.

use wavetank_object::DESCRIPTOR_SIZE;

use crate::expression::{Binary, Expr, Variant};
use crate::kernel::{FIELDS, LATER};
use crate::session::{Handler, Kernel, Session, alone, row};
use crate::source::{Cursor, SyntaxError, first_word, syntax_error};
use crate::state::{Definition, FixupKind, Location, Place, Symbol};
use wavetank_link::elf::*;

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".amdhsa_kernel", kernel),
    row(".end_amdhsa_kernel", |_, c| alone(c, ".amdhsa_kernel")),
];

/// Reads a kernel up to `.end_amdhsa_kernel`.
fn kernel(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let start = cursor.span();
    let name = cursor.name()?;
    cursor.end()?;
    let Some(place) = a.asm.place(start.clone()) else {
        return Ok(());
    };
    let code = a.asm.symbols.id(&name);
    let descriptor = a.asm.symbols.id(&format!("{name}.kd"));
    if a.asm.symbols[descriptor].is_defined() {
        return Err(syntax_error(
            start,
            format_args!("there is another kernel `{name}`"),
        ));
    }
    let location = a.asm.sections.location();
    a.asm.append(&[0; DESCRIPTOR_SIZE])?;
    let Symbol {
        binding,
        visibility,
        ..
    } = a.asm.symbols[code];
    let global = (!a.asm.symbols[code].is_defined()).then_some(STB_GLOBAL);
    let symbol = &mut a.asm.symbols[descriptor];
    // The descriptor takes over the binding and visibility of the code.
    (symbol.binding, symbol.visibility) = (binding.or(global), visibility);
    symbol.definition = Definition::Label(location);
    symbol.kind = STT_OBJECT;
    symbol.size = Some(Expr::Number(DESCRIPTOR_SIZE as i64));
    let symbol = &mut a.asm.symbols[code];
    // Protected, so that the descriptor may hold the distance to it (the guide, "Kernel Descriptor").
    if symbol.visibility == 0 {
        symbol.visibility = STV_PROTECTED;
    }
    let distance = [
        Expr::Symbol(code, Variant::None),
        Expr::Symbol(descriptor, Variant::None),
    ];
    let entry = Location {
        offset: location.offset + 16,
        ..location
    };
    a.asm.wait(
        entry,
        FixupKind::Data(8),
        Expr::Binary(Binary::Sub, Box::new(distance)),
        start,
    );
    let fields = fields(a, &cursor)?;
    a.kernels.push(Kernel {
        location,
        fields,
        place,
    });
    Ok(())
}

/// Reads the fields up to the end, and reports every wrong one.
fn fields(
    a: &mut Session<'_>,
    head: &Cursor<'_>,
) -> Result<Vec<(&'static str, Expr, Place)>, SyntaxError> {
    let mut all: Vec<(&'static str, Expr, Place)> = Vec::new();
    a.each_statement(".end_amdhsa_kernel", head, |a, text| {
        let word = first_word(text);
        let mut cursor = Cursor::new(text, word.len());
        let place = 0..word.len();
        let name = field(a, word, place.clone())?;
        if all.iter().any(|(other, ..)| *other == name) {
            return Err(syntax_error(
                place,
                format_args!("`{word}` stands before, too"),
            ));
        }
        let start = cursor.at();
        let expr = a.asm.expr(&mut cursor)?;
        let end = cursor.text()[..cursor.at()].trim_end().len();
        cursor.end()?;
        if let Some(place) = a.asm.place(start..end) {
            all.push((name, expr, place));
        }
        Ok(())
    })?;
    Ok(all)
}

/// Reads the name of a field that the chip supports.
fn field(
    a: &Session<'_>,
    word: &str,
    place: std::ops::Range<usize>,
) -> Result<&'static str, SyntaxError> {
    let name = word.strip_prefix(".amdhsa_").unwrap_or_default();
    let chip = a.asm.target.chip.as_str();
    match FIELDS.iter().find(|field| field.name == name) {
        Some(field) if field.exists_on(&a.asm.target) => Ok(field.name),
        Some(_) => Err(syntax_error(place, format_args!("{chip} has no `{word}`"))),
        None if LATER.contains(&name) => Err(syntax_error(
            place,
            format_args!("`{word}` is for later chips than {chip}"),
        )),
        None => {
            let names = FIELDS.iter().map(|field| field.name);
            let (near, meant) = wavetank_quote::similar(name, names);
            let mut error =
                syntax_error(place, format_args!("`{word}` is not a field of a kernel"));
            error.help = near
                .first()
                .filter(|_| meant)
                .map(|name| format!("did you mean `.amdhsa_{name}`?"));
            Err(error)
        }
    }
}
