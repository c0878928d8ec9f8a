//! Lowering of permutations of lanes.

use iced_x86::{Code, Register};

use super::lowering::Lowering;
use super::per_half::BLEND_BY_CONSTANT;
use super::row::Row;
use super::state::Form;
use super::state::LOAD;
use crate::compiler::asm::Arg;
use crate::compiler::asm::inst_list::Wide;

const PERMUTE: Code = Code::VEX_Vpermd_ymm_ymm_ymmm256;
const UP_BY: Code = Code::VEX_Vpslld_ymm_ymm_imm8;

impl Lowering<'_> {
    /// Selects lanes from two registers, where bit `bit` of a lane number selects the register.
    fn select(&mut self, numbers: Register, [a, b]: [Register; 2], bit: u8) -> Register {
        let sign = self.two(UP_BY, numbers, Arg::I(31 - bit));
        // A blend of dwords is controlled by the sign.
        let args = [a.into(), a.into(), b.into(), sign.into()];
        self.asm.op(Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm, &args);
        self.drop_temp(sign);
        self.drop_temp(b);
        a
    }

    /// Selects lanes from both halves of a register, by four-bit numbers.
    fn select_of_halves(&mut self, numbers: Register, of: Arg) -> Register {
        let halves = [0, 1].map(|half| {
            let from = self.half(of, Form::Dwords, half);
            self.two(PERMUTE, numbers, from)
        });
        self.select(numbers, halves, 3)
    }

    /// Half of a result whose lanes come from constant positions in some registers.
    fn select_known(&mut self, lanes: &[u32], of: &[Arg]) -> Register {
        let mut all = None;
        for from in 0..2 * of.len() {
            let is_from = |lane: &u32| *lane as usize / 8 == from;
            if !lanes.iter().any(is_from) {
                continue;
            }
            let part = self.lanes_of(lanes, from, of[from / 2]);
            let bits = (0..8).filter(|n| is_from(&lanes[*n]));
            let bits = bits.fold(0u8, |bits, n| bits | 1 << n);
            all = Some(match all {
                None => part,
                Some(all) => {
                    let args = [all, all, part].map(Arg::R);
                    let args = [args[0], args[1], args[2], Arg::I(bits)];
                    self.asm.op(BLEND_BY_CONSTANT, &args);
                    self.drop_temp(part);
                    all
                }
            });
        }
        all.expect("lanes come from somewhere")
    }

    /// A half with its wanted lanes moved to their constant positions.
    fn lanes_of(&mut self, lanes: &[u32], from: usize, of: Arg) -> Register {
        let numbers: Vec<u32> = lanes.iter().map(|lane| lane % 8).collect();
        let source = self.half(of, Form::Dwords, from % 2);
        let numbers = self.row(&numbers);
        let to = self.temp();
        self.asm.op(LOAD, &[to.into(), numbers.into()]);
        self.onto(PERMUTE, to, source);
        to
    }

    /// Both halves of a result with constant lane numbers.
    fn all_known(&mut self, wide: &Wide, row: Row, lanes: [u32; 16], of: &[Arg]) {
        let most = 16 * of.len() as u32;
        let lanes = lanes.map(|lane| lane % most);
        let mut halves = [Register::None; 2];
        for half in 0..2 {
            halves[half] = self.select_known(&lanes[8 * half..][..8], of);
            self.next_half_with(&halves[..=half]);
        }
        self.write_both(wide, row.form, halves);
    }
}

/// VPERMD: lanes of one register.
pub(super) fn one(l: &mut Lowering, wide: &Wide, row: Row) {
    let args = wide.args();
    if let Some(lanes) = l.known_dwords(args[1]) {
        return l.all_known(wide, row, lanes, &args[2..3]);
    }
    let mut halves = [Register::None; 2];
    for half in 0..2 {
        let numbers = l.half_register(args[1], Form::Dwords, half);
        halves[half] = l.select_of_halves(numbers, args[2]);
        l.next_half_with(&halves[..=half]);
    }
    l.write_both(wide, row.form, halves);
}

/// VPERMI2D: lanes of two registers; the result replaces the numbers.
pub(super) fn two(l: &mut Lowering, wide: &Wide, row: Row) {
    let args = wide.args();
    if let Some(lanes) = l.known_dwords(args[0]) {
        return l.all_known(wide, row, lanes, &args[1..3]);
    }
    let mut halves = [Register::None; 2];
    for half in 0..2 {
        let numbers = l.half_register(args[0], Form::Dwords, half);
        let both = [1, 2].map(|n| l.select_of_halves(numbers, args[n]));
        halves[half] = l.select(numbers, both, 4);
        l.next_half_with(&halves[..=half]);
    }
    l.write_both(wide, row.form, halves);
}

/// VSHUFI32X4: two quarters of each operand.
pub(super) fn quarters(l: &mut Lowering, wide: &Wide, row: Row) {
    let args = wide.args();
    let Arg::I(order) = args[3] else {
        unreachable!("the last operand is the order");
    };
    let halves = [0, 1].map(|half| {
        let of = args[1 + half];
        let [low, high] = [0, 1].map(|half| l.half_register(of, row.form, half));
        let [first, second] = [0, 2].map(|n| order >> (4 * half as u8 + n) & 3);
        let to = l.temp();
        let order = Arg::I(first | second << 4);
        let args = [to.into(), low.into(), high.into(), order];
        l.asm.op(Code::VEX_Vperm2i128_ymm_ymm_ymmm256_imm8, &args);
        to
    });
    l.write_both(wide, row.form, halves);
}

/// VALIGND: the concatenation of both operands, the second one first, from a dword on.
pub(super) fn align(l: &mut Lowering, wide: &Wide, row: Row) {
    let args = wide.args();
    let Arg::I(first) = args[3] else {
        unreachable!("the last operand is the distance");
    };
    let parts: Vec<Register> = [(2, 0), (2, 1), (1, 0), (1, 1)]
        .into_iter()
        .map(|(n, half)| l.half_register(args[n], Form::Dwords, half))
        .collect();
    let halves = [0, 8].map(|more| {
        let at = usize::from(first & 15) + more;
        let (low, high) = (parts[at / 8], parts[(at / 8 + 1).min(3)]);
        let to = l.temp();
        let middle = l.temp();
        let args = [middle.into(), low.into(), high.into(), 0x21.into()];
        l.asm.op(Code::VEX_Vperm2i128_ymm_ymm_ymmm256_imm8, &args);
        let (upper, lower, dwords) = match at % 8 {
            n @ 0..4 => (middle, low, n),
            n => (high, middle, n - 4),
        };
        let bytes = Arg::I(4 * dwords as u8);
        let args = [to.into(), upper.into(), lower.into(), bytes];
        l.asm.op(Code::VEX_Vpalignr_ymm_ymm_ymmm256_imm8, &args);
        l.drop_temp(middle);
        to
    });
    l.write_both(wide, row.form, halves);
}
