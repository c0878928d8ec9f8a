//! Which meanings stand beside that of an instruction.

use wavetank_cases::{Fidelity, fidelity};
use wavetank_gcn::tables::{Field, Kind};
use wavetank_gcn::{Chip, Op};

/// What a swap leaves as it is: the encoding, and field and kind of each operand.
fn shape(op: Op) -> impl Iterator<Item = (Field, Kind)> {
    op.row().operands.iter().map(|spec| (spec.field, spec.kind))
}

/// The instructions of a chip with the shape of another, the nearest first.
///
/// Near are those with operands of the same widths, and of these those of whose names the fewest parts differ; `s_or_b32` has
/// `s_nor_b32` and `s_xor_b32` before `s_orn2_b32`.
pub(super) fn neighbours(op: Op, chip: Chip) -> Vec<Op> {
    let same_shape = |other: &Op| {
        other.home() == op.home()
            && *other != op
            && other.row().exists_on(chip)
            && !matches!(fidelity(*other, chip), Fidelity::Unsupported(_))
            && shape(*other).eq(shape(op))
    };
    let mut found: Vec<Op> = Op::all().filter(same_shape).collect();
    found.sort_by_cached_key(|other| distance(op, *other, chip));
    found
}

/// How far a meaning is from another.
fn distance(op: Op, other: Op, chip: Chip) -> (usize, usize, usize, u16) {
    let widths = |op: Op| op.row().operands.iter().map(|spec| spec.ty.dwords());
    let wider = widths(op)
        .zip(widths(other))
        .filter(|(a, b)| a != b)
        .count();
    let (a, b) = (name(op, chip), name(other, chip));
    let parts = |name: &'static str| name.split('_').collect::<Vec<_>>();
    let letters = |name: &'static str| name.chars().collect::<Vec<_>>();
    let opcodes = [op, other].map(|op| op.opcode(chip).unwrap_or_default());
    (
        wider,
        edits(&parts(a), &parts(b)),
        edits(&letters(a), &letters(b)),
        opcodes[0].abs_diff(opcodes[1]),
    )
}

pub(super) fn name(op: Op, chip: Chip) -> &'static str {
    op.row().mnemonic(chip.generation()).unwrap_or_default()
}

/// How many elements have to be replaced, added or left out to make one list of another (Levenshtein).
fn edits<T: PartialEq>(from: &[T], to: &[T]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let replaced = before + usize::from(a != b);
            before = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(before + 1);
        }
    }
    row[to.len()]
}
