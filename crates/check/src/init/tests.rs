//! Tests of the rules for shadows, against all numbers that undefined bits may stand for.

use proptest::prelude::*;
use wavetank_ir::evaluate::{add_carry, mad_wide, sub_borrow};
use wavetank_ir::{
    Bin, Builder, Elem, Family, Fp, Op, Options, Reg, Rel, Terminator, Tern, Ty, Un, Value,
    simplify, verify,
};

use super::numbers::{Bits, Numbers, Shadow};

/// A number with undefined bits.
#[derive(Clone, Copy, Debug)]
struct Open {
    value: u64,
    shadow: u64,
}

impl Open {
    fn cut(self, width: u32) -> Open {
        let ones = u64::MAX >> (64 - width);
        let Open { value, shadow } = self;
        Open {
            value: value & ones,
            shadow: shadow & ones,
        }
    }
}

/// Returns numbers of all sizes, with some undefined bits, adjacent or anywhere.
fn open() -> impl Strategy<Value = Open> {
    let value = prop_oneof![
        any::<u64>(),
        0u64..20,
        (0u32..64).prop_map(|n| 1 << n),
        (0u32..64).prop_map(|n| !0 << n),
        any::<u8>().prop_map(|byte| u64::from_le_bytes([byte; 8])),
        // Byte selectors.
        (0u64..0x1000).prop_map(|n| (n & 0xf) << 24 | (n >> 4 & 0xf) << 16 | n >> 8),
    ];
    let shadow = prop_oneof![
        2 => Just(0u64),
        2 => (0u32..64, 0u64..8).prop_map(|(at, bits)| bits << at),
        1 => (0u32..32, 0u32..16).prop_map(|(low, high)| 1 << low | 1 << high),
    ];
    (value, shadow).prop_map(|(value, shadow)| Open { value, shadow })
}

/// Returns the bits of a result that are not the same for all values of the operands' undefined bits.
fn undefined(args: [Open; 3], of: impl Fn([u64; 3]) -> u64) -> u64 {
    let mut all = vec![args.map(|a| a.value)];
    for (n, arg) in args.iter().enumerate() {
        for bit in (0..64).map(|bit| 1 << bit).filter(|b| arg.shadow & b != 0) {
            let mut others = all.clone();
            others.iter_mut().for_each(|numbers| numbers[n] ^= bit);
            all.append(&mut others);
        }
    }
    let first = of(all[0]);
    all.into_iter()
        .fold(0, |differ, numbers| differ | (of(numbers) ^ first))
}

/// A function of integers, with its operations in a block.
struct Function<'f> {
    name: String,
    /// A function that appends the operation to a block.
    build: &'f dyn Fn(&Builder, [Value; 3]) -> Value,
    /// A function that appends the operation's shadow to a block.
    shadow: &'f dyn Fn(Numbers<'_>, [Bits; 3]) -> Shadow,
    evaluate: &'f dyn Fn([u64; 3]) -> Option<u64>,
    /// Whether the shadow must be exactly the undefined bits, for these undefined bits of operands.
    exact: fn([u64; 3]) -> bool,
}

/// Returns the number that a block computes; `None` if the block is invalid.
fn number(of: impl Fn(&Builder) -> Value) -> Option<u64> {
    let b = Builder::new(0);
    b.inst(0, Family::Salu);
    let value = of(&b);
    match b.ty(value) {
        Ty::U64 => b.write(Reg::S64(0), value, None),
        _ => b.write(Reg::S(0), value, None),
    }
    b.end(Terminator::Branch(4));
    let mut block = b.finish();
    verify(&block).ok()?;
    simplify(&mut block, Options::default());
    let written = block.nodes.iter().find_map(|node| match node.op {
        Op::Write { value, .. } => Some(block.node(value).op.clone()),
        _ => None,
    });
    match written {
        Some(Op::Const(number)) => Some(number),
        other => panic!("it is not a constant but {other:?}\n{block}"),
    }
}

/// Returns a number of 32 or 64 bits.
fn operand(b: &Builder, number: u64, width: u32) -> Value {
    match width {
        64 => b.u64(number),
        _ => b.u32(number as u32),
    }
}

impl Function<'_> {
    /// Compares the shadow with the undefined bits; returns whether the function takes operands of these widths.
    fn holds(&self, args: [Open; 3], widths: [u32; 3]) -> bool {
        let all = |b: &Builder, of: fn(Open) -> u64| {
            let at = |n: usize| operand(b, of(args[n].cut(widths[n])), widths[n]);
            [0, 1, 2].map(at)
        };
        if number(|b| (self.build)(b, all(b, |a| a.value))).is_none() {
            return false;
        }
        let args = [0, 1, 2].map(|n| args[n].cut(widths[n]));
        let evaluate = |numbers| (self.evaluate)(numbers).expect("it is of integers");
        let wanted = undefined(args, evaluate);
        let found = number(|b| {
            let (values, shadows) = (all(b, |a| a.value), all(b, |a| a.shadow));
            let bits = [0, 1, 2].map(|n| Bits {
                value: values[n],
                shadow: (args[n].shadow != 0).then_some(shadows[n]),
            });
            (self.shadow)(Numbers(b), bits).unwrap_or_else(|| b.u32(0))
        });
        let found = found.unwrap_or_else(|| panic!("{}: no block", self.name));
        let exact = (self.exact)(args.map(|a| a.shadow));
        assert!(
            wanted & !found == 0 && (found == wanted || !exact),
            "{} of {args:x?}: {wanted:#x} is undefined, and not {found:#x}",
            self.name
        );
        true
    }

    /// Compares for operands of all widths that the function takes; returns whether there are any.
    fn holds_for(&self, args: [Open; 3], elem: Elem) -> bool {
        let own = elem.carrier_bits();
        let widths = [[own; 3], [own, 32, 32], [64; 3], [32; 3]];
        widths.into_iter().any(|widths| self.holds(args, widths))
    }
}

const INTEGERS: [Elem; 4] = [Elem::I16, Elem::I32, Elem::I64, Elem::I16x2];

const FP: Fp = super::numbers::FP;

fn one(un: Un, elem: Elem, args: [Open; 3]) -> bool {
    let exact: fn(_) -> bool = match un {
        Un::CountOnes | Un::LeadingZeros | Un::LeadingSigns | Un::TrailingZeros => |_| false,
        _ => |_| true,
    };
    let function = Function {
        name: format!("{un:?} {elem:?}"),
        build: &|b, [a, ..]| b.un(un, elem, FP, a),
        shadow: &|n, [a, ..]| n.one(un, elem, a),
        evaluate: &|[a, ..]| un.evaluate(elem, a),
        exact,
    };
    function.holds_for(args, elem)
}

fn two(bin: Bin, elem: Elem, args: [Open; 3]) -> bool {
    let exact: fn([u64; 3]) -> bool = match bin {
        Bin::And | Bin::Or | Bin::Xor | Bin::Pack => |_| true,
        Bin::Shl | Bin::Shr | Bin::Sar => |shadows| shadows[1] == 0,
        _ => |_| false,
    };
    let function = Function {
        name: format!("{bin:?} {elem:?}"),
        build: &|b, [x, y, _]| b.bin(bin, elem, FP, x, y),
        shadow: &|n, [x, y, _]| n.two(bin, elem, x, y),
        evaluate: &|[x, y, _]| bin.evaluate(elem, x, y),
        exact,
    };
    function.holds_for(args, elem)
}

fn three(tern: Tern, elem: Elem, args: [Open; 3]) -> bool {
    let exact: fn([u64; 3]) -> bool = match tern {
        Tern::BitSelect => |_| true,
        Tern::BfeU | Tern::BfeS => |shadows| shadows[1] | shadows[2] == 0,
        Tern::AlignBit | Tern::AlignByte | Tern::Perm => |shadows| shadows[2] == 0,
        _ => |_| false,
    };
    let function = Function {
        name: format!("{tern:?} {elem:?}"),
        build: &|b, [x, y, z]| b.tern(tern, elem, FP, x, y, z),
        shadow: &|n, args| n.three(tern, elem, args),
        evaluate: &|args| tern.evaluate(elem, args),
        exact,
    };
    function.holds_for(args, elem)
}

fn compare(rel: Rel, elem: Elem, args: [Open; 3]) -> bool {
    let function = Function {
        name: format!("{rel:?} {elem:?}"),
        build: &|b, [x, y, _]| b.cmp(rel, elem, FP, x, y),
        shadow: &|n, [x, y, _]| n.compared(rel, elem, x, y),
        evaluate: &|[x, y, _]| rel.evaluate(elem, x, y).map(u64::from),
        exact: |_| true,
    };
    function.holds_for(args, elem)
}

/// Tests `a & 1 ? b : c`.
fn select(args: [Open; 3], width: u32) {
    let [cond, b, c] = args;
    let function = Function {
        name: format!("select {width}"),
        build: &|b, [cond, x, y]| b.select(cond, x, y),
        shadow: &|n, [cond, x, y]| n.selected(cond, x, y, Ty::uniform(width)),
        evaluate: &|[cond, x, y]| Some(if cond != 0 { x } else { y }),
        exact: |_| true,
    };
    assert!(function.holds([cond.cut(1), b, c], [32, width, width]));
}

/// Tests sums and differences of a and b, with the lowest bit of c as carry.
fn carries(args: [Open; 3]) {
    let [a, b, c] = args;
    for (subtract, second) in [(false, false), (false, true), (true, false), (true, true)] {
        let function = Function {
            name: format!("carry, subtract {subtract}, second {second}"),
            build: &|b, [x, y, carry]| {
                if !subtract {
                    b.add_carry(x, y, Some(carry)).0
                } else {
                    b.sub_borrow(x, y, Some(carry)).0
                }
            },
            shadow: &|n, [x, y, carry]| {
                let (sum, out) = n.with_carry(subtract, x, y, Some(carry));
                if second { out } else { sum }
            },
            evaluate: &|[x, y, carry]| {
                let (sum, out) = if !subtract {
                    add_carry(x, y, carry != 0)
                } else {
                    sub_borrow(x, y, carry != 0)
                };
                Some(if second { out.into() } else { sum })
            },
            exact: |_| false,
        };
        assert!(function.holds([a, b, c.cut(1)], [32; 3]));
    }
}

fn wide_product(args: [Open; 3]) {
    for signed in [false, true] {
        let function = Function {
            name: format!("wide product, signed {signed}"),
            build: &|b, [x, y, z]| b.mad_wide(signed, x, y, z).0,
            shadow: &|n, args| n.mad_wide(args),
            evaluate: &|[a, b, c]| Some(mad_wide(signed, a, b, c).0),
            exact: |_| false,
        };
        assert!(function.holds(args, [32, 32, 64]));
    }
}

/// Compilers and programmers make a 0 from any register by using it on both sides.
#[test]
fn what_does_not_depend_on_an_operand_is_defined() {
    let b = Builder::new(0);
    let bits = || Bits {
        value: b.read(Reg::V(1)),
        shadow: Some(b.read(Reg::V(2))),
    };
    let (one, other) = (bits(), bits());
    let n = Numbers(&b);
    for bin in [Bin::Xor, Bin::Sub] {
        for elem in INTEGERS
            .into_iter()
            .filter(|elem| elem.carrier_bits() == 32)
        {
            assert!(n.two(bin, elem, one, one).is_none(), "{bin:?} {elem:?}");
            assert!(n.two(bin, elem, one, other).is_some(), "{bin:?} {elem:?}");
        }
    }
    assert!(
        n.two(Bin::FSub, Elem::F32, one, one).is_some(),
        "of a NaN it is a NaN"
    );
    for rel in [Rel::Eq, Rel::Ne, Rel::LtU, Rel::LeU, Rel::Lt, Rel::Le] {
        assert!(n.compared(rel, Elem::I32, one, one).is_none(), "{rel:?}");
        assert!(n.compared(rel, Elem::I32, one, other).is_some(), "{rel:?}");
    }
    assert!(
        n.compared(Rel::Eq, Elem::F32, one, one).is_some(),
        "a NaN does not equal itself"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Every undefined bit is found, and none is invented where bits do not affect each other.
    #[test]
    fn shadows_are_what_is_undefined(args in [open(), open(), open()]) {
        let mut functions = 0;
        for elem in INTEGERS {
            let of_one = Un::NAMES.iter().map(|(un, _)| *un).chain([8, 16, 24].map(Un::SignExtend));
            let of_one = of_one.filter(|un| one(*un, elem, args)).count();
            let of_two = Bin::NAMES.iter().filter(|(bin, _)| two(*bin, elem, args)).count();
            let of_three = Tern::NAMES.iter().filter(|(tern, _)| three(*tern, elem, args)).count();
            let compares = Rel::NAMES.iter().filter(|(rel, _)| compare(*rel, elem, args)).count();
            functions += of_one + of_two + of_three + compares;
        }
        select(args, 32);
        select(args, 64);
        carries(args);
        wide_product(args);
        // Nearly all functions, or the filters above are wrong.
        prop_assert!(functions > 150, "{functions}");
    }
}
