//! Propagation of constants: the registers that contain rows of constants. A permutation by constant lane numbers takes half as
//! many instructions, and a blend under a constant mask takes none.

use iced_x86::{Code, Register};

use crate::compiler::asm::inst_list::{self, GATHER, Item, SCATTER, Wide};
use crate::compiler::asm::{Arg, Label, Mem, fixed};
use std::collections::HashMap;

/// The number of vector and mask registers.
const REGISTERS: usize = 40;

/// For each vector and each mask, the offset of its constants from the first one, if it contains constants.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Rows([Option<u32>; REGISTERS]);

impl Rows {
    fn none() -> Rows {
        Rows([None; REGISTERS])
    }

    /// Keeps the facts that hold on both paths. Returns whether any were lost.
    fn meet(&mut self, other: &Rows) -> bool {
        let before = self.clone();
        for (row, other) in self.0.iter_mut().zip(other.0) {
            if *row != other {
                *row = None;
            }
        }
        *self != before
    }

    fn after(&mut self, item: &Item) {
        match item {
            Item::Host(instruction) if inst_list::clobbers(instruction.code()) != 0 => {
                *self = Rows::none();
            }
            Item::Wide(wide) => self.after_wide(wide),
            _ => {}
        }
    }

    fn after_wide(&mut self, wide: &Wide) {
        if let Some(n) = number(wide.to()) {
            self.0[n] = self.row_of(wide);
        }
        // These instructions clear their mask.
        if let (GATHER | SCATTER, Some(n)) = (wide.code, wide.mask().and_then(number)) {
            self.0[n] = None;
        }
    }

    /// The row of constants that an instruction loads, if any.
    fn row_of(&self, wide: &Wide) -> Option<u32> {
        const LOADS: [Code; 3] = [
            Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512,
            Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512,
            Code::VEX_Kmovw_kr_km16,
        ];
        if wide.mask().is_some() || !LOADS.contains(&wide.code) {
            return None;
        }
        match wide.args()[1] {
            Arg::M(mem) => offset_of(mem),
            Arg::R(register) => self.0[number(register)?],
            _ => None,
        }
    }
}

/// The offset of a memory operand from the first constant.
fn offset_of(mem: Mem) -> Option<u32> {
    let is_constant = mem.base == fixed::CONSTANTS && mem.index == Register::None;
    is_constant.then_some(mem.offset as u32)
}

/// The number of a register, or of the one that it is the lower part of.
fn number(register: Register) -> Option<usize> {
    inst_list::is_vector(register).then(|| inst_list::unit(register, 0) / 2)
}

/// Whether constants matter for an item: it permutes lanes, or loads a constant mask.
fn is_of_use(item: &Item) -> bool {
    let Item::Wide(wide) = item else { return false };
    match wide.code {
        Code::EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32 | Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32 => {
            true
        }
        Code::VEX_Kmovw_kr_km16 => {
            matches!(wide.args()[1], Arg::M(mem) if offset_of(mem).is_some())
        }
        _ => false,
    }
}

/// The constants that registers hold at labels, and at the current item.
#[derive(Debug)]
pub(super) struct Constants {
    labels: HashMap<usize, Rows>,
    now: Option<Rows>,
}

impl Constants {
    pub(super) fn of(list: &[Item]) -> Constants {
        let mut known = Constants {
            labels: HashMap::new(),
            now: Some(Rows::none()),
        };
        if !list.iter().any(is_of_use) {
            known.now = None;
            return known;
        }
        // A fact lost at the start of a loop may have been used in the loop, so passes are repeated up to a fixed point.
        while list
            .iter()
            .fold(false, |less, item| known.step(item) | less)
        {
            known.now = Some(Rows::none());
        }
        known.now = Some(Rows::none());
        known
    }

    /// Steps over an item. Returns whether facts about a label were lost.
    pub(super) fn step(&mut self, item: &Item) -> bool {
        match item {
            _ if self.now.is_none() && self.labels.is_empty() => {}
            Item::Place(label) => {
                let less = self.meet(*label);
                self.now = self.labels.get(&label.0).cloned();
                return less;
            }
            Item::Jump(code, label) => {
                let less = self.meet(*label);
                if *code == Code::Jmp_rel32_64 {
                    self.now = None;
                }
                return less;
            }
            Item::Host(instruction) if inst_list::is_end(instruction.code()) => self.now = None,
            item => {
                if let Some(now) = &mut self.now {
                    now.after(item);
                }
            }
        }
        false
    }

    fn meet(&mut self, label: Label) -> bool {
        let Some(now) = &self.now else { return false };
        match self.labels.get_mut(&label.0) {
            Some(there) => there.meet(now),
            None => {
                self.labels.insert(label.0, now.clone());
                true
            }
        }
    }

    /// The offset of the row of constants that a register contains.
    pub(super) fn row(&self, register: Register) -> Option<u32> {
        self.now.as_ref()?.0[number(register)?]
    }
}
