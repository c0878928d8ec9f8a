//! Directives with the settings of kernels for AMD's Catalyst (OpenCL 1.2).
//!
//! Source: CLRX's documentation, "CLRadeonExtender Assembler AMD Catalyst handling".

use wavetank_object::catalyst::USER_CLASSES;

use crate::session::program::{MOST_BUFFERS, Settings};
use crate::session::{Handler, Session, row};
use crate::source::{Cursor, SyntaxError, syntax_error};

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".uavid", |a, c| number(a, c, MOST_BUFFERS, |s| &mut s.uav)),
    row(".printfid", |a, c| number(a, c, MOST_BUFFERS, |s| &mut s.printf)),
    row(".privateid", |a, c| number(a, c, MOST_BUFFERS, |s| &mut s.private)),
    row(".uavprivate", |a, c| number(a, c, u32::MAX, |s| &mut s.uav_private)),
    row(".hwregion", |a, c| number(a, c, u32::MAX, |s| &mut s.region)),
    row(".useconstdata", |a, c| flag(a, c, |s| &mut s.uses_constants)),
    row(".useprintf", |a, c| flag(a, c, |s| &mut s.prints)),
    row(".userdata", user_data),
];

/// The user SGPRs of a kernel (s0 to s15), and the most lines of `.userdata`.
const USER_SGPRS: u32 = 16;

/// Returns the Catalyst settings of the current kernel.
pub(super) fn settings<'a>(
    a: &'a mut Session<'_>,
    cursor: &Cursor<'_>,
) -> Result<&'a mut Settings, SyntaxError> {
    a.program.config(cursor)?;
    Ok(&mut a.program.kernel(cursor)?.catalyst)
}

pub(super) fn word(a: &mut Session<'_>, cursor: &mut Cursor<'_>) -> Result<u32, SyntaxError> {
    let place = cursor.span();
    let value = a.asm.count(cursor)?;
    u32::try_from(value)
        .map_err(|_| syntax_error(place, format_args!("{value} has more than 32 bits")))
}

pub(super) fn number(
    a: &mut Session<'_>,
    mut cursor: Cursor<'_>,
    most: u32,
    field: fn(&mut Settings) -> &mut Option<u32>,
) -> Result<(), SyntaxError> {
    let place = cursor.span();
    let value = if cursor.is_at_end() {
        0
    } else {
        word(a, &mut cursor)?
    };
    cursor.end()?;
    if value > most {
        return Err(syntax_error(
            place,
            format_args!("{value} is more than {most}"),
        ));
    }
    *field(settings(a, &cursor)?) = Some(value);
    Ok(())
}

fn flag(
    a: &mut Session<'_>,
    cursor: Cursor<'_>,
    field: fn(&mut Settings) -> &mut bool,
) -> Result<(), SyntaxError> {
    cursor.end()?;
    *field(settings(a, &cursor)?) = true;
    Ok(())
}

/// Reads `.sampler ID, …`.
pub(super) fn samplers(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let mut all = Vec::new();
    cursor.each_operand(|cursor| {
        all.push(word(a, cursor)?);
        Ok(())
    })?;
    settings(a, &cursor)?.samplers.extend(all);
    Ok(())
}

/// Reads `.userdata CLASS, SLOT, FIRST, COUNT`.
fn user_data(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let place = cursor.span();
    let name = cursor.piece();
    let class = USER_CLASSES
        .iter()
        .position(|class| class.eq_ignore_ascii_case(name));
    let message = || format!("`{name}` is not a class of user data, such as ptr_uav_table");
    let class = class.ok_or_else(|| syntax_error(place.clone(), message()))?;
    let mut values = [class as u32, 0, 0, 0];
    for value in &mut values[1..] {
        cursor.expect_comma()?;
        *value = word(a, &mut cursor)?;
    }
    cursor.end()?;
    let [.., first, count] = values;
    if first.saturating_add(count) > USER_SGPRS {
        let message = format!("user data have s0 to s15: {count} from s{first} on are too many");
        return Err(syntax_error(place.start..cursor.text().len(), message));
    }
    let all = &mut settings(a, &cursor)?.user;
    if all.len() as u32 >= USER_SGPRS {
        return Err(syntax_error(place, "a kernel has 16 user data at most"));
    }
    all.push(values);
    Ok(())
}
