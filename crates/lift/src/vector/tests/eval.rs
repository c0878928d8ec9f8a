//! A plain evaluator of the IR for tests: one value a lane, in 64 bits, floats round to nearest, no modes. The evaluator shares
//! no code with the engines, but integers use the IR's own evaluator.

use std::collections::HashMap;

use wavetank_ir::{Bin, Block, Cvt, Elem, LANES, Op, Reg, Rel, Tern, Ty, Un, Value, evaluate};

/// The registers of one wave.
#[derive(Clone)]
pub(crate) struct State {
    /// The vector registers by number.
    pub v: HashMap<u16, [u32; LANES]>,
    /// The scalar registers by source code.
    pub s: [u32; 128],
}

impl State {
    /// A state with all registers zero except EXEC.
    pub(crate) fn new(exec: u64) -> State {
        let mut state = State {
            v: HashMap::new(),
            s: [0; 128],
        };
        state.set_s64(126, exec);
        state
    }

    pub(crate) fn s64(&self, n: u8) -> u64 {
        let n = usize::from(n);
        u64::from(self.s[n]) | u64::from(self.s[n + 1]) << 32
    }

    pub(crate) fn set_s64(&mut self, n: u8, x: u64) {
        self.s[usize::from(n)] = x as u32;
        self.s[usize::from(n) + 1] = (x >> 32) as u32;
    }

    pub(crate) fn vgpr(&self, n: u16) -> [u32; LANES] {
        self.v.get(&n).copied().unwrap_or([0; LANES])
    }

    pub(crate) fn vgpr64(&self, n: u16) -> [u64; LANES] {
        let (low, high) = (self.vgpr(n), self.vgpr(n + 1));
        std::array::from_fn(|i| u64::from(low[i]) | u64::from(high[i]) << 32)
    }

    /// Sets a register to the same value in every lane.
    pub(crate) fn set(&mut self, n: u16, x: u32) {
        self.v.insert(n, [x; LANES]);
    }

    pub(crate) fn set64(&mut self, n: u16, x: u64) {
        self.set(n, x as u32);
        self.set(n + 1, (x >> 32) as u32);
    }

    fn store(&mut self, n: u16, x: &[u64; LANES], mask: u64, bytes: u8) {
        let select = (0..4).fold(0u32, |m, i| {
            m | (u32::from(bytes >> i & 1) * 0xff) << (8 * i)
        });
        let old = self.v.entry(n).or_insert([0; LANES]);
        for (i, old) in old
            .iter_mut()
            .enumerate()
            .filter(|(i, _)| mask >> i & 1 == 1)
        {
            *old = *old & !select | x[i] as u32 & select;
        }
    }

    /// Runs a block of one instruction.
    pub(crate) fn run(&mut self, block: &Block) {
        let mut values: Vec<Lanes> = Vec::new();
        for node in &block.nodes {
            let result = self.node(block, &node.op, &values);
            values.push(result);
        }
    }

    fn node(&mut self, block: &Block, op: &Op, values: &[Lanes]) -> Lanes {
        let get = |v: &Value| values[v.index()].main;
        let first = |v: &Value| values[v.index()].main[0];
        // A mask is one word, kept in lane 0 like a uniform.
        let bit = |v: &Value, i: usize| match block.ty(*v) {
            Ty::Mask => first(v) >> i & 1 == 1,
            _ => first(v) != 0,
        };
        match op {
            Op::Inst { .. } | Op::End(_) => Lanes::uniform(0),
            Op::Const(c) => Lanes::uniform(*c),
            Op::Read(reg) => self.read(*reg),
            Op::ReadIndexed { base, index } => {
                Lanes::of(self.vgpr(base + first(index) as u16).map(u64::from))
            }
            Op::Write {
                reg,
                value,
                mask,
                bytes,
            } => {
                self.write(*reg, &get(value), mask.map(|m| first(&m)), *bytes);
                Lanes::uniform(0)
            }
            Op::WriteIndexed {
                base,
                index,
                value,
                mask,
            } => {
                let n = base + first(index) as u16;
                self.store(n, &get(value), first(mask), 15);
                Lanes::uniform(0)
            }
            Op::Un(un, elem, _, a) => Lanes::of(get(a).map(|x| unary(*un, *elem, x))),
            Op::Bin(op, elem, _, a, b) => {
                let (a, b) = (get(a), get(b));
                Lanes::of(std::array::from_fn(|i| binary(*op, *elem, a[i], b[i])))
            }
            Op::Tern(op, elem, _, a, b, c) => {
                let (a, b, c) = (get(a), get(b), get(c));
                Lanes::of(std::array::from_fn(|i| {
                    ternary(*op, *elem, [a[i], b[i], c[i]])
                }))
            }
            Op::Cmp(rel, elem, _, x, y) => {
                let (a, b) = (get(x), get(y));
                let mask = mask_of(|i| compare(*rel, *elem, a[i], b[i]));
                let vector = block.ty(*x).is_vector() || block.ty(*y).is_vector();
                Lanes::uniform(if vector { mask } else { mask & 1 })
            }
            Op::Class(elem, a, bits) => {
                let (a, bits) = (get(a), get(bits));
                Lanes::uniform(mask_of(|i| bits[i] >> class(*elem, a[i]) & 1 == 1))
            }
            Op::Cvt(cvt, from, to, _, a) => Lanes::of(get(a).map(|x| convert(*cvt, *from, *to, x))),
            Op::Select(c, a, b) => {
                let (x, y) = (get(a), get(b));
                Lanes::of(std::array::from_fn(|i| if bit(c, i) { x[i] } else { y[i] }))
            }
            Op::AddCarry(a, b, carry) => {
                let (a, b) = (get(a), get(b));
                let carry = |i| carry.is_some_and(|c| bit(&c, i));
                Lanes::pairs(|i| evaluate::add_carry(a[i], b[i], carry(i)))
            }
            Op::SubBorrow(a, b, borrow) => {
                let (a, b) = (get(a), get(b));
                let borrow = |i| borrow.is_some_and(|c| bit(&c, i));
                Lanes::pairs(|i| evaluate::sub_borrow(a[i], b[i], borrow(i)))
            }
            Op::MadWide { signed, args } => {
                let [a, b, c] = args.map(|v| get(&v));
                Lanes::pairs(|i| evaluate::mad_wide(*signed, a[i], b[i], c[i]))
            }
            Op::Second(v) => Lanes::uniform(values[v.index()].second),
            Op::Cast(_, v) => Lanes::uniform(first(v)),
            Op::LanesBelow { high } => Lanes::of(std::array::from_fn(|i| {
                let below = (1u64 << i) - 1;
                if *high {
                    below >> 32
                } else {
                    below & 0xffff_ffff
                }
            })),
            Op::ReadLane(v, lane) => Lanes::uniform(get(v)[first(lane) as usize % LANES]),
            Op::ReadFirstLane(v, mask) => {
                let lane = first(mask).trailing_zeros() as usize % LANES;
                Lanes::uniform(get(v)[lane])
            }
            Op::Shuffle(v, table) => {
                let x = get(v);
                Lanes::of(std::array::from_fn(|i| {
                    *x.get(usize::from(table[i])).unwrap_or(&0)
                }))
            }
            Op::ShuffleMask(v, table) => {
                Lanes::uniform(mask_of(|i| table[i] < 64 && first(v) >> table[i] & 1 == 1))
            }
            Op::LaneFn(f, args) => Lanes::pairs(|i| {
                let arg = |n| args.get(n).map_or(0, |a| get(a)[i]);
                (f.call)(std::array::from_fn(arg))
            }),
            op => panic!("the evaluator does not know {op:?}"),
        }
    }

    fn read(&self, reg: Reg) -> Lanes {
        match reg {
            Reg::S(n) => Lanes::uniform(self.s[usize::from(n)].into()),
            Reg::S64(n) | Reg::Mask(n) => Lanes::uniform(self.s64(n)),
            Reg::V(n) => Lanes::of(self.vgpr(n).map(u64::from)),
            Reg::V64(n) => Lanes::of(self.vgpr64(n)),
            Reg::Scc | Reg::Hw(_) => panic!("vector instructions do not read {reg}"),
        }
    }

    fn write(&mut self, reg: Reg, x: &[u64; LANES], mask: Option<u64>, bytes: u8) {
        let lanes = || mask.expect("vector writes have a mask");
        match reg {
            Reg::S(n) => self.s[usize::from(n)] = x[0] as u32,
            Reg::S64(n) | Reg::Mask(n) => self.set_s64(n, x[0]),
            Reg::V(n) => self.store(n, x, lanes(), bytes),
            Reg::V64(n) => {
                self.store(n, x, lanes(), 15);
                self.store(n + 1, &x.map(|x| x >> 32), lanes(), 15);
            }
            Reg::Scc | Reg::Hw(_) => panic!("vector instructions do not write {reg}"),
        }
    }
}

/// A value in every lane, and the second result.
struct Lanes {
    main: [u64; LANES],
    second: u64,
}

impl Lanes {
    fn of(main: [u64; LANES]) -> Lanes {
        Lanes { main, second: 0 }
    }

    /// A value and its second result from both results of each lane.
    fn pairs(of: impl Fn(usize) -> (u64, bool)) -> Lanes {
        let results: [(u64, bool); LANES] = std::array::from_fn(of);
        Lanes {
            main: results.map(|(main, _)| main),
            second: mask_of(|i| results[i].1),
        }
    }

    fn uniform(x: u64) -> Lanes {
        Lanes::of([x; LANES])
    }
}

fn mask_of(f: impl Fn(usize) -> bool) -> u64 {
    (0..LANES).fold(0, |m, i| m | u64::from(f(i)) << i)
}

fn cut(elem: Elem, x: u64) -> u64 {
    x & u64::MAX >> (64 - elem.bits())
}

fn signed(elem: Elem, x: u64) -> i64 {
    let unused = 64 - elem.bits();
    (x << unused) as i64 >> unused
}

/// The number that a float represents.
fn float(elem: Elem, x: u64) -> f64 {
    match elem {
        Elem::F64 => f64::from_bits(x),
        Elem::F32 => f32::from_bits(x as u32).into(),
        _ => {
            let (sign, exponent, mantissa) = (x >> 15 & 1, x >> 10 & 31, x & 0x3ff);
            let magnitude = match exponent {
                0 => mantissa as f64 * 2f64.powi(-24),
                31 if mantissa == 0 => f64::INFINITY,
                31 => f64::NAN,
                e => (1024 + mantissa) as f64 * 2f64.powi(e as i32 - 25),
            };
            if sign == 1 { -magnitude } else { magnitude }
        }
    }
}

/// The float for a number; halves must be exact and normal.
fn unfloat(elem: Elem, x: f64) -> u64 {
    match elem {
        Elem::F64 => x.to_bits(),
        Elem::F32 => (x as f32).to_bits().into(),
        _ => {
            let mut all =
                (0..0x1_0000u64).filter(|&h| float(Elem::F16, h).to_bits() == x.to_bits());
            all.next_back().expect("a half that the test can hold")
        }
    }
}

/// Applies a function of halves to pairs.
fn in_pairs<const N: usize>(args: [u64; N], of: impl Fn([u64; N]) -> u64) -> u64 {
    let [low, high] = [0, 16].map(|at| of(args.map(|x| x >> at & 0xffff)));
    low | high << 16
}

fn unary(un: Un, elem: Elem, x: u64) -> u64 {
    if let Some(half) = elem.half() {
        return in_pairs([x], |[x]| unary(un, half, x));
    }
    if let Some(result) = un.evaluate(elem, x) {
        return result;
    }
    let by = |f: fn(f64) -> f64| unfloat(elem, f(float(elem, x)));
    match un {
        Un::FClamp => by(|x| if x > 0.0 { x.min(1.0) } else { 0.0 }),
        Un::FClampKeepNan => by(|x| x.clamp(0.0, 1.0)),
        Un::FSqrt => by(f64::sqrt),
        Un::FRcp => by(|x| 1.0 / x),
        Un::FRsq => by(|x| 1.0 / x.sqrt()),
        Un::FTrunc => by(f64::trunc),
        Un::FCeil => by(f64::ceil),
        Un::FFloor => by(f64::floor),
        Un::FRoundEven => by(f64::round_ties_even),
        un => panic!("the evaluator does not know {un:?}"),
    }
}

fn binary(op: Bin, elem: Elem, a: u64, b: u64) -> u64 {
    if let Some(half) = elem.half() {
        return in_pairs([a, b], |[a, b]| binary(op, half, a, b));
    }
    if let Some(result) = op.evaluate(elem, a, b) {
        return result;
    }
    let (fa, fb) = (float(elem, a), float(elem, b));
    let result = match op {
        Bin::FAdd => fa + fb,
        Bin::FSub => fa - fb,
        Bin::FMul => fa * fb,
        Bin::FMin => fa.min(fb),
        Bin::FMax => fa.max(fb),
        Bin::FLdexp => fa * 2f64.powi(b as i32),
        op => panic!("the evaluator does not know {op:?}"),
    };
    unfloat(elem, result)
}

fn ternary(op: Tern, elem: Elem, args: [u64; 3]) -> u64 {
    if let Some(half) = elem.half() {
        return in_pairs(args, |args| ternary(op, half, args));
    }
    if let Some(result) = op.evaluate(elem, args) {
        return result;
    }
    let [fa, fb, fc] = args.map(|x| float(elem, x));
    match op {
        Tern::Fma if elem == Elem::F64 => fa.mul_add(fb, fc).to_bits(),
        Tern::Fma => unfloat(elem, fa.mul_add(fb, fc)),
        Tern::FMad => unfloat(elem, float(elem, unfloat(elem, fa * fb)) + fc),
        Tern::FMed3 => {
            let mut x = [fa, fb, fc];
            x.sort_by(f64::total_cmp);
            unfloat(elem, x[1])
        }
        op => panic!("the evaluator does not know {op:?}"),
    }
}

fn compare(rel: Rel, elem: Elem, a: u64, b: u64) -> bool {
    if let Some(result) = rel.evaluate(elem, a, b) {
        return result;
    }
    let (a, b) = (float(elem, a), float(elem, b));
    match rel {
        Rel::Eq => a == b,
        Rel::Ne => a != b,
        Rel::Lt => a < b,
        Rel::Le => a <= b,
        Rel::FLg => a != b && !a.is_nan() && !b.is_nan(),
        Rel::FOrd => !a.is_nan() && !b.is_nan(),
        Rel::LtU | Rel::LeU => panic!("floats have no unsigned order"),
    }
}

/// The number of the IEEE class in GCN's order.
fn class(elem: Elem, x: u64) -> u32 {
    let value = float(elem, x);
    let negative = x >> (elem.bits() - 1) & 1 == 1;
    let tiny = match elem {
        Elem::F64 => f64::MIN_POSITIVE,
        Elem::F32 => f32::MIN_POSITIVE.into(),
        _ => 2f64.powi(-14),
    };
    let mantissa = match elem {
        Elem::F64 => 52,
        Elem::F32 => 23,
        _ => 10,
    };
    let magnitude = match value.abs() {
        m if m.is_nan() => return u32::from(x >> (mantissa - 1) & 1 == 1),
        f64::INFINITY => 0,
        m if m >= tiny => 1,
        m if m > 0.0 => 2,
        _ => 3,
    };
    if negative {
        2 + magnitude
    } else {
        9 - magnitude
    }
}

fn convert(cvt: Cvt, from: Elem, to: Elem, x: u64) -> u64 {
    let limits = |elem: Elem| match elem {
        Elem::I16 => (-32768.0, 32767.0, 65535.0),
        _ => (-2147483648.0, 2147483647.0, 4294967295.0),
    };
    match cvt {
        Cvt::SToF => unfloat(to, signed(from, x) as f64),
        Cvt::UToF => unfloat(to, cut(from, x) as f64),
        Cvt::FToS => {
            let (low, high, _) = limits(to);
            cut(to, float(from, x).clamp(low, high) as i64 as u64)
        }
        Cvt::FToU => cut(to, float(from, x).clamp(0.0, limits(to).2) as u64),
        Cvt::FToF => unfloat(to, float(from, x)),
    }
}
