//! Sources of NaNs and infinities: the lanes of each event of an operation.

use wavetank_ir::{
    Bin, Builder, Cvt, DivisionStep, Elem, Fp, LaneFn, Op, Rel, Round, Tern, Ty, Un, Value,
};

use super::event::Event;

/// Classes of floats, as bits of [`Op::Class`].
const NAN: u32 = 0b11;
const INFINITE: u32 = 1 << 2 | 1 << 9;

const PLAIN: Fp = Fp {
    round: Round::Nearest,
    flush_in: false,
    flush_out: false,
    ieee: false,
};

/// The properties of a float operation that matter for events.
pub(super) struct Operation {
    /// The float operands.
    pub operands: Vec<Value>,
    /// The type of the operands.
    pub from: Elem,
    /// The type of the result.
    pub to: Elem,
    /// Whether the result can be a NaN if no operand is one.
    nan: bool,
    /// Whether the result can be infinite if no operand is infinite.
    infinity: bool,
    /// Whether denormals make a difference.
    flushes: bool,
    /// The integer type of the result and whether it is signed, for a conversion.
    converts: Option<(Elem, bool)>,
}

/// Returns the properties of an operation, if it can be the source of an event.
pub(super) fn operation(op: &Op) -> Option<Operation> {
    let new = |operands: &[Value], elem: Elem, [nan, infinity]: [bool; 2], fp: Fp| {
        let flushes = fp.flush_in || fp.flush_out;
        (nan || infinity || flushes).then(|| Operation {
            operands: operands.to_vec(),
            from: elem,
            to: elem,
            nan,
            infinity,
            flushes,
            converts: None,
        })
    };
    match *op {
        Op::Un(un, elem, fp, a) => new(&[a], elem, of_one(un)?, fp),
        Op::Bin(bin, elem, fp, a, b) => match bin {
            Bin::FAdd | Bin::FSub | Bin::FMul => new(&[a, b], elem, [true; 2], fp),
            Bin::FMin | Bin::FMax => new(&[a, b], elem, [false; 2], fp),
            Bin::FLdexp => new(&[a], elem, [false, true], fp),
            _ => None,
        },
        Op::Tern(tern, elem, fp, a, b, c) => match tern {
            Tern::Fma | Tern::FMad => new(&[a, b, c], elem, [true; 2], fp),
            Tern::FMed3 => new(&[a, b, c], elem, [false; 2], fp),
            _ => None,
        },
        Op::Cvt(cvt, from, to, fp, a) => converted(cvt, from, to, fp, a),
        // The first argument is the approximate quotient.
        Op::LaneFn(function, ref args) => new(args.get(1..)?, divided(function)?, [true; 2], PLAIN),
        _ => None,
    }
}

/// Returns the float type of a division, if a function is its last step.
pub(super) fn divided(function: &LaneFn) -> Option<Elem> {
    match function.division? {
        (DivisionStep::Fixup { .. }, elem) => Some(elem),
        (DivisionStep::Scale | DivisionStep::ScaledFma, _) => None,
    }
}

/// Returns whether a function of one float can give a NaN, and whether an infinity; `None` for other functions, and for those
/// that change only signs.
fn of_one(un: Un) -> Option<[bool; 2]> {
    Some(match un {
        Un::FSqrt | Un::FSin | Un::FCos | Un::FFract => [true, false],
        Un::FRcp | Un::FExp2 => [false, true],
        Un::FRsq | Un::FLog2 => [true, true],
        Un::FTrunc | Un::FCeil | Un::FFloor | Un::FRoundEven => [false, false],
        Un::FCanonicalize | Un::FExponent | Un::FMantissa => [false, false],
        _ => return None,
    })
}

fn converted(cvt: Cvt, from: Elem, to: Elem, fp: Fp, a: Value) -> Option<Operation> {
    let narrows = to.bits() < from.bits() || to == Elem::F16;
    let flushes = fp.flush_in || fp.flush_out;
    let operation = Operation {
        operands: vec![a],
        from,
        to,
        nan: false,
        infinity: narrows,
        flushes,
        converts: None,
    };
    match cvt {
        // Integers become infinite only as halves.
        Cvt::SToF | Cvt::UToF => (to == Elem::F16).then_some(Operation {
            operands: Vec::new(),
            flushes: false,
            ..operation
        }),
        Cvt::FToF => (narrows || flushes).then_some(operation),
        // A denormal becomes 0 in any case.
        Cvt::FToS | Cvt::FToU => Some(Operation {
            infinity: false,
            flushes: false,
            converts: Some((to, cvt == Cvt::FToS)),
            ..operation
        }),
    }
}

/// A builder of lane masks in a block.
pub(super) struct NanSources<'b>(pub &'b Builder);

impl NanSources<'_> {
    /// Returns the lanes of each event that an operation of the new block can have. `result` is its result.
    pub(super) fn of(
        &self,
        op: &Op,
        ty: Ty,
        operation: &Operation,
        result: Value,
    ) -> Vec<(Event, Value)> {
        let mut events = Vec::new();
        let mut born = |event, classes| {
            let before = operation.operands.iter();
            let before = before.map(|v| self.classes(operation.from, *v, classes));
            let now = self.classes(operation.to, result, classes);
            events.push((event, before.fold(now, |born, was| self.without(born, was))));
        };
        if operation.nan {
            born(Event::Nan, NAN);
        }
        if operation.infinity {
            born(Event::Infinity, INFINITE);
        }
        if operation.flushes {
            let other = self.0.node(with_denormals(op), Some(ty));
            events.push((Event::Flushed, self.differ(ty, result, other)));
        }
        if let Some((to, signed)) = operation.converts {
            let outside = self.outside(operation.from, operation.operands[0], to, signed);
            events.push((Event::Conversion, outside));
        }
        events
    }

    /// Returns the lanes in which a number is the result of an event; packed halves count if either is.
    pub(super) fn is(&self, event: Event, elem: Elem, value: Value) -> Value {
        match event {
            Event::Nan => self.classes(elem, value, NAN),
            _ => self.classes(elem, value, INFINITE),
        }
    }

    /// Returns the same for a value that is the upper half of a double.
    pub(super) fn is_in_upper_half(&self, event: Event, value: Value) -> Value {
        let (b, int) = (self.0, Elem::I32);
        let magnitude = b.bin(Bin::And, int, PLAIN, self.lanes(value), b.u32(0x7fff_ffff));
        let infinite = b.u32(0x7ff0_0000);
        match event {
            Event::Nan => b.cmp(Rel::LtU, int, PLAIN, infinite, magnitude),
            _ => b.cmp(Rel::Eq, int, PLAIN, magnitude, infinite),
        }
    }

    /// Returns the lanes whose numbers are in some classes.
    fn classes(&self, elem: Elem, value: Value, classes: u32) -> Value {
        let (b, value) = (self.0, self.lanes(value));
        let classes = b.u32(classes);
        match elem.half() {
            None => b.class(elem, value, classes),
            Some(half) => {
                let upper = b.bin(Bin::Shr, Elem::I32, PLAIN, value, b.u32(16));
                self.or(b.class(half, value, classes), b.class(half, upper, classes))
            }
        }
    }

    /// Returns the lanes whose numbers are outside the range of a conversion's integers.
    fn outside(&self, from: Elem, value: Value, to: Elem, signed: bool) -> Value {
        let b = self.0;
        let whole = b.un(Un::FTrunc, from, PLAIN, self.lanes(value));
        let bits = to.bits() - u32::from(signed);
        let constant = |bits: u64| match from {
            Elem::F64 => b.u64(bits),
            _ => b.u32(bits as u32),
        };
        let least = if signed {
            power(from, bits) | 1 << (from.bits() - 1)
        } else {
            0
        };
        let above = b.cmp(Rel::Le, from, PLAIN, constant(least), whole);
        let below = b.cmp(Rel::Lt, from, PLAIN, whole, constant(power(from, bits)));
        self.not(self.and(above, below))
    }

    /// Returns the lanes in which two results of a type differ.
    fn differ(&self, ty: Ty, x: Value, y: Value) -> Value {
        let elem = if ty.bits() == 64 {
            Elem::I64
        } else {
            Elem::I32
        };
        self.0
            .cmp(Rel::Ne, elem, PLAIN, self.lanes(x), self.lanes(y))
    }

    /// Returns the value spread over all lanes, if it is uniform.
    fn lanes(&self, value: Value) -> Value {
        match self.0.ty(value) {
            Ty::U32 | Ty::U64 => self.0.select(self.0.mask(!0), value, value),
            _ => value,
        }
    }

    pub(super) fn and(&self, x: Value, y: Value) -> Value {
        self.0.bin(Bin::And, Elem::I64, PLAIN, x, y)
    }

    pub(super) fn or(&self, x: Value, y: Value) -> Value {
        self.0.bin(Bin::Or, Elem::I64, PLAIN, x, y)
    }

    fn without(&self, x: Value, y: Value) -> Value {
        self.and(x, self.not(y))
    }

    fn not(&self, x: Value) -> Value {
        self.0.un(Un::Not, Elem::I64, PLAIN, x)
    }
}

/// Returns the bits of 2 to a power, or of infinity if that is too large.
fn power(elem: Elem, n: u32) -> u64 {
    let n = u64::from(n);
    match elem {
        Elem::F64 => (1023 + n) << 52,
        Elem::F16 => (15 + n).min(31) << 10,
        _ => (127 + n) << 23,
    }
}

/// Returns the operation with denormals preserved.
fn with_denormals(op: &Op) -> Op {
    let mut op = op.clone();
    if let Op::Un(_, _, fp, _)
    | Op::Bin(_, _, fp, ..)
    | Op::Tern(_, _, fp, ..)
    | Op::Cvt(_, _, _, fp, _) = &mut op
    {
        (fp.flush_in, fp.flush_out) = (false, false);
    }
    op
}
