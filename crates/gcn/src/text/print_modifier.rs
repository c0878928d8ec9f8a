//! Printing of the modifiers after the operands.

use std::fmt::Result;

use super::line::{Line, Piece, decimal, hexadecimal};
use super::names::{DST_UNUSED, SDWA_SELS};
use super::operand::signed_hex;
use super::symbolic;
use crate::form::Form;
use crate::generation::Chip;
use crate::inst::{Flags, Inst};
use crate::modifiers::is_mix;
use crate::tables::{Ds, Features, Op};

/// A flag and the word that sets it.
type Word = (Flags, Piece<15>);

const CLAMP: [Word; 1] = [(Flags::CLAMP, Piece::of(" clamp"))];
const HIGH: [Word; 1] = [(Flags::HIGH, Piece::of(" high"))];
const BOUND_CTRL: [Word; 1] = [(Flags::BOUND_CTRL, Piece::of(" bound_ctrl:1"))];
const FI: [Word; 1] = [(Flags::FI, Piece::of(" fi:1"))];
const GLC: [Word; 1] = [(Flags::GLC, Piece::of(" glc"))];
const GDS: [Word; 1] = [(Flags::GDS, Piece::of(" gds"))];
const LDS: [Word; 1] = [(Flags::LDS, Piece::of(" lds"))];
const BUFFER_ADDRESS: [Word; 3] = [
    (Flags::IDXEN, Piece::of(" idxen")),
    (Flags::OFFEN, Piece::of(" offen")),
    (Flags::ADDR64, Piece::of(" addr64")),
];
const MEMORY: [Word; 3] = [
    (Flags::GLC, Piece::of(" glc")),
    (Flags::SLC, Piece::of(" slc")),
    (Flags::TFE, Piece::of(" tfe")),
];
/// The words of gfx90a.
const MEMORY_90A: [Word; 3] = [
    (Flags::GLC, Piece::of(" glc")),
    (Flags::SLC, Piece::of(" slc")),
    (Flags::SCC, Piece::of(" scc")),
];
/// The words from gfx942 on.
const MEMORY_942: [Word; 3] = [
    (Flags::GLC, Piece::of(" sc0")),
    (Flags::SLC, Piece::of(" nt")),
    (Flags::SCC, Piece::of(" sc1")),
];
const IMAGE: [Word; 9] = [
    (Flags::UNORM, Piece::of(" unorm")),
    (Flags::GLC, Piece::of(" glc")),
    (Flags::SLC, Piece::of(" slc")),
    (Flags::R128, Piece::of(" r128")),
    (Flags::A16, Piece::of(" a16")),
    (Flags::TFE, Piece::of(" tfe")),
    (Flags::LWE, Piece::of(" lwe")),
    (Flags::DA, Piece::of(" da")),
    (Flags::D16, Piece::of(" d16")),
];
const IMAGE_90A: [Word; 9] = [
    (Flags::UNORM, Piece::of(" unorm")),
    (Flags::GLC, Piece::of(" glc")),
    (Flags::SLC, Piece::of(" slc")),
    (Flags::SCC, Piece::of(" scc")),
    (Flags::A16, Piece::of(" a16")),
    (Flags::TFE, Piece::of(" tfe")),
    (Flags::LWE, Piece::of(" lwe")),
    (Flags::DA, Piece::of(" da")),
    (Flags::D16, Piece::of(" d16")),
];
const EXPORT: [Word; 3] = [
    (Flags::DONE, Piece::of(" done")),
    (Flags::COMPR, Piece::of(" compr")),
    (Flags::VM, Piece::of(" vm")),
];
const OMOD: [Piece<15>; 4] = [
    Piece::EMPTY,
    Piece::of(" mul:2"),
    Piece::of(" mul:4"),
    Piece::of(" div:2"),
];

/// Writes the modifiers after the operands, `sources` of which are sources.
#[inline]
pub(super) fn modifiers(inst: &Inst, sources: u8, line: &mut Line) -> Result {
    match inst.form {
        Form::Vop3 => vop3(inst, sources, line),
        Form::Vop3p => vop3p(inst, sources, line),
        Form::Mai => mai(inst, line),
        Form::MaiScaled => {
            for number in inst.mods.scales {
                line.push(", v");
                line.piece(&decimal(number.into()));
            }
            if inst.mods.op_sel != 0 {
                bits(line, " op_sel:", inst.mods.op_sel, 3);
            }
            if inst.mods.op_sel_hi != 7 {
                bits(line, " op_sel_hi:", inst.mods.op_sel_hi, 3);
            }
            mai(inst, line);
        }
        Form::Sdwa => sdwa(inst, sources, line),
        Form::Dpp => return dpp(inst, line),
        Form::Smem => return smem(inst, line),
        Form::Ds => return ds(inst, line),
        Form::Mubuf | Form::Mtbuf => return buffer(inst, line),
        Form::Mimg => image(inst, line),
        Form::Flat | Form::Global | Form::Scratch => flat(inst, line),
        Form::Exp => words(inst, line, &EXPORT),
        _ => {}
    }
    Ok(())
}

/// Writes the words of the flags that are set.
#[inline]
fn words(inst: &Inst, line: &mut Line, table: &[Word]) {
    for (flag, word) in table {
        line.piece_if(inst.has(*flag), word);
    }
}

/// Writes a decimal offset, unless it is zero.
fn offset(line: &mut Line, word: &Piece<15>, value: i32) {
    if value == 0 {
        return;
    }
    line.piece(word);
    line.piece_if(value < 0, &const { Piece::<1>::of("-") });
    line.piece(&decimal(value.unsigned_abs()));
}

const OFFSET: Piece<15> = Piece::of(" offset:");

fn clamp_and_omod(inst: &Inst, line: &mut Line) {
    words(inst, line, &CLAMP);
    line.piece(&OMOD[usize::from(inst.mods.omod & 3)]);
}

/// Writes a list of bits, one for each source: ` op_sel:[1,0]`.
fn bits(line: &mut Line, word: &str, mask: u8, count: u8) {
    line.push(word);
    for n in 0..count {
        line.push(if n == 0 { "[" } else { "," });
        line.push(if mask >> n & 1 == 0 { "0" } else { "1" });
    }
    line.push("]");
}

fn vop3(inst: &Inst, sources: u8, line: &mut Line) {
    if inst.row().has(Features::BITOP3) && inst.mods.bitop3 != 0 {
        line.push(" bitop3:");
        let table = inst.mods.bitop3.into();
        line.piece(&if table < 10 {
            decimal(table)
        } else {
            hexadecimal(table)
        });
    }
    let op_sel = inst.mods.op_sel;
    if op_sel != 0 {
        // The bit of the destination follows those of the sources.
        let (in_order, count) = if inst.row().has(Features::OP_SEL_BYTE) {
            (op_sel, 4)
        } else {
            (op_sel & 7 | (op_sel >> 3 & 1) << sources, sources + 1)
        };
        bits(line, " op_sel:", in_order, count);
    }
    if inst.row().has(Features::FETCHES_INACTIVE) {
        words(inst, line, &BOUND_CTRL);
        words(inst, line, &FI);
    }
    words(inst, line, &HIGH);
    clamp_and_omod(inst, line);
}

fn vop3p(inst: &Inst, sources: u8, line: &mut Line) {
    let mods = &inst.mods;
    let mix = is_mix(inst.op);
    let default_hi = if mix { 0 } else { (1 << sources) - 1 };
    let lists = [
        (" op_sel:", mods.op_sel, 0),
        (" op_sel_hi:", mods.op_sel_hi, default_hi),
        (" neg_lo:", if mix { 0 } else { mods.neg }, 0),
        (" neg_hi:", if mix { 0 } else { mods.abs }, 0),
    ];
    for (word, mask, default) in lists {
        if mask != default {
            bits(line, word, mask, sources);
        }
    }
    words(inst, line, &CLAMP);
}

/// The names of SDWA selections by code; one more is reserved.
const SELS: [Piece<8>; 8] = {
    let mut names = [Piece::of("RESERVED"); 8];
    let mut code = 0;
    while code < SDWA_SELS.len() {
        names[code] = Piece::of(SDWA_SELS[code].0);
        code += 1;
    }
    names
};
const UNUSED: [Piece<15>; 4] = {
    let mut names = [Piece::of("UNUSED_RESERVED"); 4];
    let mut code = 0;
    while code < DST_UNUSED.len() {
        names[code] = Piece::of(DST_UNUSED[code].0);
        code += 1;
    }
    names
};

fn sdwa(inst: &Inst, sources: u8, line: &mut Line) {
    let mods = &inst.mods;
    if sources == 0 {
        return;
    }
    clamp_and_omod(inst, line);
    if !matches!(inst.op, Op::Vopc(_)) && !inst.row().has(Features::WHOLE_DST) {
        line.push(" dst_sel:");
        line.piece(&SELS[mods.dst_sel as usize]);
        line.push(" dst_unused:");
        line.piece(&UNUSED[mods.dst_unused as usize]);
    }
    line.push(" src0_sel:");
    line.piece(&SELS[mods.src_sel[0] as usize]);
    if sources > 1 {
        line.push(" src1_sel:");
        line.piece(&SELS[mods.src_sel[1] as usize]);
    }
}

fn dpp(inst: &Inst, line: &mut Line) -> Result {
    symbolic::dpp_ctrl(line, inst.mods.dpp_ctrl, inst.chip)?;
    line.push(" row_mask:");
    line.piece(&hexadecimal(inst.mods.row_mask.into()));
    line.push(" bank_mask:");
    line.piece(&hexadecimal(inst.mods.bank_mask.into()));
    words(inst, line, &BOUND_CTRL);
    Ok(())
}

fn smem(inst: &Inst, line: &mut Line) -> Result {
    if inst.has(Flags::SMEM_SOFFSET) && inst.has(Flags::SMEM_IMM) {
        line.piece(&OFFSET);
        signed_hex(line, inst.mods.offset)?;
    }
    words(inst, line, &GLC);
    Ok(())
}

fn ds(inst: &Inst, line: &mut Line) -> Result {
    let mods = &inst.mods;
    if inst.row().has(Features::TWO_OFFSETS) {
        offset(line, &const { Piece::of(" offset0:") }, mods.offset);
        offset(line, &const { Piece::of(" offset1:") }, mods.offset1.into());
    } else if inst.op == Op::Ds(Ds::DS_SWIZZLE_B32) && mods.offset != 0 {
        line.piece(&OFFSET);
        symbolic::swizzle(line, mods.offset as u16, inst.chip)?;
    } else {
        offset(line, &OFFSET, mods.offset);
    }
    words(inst, line, &GDS);
    Ok(())
}

fn buffer(inst: &Inst, line: &mut Line) -> Result {
    if inst.form == Form::Mtbuf {
        symbolic::format(line, inst.mods.dfmt, inst.mods.nfmt, inst.chip.generation())?;
    }
    words(inst, line, &BUFFER_ADDRESS);
    offset(line, &OFFSET, inst.mods.offset);
    // If the bit is part of the instruction, its word comes first.
    let always_lds = inst.row().has(Features::LDS_ONLY);
    if always_lds {
        words(inst, line, &LDS);
    }
    words(inst, line, memory(inst));
    if !always_lds {
        words(inst, line, &LDS);
    }
    Ok(())
}

/// Returns the words for the cache bits of a chip.
fn memory(inst: &Inst) -> &'static [Word] {
    if inst.chip < Chip::Gfx90a {
        &MEMORY
    } else if inst.chip == Chip::Gfx90a {
        &MEMORY_90A
    } else {
        &MEMORY_942
    }
}

fn mai(inst: &Inst, line: &mut Line) {
    let mods = &inst.mods;
    let numbers = [
        (" cbsz:", mods.cbsz),
        (" abid:", mods.abid),
        (" blgp:", mods.blgp),
    ];
    for (word, value) in numbers.into_iter().filter(|(_, value)| *value != 0) {
        line.push(word);
        line.piece(&decimal(value.into()));
    }
    if mods.neg != 0 {
        bits(line, " neg:", mods.neg, 3);
    }
}

fn image(inst: &Inst, line: &mut Line) {
    if inst.mods.dmask != 0 {
        line.push(" dmask:");
        line.piece(&hexadecimal(inst.mods.dmask.into()));
    }
    let known = if inst.chip < Chip::Gfx90a {
        &IMAGE
    } else {
        &IMAGE_90A
    };
    words(inst, line, known);
}

fn flat(inst: &Inst, line: &mut Line) {
    offset(line, &OFFSET, inst.mods.offset);
    words(inst, line, memory(inst));
    words(inst, line, &LDS);
}
