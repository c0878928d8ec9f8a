//! Lowering of masks. Each half has all bits set in the active lanes: dwords, qwords, words or bytes, in the form of the
//! instruction that made the mask. A user that needs another form widens or narrows it.

use iced_x86::{Code, Register};

use super::frame;
use super::lowering::Lowering;
use super::row::Row;
use super::state::{AND, AND_NOT, COPY, Form, OR, XOR, low};
use crate::compiler::asm::inst_list::{Item, Wide, unit};
use crate::compiler::asm::{Arg, Mem};

/// The number of a mask register.
fn number(k: Register) -> usize {
    k as usize - Register::K0 as usize
}

fn register(k: usize) -> Register {
    Register::K0 + k as u32
}

/// The general register that contains a narrower register.
fn whole(register: Register) -> Register {
    match register {
        r if r.is_gpr32() => Register::RAX + (r as u32 - Register::EAX as u32),
        r => r,
    }
}

impl Lowering<'_> {
    /// Half of a mask in a form.
    pub(super) fn mask(&mut self, k: Register, form: Form, half: usize) -> Register {
        let from = self.state.forms[number(k)];
        match (from, form) {
            _ if from == form => self.have(unit(k, half)),
            (Form::Dwords, Form::Qwords) => self.widened(k, half),
            (Form::Qwords, Form::Dwords) => self.narrowed(k, half),
            _ => {
                // Templates do not need this conversion.
                self.refuse();
                self.temp()
            }
        }
    }

    /// Widens four of the lowest eight dwords to qwords.
    fn widened(&mut self, k: Register, half: usize) -> Register {
        let (from, to) = (self.have(unit(k, 0)), self.temp());
        if half == 0 {
            let args = [to.into(), low(from).into()];
            self.asm.op(Code::VEX_Vpmovsxdq_ymm_xmmm128, &args);
        } else {
            let args = [low(to).into(), from.into(), 1.into()];
            self.asm.op(Code::VEX_Vextracti128_xmmm128_ymm_imm8, &args);
            let args = [to.into(), low(to).into()];
            self.asm.op(Code::VEX_Vpmovsxdq_ymm_xmmm128, &args);
        }
        to
    }

    /// Narrows eight qwords to the lower eight dwords; the upper ones become 0.
    fn narrowed(&mut self, k: Register, half: usize) -> Register {
        if half == 1 {
            return self.zero();
        }
        let [a, b] = [0, 1].map(|half| self.have(unit(k, half)));
        self.low_dwords(a, b)
    }

    /// The low dwords of the qwords of two registers.
    fn low_dwords(&mut self, a: Register, b: Register) -> Register {
        let to = self.temp();
        let args = [to.into(), a.into(), b.into(), 0x88.into()];
        self.asm.op(Code::VEX_Vshufps_ymm_ymm_ymmm256_imm8, &args);
        let args = [to.into(), to.into(), 0xd8.into()];
        self.asm.op(Code::VEX_Vpermq_ymm_ymmm256_imm8, &args);
        to
    }

    /// A register with all bits 0.
    pub(super) fn zero(&mut self) -> Register {
        let to = self.temp();
        self.asm.op(XOR, &[to.into(); 3]);
        to
    }

    /// Sets a mask to halves in a form.
    pub(super) fn set_mask(&mut self, k: Register, form: Form, halves: [Register; 2]) {
        self.state.forms[number(k)] = form;
        for (half, from) in halves.into_iter().enumerate() {
            self.bind(unit(k, half), from);
        }
    }

    /// Converts a mask to a form.
    pub(super) fn change_form(&mut self, k: usize, form: Form) {
        if self.state.forms[k] == form {
            return;
        }
        let k = register(k);
        let halves = [0, 1].map(|half| self.mask(k, form, half));
        self.set_mask(k, form, halves);
        self.next_half();
    }

    /// Both halves for 16 lane bits, which are in every word of a register.
    fn spread(&mut self, bits: Register) -> [Register; 2] {
        [0, 8].map(|first| {
            let to = self.temp();
            let lanes: [u32; 8] = std::array::from_fn(|lane| 1 << (first + lane));
            let lanes = self.row(&lanes);
            self.asm.op(AND, &[to.into(), bits.into(), lanes.into()]);
            let args = [to.into(), to.into(), lanes.into()];
            self.asm.op(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, &args);
            to
        })
    }

    /// Moves the bits of a mask to a general register. Flags are preserved.
    pub(super) fn bits_of(&mut self, k: Register, to: Register) {
        let form = match self.state.forms[number(k)] {
            Form::Qwords => Form::Dwords,
            form => form,
        };
        let halves = [0, 1].map(|half| self.mask(k, form, half));
        let temp = self.temp();
        let [a, b] = halves;
        match form {
            Form::Bytes => return self.bits_of_bytes(halves, to),
            Form::Words => {
                let args = [temp.into(), a.into(), b.into()];
                self.asm.op(Code::VEX_Vpacksswb_ymm_ymm_ymmm256, &args);
                let args = [temp.into(), temp.into(), 0xd8.into()];
                self.asm.op(Code::VEX_Vpermq_ymm_ymmm256_imm8, &args);
                let args = [to.into(), temp.into()];
                return self.asm.op(Code::VEX_Vpmovmskb_r32_ymm, &args);
            }
            _ => {}
        }
        let (upper, args) = (self.temp(), [temp.into(), a.into(), b.into()]);
        self.asm.op(Code::VEX_Vpackssdw_ymm_ymm_ymmm256, &args);
        let args = [low(upper).into(), temp.into(), 1.into()];
        self.asm.op(Code::VEX_Vextracti128_xmmm128_ymm_imm8, &args);
        let args = [low(temp).into(), low(temp).into(), low(upper).into()];
        self.asm.op(Code::VEX_Vpacksswb_xmm_xmm_xmmm128, &args);
        let args = [low(temp).into(), low(temp).into(), 0xd8.into()];
        self.asm.op(Code::VEX_Vpshufd_xmm_xmmm128_imm8, &args);
        let args = [to.into(), low(temp).into()];
        self.asm.op(Code::VEX_Vpmovmskb_r32_xmm, &args);
    }

    /// Moves the 64 bits of a byte mask, joined on the stack.
    fn bits_of_bytes(&mut self, halves: [Register; 2], to: Register) {
        let wide = whole(to);
        let narrow = crate::compiler::asm::low(wide);
        let [first, second] = [0, 4].map(|at| Mem::at(Register::RSP, frame::BITS + at));
        for (half, at) in halves.into_iter().zip([first, second]) {
            self.asm
                .op(Code::VEX_Vpmovmskb_r32_ymm, &[narrow.into(), half.into()]);
            self.asm.op(Code::Mov_rm32_r32, &[at.into(), narrow.into()]);
        }
        self.asm
            .op(Code::Mov_r64_rm64, &[wide.into(), first.into()]);
    }

    /// The common form that two masks are converted to.
    fn common(&self, a: Register, b: Register) -> Form {
        let [a, b] = [a, b].map(|k| self.state.forms[number(k)]);
        if a == b { a } else { Form::Dwords }
    }

    /// Whether the next jump tests if all lanes are active.
    fn is_all(&self) -> bool {
        let next = self.list[self.at + 1..].iter();
        let mut jumps = next.filter_map(|item| match item {
            Item::Jump(code, _) => Some(*code),
            _ => None,
        });
        matches!(jumps.next(), Some(Code::Jb_rel32_64 | Code::Jae_rel32_64))
    }
}

/// The mask that is operand `n`.
fn operand(wide: &Wide, n: usize) -> Register {
    match wide.args()[n] {
        Arg::R(register) => register,
        _ => Register::None,
    }
}

/// An operation on the bits of two masks. KANDN takes the complement of the first, as VPANDN does.
pub(super) fn combine(l: &mut Lowering, wide: &Wide, row: Row) {
    let [a, b] = [operand(wide, 1), operand(wide, 2)];
    let form = l.common(a, b);
    let halves = [0, 1].map(|half| {
        let (a, b, to) = (l.mask(a, form, half), l.mask(b, form, half), l.temp());
        l.asm.op(row.code, &[to.into(), a.into(), b.into()]);
        to
    });
    l.set_mask(wide.to(), form, halves);
}

/// KNOTW: the complement of a mask.
pub(super) fn not(l: &mut Lowering, wide: &Wide, _: Row) {
    let a = operand(wide, 1);
    let form = l.state.forms[number(a)];
    let ones = l.dwords(!0);
    let halves = [0, 1].map(|half| {
        let (a, to) = (l.mask(a, form, half), l.temp());
        l.asm.op(AND_NOT, &[to.into(), a.into(), ones.into()]);
        to
    });
    l.set_mask(wide.to(), form, halves);
}

/// KSHIFTRW by 8: the upper half of a mask.
pub(super) fn shift(l: &mut Lowering, wide: &Wide, _: Row) {
    let (from, to) = (operand(wide, 1), l.temp());
    let upper = l.mask(from, Form::Dwords, 1);
    l.asm.op(COPY, &[to.into(), upper.into()]);
    let zero = l.zero();
    l.set_mask(wide.to(), Form::Dwords, [to, zero]);
}

/// KUNPCKBW: the lowest eight lanes of two masks, those of the second one first.
pub(super) fn unpack(l: &mut Lowering, wide: &Wide, _: Row) {
    let halves = [2, 1].map(|n| {
        let (from, to) = (l.mask(operand(wide, n), Form::Dwords, 0), l.temp());
        l.asm.op(COPY, &[to.into(), from.into()]);
        to
    });
    l.set_mask(wide.to(), Form::Dwords, halves);
}

/// Sets the flags: whether no lane is active, or if the next jump tests that, whether all are.
pub(super) fn test(l: &mut Lowering, wide: &Wide, _: Row) {
    let [a, b] = [operand(wide, 0), operand(wide, 1)];
    let form = l.common(a, b);
    let is_all = l.is_all();
    if is_all && a != b {
        // Templates do not need that test for two masks.
        return l.refuse();
    }
    let join = if is_all { AND } else { OR };
    let all = l.temp();
    // For 16 dwords, KORTESTB tests the lower eight.
    let is_half = wide.code == Code::VEX_Kortestb_kr_kr && form == Form::Dwords;
    let mut is_first = true;
    for half in if is_half { 0..1 } else { 0..2 } {
        for k in if a == b { vec![a] } else { vec![a, b] } {
            let from = l.mask(k, form, half);
            if std::mem::take(&mut is_first) {
                l.asm.op(COPY, &[all.into(), from.into()]);
            } else {
                l.asm.op(join, &[all.into(), all.into(), from.into()]);
            }
        }
    }
    let with = if is_all {
        Arg::M(l.dwords(!0))
    } else {
        all.into()
    };
    l.asm.op(Code::VEX_Vptest_ymm_ymmm256, &[all.into(), with]);
}

/// KMOVW to a mask register.
pub(super) fn load(l: &mut Lowering, wide: &Wide, _: Row) {
    let from = wide.args()[1];
    if let Arg::R(k) = from
        && k.is_k()
    {
        let form = l.state.forms[number(k)];
        let halves = [0, 1].map(|half| l.copy_of(unit(k, half)));
        return l.set_mask(wide.to(), form, halves);
    }
    let bits = l.temp();
    match from {
        Arg::R(general) => {
            let args = [
                low(bits).into(),
                crate::compiler::asm::low(whole(general)).into(),
            ];
            l.asm.op(Code::VEX_Vmovd_xmm_rm32, &args);
            let args = [bits.into(), low(bits).into()];
            l.asm.op(Code::VEX_Vpbroadcastw_ymm_xmmm16, &args);
        }
        _ => l
            .asm
            .op(Code::VEX_Vpbroadcastw_ymm_xmmm16, &[bits.into(), from]),
    }
    let halves = l.spread(bits);
    l.set_mask(wide.to(), Form::Dwords, halves);
}

/// KMOVW to a general register, and KMOVQ.
pub(super) fn store(l: &mut Lowering, wide: &Wide, _: Row) {
    let to = wide.to();
    let narrow = crate::compiler::asm::low(whole(to));
    l.bits_of(operand(wide, 1), narrow);
}

/// KMOVW to memory, through a borrowed general register.
pub(super) fn store_to_memory(l: &mut Lowering, wide: &Wide, _: Row) {
    let [rax, kept] = [
        Arg::R(Register::RAX),
        Mem::at(Register::RSP, frame::BORROWED).into(),
    ];
    l.asm.op(Code::Mov_rm64_r64, &[kept, rax]);
    l.bits_of(operand(wide, 1), Register::EAX);
    let args = [wide.args()[0], Register::AX.into()];
    l.asm.op(Code::Mov_rm16_r16, &args);
    l.asm.op(Code::Mov_r64_rm64, &[rax, kept]);
}

/// KMOVQ to a mask register, with a bit for each byte.
pub(super) fn load_bytes(l: &mut Lowering, wide: &Wide, _: Row) {
    let bits = l.temp();
    let args = [low(bits).into(), wide.args()[1]];
    l.asm.op(Code::VEX_Vmovq_xmm_rm64, &args);
    let args = [bits.into(), low(bits).into()];
    l.asm.op(Code::VEX_Vpbroadcastq_ymm_xmmm64, &args);
    let lanes = l.qwords(0x8040_2010_0804_0201);
    let halves = [0u32, 4].map(|first| {
        let to = l.temp();
        // The byte that contains each lane's bit.
        let bytes: [u32; 8] = std::array::from_fn(|n| (first + n as u32 / 2) * 0x0101_0101);
        let bytes = l.row(&bytes);
        let args = [to.into(), bits.into(), bytes.into()];
        l.asm.op(Code::VEX_Vpshufb_ymm_ymm_ymmm256, &args);
        l.asm.op(AND, &[to.into(), to.into(), lanes.into()]);
        let args = [to.into(), to.into(), lanes.into()];
        l.asm.op(Code::VEX_Vpcmpeqb_ymm_ymm_ymmm256, &args);
        to
    });
    l.set_mask(wide.to(), Form::Bytes, halves);
}

/// The mask of the signs of fields.
pub(super) fn signs(l: &mut Lowering, wide: &Wide, row: Row) {
    let halves = [0, 1].map(|half| {
        let from = l.have(unit(operand(wide, 1), half));
        match row.form {
            Form::Dwords => {
                let to = l.temp();
                let args = [to.into(), from.into(), 31.into()];
                l.asm.op(Code::VEX_Vpsrad_ymm_ymm_imm8, &args);
                to
            }
            _ => {
                let to = l.zero();
                l.asm.op(row.code, &[to.into(), to.into(), from.into()]);
                to
            }
        }
    });
    l.set_mask(wide.to(), row.form, halves);
}

/// The fields of a mask, all ones or zeros.
pub(super) fn fields(l: &mut Lowering, wide: &Wide, row: Row) {
    for half in 0..2 {
        let (from, to) = (l.mask(operand(wide, 1), row.form, half), l.temp());
        l.asm.op(COPY, &[to.into(), from.into()]);
        l.bind(unit(wide.to(), half), to);
    }
}
