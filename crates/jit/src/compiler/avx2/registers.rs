//! Register allocation for halves: a half is in a register or in its spill slot. The half whose next use is farthest is spilled.

use iced_x86::{Code, Register};

use super::lowering::Lowering;
use super::state::{COPY, Content, Form, LOAD, REGISTERS, STORE, number, slot_of, ymm};
use crate::compiler::asm::inst_list::{Unit, Units};
use crate::compiler::asm::{Mem, fixed};

impl Lowering<'_> {
    /// The register of a half, which is loaded if needed.
    pub(super) fn have(&mut self, unit: Unit) -> Register {
        let n = self.state.find(unit).unwrap_or_else(|| {
            let n = self.free_register();
            let (to, from) = (ymm(n), slot_of(unit));
            self.asm.op(LOAD, &[to.into(), from.into()]);
            self.state.contents[n] = Content::Unit { unit, dirty: false };
            n
        });
        self.state.pinned |= 1 << n;
        ymm(n)
    }

    /// A number in memory, broadcast to a register. Constants stay in their registers until these run out.
    pub(super) fn broadcast(&mut self, mem: Mem, form: Form) -> Register {
        let code = match form {
            Form::Qwords => Code::VEX_Vpbroadcastq_ymm_xmmm64,
            _ => Code::VEX_Vpbroadcastd_ymm_xmmm32,
        };
        let constant = Content::Constant(mem, form);
        let known = self
            .state
            .contents
            .iter()
            .position(|content| *content == constant);
        let n = known.unwrap_or_else(|| {
            let n = self.free_register();
            self.asm.op(code, &[ymm(n).into(), mem.into()]);
            self.state.contents[n] = match mem.base {
                fixed::CONSTANTS if mem.index == Register::None => constant,
                _ => Content::Temp,
            };
            n
        });
        self.state.pinned |= 1 << n;
        ymm(n)
    }

    /// A register for a recipe, until the recipe ends.
    pub(super) fn temp(&mut self) -> Register {
        let n = self.free_register();
        self.state.contents[n] = Content::Temp;
        self.state.pinned |= 1 << n;
        ymm(n)
    }

    /// Frees a temporary register.
    pub(super) fn drop_temp(&mut self, register: Register) {
        let n = number(register);
        self.state.contents[n] = Content::Nothing;
        self.state.pinned &= !(1 << n);
    }

    /// The register of a half that is about to be overwritten, so that it may be changed.
    pub(super) fn take(&mut self, unit: Unit) -> Register {
        let register = self.have(unit);
        self.state.contents[number(register)] = Content::Temp;
        register
    }

    /// A copy of a half in a register that may be changed.
    pub(super) fn copy_of(&mut self, unit: Unit) -> Register {
        let (from, to) = (self.have(unit), self.temp());
        self.asm.op(COPY, &[to.into(), from.into()]);
        to
    }

    /// Binds a half to a temporary register.
    pub(super) fn bind(&mut self, unit: Unit, register: Register) {
        if let Some(old) = self.state.find(unit) {
            self.state.contents[old] = Content::Nothing;
        }
        self.state.contents[number(register)] = if self.is_needed(unit) {
            Content::Unit { unit, dirty: true }
        } else {
            Content::Temp
        };
    }

    /// Whether a half is live after the instruction.
    pub(super) fn is_needed(&self, unit: Unit) -> bool {
        self.liveness.after(self.at) >> unit & 1 == 1
    }

    /// Ends a recipe, or a half of it: frees its temporary registers, and those of dead halves.
    pub(super) fn release(&mut self) {
        let live = self.liveness.after(self.at);
        self.state.keep(live);
    }

    /// Ends the first half of a recipe: frees its temporary registers, but keeps its operands, which may be read again.
    pub(super) fn next_half(&mut self) {
        self.next_half_with(&[]);
    }

    /// Ends the first half of a recipe, and keeps some temporary registers.
    pub(super) fn next_half_with(&mut self, kept: &[Register]) {
        self.state.pinned = 0;
        for (n, content) in self.state.contents.iter_mut().enumerate() {
            if kept.contains(&ymm(n)) {
                self.state.pinned |= 1 << n;
            } else if *content == Content::Temp {
                *content = Content::Nothing;
            }
        }
    }

    fn free_register(&mut self) -> usize {
        if let Some(n) = self
            .state
            .contents
            .iter()
            .position(|h| *h == Content::Nothing)
        {
            return n;
        }
        if let Some(n) = self.state.constant() {
            return n;
        }
        let mut among = 0;
        for (n, content) in self.state.contents.iter().enumerate() {
            if let Content::Unit { unit, .. } = content
                && self.state.pinned >> n & 1 == 0
            {
                among |= 1 << unit;
            }
        }
        if among == 0 {
            // The recipe needs more registers than there are, which no test has shown.
            self.refuse();
            return 0;
        }
        let unit = self.liveness.last_read(self.at, among);
        let n = self.state.find(unit).expect("it is one of those content");
        self.save(n);
        self.state.contents[n] = Content::Nothing;
        n
    }

    /// Stores the half in a register to its spill slot, unless the slot is up to date.
    pub(super) fn save(&mut self, n: usize) {
        if let Content::Unit { unit, dirty: true } = self.state.contents[n] {
            let (to, from) = (slot_of(unit), ymm(n));
            self.asm.op(STORE, &[to.into(), from.into()]);
            self.state.contents[n] = Content::Unit { unit, dirty: false };
        }
    }

    /// Spills live halves before an instruction that leaves registers undefined.
    pub(super) fn leave_registers(&mut self, clobbered: Units) {
        if clobbered == 0 {
            return;
        }
        self.release();
        for n in 0..REGISTERS {
            self.save(n);
            self.state.contents[n] = Content::Nothing;
        }
    }
}
