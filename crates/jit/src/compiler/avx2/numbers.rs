//! Lowering of integer instructions that AVX2 lacks.

use iced_x86::{Code, Register};

use super::lowering::Lowering;
use super::per_half::{BLEND, copied};
use super::row::Row;
use super::state::{AND, AND_NOT, Form, LOAD, OR, XOR};
use crate::compiler::asm::Arg;
use crate::compiler::asm::inst_list::Wide;

const SUB: Code = Code::VEX_Vpsubd_ymm_ymm_ymmm256;
const DOWN_BY: Code = Code::VEX_Vpsrld_ymm_ymm_imm8;

impl Lowering<'_> {
    fn operands(&mut self, wide: &Wide, form: Form, half: usize) -> [Register; 2] {
        [1, 2].map(|n| self.half_register(wide.args()[n], form, half))
    }

    /// The minimum or maximum of qwords.
    fn extreme(&mut self, wide: &Wide, signed: bool, max: bool) {
        self.halves(wide, Form::Qwords, |l, half| {
            let [a, b] = l.operands(wide, Form::Qwords, half);
            let more = l.is_more(Form::Qwords, signed, a, b);
            let [first, second] = if max { [b, a] } else { [a, b] };
            let args = [more.into(), first.into(), second.into(), more.into()];
            l.asm.op(BLEND, &args);
            more
        });
    }
}

/// VPMINSQ, by a comparison.
pub(super) fn min_signed(l: &mut Lowering, wide: &Wide, _: Row) {
    l.extreme(wide, true, false);
}

/// VPMAXSQ, by a comparison.
pub(super) fn max_signed(l: &mut Lowering, wide: &Wide, _: Row) {
    l.extreme(wide, true, true);
}

/// VPMINUQ, by a comparison.
pub(super) fn min_unsigned(l: &mut Lowering, wide: &Wide, _: Row) {
    l.extreme(wide, false, false);
}

/// VPMAXUQ, by a comparison.
pub(super) fn max_unsigned(l: &mut Lowering, wide: &Wide, _: Row) {
    l.extreme(wide, false, true);
}

/// VPMULLQ, from products of dwords.
pub(super) fn product(l: &mut Lowering, wide: &Wide, _: Row) {
    const MULTIPLY: Code = Code::VEX_Vpmuludq_ymm_ymm_ymmm256;
    const DOWN: Code = Code::VEX_Vpsrlq_ymm_ymm_imm8;
    const SUM: Code = Code::VEX_Vpaddq_ymm_ymm_ymmm256;
    l.halves(wide, Form::Qwords, |l, half| {
        let [a, b] = l.operands(wide, Form::Qwords, half);
        let across = l.two(DOWN, a, Arg::I(32));
        l.onto(MULTIPLY, across, b);
        let other = l.two(DOWN, b, Arg::I(32));
        l.onto(MULTIPLY, other, a);
        l.onto(SUM, across, other);
        l.onto(Code::VEX_Vpsllq_ymm_ymm_imm8, across, Arg::I(32));
        let low = l.two(MULTIPLY, a, b);
        l.onto(SUM, low, across);
        low
    });
}

/// VPSRAVQ: negative numbers are shifted as their complement.
pub(super) fn shift_signed(l: &mut Lowering, wide: &Wide, _: Row) {
    l.halves(wide, Form::Qwords, |l, half| {
        let [a, by] = l.operands(wide, Form::Qwords, half);
        let sign = l.zero();
        l.onto(Code::VEX_Vpcmpgtq_ymm_ymm_ymmm256, sign, a);
        let shifted = l.two(XOR, a, sign);
        l.onto(Code::VEX_Vpsrlvq_ymm_ymm_ymmm256, shifted, by);
        l.onto(XOR, shifted, sign);
        shifted
    });
}

/// Shifts of words by words, done as shifts of dwords for the lower and the upper words. The row has the shift.
pub(super) fn shift_words(l: &mut Lowering, wide: &Wide, row: Row) {
    let [left, signed] = [
        Code::VEX_Vpsllvd_ymm_ymm_ymmm256,
        Code::VEX_Vpsravd_ymm_ymm_ymmm256,
    ]
    .map(|code| row.code == code);
    l.halves(wide, Form::Words, |l, half| {
        let [a, by] = l.operands(wide, Form::Words, half);
        let lower = l.dwords(0xffff);
        let upper_by = l.two(DOWN_BY, by, Arg::I(16));
        let upper = copied_row(l, 0xffff);
        l.onto(AND_NOT, upper, a);
        l.onto(row.code, upper, upper_by);
        let lower_by = l.two(AND, by, lower);
        let low = match (left, signed) {
            (true, _) => copied(l, a),
            (_, true) => {
                let up = l.two(Code::VEX_Vpslld_ymm_ymm_imm8, a, Arg::I(16));
                l.onto(Code::VEX_Vpsrad_ymm_ymm_imm8, up, Arg::I(16));
                up
            }
            _ => l.two(AND, a, lower),
        };
        l.onto(row.code, low, lower_by);
        l.onto(AND, low, lower);
        let mask = copied_row(l, 0xffff);
        l.onto(AND_NOT, mask, upper);
        l.onto(OR, low, mask);
        low
    });
}

/// A register with a dword in all lanes.
fn copied_row(l: &mut Lowering, dword: u32) -> Register {
    l.number_in(Form::Dwords, dword.into())
}

/// VPLZCNTD, from a float's exponent. The bits of the number below its first one are cleared, so that the conversion is exact.
pub(super) fn leading_zeros(l: &mut Lowering, wide: &Wide, _: Row) {
    l.halves(wide, Form::Dwords, |l, half| {
        let a = l.half_register(wide.args()[1], Form::Dwords, half);
        let first = l.two(DOWN_BY, a, Arg::I(1));
        l.onto(AND_NOT, first, a);
        let args = [first.into(), first.into()];
        l.asm.op(Code::VEX_Vcvtdq2ps_ymm_ymmm256, &args);
        // The sign of a number whose top bit is 1 makes the difference negative.
        l.onto(DOWN_BY, first, Arg::I(23));
        let zeros = copied_row(l, 158);
        l.onto(SUB, zeros, first);
        let most = l.dwords(32);
        l.onto(Code::VEX_Vpminsd_ymm_ymm_ymmm256, zeros, most);
        let none = l.zero();
        l.onto(Code::VEX_Vpmaxsd_ymm_ymm_ymmm256, zeros, none);
        zeros
    });
}

/// VPOPCNTD, from a table of four bits each.
pub(super) fn count_ones(l: &mut Lowering, wide: &Wide, _: Row) {
    const TABLE: [u32; 4] = [0x0201_0100, 0x0302_0201, 0x0302_0201, 0x0403_0302];
    l.halves(wide, Form::Dwords, |l, half| {
        let a = l.half_register(wide.args()[1], Form::Dwords, half);
        let table = l.row(&[TABLE, TABLE].concat());
        let (of, low) = (l.temp(), l.dwords(0x0f0f_0f0f));
        let load = LOAD;
        l.asm.op(load, &[of.into(), table.into()]);
        let lower = l.two(AND, a, low);
        let upper = l.two(DOWN_BY, a, Arg::I(4));
        l.onto(AND, upper, low);
        for fields in [lower, upper] {
            let args = [fields.into(), of.into(), fields.into()];
            l.asm.op(Code::VEX_Vpshufb_ymm_ymm_ymmm256, &args);
        }
        l.onto(Code::VEX_Vpaddb_ymm_ymm_ymmm256, lower, upper);
        let ones = l.dwords(0x0101_0101);
        l.onto(Code::VEX_Vpmaddubsw_ymm_ymm_ymmm256, lower, ones);
        let ones = l.dwords(0x0001_0001);
        l.onto(Code::VEX_Vpmaddwd_ymm_ymm_ymmm256, lower, ones);
        lower
    });
}

/// VPTERNLOGD: any function of three bits.
pub(super) fn ternary(l: &mut Lowering, wide: &Wide, _: Row) {
    let (to, args) = (Arg::R(wide.to()), wide.args());
    let Arg::I(table) = args[3] else {
        unreachable!("the last operand is a table");
    };
    l.halves(wide, Form::Dwords, |l, half| {
        let [a, b, c] = [to, args[1], args[2]].map(|arg| l.half_register(arg, Form::Dwords, half));
        match table {
            // Selects bits of b where c has ones, else of a; or bits of b where a has ones, else of c.
            0xd8 => chosen(l, a, b, c),
            0xca => chosen(l, c, b, a),
            _ => {
                // The function for a = 0, and the function for a = 1.
                let without = binary(l, table & 15, b, c);
                let with = binary(l, table >> 4, b, c);
                chosen(l, without, with, a)
            }
        }
    });
}

/// Selects the bits of the second where `by` has ones, else of the first.
fn chosen(l: &mut Lowering, first: Register, second: Register, by: Register) -> Register {
    let to = l.two(XOR, first, second);
    l.onto(AND, to, by);
    l.onto(XOR, to, first);
    to
}

/// Any function of two bits, by its table.
fn binary(l: &mut Lowering, table: u8, b: Register, c: Register) -> Register {
    // Either a table or its complement gives 0 for two zeros.
    let inverts = table & 1 != 0;
    let to = match if inverts { table ^ 15 } else { table } {
        0b0000 => l.zero(),
        0b0010 => l.two(AND_NOT, b, c),
        0b0100 => l.two(AND_NOT, c, b),
        0b0110 => l.two(XOR, b, c),
        0b1000 => l.two(AND, b, c),
        0b1010 => copied(l, c),
        0b1100 => copied(l, b),
        _ => l.two(OR, b, c),
    };
    if inverts {
        let ones = l.dwords(!0);
        l.onto(XOR, to, ones);
    }
    to
}
