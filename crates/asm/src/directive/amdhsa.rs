//! Kernels of code object versions 3 to 6: `.amdhsa_kernel` to `.end_amdhsa_kernel`.

use std::rc::Rc;

use wavetank_object::{DESCRIPTOR_SIZE, Target};

use super::fields::{Descriptor, FIELDS, Field, LATER};
use super::macros::alone;
use super::{Handler, row};
use crate::assembler::Assembler;
use crate::errors::LineError;
use crate::expression::{Binary, Expr, Values, Variant};
use crate::source::{Cursor, Wrong, first_word, statements, wrong};
use crate::state::{Definition, FixupKind, Place, Spot, Symbol};
use wavetank_link::elf::*;

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".amdhsa_kernel", kernel),
    row(".end_amdhsa_kernel", |_, c| alone(c, ".amdhsa_kernel")),
];

/// A kernel, whose descriptor is filled in at the end: newer compilers calculate its fields from symbols.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// Where its descriptor stands.
    pub spot: Spot,
    fields: Vec<(&'static str, Expr, Place)>,
    place: Place,
}

/// Reads a kernel to its end.
fn kernel(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    let start = cursor.span();
    let name = cursor.name()?;
    cursor.end()?;
    let Some(place) = a.place(start.clone()) else {
        return Ok(());
    };
    let code = a.symbols.id(&name);
    let descriptor = a.symbols.id(&format!("{name}.kd"));
    if a.symbols[descriptor].is_defined() {
        return Err(wrong(
            start,
            format_args!("there is another kernel `{name}`"),
        ));
    }
    let spot = a.sections.spot();
    a.append(&[0; DESCRIPTOR_SIZE])?;
    let Symbol {
        binding,
        visibility,
        ..
    } = a.symbols[code];
    let global = (!a.symbols[code].is_defined()).then_some(STB_GLOBAL);
    let symbol = &mut a.symbols[descriptor];
    // The one is seen by whom the other is.
    (symbol.binding, symbol.visibility) = (binding.or(global), visibility);
    symbol.definition = Definition::Label(spot);
    symbol.kind = STT_OBJECT;
    symbol.size = Some(Expr::Number(DESCRIPTOR_SIZE as i64));
    let symbol = &mut a.symbols[code];
    // So that the descriptor may hold the distance to it (the guide, "Kernel Descriptor").
    if symbol.visibility == 0 {
        symbol.visibility = STV_PROTECTED;
    }
    let distance = [
        Expr::Symbol(code, Variant::None),
        Expr::Symbol(descriptor, Variant::None),
    ];
    let entry = Spot {
        offset: spot.offset + 16,
        ..spot
    };
    a.wait(
        entry,
        FixupKind::Data(8),
        Expr::Binary(Binary::Sub, Box::new(distance)),
        start,
    );
    let fields = fields(a, &cursor)?;
    a.kernels.push(Kernel {
        spot,
        fields,
        place,
    });
    Ok(())
}

/// The fields up to the end. All wrong ones are told.
fn fields(
    a: &mut Assembler<'_>,
    head: &Cursor<'_>,
) -> Result<Vec<(&'static str, Expr, Place)>, Wrong> {
    let mut all: Vec<(&'static str, Expr, Place)> = Vec::new();
    a.each_row(".end_amdhsa_kernel", head, |a, text| {
        let word = first_word(text);
        let mut cursor = Cursor::new(text, word.len());
        let place = 0..word.len();
        let name = field(a, word, place.clone())?;
        if all.iter().any(|(other, ..)| *other == name) {
            return Err(wrong(place, format_args!("`{word}` stands before, too")));
        }
        let start = cursor.at();
        let expr = a.expr(&mut cursor)?;
        let end = cursor.text()[..cursor.at()].trim_end().len();
        cursor.end()?;
        if let Some(place) = a.place(start..end) {
            all.push((name, expr, place));
        }
        Ok(())
    })?;
    Ok(all)
}

/// The name of a field that the chip has.
fn field(
    a: &Assembler<'_>,
    word: &str,
    place: std::ops::Range<usize>,
) -> Result<&'static str, Wrong> {
    let name = word.strip_prefix(".amdhsa_").unwrap_or_default();
    let chip = a.target.chip.as_str();
    match FIELDS.iter().find(|field| field.name == name) {
        Some(field) if field.generations.contains(&a.target.major()) => Ok(field.name),
        Some(_) => Err(wrong(place, format_args!("{chip} has no `{word}`"))),
        None if LATER.contains(&name) => Err(wrong(
            place,
            format_args!("`{word}` is for later chips than {chip}"),
        )),
        None => {
            let names = FIELDS.iter().map(|field| field.name);
            let (near, meant) = wavetank_quote::similar(name, names);
            let mut error = wrong(place, format_args!("`{word}` is no field of a kernel"));
            error.help = near
                .first()
                .filter(|_| meant)
                .map(|name| format!("did you mean `.amdhsa_{name}`?"));
            Err(error)
        }
    }
}

impl Assembler<'_> {
    /// Reads the statements up to a directive that ends them, giving each to a reader. All that are wrong are told.
    ///
    /// # Errors
    /// There is no such end.
    pub(crate) fn each_row(
        &mut self,
        end: &str,
        head: &Cursor<'_>,
        mut read: impl FnMut(&mut Self, &str) -> Result<(), Wrong>,
    ) -> Result<(), Wrong> {
        let text: Rc<str> = match self.inputs.current() {
            Some(input) => input.origin.text.clone(),
            None => return Ok(()),
        };
        while let Some(row) = self.inputs.row() {
            self.set_line(row.number);
            for statement in statements(row.line(&text), self.dialect) {
                let crate::source::Statement::Order {
                    text: order,
                    indent,
                } = statement
                else {
                    continue;
                };
                self.set_indent(indent);
                if order == end {
                    return Ok(());
                }
                if let Err(mut error) = read(self, order) {
                    error.span = error.span.start + indent..error.span.end + indent;
                    self.wrong(&row, *error);
                }
            }
        }
        Err(wrong(
            0..head.text().len(),
            format_args!("this has no `{end}`"),
        ))
    }
}

impl Kernel {
    /// The bytes of the descriptor.
    ///
    /// # Errors
    /// Fields that are wrong or missing.
    pub fn bytes(
        &self,
        values: Values<'_>,
        target: &Target,
    ) -> Result<[u8; DESCRIPTOR_SIZE], Box<LineError>> {
        let mut descriptor = Descriptor::new(target);
        for (name, expr, place) in &self.fields {
            let value = values
                .number(expr)
                .map_err(|why| Box::new(place.wrong(why)))?;
            let field: Option<&Field> = FIELDS.iter().find(|field| field.name == *name);
            if let Some(field) = field {
                descriptor
                    .set(field, value)
                    .map_err(|why| Box::new(place.wrong(why)))?;
            }
        }
        descriptor
            .finish(target)
            .map_err(|why| Box::new(self.place.wrong(why)))
    }
}
