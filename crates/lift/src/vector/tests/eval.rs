//! A plain evaluator of the IR for tests: one value a lane, in 64 bits, round
//! to nearest, no modes. It shares nothing with the engines.

use std::collections::HashMap;

use wavetank_ir::{Bin, Block, Cvt, Elem, LANES, Op, Reg, Rel, Tern, Ty, Un, Value};

/// The registers of one wave.
#[derive(Clone)]
pub struct State {
    /// Vector registers.
    pub v: HashMap<u16, [u32; LANES]>,
    /// Scalar registers.
    pub s: [u32; 128],
}

impl State {
    /// All zero but EXEC.
    pub fn new(exec: u64) -> State {
        let mut state = State {
            v: HashMap::new(),
            s: [0; 128],
        };
        state.set_s64(126, exec);
        state
    }

    pub fn s64(&self, n: u8) -> u64 {
        let n = usize::from(n);
        u64::from(self.s[n]) | u64::from(self.s[n + 1]) << 32
    }

    pub fn set_s64(&mut self, n: u8, x: u64) {
        self.s[usize::from(n)] = x as u32;
        self.s[usize::from(n) + 1] = (x >> 32) as u32;
    }

    pub fn vgpr(&self, n: u16) -> [u32; LANES] {
        self.v.get(&n).copied().unwrap_or([0; LANES])
    }

    pub fn vgpr64(&self, n: u16) -> [u64; LANES] {
        let (low, high) = (self.vgpr(n), self.vgpr(n + 1));
        std::array::from_fn(|i| u64::from(low[i]) | u64::from(high[i]) << 32)
    }

    /// Sets a register, the same in every lane.
    pub fn set(&mut self, n: u16, x: u32) {
        self.v.insert(n, [x; LANES]);
    }

    pub fn set64(&mut self, n: u16, x: u64) {
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
    pub fn run(&mut self, block: &Block) {
        let mut values: Vec<Lanes> = Vec::new();
        for node in &block.nodes {
            let result = self.node(block, &node.op, &values);
            values.push(result);
        }
    }

    fn node(&mut self, block: &Block, op: &Op, values: &[Lanes]) -> Lanes {
        let get = |v: &Value| values[v.index()].main;
        let first = |v: &Value| values[v.index()].main[0];
        // Masks are one word, kept in lane 0 like uniforms.
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
                let carry = |i| u64::from(carry.is_some_and(|c| bit(&c, i)));
                let sum: [u64; LANES] = std::array::from_fn(|i| a[i] + b[i] + carry(i));
                Lanes {
                    main: sum.map(|x| x & 0xffff_ffff),
                    second: mask_of(|i| sum[i] >> 32 != 0),
                }
            }
            Op::SubBorrow(a, b, borrow) => {
                let (a, b) = (get(a), get(b));
                let borrow = |i| u64::from(borrow.is_some_and(|c| bit(&c, i)));
                let main =
                    std::array::from_fn(|i| a[i].wrapping_sub(b[i] + borrow(i)) & 0xffff_ffff);
                Lanes {
                    main,
                    second: mask_of(|i| a[i] < b[i] + borrow(i)),
                }
            }
            Op::MadWide {
                signed,
                args: [a, b, c],
            } => {
                let (a, b, c) = (get(a), get(b), get(c));
                let product = |i: usize| match signed {
                    true => (i64::from(a[i] as i32) * i64::from(b[i] as i32)) as u64,
                    false => a[i] * b[i],
                };
                Lanes {
                    main: std::array::from_fn(|i| product(i).wrapping_add(c[i])),
                    second: mask_of(|i| !signed && product(i).checked_add(c[i]).is_none()),
                }
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
            Op::LaneFn(f, args) => {
                let results: Vec<(u64, bool)> = (0..LANES)
                    .map(|i| {
                        (f.call)(std::array::from_fn(|n| {
                            args.get(n).map_or(0, |a| get(a)[i])
                        }))
                    })
                    .collect();
                Lanes {
                    main: std::array::from_fn(|i| results[i].0),
                    second: mask_of(|i| results[i].1),
                }
            }
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

    fn uniform(x: u64) -> Lanes {
        Lanes::of([x; LANES])
    }
}

fn mask_of(f: impl Fn(usize) -> bool) -> u64 {
    (0..LANES).fold(0, |m, i| m | u64::from(f(i)) << i)
}

fn bits(elem: Elem) -> u32 {
    match elem {
        Elem::I16 | Elem::F16 => 16,
        Elem::I32 | Elem::F32 => 32,
        Elem::I64 | Elem::F64 => 64,
    }
}

fn cut(elem: Elem, x: u64) -> u64 {
    x & u64::MAX >> (64 - bits(elem))
}

fn signed(elem: Elem, x: u64) -> i64 {
    let unused = 64 - bits(elem);
    (x << unused) as i64 >> unused
}

/// The number a float holds.
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

/// A number as float; halves must be exact and normal.
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

fn unary(un: Un, elem: Elem, x: u64) -> u64 {
    let narrow = cut(elem, x);
    let sign = 1u64 << (bits(elem) - 1);
    let by = |f: fn(f64) -> f64| unfloat(elem, f(float(elem, x)));
    match un {
        Un::Not if elem == Elem::I64 => !x,
        Un::Not => cut(elem, !x),
        Un::Reverse => u64::from((x as u32).reverse_bits()),
        Un::CountOnes => narrow.count_ones().into(),
        Un::LeadingZeros if narrow == 0 => 0xffff_ffff,
        Un::LeadingZeros => u64::from(narrow.leading_zeros() - (64 - bits(elem))),
        Un::TrailingZeros if narrow == 0 => 0xffff_ffff,
        Un::TrailingZeros => narrow.trailing_zeros().into(),
        Un::LeadingSigns => {
            let x = signed(elem, x);
            let other = if x < 0 { !x } else { x };
            let same = other.leading_zeros() - (64 - bits(elem));
            if other == 0 { 0xffff_ffff } else { same.into() }
        }
        Un::SignExtend(n) => u64::from(((x << (64 - n)) as i64 >> (64 - n)) as u32),
        Un::Low => x & 0xffff_ffff,
        Un::High => x >> 32,
        Un::Widen => x,
        Un::WidenSigned => x as i32 as i64 as u64,
        Un::FNeg => narrow ^ sign,
        Un::FAbs => narrow & !sign,
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
    let (sa, sb) = (signed(elem, a), signed(elem, b));
    let (ua, ub) = (cut(elem, a), cut(elem, b));
    let count = (b % u64::from(bits(elem))) as u32;
    let (max, min) = (
        (1i128 << (bits(elem) - 1)) - 1,
        -(1i128 << (bits(elem) - 1)),
    );
    let saturate = |x: i128| x.clamp(min, max) as u64;
    let s24 = |x: u64| i64::from((x as i32) << 8 >> 8);
    let (fa, fb) = (float(elem, a), float(elem, b));
    let r = match op {
        Bin::Add => ua.wrapping_add(ub),
        Bin::Sub => ua.wrapping_sub(ub),
        Bin::Mul => ua.wrapping_mul(ub),
        Bin::MulHiU => (ua * ub) >> 32,
        Bin::MulHiS => ((sa * sb) >> 32) as u64,
        Bin::MulU24 => (a & 0xff_ffff) * (b & 0xff_ffff),
        Bin::MulS24 => (s24(a) * s24(b)) as u64,
        Bin::MulHiU24 => ((a & 0xff_ffff) * (b & 0xff_ffff)) >> 32,
        Bin::MulHiS24 => ((s24(a) * s24(b)) >> 32) as u64,
        Bin::And => a & b,
        Bin::Or => a | b,
        Bin::Xor => a ^ b,
        Bin::Shl => ua << count,
        Bin::Shr => ua >> count,
        Bin::Sar => (sa >> count) as u64,
        Bin::MinU => ua.min(ub),
        Bin::MaxU => ua.max(ub),
        Bin::MinS => sa.min(sb) as u64,
        Bin::MaxS => sa.max(sb) as u64,
        Bin::AddSatU => (u128::from(ua) + u128::from(ub)).min(cut(elem, u64::MAX).into()) as u64,
        Bin::SubSatU => ua.saturating_sub(ub),
        Bin::AddSatS => saturate(i128::from(sa) + i128::from(sb)),
        Bin::SubSatS => saturate(i128::from(sa) - i128::from(sb)),
        Bin::Pack if elem == Elem::I16 => return a & 0xffff | (b & 0xffff) << 16,
        Bin::Pack => return a | b << 32,
        Bin::FAdd => unfloat(elem, fa + fb),
        Bin::FSub => unfloat(elem, fa - fb),
        Bin::FMul => unfloat(elem, fa * fb),
        Bin::FMin => unfloat(elem, fa.min(fb)),
        Bin::FMax => unfloat(elem, fa.max(fb)),
        Bin::FLdexp => unfloat(elem, fa * 2f64.powi(b as i32)),
    };
    cut(elem, r)
}

fn ternary(op: Tern, elem: Elem, [a, b, c]: [u64; 3]) -> u64 {
    let [fa, fb, fc] = [a, b, c].map(|x| float(elem, x));
    let (offset, width) = (b % 32, c % 32);
    let pair = a << 32 | b;
    match op {
        Tern::Fma if elem == Elem::F64 => fa.mul_add(fb, fc).to_bits(),
        Tern::Fma => unfloat(elem, fa.mul_add(fb, fc)),
        Tern::FMad => unfloat(elem, float(elem, unfloat(elem, fa * fb)) + fc),
        Tern::BitSelect => a & b | !a & c,
        Tern::BfeU => (a & 0xffff_ffff) >> offset & ((1 << width) - 1),
        Tern::BfeS if width == 0 => 0,
        Tern::BfeS => {
            let field = (a & 0xffff_ffff) >> offset & ((1 << width) - 1);
            ((field << (64 - width)) as i64 >> (64 - width)) as u32 as u64
        }
        Tern::AlignBit => (pair >> (c & 31)) & 0xffff_ffff,
        Tern::AlignByte => (pair >> (8 * (c & 3))) & 0xffff_ffff,
        Tern::FMed3 => {
            let mut x = [fa, fb, fc];
            x.sort_by(f64::total_cmp);
            unfloat(elem, x[1])
        }
    }
}

fn compare(rel: Rel, elem: Elem, a: u64, b: u64) -> bool {
    if elem.is_float() {
        let (a, b) = (float(elem, a), float(elem, b));
        return match rel {
            Rel::Eq => a == b,
            Rel::Ne => a != b,
            Rel::Lt => a < b,
            Rel::Le => a <= b,
            Rel::FLg => a != b && !a.is_nan() && !b.is_nan(),
            Rel::FOrd => !a.is_nan() && !b.is_nan(),
            Rel::LtU | Rel::LeU => panic!("floats have no unsigned order"),
        };
    }
    let (sa, sb) = (signed(elem, a), signed(elem, b));
    let (ua, ub) = (cut(elem, a), cut(elem, b));
    match rel {
        Rel::Eq => ua == ub,
        Rel::Ne => ua != ub,
        Rel::LtU => ua < ub,
        Rel::LeU => ua <= ub,
        Rel::Lt => sa < sb,
        Rel::Le => sa <= sb,
        Rel::FLg | Rel::FOrd => panic!("integers are always ordered"),
    }
}

/// The number of the IEEE class in GCN's order.
fn class(elem: Elem, x: u64) -> u32 {
    let value = float(elem, x);
    let negative = x >> (bits(elem) - 1) & 1 == 1;
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
