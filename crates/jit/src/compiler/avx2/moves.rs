//! Lowering of conversions to twice or half as many bits, and of moves of register parts.

use iced_x86::{Code, Register};

use super::lowering::Lowering;
use super::per_half::{at_offset, copied};
use super::row::Row;
use super::state::{AND, Form, low};
use crate::compiler::asm::inst_list::{Wide, unit};
use crate::compiler::asm::{Arg, Under};

const EXTRACT: Code = Code::VEX_Vextracti128_xmmm128_ymm_imm8;
const INSERT: Code = Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8;

impl Lowering<'_> {
    /// Half of a result of an extending instruction: from `bytes` bytes of memory, or from that part of a register's lower half.
    pub(super) fn extended(
        &mut self,
        from: Arg,
        half: usize,
        code: Code,
        bytes: usize,
    ) -> Register {
        let to = self.temp();
        let from: Arg = match from {
            Arg::M(mem) => at_offset(mem, bytes * half).into(),
            Arg::R(register) => {
                let register = self.have(unit(register, 0));
                self.part(register, half, bytes).into()
            }
            each => low(self.half_register(each, Form::Dwords, half)).into(),
        };
        self.asm.op(code, &[to.into(), from]);
        to
    }

    /// Part `n` of a register, of `bytes` bytes, as the lowest.
    pub(super) fn part(&mut self, from: Register, n: usize, bytes: usize) -> Register {
        if n == 0 {
            return low(from);
        }
        let to = low(self.temp());
        match bytes {
            16 => self.asm.op(EXTRACT, &[to.into(), from.into(), 1.into()]),
            _ => {
                let args = [to.into(), low(from).into(), (bytes as u8).into()];
                self.asm.op(Code::VEX_Vpsrldq_xmm_xmm_imm8, &args);
            }
        }
        to
    }

    /// Joins the lower halves of two temporary registers in the first one.
    pub(super) fn joined(&mut self, [first, second]: [Register; 2]) -> Register {
        let args = [first.into(), first.into(), low(second).into(), 1.into()];
        self.asm.op(INSERT, &args);
        first
    }

    /// The words of both halves, packed by an instruction.
    pub(super) fn packed(&mut self, code: Code, [a, b]: [Register; 2]) -> Register {
        let to = self.two(code, a, b);
        self.onto(Code::VEX_Vpermq_ymm_ymmm256_imm8, to, Arg::I(0xd8));
        to
    }

    /// The low words of the dwords of an operand.
    pub(super) fn words_of(&mut self, from: Arg) -> Register {
        let halves = [0, 1].map(|half| {
            let from = self.half_register(from, Form::Dwords, half);
            let words = self.dwords(0xffff);
            self.two(AND, from, words)
        });
        self.packed(Code::VEX_Vpackusdw_ymm_ymm_ymmm256, halves)
    }
}

/// VPMOVZXWD and other conversions from half as many bits.
pub(super) fn extend(l: &mut Lowering, wide: &Wide, row: Row) {
    if wide.mask().is_some()
        && let Arg::M(_) = wide.args()[1]
    {
        return super::lanes::masked_extending_load(l, wide, row);
    }
    l.halves_of_one(wide, row.form, |l, half| {
        l.extended(wide.args()[1], half, row.code, 16)
    });
}

/// VPMOVZXBD, from a quarter as many bits.
pub(super) fn extend_bytes(l: &mut Lowering, wide: &Wide, row: Row) {
    if wide.mask().is_some() {
        return super::lanes::masked_extending_load(l, wide, row);
    }
    l.halves_of_one(wide, row.form, |l, half| {
        l.extended(wide.args()[1], half, row.code, 8)
    });
}

/// Conversions to half as many bits, whose results are halves of the lower half.
pub(super) fn narrow(l: &mut Lowering, wide: &Wide, row: Row) {
    let args = wide.args();
    let under = wide.mask();
    let halves = [0, 1].map(|half| {
        let from = l.half(args[1], row.form, half);
        let to = l.temp();
        l.asm.op(row.code, &[low(to).into(), from]);
        to
    });
    let to = l.joined(halves);
    if let Some(k) = under {
        // The mask of the eight lanes, which are dwords now.
        let mask = l.mask(k, Form::Dwords, 0);
        l.onto(AND, to, mask);
    }
    bind_low(l, wide, to);
}

/// VCVTPS2PH, from single to half precision.
pub(super) fn narrow_halves(l: &mut Lowering, wide: &Wide, row: Row) {
    let args = wide.args();
    let halves = [0, 1].map(|half| {
        let from = l.half_register(args[1], row.form, half);
        let to = l.temp();
        l.asm.op(row.code, &[low(to).into(), from.into(), args[2]]);
        to
    });
    let to = l.joined(halves);
    l.write_low(wide, to);
}

/// Writes the lower half, under a mask that clears the other lanes.
fn bind_low(l: &mut Lowering, wide: &Wide, to: Register) {
    let mut all = *wide;
    if let Under::Merge(_) = std::mem::replace(&mut all.under, Under::All) {
        l.refuse();
    }
    l.write_low(&all, to);
}

/// VPMOVDW, to a register or to memory.
pub(super) fn truncate_to_words(l: &mut Lowering, wide: &Wide, row: Row) {
    let args = wide.args();
    if let (Arg::M(to), Some(_)) = (args[0], wide.mask()) {
        return super::lanes::masked_narrowing_store(l, wide, to, 2);
    }
    let words = l.words_of(args[1]);
    match args[0] {
        Arg::R(_) => l.write_low(wide, words),
        to => l.asm.op(row.code, &[to, words.into()]),
    }
}

/// VPMOVDB, to memory only.
pub(super) fn truncate_to_bytes(l: &mut Lowering, wide: &Wide, _: Row) {
    let Arg::M(to) = wide.args()[0] else {
        return l.refuse();
    };
    if wide.mask().is_some() {
        return super::lanes::masked_narrowing_store(l, wide, to, 1);
    }
    let halves = [0, 1].map(|half| {
        let from = l.half_register(wide.args()[1], Form::Dwords, half);
        let bytes = l.dwords(0xff);
        l.two(AND, from, bytes)
    });
    let words = l.packed(Code::VEX_Vpackusdw_ymm_ymm_ymmm256, halves);
    let upper = l.temp();
    l.asm
        .op(EXTRACT, &[low(upper).into(), words.into(), 1.into()]);
    let args = [low(words).into(), low(words).into(), low(upper).into()];
    l.asm.op(Code::VEX_Vpackuswb_xmm_xmm_xmmm128, &args);
    l.asm.op(
        Code::VEX_Vmovdqu_xmmm128_xmm,
        &[to.into(), low(words).into()],
    );
}

/// VPMOVSDW: saturates signed dwords to words.
pub(super) fn saturate(l: &mut Lowering, wide: &Wide, row: Row) {
    let halves = [0, 1].map(|half| l.half_register(wide.args()[1], Form::Dwords, half));
    let words = l.packed(row.code, halves);
    l.write_low(wide, words);
}

/// VPMOVUSDW: saturates unsigned dwords to words.
pub(super) fn saturate_unsigned(l: &mut Lowering, wide: &Wide, row: Row) {
    let halves = [0, 1].map(|half| {
        let from = l.half_register(wide.args()[1], Form::Dwords, half);
        let most = l.dwords(0xffff);
        l.two(Code::VEX_Vpminud_ymm_ymm_ymmm256, from, most)
    });
    let words = l.packed(row.code, halves);
    l.write_low(wide, words);
}

/// VINSERTI32X8: replaces a half by the lower half of another register.
pub(super) fn insert_half(l: &mut Lowering, wide: &Wide, row: Row) {
    let args = wide.args();
    let halves = [0, 1].map(|half| {
        let from = match (args[2], args[3]) {
            (new, Arg::I(which)) if usize::from(which) == half => {
                l.half_register(new, Form::Dwords, 0)
            }
            _ => l.half_register(args[1], Form::Dwords, half),
        };
        copied(l, from)
    });
    l.write_both(wide, row.form, halves);
}

/// VINSERTI32X4: replaces a quarter.
pub(super) fn insert_quarter(l: &mut Lowering, wide: &Wide, row: Row) {
    let args = wide.args();
    let Arg::I(quarter) = args[3] else {
        unreachable!("the last operand says which");
    };
    let new: Arg = match args[2] {
        Arg::R(register) => low(l.have(unit(register, 0))).into(),
        memory => memory,
    };
    let halves = [0, 1].map(|half| {
        let from = l.half_register(args[1], Form::Dwords, half);
        if usize::from(quarter / 2) != half {
            return copied(l, from);
        }
        let to = l.temp();
        let args = [to.into(), from.into(), new, Arg::I(quarter % 2)];
        l.asm.op(INSERT, &args);
        to
    });
    l.write_both(wide, row.form, halves);
}

/// VEXTRACTI32X8: the upper or lower half.
pub(super) fn extract_half(l: &mut Lowering, wide: &Wide, _: Row) {
    let (Arg::R(from), Arg::I(half)) = (wide.args()[1], wide.args()[2]) else {
        return l.refuse();
    };
    let to = l.copy_of(unit(from, half.into()));
    l.write_low(wide, to);
}

/// VEXTRACTI32X4: a quarter, to a register or to memory.
pub(super) fn extract_quarter(l: &mut Lowering, wide: &Wide, _: Row) {
    let (Arg::R(from), Arg::I(quarter)) = (wide.args()[1], wide.args()[2]) else {
        return l.refuse();
    };
    if wide.under != Under::All {
        return l.refuse();
    }
    let from = l.have(unit(from, usize::from(quarter / 2)));
    let which = Arg::I(quarter % 2);
    if let Arg::M(_) = wide.args()[0] {
        return l.asm.op(EXTRACT, &[wide.args()[0], from.into(), which]);
    }
    let to = l.temp();
    l.asm.op(EXTRACT, &[low(to).into(), from.into(), which]);
    l.write_low(wide, to);
}
