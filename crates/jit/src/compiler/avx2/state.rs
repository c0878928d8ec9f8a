//! The state of register allocation: the half in each register, and the form of each mask.

use iced_x86::{Code, Register};

use super::frame;
use crate::compiler::asm::inst_list::{Unit, Units};
use crate::compiler::asm::{Label, Mem};

pub(super) const REGISTERS: usize = 16;

/// The fields of all ones or zeros in the halves of a mask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// Dwords, for 16 lanes.
    Dwords,
    /// Qwords, for 8 lanes.
    Qwords,
    /// Words, for 32 lanes.
    Words,
    /// Bytes, for 64 lanes.
    Bytes,
}

/// The content of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Content {
    Nothing,
    /// A temporary value of a recipe.
    Temp,
    /// A constant broadcast to all lanes.
    Constant(Mem, Form),
    /// A half; if `dirty`, its spill slot is not up to date.
    Unit {
        unit: Unit,
        dirty: bool,
    },
}

/// The assignment of registers.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub contents: [Content; REGISTERS],
    /// Registers in use by the current recipe.
    pub pinned: u16,
    /// The register whose constant is evicted next, if none is free.
    next: usize,
    /// The form of each mask's halves.
    pub forms: [Form; 8],
}

impl State {
    pub(super) fn new() -> State {
        State {
            contents: [Content::Nothing; REGISTERS],
            pinned: 0,
            next: 0,
            forms: [Form::Dwords; 8],
        }
    }

    pub(super) fn find(&self, unit: Unit) -> Option<usize> {
        (self.contents.iter())
            .position(|content| matches!(content, Content::Unit { unit: u, .. } if *u == unit))
    }

    /// Keeps the registers with live halves and with constants.
    pub(super) fn keep(&mut self, live: Units) {
        for content in &mut self.contents {
            let keeps = match content {
                Content::Unit { unit, .. } => live >> *unit & 1 == 1,
                Content::Constant(..) => true,
                Content::Nothing | Content::Temp => false,
            };
            if !keeps {
                *content = Content::Nothing;
            }
        }
        self.pinned = 0;
    }

    /// Drops constants, which other jumps to a label do not have in registers.
    pub(super) fn forget_constants(&mut self) {
        for content in &mut self.contents {
            if let Content::Constant(..) = content {
                *content = Content::Nothing;
            }
        }
    }

    /// The next register with a constant that no recipe uses.
    pub(super) fn constant(&mut self) -> Option<usize> {
        let is_free = |n: &usize| {
            matches!(self.contents[*n], Content::Constant(..)) && self.pinned >> n & 1 == 0
        };
        let mut all = (0..REGISTERS).map(|n| (n + self.next) % REGISTERS);
        let n = all.find(is_free)?;
        self.next = n + 1;
        Some(n)
    }
}

/// The register assignment at each label that has been reached.
#[derive(Debug)]
pub(super) struct LabelStates(Vec<Option<State>>);

impl LabelStates {
    pub(super) fn new() -> LabelStates {
        LabelStates(Vec::new())
    }

    pub(super) fn get(&self, label: Label) -> Option<&State> {
        self.0.get(label.0)?.as_ref()
    }

    pub(super) fn set(&mut self, label: Label, state: State) {
        if self.0.len() <= label.0 {
            self.0.resize(label.0 + 1, None);
        }
        self.0[label.0] = Some(state);
    }
}

/// Instructions on halves that many recipes use.
pub(super) const AND: Code = Code::VEX_Vpand_ymm_ymm_ymmm256;
pub(super) const AND_NOT: Code = Code::VEX_Vpandn_ymm_ymm_ymmm256;
pub(super) const OR: Code = Code::VEX_Vpor_ymm_ymm_ymmm256;
pub(super) const XOR: Code = Code::VEX_Vpxor_ymm_ymm_ymmm256;
pub(super) const COPY: Code = Code::VEX_Vmovdqa_ymm_ymmm256;
pub(super) const LOAD: Code = Code::VEX_Vmovdqu_ymm_ymmm256;
pub(super) const STORE: Code = Code::VEX_Vmovdqu_ymmm256_ymm;

pub(super) fn ymm(n: usize) -> Register {
    Register::YMM0 + n as u32
}

pub(super) fn number(register: Register) -> usize {
    register as usize - Register::YMM0 as usize
}

/// The lower half of a register of 256 bits.
pub(super) fn low(register: Register) -> Register {
    Register::XMM0 + number(register) as u32
}

/// The spill slot of a half.
pub(super) fn slot_of(unit: Unit) -> Mem {
    Mem::at(Register::RSP, frame::UNITS + 32 * unit as u32)
}
