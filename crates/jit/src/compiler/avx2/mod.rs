//! AVX2: instructions of AVX-512, which templates write, made into those that every processor of the last ten years has.
//!
//! What a block is compiled to is a list first ([`list`]). A register of 512 bits is two *halves*, and each of these is in one
//! of the sixteen registers of 256 bits, or at its place on the stack; `live.rs` finds how long it is needed, `registers.rs`
//! says where it is, and `joins.rs` brings both sides of a jump together. A mask is two halves too (`masks.rs`): all ones in
//! the dwords, qwords, words or bytes of lanes that are on, as comparisons of AVX2 leave them.
//!
//! `table.rs` says what each instruction becomes: mostly the same one on each half; else a recipe, which is a short function.
//! What has neither is refused: the block is compiled once more, with the interpreter's steps for those nodes.

mod compare;
mod each;
mod floats;
mod joins;
mod known;
mod lanes;
mod list;
mod live;
mod masks;
mod moves;
mod numbers;
mod permute;
mod registers;
mod table;
#[cfg(test)]
mod tests;

use iced_x86::{Code, Register, RoundingControl};
use wavetank_ir::Value;

use crate::compiler::asm::{Asm, Mem};
use joins::Joins;
use known::Known;
pub use list::{Item, Wide};
use live::Live;
use registers::State;

/// Bytes on the stack that a block may use: see `frame`.
pub const FRAME: u32 = 3072;

/// What is where on the stack, from its pointer on. The first words are the block's own.
mod frame {
    /// MXCSR, and what it is set to.
    pub const MXCSR: [u32; 2] = [16, 20];
    /// General registers that a recipe borrows.
    pub const BORROWED: u32 = 24;
    /// The bits of a mask of bytes.
    pub const BITS: u32 = 56;
    /// The halves, 32 bytes each.
    pub const UNITS: u32 = 64;
    /// Rows of 16 dwords that a recipe goes through lane by lane.
    pub const ROWS: [u32; 2] = [2752, 2816];
}

/// Makes AVX2 of a list. Gives the nodes for whose instructions it has nothing.
pub fn lower(list: &[Item], asm: &mut Asm) -> Vec<Value> {
    let live = Live::of(list);
    let mut lowering = Lowering {
        list,
        at: 0,
        live,
        asm,
        state: State::new(),
        joins: Joins::new(),
        known: Known::of(list),
        is_reached: true,
        node: None,
        refused: Vec::new(),
    };
    for (at, item) in list.iter().enumerate() {
        lowering.at = at;
        lowering.item(item);
        lowering.known.step(item);
    }
    lowering.refused
}

/// A list that becomes AVX2.
struct Lowering<'l> {
    list: &'l [Item],
    /// The item that is done.
    at: usize,
    live: Live,
    asm: &'l mut Asm,
    state: State,
    joins: Joins,
    known: Known,
    /// Whether what is done now runs after what was done last.
    is_reached: bool,
    node: Option<Value>,
    refused: Vec<Value>,
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
                self.leave_registers(list::clobbers(instruction.code()));
                self.asm.as_it_is(instruction);
                self.is_reached &= !list::is_end(instruction.code());
            }
            Item::Wide(wide) => {
                if !self.is_idle(wide) {
                    self.wide(wide);
                }
                self.release();
            }
        }
    }

    /// Whether nobody wants what an instruction leaves.
    fn is_idle(&self, wide: &Wide) -> bool {
        let effects = wide.effects();
        effects.is_pure && effects.writes & self.live.after(self.at) == 0
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

    /// The node that is done has no code after all.
    fn refuse(&mut self) {
        let node = self.node.expect("code of vectors is that of a node");
        if !self.refused.contains(&node) {
            self.refused.push(node);
        }
    }

    /// MXCSR rounds as an instruction says, without a change of flags or general registers.
    fn begin_rounding(&mut self, round: RoundingControl) {
        let [before, then] = frame::MXCSR.map(|at| Mem::at(Register::RSP, at));
        let bits = match round {
            RoundingControl::RoundDown => 1 << 13,
            RoundingControl::RoundUp => 2 << 13,
            _ => 3 << 13,
        };
        let temp = registers::low(self.temp());
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

    /// A row of constants in memory.
    fn row(&mut self, dwords: &[u32]) -> Mem {
        Mem::at(
            crate::compiler::asm::CONSTANTS,
            self.asm.constant_row(dwords),
        )
    }

    /// A dword in every lane of half a register.
    fn dwords(&mut self, dword: u32) -> Mem {
        self.row(&[dword; 8])
    }

    /// A qword in every lane of half a register.
    fn qwords(&mut self, qword: u64) -> Mem {
        let [low, high] = [qword as u32, (qword >> 32) as u32];
        self.row(&[low, high, low, high, low, high, low, high])
    }
}
