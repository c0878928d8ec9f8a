//! Mutated cases: another instruction in the place of the one that a case shows.

use wavetank_gcn::{Inst, Op, decode, encode};

use crate::Case;
use crate::set::{Code, Line};

impl Case {
    /// Returns the case with `to` wherever it has `from`, with the same operands and modifiers in the same encoding; `None` if
    /// `to` cannot take its place.
    ///
    /// If the mutated case passes too, the case does not distinguish the two.
    ///
    /// ```
    /// use wavetank_cases::{Engine, parse_file};
    /// use wavetank_gcn::tables::Sop2;
    ///
    /// let cases = parse_file("s1 = 6\ns2 = 3\n> s_or_b32 s0, s1, s2\ns0 = 7\n")?;
    /// let swapped = |to: Sop2| cases[0].swapped(Sop2::S_OR_B32, to).unwrap();
    /// assert!(swapped(Sop2::S_NOR_B32).run(Engine::Interpreter)?.failures().len() == 1);
    /// # Ok::<(), wavetank_cases::ExecError>(())
    /// ```
    pub fn swapped(&self, from: impl Into<Op>, to: impl Into<Op>) -> Option<Case> {
        let (from, to) = (from.into(), to.into());
        let mut case = self.clone();
        for line in case.code.iter_mut().chain(&mut case.handler) {
            line.swap(from, to)?;
        }
        Some(case)
    }
}

impl Line {
    fn swap(&mut self, from: Op, to: Op) -> Option<()> {
        if let Code::Gcn(inst) = &mut self.code
            && inst.op == from
        {
            *inst = swapped(*inst, to)?;
        }
        Some(())
    }
}

/// Returns the instruction whose encoding differs only in the opcode.
fn swapped(inst: Inst, to: Op) -> Option<Inst> {
    let encoded = encode(&Inst { op: to, ..inst }).ok()?;
    let decoded = decode(encoded.as_bytes(), inst.chip).ok()?;
    (decoded.op == to && decoded.form == inst.form).then_some(decoded)
}
