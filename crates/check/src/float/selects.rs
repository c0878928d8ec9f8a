//! Selects: the later use of a number in its block, which may drop it.
//!
//! A root is refined with a reciprocal that is infinite for 0, and the right result is selected afterwards; `x == 0 ? 0 : 1 / x`
//! divides in all lanes. Events on such a path are reported only in lanes where the number is selected.

use std::collections::HashMap;

use wavetank_ir::{
    Bin, Block, Cvt, DivisionStep, Elem, Op, Reg, RegFile, Span, Tern, Ty, Un, Value,
};

use super::nan_sources::divided;

/// The use of an operation's result in the rest of the block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// No select of the block chooses the number.
    Stays,
    /// The number is stored to memory.
    Stored,
    /// The last selects that may choose the number.
    Chosen(Vec<Value>),
    /// An operand of a division: the last step of the division decides.
    Divides,
}

/// Limit of last selects that are considered for a number.
const MAX_CHOICES: usize = 4;

/// The known float type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A float of this type.
    Whole(Elem),
    /// The upper half of a double.
    Upper,
}

/// The fates and kinds of all values of a block.
pub(super) struct Selects {
    fates: Vec<Fate>,
    kinds: Vec<Option<Kind>>,
}

impl Selects {
    /// Follows the values of a block, also through registers, regardless of the lanes written.
    pub(super) fn of(block: &Block) -> Selects {
        let mut uses = Uses {
            block,
            users: vec![Vec::new(); block.nodes.len()],
            kinds: Vec::with_capacity(block.nodes.len()),
            held: HashMap::new(),
        };
        for (n, node) in block.nodes.iter().enumerate() {
            uses.visit(Value(n as u32), &node.op);
        }
        let mut fates = vec![Fate::Stays; block.nodes.len()];
        for n in (0..block.nodes.len()).rev() {
            fates[n] = fate(block, &uses.users[n], &fates);
        }
        let kinds = uses.kinds;
        Selects { fates, kinds }
    }

    /// Returns the fate of a value.
    pub(super) fn fate(&self, value: Value) -> &Fate {
        &self.fates[value.index()]
    }

    /// Returns the kind of a value, if it is known.
    pub(super) fn kind(&self, value: Value) -> Option<Kind> {
        self.kinds[value.index()]
    }
}

/// Returns the fate of a value with these users, whose fates are known.
fn fate(block: &Block, users: &[Value], fates: &[Fate]) -> Fate {
    let (mut last, mut divides) = (Vec::new(), false);
    for &user in users {
        let op = &block.node(user).op;
        match (op, &fates[user.index()]) {
            (Op::Mem(_), _) => return Fate::Stored,
            // The conversions before a division of halves are not among its steps.
            (Op::Cvt(Cvt::FToF, Elem::F16, ..), Fate::Divides) => {}
            (_, Fate::Divides) => divides = true,
            (_, Fate::Chosen(later)) => last.extend(later),
            (op, _) if is_fixup(op) => divides = true,
            (op, _) if chooses(op) => last.push(user),
            (_, Fate::Stored) => return Fate::Stored,
            (_, Fate::Stays) => {}
        }
    }
    last.sort_unstable();
    last.dedup();
    last.truncate(MAX_CHOICES);
    match (divides, last.is_empty()) {
        (true, _) => Fate::Divides,
        (false, true) => Fate::Stays,
        (false, false) => Fate::Chosen(last),
    }
}

/// Whether an operation returns one of its operands.
fn chooses(op: &Op) -> bool {
    matches!(
        op,
        Op::Select(..)
            | Op::Bin(Bin::FMin | Bin::FMax, ..)
            | Op::Tern(Tern::FMed3, ..)
            | Op::Un(Un::FClamp | Un::FClampKeepNan, ..)
    )
}

fn is_fixup(op: &Op) -> bool {
    matches!(op, Op::LaneFn(function, _) if divided(function).is_some())
}

/// The state of the pass over a block.
struct Uses<'b> {
    block: &'b Block,
    users: Vec<Vec<Value>>,
    kinds: Vec<Option<Kind>>,
    /// The contents of registers: a value, and the index of its dword.
    held: HashMap<(RegFile, u32), (Value, usize)>,
}

impl Uses<'_> {
    fn visit(&mut self, this: Value, op: &Op) {
        let kind = match op {
            Op::Write { reg, value, .. } => {
                self.write(*reg, *value);
                None
            }
            Op::Read(reg) => self.read(this, *reg),
            // The original operands of the division do not count as used by it.
            Op::LaneFn(function, args) if is_fixup(op) => {
                self.users[args[0].index()].push(this);
                divided(function).map(Kind::Whole)
            }
            // Nor does the first step of a division count as a use.
            Op::LaneFn(function, _)
                if matches!(function.division, Some((DivisionStep::Scale, _))) =>
            {
                None
            }
            _ => {
                op.for_each_operand(&mut |v| self.users[v.index()].push(this));
                self.kind(op)
            }
        };
        self.kinds.push(kind);
    }

    fn write(&mut self, reg: Reg, value: Value) {
        let span = Span::of(reg);
        for (dword, n) in (span.first..span.end()).enumerate() {
            self.held.insert((span.file, n), (value, dword));
        }
    }

    fn read(&mut self, this: Value, reg: Reg) -> Option<Kind> {
        let span = Span::of(reg);
        let mut kind = None;
        for n in span.first..span.end() {
            let Some(&(value, dword)) = self.held.get(&(span.file, n)) else {
                continue;
            };
            self.users[value.index()].push(this);
            kind = match (self.block.ty(value).bits(), dword) {
                // Masks are not floats.
                _ if self.block.ty(value) == Ty::Mask => None,
                (64, _) if reg.ty().bits() == 64 => self.kinds[value.index()],
                (64, 0) => None,
                (64, _) => self.kinds[value.index()].map(|_| Kind::Upper),
                _ => self.kinds[value.index()],
            };
        }
        kind
    }

    /// Returns the kind of an operation's result.
    fn kind(&self, op: &Op) -> Option<Kind> {
        let known = |v: &Value| self.kinds[v.index()];
        match op {
            Op::Un(Un::High, _, _, a) => known(a).map(|_| Kind::Upper),
            Op::Un(Un::FExponent, ..) => None,
            Op::Un(_, elem, ..) | Op::Bin(_, elem, ..) | Op::Tern(_, elem, ..)
                if elem.is_float() =>
            {
                Some(Kind::Whole(*elem))
            }
            Op::Cvt(Cvt::SToF | Cvt::UToF | Cvt::FToF, _, to, ..) => Some(Kind::Whole(*to)),
            Op::Select(_, a, b) => known(a).or(known(b)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use wavetank_ir::{Builder, Family, Fp, Terminator};

    use super::*;

    const FP: Fp = Fp {
        round: wavetank_ir::Round::Nearest,
        flush_in: false,
        flush_out: false,
        ieee: false,
    };

    /// Returns the fate of the value that `f` makes, in a block that provides v1 and EXEC.
    fn fate_of(f: impl FnOnce(&Builder, Value, Value) -> Value) -> (Fate, Selects) {
        let b = Builder::new(0);
        b.inst(0, Family::Valu);
        let value = f(&b, b.read(Reg::V(1)), b.read(Reg::EXEC));
        b.end(Terminator::EndProgram);
        let selects = Selects::of(&b.finish());
        (selects.fate(value).clone(), selects)
    }

    #[test]
    fn choices_are_found_through_registers() {
        let mut choice = None;
        let (fate, selects) = fate_of(|b, x, exec| {
            let rsq = b.un(Un::FRsq, Elem::F64, FP, b.read(Reg::V64(4)));
            b.write(Reg::V64(6), rsq, Some(exec));
            b.inst(8, Family::Valu);
            let upper = b.select(b.read(Reg::Mask(106)), b.read(Reg::V(7)), x);
            choice = Some(upper);
            b.write(Reg::V(0), upper, Some(exec));
            rsq
        });
        let choice = choice.expect("it was made");
        assert_eq!(fate, Fate::Chosen(vec![choice]));
        assert_eq!(selects.kind(choice), Some(Kind::Upper));
    }

    #[test]
    fn the_last_choice_counts() {
        let mut last = None;
        let (fate, selects) = fate_of(|b, x, exec| {
            let sum = b.bin(Bin::FAdd, Elem::F32, FP, x, x);
            let least = b.bin(Bin::FMin, Elem::F32, FP, sum, x);
            let product = b.bin(Bin::FMul, Elem::F32, FP, least, x);
            let most = b.bin(Bin::FMax, Elem::F32, FP, product, x);
            b.write(Reg::V(0), most, Some(exec));
            last = Some(most);
            sum
        });
        let last = last.expect("it was made");
        assert_eq!(fate, Fate::Chosen(vec![last]));
        assert_eq!(selects.kind(last), Some(Kind::Whole(Elem::F32)));
    }

    #[test]
    fn a_register_that_is_written_anew_holds_something_else() {
        let (fate, _) = fate_of(|b, x, exec| {
            let sum = b.bin(Bin::FAdd, Elem::F32, FP, x, x);
            b.write(Reg::V(2), sum, Some(exec));
            b.write(Reg::V(2), x, Some(exec));
            b.bin(Bin::FMin, Elem::F32, FP, b.read(Reg::V(2)), x);
            sum
        });
        assert_eq!(fate, Fate::Stays);
    }
}
