//! `.amd_kernel_code_t` to `.end_amd_kernel_code_t`: kernels of code object version 2.

use crate::kernel::{KERNEL_CODE_FIELDS as FIELDS, KERNEL_CODE_LATER as LATER, KernelCode, field};
use crate::session::{Handler, Session, alone, row};
use crate::source::{Cursor, SyntaxError, syntax_error};

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".amd_kernel_code_t", kernel_code),
    row(".end_amd_kernel_code_t", |_, c| alone(c, ".amd_kernel_code_t")),
];

fn kernel_code(a: &mut Session<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    cursor.end()?;
    let mut code = KernelCode::new(a.asm.chip);
    a.each_statement(".end_amd_kernel_code_t", &cursor, |a, text| {
        let mut cursor = Cursor::new(text, 0);
        let place = cursor.span();
        let name = cursor.name()?;
        let field = field(&name);
        if field.is_none() && !LATER.contains(&&*name) {
            return Err(unknown(&name, place));
        }
        if !cursor.eat(b'=') {
            return Err(cursor.syntax_error("there should be `=` and a number"));
        }
        let start = cursor.at();
        let value = a.asm.number(&mut cursor)?;
        cursor.end()?;
        let checked = KernelCode::check(&name, value);
        checked.map_err(|why| syntax_error(start..text.len(), why))?;
        match field {
            Some(field) => code.put(field, value),
            None if value == 0 => {}
            None => {
                let message = format!("`{name}` is for later chips than {}", a.asm.target.chip);
                return Err(syntax_error(place, message));
            }
        }
        Ok(())
    })?;
    a.notes.version = 2;
    a.asm.append(&code.bytes())
}

fn unknown(name: &str, place: std::ops::Range<usize>) -> SyntaxError {
    let (near, meant) = wavetank_quote::similar(name, FIELDS.iter().map(|field| field.0));
    let mut error = syntax_error(
        place,
        format_args!("`{name}` is not a field of amd_kernel_code_t"),
    );
    error.help = near
        .first()
        .filter(|_| meant)
        .map(|name| format!("did you mean `{name}`?"));
    error
}
