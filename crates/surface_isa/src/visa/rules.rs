//! The rules about the operands of a TYPED_ATOMIC.

use wavetank_ir::Dimensions;

use crate::broken::broken;
use crate::visa::instruction::{Part, Raw, TypedAtomic};
use crate::visa::operation::Sources;

/// A broken rule.
pub type Broken = crate::Broken<Part>;

/// The size of an operand's element in bytes: its type is UD or D.
const ELEMENT: u16 = 4;
/// The number of channels of a thread.
pub(crate) const THREAD: u32 = 32;

/// Checks the rules that depend on the instruction alone: null operands, and existing channels.
///
/// # Errors
/// The first broken rule, in the order of the text.
pub fn check(inst: &TypedAtomic) -> Result<(), Broken> {
    channels(inst)?;
    coordinates(inst)?;
    sources(inst)?;
    Part::OPERANDS
        .iter()
        .zip(inst.operands())
        .try_for_each(|(part, raw)| place(*part, raw))
}

/// Checks that an operand begins at a multiple of a dword: see docs/reference/errata.md.
fn place(part: Part, raw: Raw) -> Result<(), Broken> {
    let name = part.name();
    match raw {
        Raw {
            variable: 0,
            offset: 1..,
        } => broken(
            part,
            format!(
                "{name} is byte {} of the null variable, which has none",
                raw.offset
            ),
            Some("write `%null.0`"),
        ),
        Raw { offset, .. } if !offset.is_multiple_of(ELEMENT) => broken(
            part,
            format!(
                "{name} begins at byte {offset}, within an element: elements have {ELEMENT} bytes, also those whose lower \
                 half counts (.16)"
            ),
            Some("write a multiple of 4 after the point"),
        ),
        _ => Ok(()),
    }
}

fn channels(inst: &TypedAtomic) -> Result<(), Broken> {
    let (first, count) = (inst.mask.first(), inst.channels.count());
    if first + count > THREAD {
        let message = format!(
            "{count} channels from {} on are {first} to {}, and a thread has {THREAD}",
            inst.mask,
            first + count - 1
        );
        return broken(Part::Channels, message, None);
    }
    Ok(())
}

/// Checks the coordinates (table in the description's notes): every surface has U, and R is used only with V.
fn coordinates(inst: &TypedAtomic) -> Result<(), Broken> {
    if inst.u.is_null() {
        let message = "U is null, and every surface has an X address".to_owned();
        return broken(Part::U, message, Some("write a variable, such as `V32.0`"));
    }
    if inst.v.is_null() && !inst.r.is_null() {
        let message =
            "V is null and R is not: surfaces with a third coordinate (2D_array, 3D) have a second"
                .to_owned();
        return broken(
            Part::V,
            message,
            Some("write `%null.0` for R, or a variable for V"),
        );
    }
    Ok(())
}

fn sources(inst: &TypedAtomic) -> Result<(), Broken> {
    let row = inst.operation.row();
    let (name, sources) = (row.name, row.sources);
    match (sources, inst.src0.is_null()) {
        (Sources::None, false) => {
            let message = format!("{name} takes no source: Src0 must be the null variable");
            return broken(Part::Src0, message, Some("write `%null.0`"));
        }
        (Sources::One | Sources::Two, true) => {
            let message = format!("{name} stores {}: Src0 must be a variable", row.stored);
            return broken(Part::Src0, message, Some("write one, such as `V36.0`"));
        }
        _ => {}
    }
    match (sources == Sources::Two, inst.src1.is_null()) {
        (true, true) => {
            let message = format!("{name} stores {}: Src1 must be a variable", row.stored);
            broken(Part::Src1, message, Some("write one, such as `V37.0`"))
        }
        (false, false) => {
            let message = format!(
                "{name} takes no second source (only cmpxchg and fcmpwr do): Src1 must be the null variable"
            );
            broken(Part::Src1, message, Some("write `%null.0`"))
        }
        _ => Ok(()),
    }
}

/// Checks the rules that depend on the surface: its type has these coordinates (table in the description's notes), and its
/// elements are as wide as the atomic's.
///
/// # Errors
/// The first broken rule.
///
/// ```
/// use wavetank_ir::Dimensions;
/// use wavetank_surface_isa::visa::{check_surface, parse};
/// let inst = parse("typed_atomic.inc (8) T6 V32 V33 V0 V0 V0 V0 V0").unwrap();
/// assert!(check_surface(&inst, Dimensions::D2, 4).is_ok());
/// let error = check_surface(&inst, Dimensions::D1, 4).unwrap_err();
/// assert_eq!(error.message, "T6 is 1d, which has no V: it must be the null variable");
/// ```
pub fn check_surface(
    inst: &TypedAtomic,
    dimensions: Dimensions,
    element_bytes: u32,
) -> Result<(), Broken> {
    let (surface, name) = (inst.surface, dimensions.name());
    let bytes = if inst.word { 2 } else { 4 };
    if element_bytes != bytes {
        let message = format!(
            "T{surface} has elements of {} bits, and the atomic changes {}",
            8 * element_bytes,
            8 * bytes
        );
        return broken(Part::Surface, message, None);
    }
    let offsets = [(Part::U, inst.u), (Part::V, inst.v), (Part::R, inst.r)];
    for (n, (part, raw)) in offsets.into_iter().enumerate() {
        let letter = part.name();
        match (n < dimensions.coordinates(), raw.is_null()) {
            (true, true) => {
                let message =
                    format!("T{surface} is {name}, which has {letter}: it must be a variable");
                return broken(part, message, None);
            }
            (false, false) => {
                let message = format!(
                    "T{surface} is {name}, which has no {letter}: it must be the null variable"
                );
                return broken(part, message, Some("write `%null.0`"));
            }
            _ => {}
        }
    }
    Ok(())
}
