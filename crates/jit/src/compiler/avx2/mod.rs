//! Lowering to AVX2: the instructions of AVX-512, which templates emit, are replaced by those of AVX2, which most processors of
//! the last ten years have.
//!
//! The code of a block is first a list ([`inst_list`]). A register of 512 bits consists of two *halves*. Each half is in one of
//! the sixteen registers of 256 bits, or in its spill slot on the stack: `liveness.rs` computes where it is live, `registers.rs`
//! allocates registers, and `label_state.rs` gives all jumps to a label the same assignment. A mask also
//! consists of two halves (`masks.rs`). Its elements are dwords, qwords, words or bytes; as in the result of an AVX2 comparison, those
//! of active lanes have all bits set, and the others have none.
//!
//! `table.rs` has a row for each instruction: mostly the same instruction on each half; else a recipe, which is a short function.
//! An instruction without a row is refused: the block is compiled once more, with helpers for those nodes.

mod compare;
mod constants;
mod floats;
mod frame;
mod label_state;
mod lanes;
mod liveness;
mod lowering;
mod masks;
mod moves;
mod numbers;
mod per_half;
mod permute;
mod registers;
mod row;
mod state;
mod table;
#[cfg(test)]
mod tests;

use iced_x86::{Code, Register, RoundingControl};
use wavetank_ir::Value;

use crate::compiler::asm::inst_list::{self, Item, Wide};
use crate::compiler::asm::{Asm, Assembled, Mem};
use constants::Constants;
pub(super) use frame::FRAME;
use liveness::Liveness;
use lowering::Lowering;
use state::{LabelStates, State, low};

/// The finished code of a buffer, whose list, if it has one, is lowered.
pub(super) fn finish(mut asm: Asm) -> Assembled {
    let refused = match asm.take_list() {
        Some(list) => lower(&list, &mut asm),
        None => Vec::new(),
    };
    asm.assemble(refused)
}

/// Lowers a list to AVX2. Returns the nodes with instructions that have no row in the table.
fn lower(list: &[Item], asm: &mut Asm) -> Vec<Value> {
    let liveness = Liveness::of(list);
    let mut lowering = Lowering {
        list,
        at: 0,
        liveness,
        asm,
        state: State::new(),
        labels: LabelStates::new(),
        constants: Constants::of(list),
        is_reached: true,
        node: None,
        refused: Vec::new(),
    };
    for (at, item) in list.iter().enumerate() {
        lowering.at = at;
        lowering.item(item);
        lowering.constants.step(item);
    }
    lowering.refused
}

impl Lowering<'_> {
    fn item(&mut self, item: &Item) {
        match item {
            Item::Mark(node) => {
                self.node = Some(*node);
                self.asm.mark(*node);
            }
            Item::Place(label) => self.place(*label),
            Item::Jump(code, label) => self.jump(*code, *label),
            Item::Host(instruction) => {
                self.leave_registers(inst_list::clobbers(instruction.code()));
                self.asm.as_it_is(instruction);
                self.is_reached &= !inst_list::is_end(instruction.code());
            }
            Item::Wide(wide) => {
                if !self.is_idle(wide) {
                    self.wide(wide);
                }
                self.release();
            }
        }
    }

    /// Whether the results of an instruction are dead.
    fn is_idle(&self, wide: &Wide) -> bool {
        let effects = wide.effects();
        effects.is_pure && effects.writes & self.liveness.after(self.at) == 0
    }

    fn wide(&mut self, wide: &Wide) {
        let Some(row) = table::row(wide.code) else {
            return self.refuse();
        };
        let rounds = !matches!(
            wide.round,
            RoundingControl::None | RoundingControl::RoundToNearest
        );
        if rounds {
            self.begin_rounding(wide.round);
        }
        (row.recipe)(self, wide, row);
        if rounds {
            let [before, _] = frame::MXCSR.map(|at| Mem::at(Register::RSP, at));
            self.asm.op(Code::VEX_Vldmxcsr_m32, &[before.into()]);
        }
    }

    /// Sets the rounding of MXCSR to that of an instruction, without changing flags or general registers.
    fn begin_rounding(&mut self, round: RoundingControl) {
        let [before, then] = frame::MXCSR.map(|at| Mem::at(Register::RSP, at));
        let bits = match round {
            RoundingControl::RoundDown => 1 << 13,
            RoundingControl::RoundUp => 2 << 13,
            _ => 3 << 13,
        };
        let temp = low(self.temp());
        let (others, bits) = (self.row(&[!(3 << 13); 4]), self.row(&[bits; 4]));
        self.asm.op(Code::VEX_Vstmxcsr_m32, &[before.into()]);
        self.asm
            .op(Code::VEX_Vmovd_xmm_rm32, &[temp.into(), before.into()]);
        let args = [temp.into(), temp.into(), others.into()];
        self.asm.op(Code::VEX_Vpand_xmm_xmm_xmmm128, &args);
        let args = [temp.into(), temp.into(), bits.into()];
        self.asm.op(Code::VEX_Vpor_xmm_xmm_xmmm128, &args);
        self.asm
            .op(Code::VEX_Vmovd_rm32_xmm, &[then.into(), temp.into()]);
        self.asm.op(Code::VEX_Vldmxcsr_m32, &[then.into()]);
        self.next_half();
    }
}
