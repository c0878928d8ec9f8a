//! TRAPSTS.EXCP: the exceptions that float operations raise (Vega ISA, 3.10 "Trap and Exception registers").
//!
//! Blocks are lifted with exceptions only if these can be observed: the program reads TRAPSTS, or MODE.EXCP_EN enables traps.
//! Then a lane function computes the exceptions that each IR operation of an instruction raises in the active lanes.

use wavetank_gcn::tables::{Class, Vop1, Vop3};
use wavetank_gcn::{Flags, Inst, Op};
use wavetank_ir::{Bin, Cvt, Elem, Fp, Op as Node, Reg, Space, Tern, Un, Value};

use crate::block::{Flow, Lift};
use crate::lane_fn::EXCEPTIONS;
use crate::lane_fn::exceptions::{How, Operation};
use crate::operand::{EXCP, VCC, hw};
use crate::traps;
use crate::value::{Cond, Int};

/// The number of the bit of TRAPSTS.EXCP for memory violations.
const MEMORY_VIOLATION: u32 = 8;
/// The mask of the field TRAPSTS.EXCP_CYCLE.
const EXCP_CYCLE: u32 = 0x3f << 16;

/// A watched operation with its operands, and whether these are the upper halves.
struct Watched {
    how: How,
    operands: [Option<Value>; 3],
    upper: bool,
    /// For an operation of V_DIV_FMAS, the VCC bit of its lanes.
    vcc: Option<bool>,
}

/// Lifts an instruction, and records the exceptions that it raises if they can be observed.
pub(crate) fn noting(l: &Lift, meaning: impl FnOnce() -> Flow) -> Flow {
    let floats = matches!(l.inst.row().class, Class::Valu | Class::Interp);
    if !l.modes.notes_exceptions() || !floats {
        return meaning();
    }
    // The lanes are read first, since a compare may write EXEC.
    let lanes = Cond::new(l.b, l.exec_mask());
    let first = l.b.so_far().nodes.len();
    let flow = meaning();
    let mut watched = Vec::new();
    for node in &l.b.so_far().nodes[first..] {
        watch(l.inst, &node.op, &mut watched);
    }
    match flow {
        Flow::Next if !watched.is_empty() => raise(l, lanes, &watched),
        flow => flow,
    }
}

/// Lifts an access to the global data share, and records lanes out of range (3.10 "Memory Violations"). Other memory violations
/// stop the kernel, or are left to its trap handler ([`Modes::after_violation`](crate::Modes::after_violation)).
pub(crate) fn noting_range(l: &Lift, meaning: impl FnOnce() -> Flow) -> Flow {
    let traps = l.modes.violations_trap();
    if !(traps || l.modes.notes_exceptions()) || !l.inst.has(Flags::GDS) {
        return meaning();
    }
    let first = l.b.so_far().nodes.len();
    let flow = meaning();
    let access = |node: &wavetank_ir::Node| match &node.op {
        Node::Mem(op) => match (&op.space, op.mask) {
            // Appends have one address for all lanes.
            (Space::Gds { address, window }, Some(mask)) if l.b.ty(*address).is_vector() => {
                let bytes = u64::from(op.access.bytes());
                Some((*address, *window, mask, op.offset as u64 + bytes))
            }
            _ => None,
        },
        _ => None,
    };
    let accesses: Vec<_> = l.b.so_far().nodes[first..]
        .iter()
        .filter_map(access)
        .collect();
    let violations = accesses.into_iter().map(|(address, window, mask, end)| {
        let size = Int::i32(l.b, window) & 0xffff;
        let outside = size.lt_u(Int::i32(l.b, address) + end);
        (outside & Cond::new(l.b, mask)).as_int().ne(0)
    });
    let Some(violation) = violations.reduce(|any, one| any | one) else {
        return flow;
    };
    note(l, violation.as_int() << u64::from(MEMORY_VIOLATION));
    match flow {
        Flow::Next if traps => traps::raised(l, violation),
        flow => flow,
    }
}

/// Sets bits of the hardware register TRAPSTS.
fn note(l: &Lift, bits: Int) {
    l.set_hardware(hw::TRAPSTS, l.hardware(hw::TRAPSTS) | bits);
}

/// Sets the bits of the raised exceptions; if some of them are enabled, the wave traps.
fn raise(l: &Lift, lanes: Cond, watched: &[Watched]) -> Flow {
    let flags = watched.iter().map(|w| flags(l, w));
    let flags = flags.reduce(|all, one| all | one);
    let flags = flags.unwrap_or_else(|| Int::const32(l.b, 0));
    let bit = |n: u32| {
        let raised = (flags & u64::from(1u32 << n)).ne(0) & lanes;
        raised.as_int().ne(0).as_int() << u64::from(n)
    };
    let bits = (1..EXCP.count_ones()).fold(bit(0), |all, n| all | bit(n));
    note(l, bits);
    match l.modes.enabled_exceptions() {
        0 => Flow::Next,
        enabled => {
            let trapping = (flags & u64::from(enabled)).ne(0) & lanes;
            let trap = trapping.as_int().ne(0);
            note_cycle(l, trap, trapping.as_int());
            traps::raised(l, trap)
        }
    }
}

/// TRAPSTS.EXCP_CYCLE = the phase, of 16 lanes each, of the first of these lanes. The passes that its upper bits count do not
/// exist here.
fn note_cycle(l: &Lift, when: Cond, lanes: Int) {
    let phase = (lanes.trailing_zeros() >> 4) & 3;
    let trapsts = l.hardware(hw::TRAPSTS);
    let cycle =
        (trapsts & !u64::from(EXCP_CYCLE)) | phase << u64::from(EXCP_CYCLE.trailing_zeros());
    l.set_hardware(hw::TRAPSTS, when.select(cycle, trapsts));
}

/// The exceptions that an operation raises in each lane.
fn flags<'a>(l: &Lift<'a>, watched: &Watched) -> Int<'a> {
    let b = l.b;
    let operand = |value: Option<Value>| match (value, watched.upper) {
        (None, _) => b.u32(0),
        (Some(value), false) => value,
        (Some(value), true) => (Int::i32(b, value) >> 16).v,
    };
    let [x, y, z] = watched.operands.map(operand);
    let how = b.u32(watched.how.bits());
    let raised = Int::i32(b, b.lane_fn(&EXCEPTIONS, &[x, y, z, how]));
    let vcc = || Cond::new(b, b.read(Reg::Mask(VCC)));
    match watched.vcc {
        None => raised,
        Some(true) => vcc().select(raised, 0),
        Some(false) => (!vcc()).select(raised, 0),
    }
}

/// Adds the operation of a node, if it can raise exceptions.
fn watch(inst: &Inst, node: &Node, all: &mut Vec<Watched>) {
    let signals = inst.has(Flags::CLAMP);
    let scales = matches!(
        inst.op,
        Op::Vop3(Vop3::V_DIV_FMAS_F32 | Vop3::V_DIV_FMAS_F64)
    );
    let mut add = |operation, from: Elem, to: Elem, fp: Fp, operands: &[Value], numbers: u32| {
        let halves = matches!(from, Elem::F16x2);
        let width = |elem: Elem| if halves { 16 } else { elem.bits() };
        let compares = operation == Operation::Compare;
        let how = How {
            operation,
            from: width(from),
            to: width(to),
            operands: numbers,
            fp,
            signals: signals || compares && signals_always(inst),
        };
        for upper in [false, true].into_iter().take(1 + usize::from(halves)) {
            let operands = std::array::from_fn(|n| operands.get(n).copied());
            all.push(Watched {
                how,
                operands,
                upper,
                vcc: scales.then_some(operation == Operation::ScaledMultiplyAdd),
            });
        }
    };
    match *node {
        Node::Un(un, elem, fp, a) => {
            if let Some(operation) = one_operand(inst, un) {
                add(operation, elem, elem, fp, &[a], 1);
            }
        }
        Node::Bin(bin, elem, fp, a, b) => match bin {
            Bin::FAdd => add(Operation::Add, elem, elem, fp, &[a, b], 2),
            Bin::FSub => add(Operation::Subtract, elem, elem, fp, &[a, b], 2),
            Bin::FMul => add(Operation::Multiply, elem, elem, fp, &[a, b], 2),
            Bin::FMin | Bin::FMax => add(Operation::Choose, elem, elem, fp, &[a, b], 2),
            Bin::FLdexp => add(Operation::Scale, elem, elem, fp, &[a, b], 1),
            _ => {}
        },
        Node::Tern(tern, elem, fp, a, b, c) => match tern {
            Tern::Fma => add(Operation::MultiplyAdd, elem, elem, fp, &[a, b, c], 3),
            Tern::FMad => add(Operation::MultiplyThenAdd, elem, elem, fp, &[a, b, c], 3),
            Tern::FMed3 => add(Operation::Choose, elem, elem, fp, &[a, b, c], 3),
            _ => {}
        },
        Node::Cvt(cvt, from, to, fp, a) => {
            let operation = match cvt {
                Cvt::SToF => Operation::FromSigned,
                Cvt::UToF => Operation::FromUnsigned,
                Cvt::FToS => Operation::ToSigned,
                Cvt::FToU => Operation::ToUnsigned,
                Cvt::FToF => Operation::ToFloat,
            };
            add(operation, from, to, fp, &[a], 1);
        }
        Node::Cmp(_, elem, fp, a, b) if elem.is_float() => {
            add(Operation::Compare, elem, elem, fp, &[a, b], 2);
        }
        Node::LaneFn(f, ref args) => {
            let elem = match (f.result_bits, f.name.ends_with("f16")) {
                (64, _) => Elem::F64,
                (_, true) => Elem::F16,
                _ => Elem::F32,
            };
            let fp = Fp {
                flush_in: f.name.contains("flushing"),
                ..Fp::default()
            };
            if f.name.starts_with("div_fixup") {
                // The first operand is the quotient, not an operand of the division.
                add(Operation::Divide, elem, elem, fp, &args[1..], 2);
            } else if f.name.starts_with("div_fmas_scaled") {
                add(Operation::ScaledMultiplyAdd, elem, elem, fp, args, 3);
            }
        }
        _ => {}
    }
}

/// The kind of an operation with one operand.
fn one_operand(inst: &Inst, un: Un) -> Option<Operation> {
    Some(match un {
        Un::FRcp if inst.op == Op::Vop1(Vop1::V_RCP_IFLAG_F32) => Operation::IntegerReciprocal,
        Un::FRcp => Operation::Reciprocal,
        Un::FSqrt => Operation::Root,
        Un::FRsq => Operation::ReciprocalRoot,
        Un::FExp2 => Operation::Exponential,
        Un::FLog2 => Operation::Logarithm,
        Un::FSin | Un::FCos => Operation::Turn,
        Un::FFract | Un::FTrunc | Un::FCeil | Un::FFloor | Un::FRoundEven => Operation::Choose,
        Un::FCanonicalize | Un::FExponent | Un::FMantissa => Operation::Choose,
        _ => return None,
    })
}

/// Whether a compare signals with CLAMP or without, as V_CMPS does.
fn signals_always(inst: &Inst) -> bool {
    matches!(inst.op, Op::Vopc(op) if format!("{op:?}").starts_with("V_CMPS"))
}
