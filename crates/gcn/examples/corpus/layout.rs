//! Bytes put together from the layouts of the ISA documents, for instructions
//! that no other assembler here supports.
//!
//! This says the layouts a second time, apart from the crate's own: the one
//! checks the other. Registers only, and no modifiers but those an instruction
//! cannot do without.

use wavetank_gcn::tables::{Field, Kind, Op, OperandSpec};
use wavetank_gcn::{Chip, Form, Generation};

use crate::random::Random;

/// A line of canonical text and its bytes; `None` for encodings in which every
/// instruction has another source.
pub(crate) fn line(random: &mut Random, op: Op, chip: Chip) -> Option<(String, Vec<u8>)> {
    let row = op.row();
    let generation = chip.generation();
    let old = generation < Generation::Gfx8;
    let number = u64::from(op.opcode(chip)?);
    // The identifying bits, and where the opcode stands (Vega ISA, 13.1 to 13.9;
    // the manuals of the older generations for the encodings that moved).
    let (base, at, bytes) = match (op.home(), generation) {
        (Form::Sop1, _) => (0xbe80_0000, 8, 4),
        (Form::Sopk, _) => (0xb000_0000, 23, 4),
        (Form::Sopp, _) => (0xbf80_0000, 16, 4),
        (Form::Smem, Generation::Gfx8 | Generation::Gfx9) => (0xc000_0000, 18, 8),
        (Form::Vop1, _) => (0x7e00_0000, 9, 4),
        (Form::Vop3, _) => (0xd000_0000, if old { 17 } else { 16 }, 8),
        (Form::Ds, _) => (0xd800_0000, if old { 18 } else { 17 }, 8),
        (Form::Mubuf, _) => (0xe000_0000, 18, 8),
        // One channel of the gathered: DMASK is 1.
        (Form::Mimg, _) => (0xf000_0100, 18, 8),
        _ => return None,
    };
    let mut word: u64 = base | number << at;
    let mut texts = Vec::new();
    for spec in row.operands {
        let (text, bits) = operand(random, op, spec);
        word |= bits;
        texts.push(text);
    }
    let mut text = row.mnemonic(generation)?.to_string();
    if !texts.is_empty() {
        text += " ";
        text += &texts.join(", ");
    }
    if op.home() == Form::Mimg {
        text += " dmask:0x1";
    }
    Some((text, word.to_le_bytes()[..bytes].to_vec()))
}

/// An operand's text, and its bits in their place.
fn operand(random: &mut Random, op: Op, spec: &OperandSpec) -> (String, u64) {
    let count = match (op.home(), spec.field) {
        (Form::Mimg, Field::Vdata) => 4,
        _ => usize::from(spec.ty.dwords()).max(1),
    };
    let vector = |random: &mut Random, at: u32, offset: u64| {
        let first = random.below(257 - count);
        (span("v", first, count), (offset + first as u64) << at)
    };
    let scalar = |random: &mut Random, at: u32, unit: usize| {
        let first = random.below((100 - count) / unit) * unit;
        (span("s", first, count), ((first / unit) as u64) << at)
    };
    let even = count.min(4).next_power_of_two();
    let even = |random: &mut Random, at: u32| {
        let (text, bits) = scalar(random, at, even);
        (text, bits * even as u64)
    };
    match (op.home(), spec.field) {
        (Form::Sop1 | Form::Sopk, Field::Sdst) => even(random, 16),
        (Form::Sop1, Field::Src0) => even(random, 0),
        (Form::Sopk, _) => ("hwreg(HW_REG_STATUS, 3, 5)".into(), 2 | 3 << 6 | 4 << 11),
        (Form::Smem, Field::Sdst | Field::Sdata) => even(random, 6),
        (Form::Smem, Field::Sbase) => {
            let (text, bits) = even(random, 0);
            (text, bits / 2)
        }
        // A register: IMM is 0, and the number stands in the offset.
        (Form::Smem, _) => even(random, 32),
        (Form::Vop1, Field::Vdst) => vector(random, 17, 0),
        (Form::Vop1, _) => vector(random, 0, 256),
        (Form::Vop3, Field::Vdst) if spec.kind == Kind::Sgpr => even(random, 0),
        (Form::Vop3, Field::Vdst) => vector(random, 0, 0),
        (Form::Vop3, Field::Src0) => vector(random, 32, 256),
        (Form::Vop3, Field::Src1) if spec.kind == Kind::Scalar => even(random, 41),
        (Form::Vop3, Field::Src1) => vector(random, 41, 256),
        (Form::Vop3, _) => vector(random, 50, 256),
        (Form::Ds, Field::Vaddr) => vector(random, 32, 0),
        (Form::Ds, Field::Data0) => vector(random, 40, 0),
        (Form::Ds, _) => vector(random, 56, 0),
        (Form::Mubuf, Field::Vaddr) => ("off".into(), 0),
        (Form::Mubuf | Form::Mimg, Field::Vdata) => vector(random, 40, 0),
        (Form::Mimg, Field::Vaddr) => vector(random, 32, 0),
        (Form::Mubuf | Form::Mimg, Field::Srsrc) => scalar(random, 48, 4),
        (Form::Mimg, _) => scalar(random, 53, 4),
        _ => even(random, 56),
    }
}

fn span(file: &str, first: usize, count: usize) -> String {
    match count {
        1 => format!("{file}{first}"),
        _ => format!("{file}[{first}:{}]", first + count - 1),
    }
}
