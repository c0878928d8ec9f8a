//! Expressions for the operations of the IR: the notation of each, and the type in which its operands are viewed.

use wavetank_ir::{Bin, Cvt, Elem, Rel, Tern, Un};

/// The type in which the bits of a value are viewed: `""` if it makes no difference.
pub(super) type View = &'static str;

/// The text of an expression, with its view and shape.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) text: String,
    /// The view that the text already has.
    pub(super) view: View,
    pub(super) shape: Shape,
}

/// The outermost syntax of an expression, which decides on parentheses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// A register or another name, which needs no parentheses and takes a view as a suffix.
    Name,
    /// A number, or a text with parentheses of its own.
    Closed,
    /// Operands around this operator.
    Open(&'static str),
}

impl Expr {
    pub(super) fn name(text: impl Into<String>) -> Expr {
        Expr::new(text, "", Shape::Name)
    }

    pub(super) fn closed(text: impl Into<String>, view: View) -> Expr {
        Expr::new(text, view, Shape::Closed)
    }

    pub(super) fn open(text: impl Into<String>, view: View, operator: &'static str) -> Expr {
        Expr::new(text, view, Shape::Open(operator))
    }

    fn new(text: impl Into<String>, view: View, shape: Shape) -> Expr {
        let text = text.into();
        Expr { text, view, shape }
    }

    /// Returns the text in a view, with parentheses if necessary.
    pub(super) fn seen(&self, view: View) -> String {
        let seen = view.is_empty() || view == self.view;
        match self.shape {
            Shape::Name if seen || self.text.contains('.') => self.text.clone(),
            Shape::Name => format!("{}.{view}", self.text),
            Shape::Closed => self.text.clone(),
            Shape::Open(_) if seen => format!("({})", self.text),
            Shape::Open(_) => format!("({}).{view}", self.text),
        }
    }

    /// Returns the text as an argument, which is delimited by commas and parentheses.
    pub(super) fn argument(&self, view: View) -> String {
        let seen = view.is_empty() || view == self.view;
        match self.shape {
            Shape::Open(_) if seen => self.text.clone(),
            _ => self.seen(view),
        }
    }

    /// Returns the text as the left operand of an operator: a chain of the same one needs no parentheses.
    pub(super) fn left(&self, view: View, operator: &str) -> String {
        let same = self.view == view || view.is_empty();
        match self.shape {
            Shape::Open(mine) if mine == operator && same && CHAINS.contains(&mine) => {
                self.text.clone()
            }
            _ => self.seen(view),
        }
    }
}

/// Operators that associate from the left without parentheses.
const CHAINS: [&str; 4] = ["+", "&", "|", "^"];

/// Returns the view as a float, or as the element that contains one.
pub(super) fn float(elem: Elem) -> View {
    match elem {
        Elem::F16 | Elem::I16 => "f16",
        Elem::F64 | Elem::I64 => "f64",
        Elem::F16x2 | Elem::I16x2 => "f16x2",
        Elem::F32 | Elem::I32 => "f32",
    }
}

fn unsigned(elem: Elem) -> View {
    match elem {
        Elem::I16 | Elem::F16 => "u16",
        Elem::I64 | Elem::F64 => "u64",
        Elem::I16x2 | Elem::F16x2 => "u16x2",
        Elem::I32 | Elem::F32 => "u32",
    }
}

fn signed(elem: Elem) -> View {
    match elem {
        Elem::I16 | Elem::F16 => "i16",
        Elem::I64 | Elem::F64 => "i64",
        Elem::I16x2 | Elem::F16x2 => "i16x2",
        Elem::I32 | Elem::F32 => "i32",
    }
}

/// Returns the view of an operation that is the same for signed and unsigned numbers.
fn bits(elem: Elem) -> View {
    match elem {
        Elem::I16 | Elem::I16x2 => unsigned(elem),
        _ => "",
    }
}

/// Returns the view of a compare's operands.
fn compared(elem: Elem) -> View {
    if elem.is_float() {
        float(elem)
    } else {
        signed(elem)
    }
}

/// Returns a call of a function.
pub(super) fn call(name: &str, args: &[String], view: View) -> Expr {
    Expr::closed(format!("{name}({})", args.join(", ")), view)
}

fn infix(operator: &'static str, of: View, is: View, a: &Expr, b: &Expr) -> Expr {
    let text = format!("{} {operator} {}", a.left(of, operator), b.seen(of));
    Expr::open(text, is, operator)
}

/// Returns an operation with one operand.
pub(super) fn un(un: Un, elem: Elem, a: &Expr) -> Expr {
    let f = float(elem);
    let of = |name: &str, of: View, is: View| call(name, &[a.argument(of)], is);
    match un {
        Un::Not => Expr::closed(format!("~{}", a.seen("")), ""),
        Un::Reverse => of("reverse", bits(elem), ""),
        Un::CountOnes => of("count_ones", bits(elem), ""),
        Un::LeadingZeros => of("leading_zeros", bits(elem), ""),
        Un::LeadingSigns => of("leading_signs", bits(elem), ""),
        Un::TrailingZeros => of("trailing_zeros", bits(elem), ""),
        Un::Low => Expr::closed(format!("{}[31:0]", a.seen("")), ""),
        Un::High => Expr::closed(format!("{}[63:32]", a.seen("")), ""),
        Un::Widen => of("u64", "u32", "u64"),
        Un::WidenSigned => of("i64", "i32", "i64"),
        Un::FNeg => Expr::closed(format!("-{}", a.seen(f)), f),
        Un::FAbs => Expr::closed(format!("|{}|", a.seen(f)), f),
        Un::FClamp | Un::FClampKeepNan => of("clamp", f, f),
        Un::FCanonicalize => of("canonical", f, f),
        Un::FSqrt => of("sqrt", f, f),
        Un::FRcp => Expr::open(format!("1.0 / {}", a.seen(f)), f, "/"),
        Un::FRsq => Expr::open(format!("1.0 / sqrt({})", a.seen(f)), f, "/"),
        Un::FExp2 => of("exp2", f, f),
        Un::FLog2 => of("log2", f, f),
        Un::FSin => Expr::closed(format!("sin(2π * {})", a.seen(f)), f),
        Un::FCos => Expr::closed(format!("cos(2π * {})", a.seen(f)), f),
        Un::FFract => of("fract", f, f),
        Un::FTrunc => of("trunc", f, f),
        Un::FCeil => of("ceil", f, f),
        Un::FFloor => of("floor", f, f),
        Un::FRoundEven => of("round_even", f, f),
        Un::FExponent => of("exponent", f, ""),
        Un::FMantissa => of("mantissa", f, f),
        Un::SignExtend(n) => Expr::closed(format!("sext({}[{}:0])", a.seen(""), n - 1), ""),
    }
}

/// Returns an operation with two operands. A constant shift count is written without a mask.
pub(super) fn bin(bin: Bin, elem: Elem, a: &Expr, b: &Expr) -> Expr {
    let (n, u, s, f) = (bits(elem), unsigned(elem), signed(elem), float(elem));
    let of = |name: &str, of: View, is: View| call(name, &[a.argument(of), b.argument(of)], is);
    match bin {
        Bin::Add => infix("+", n, n, a, b),
        Bin::Sub => infix("-", n, n, a, b),
        Bin::Mul => infix("*", n, n, a, b),
        Bin::MulHiU => of("mul_hi", u, u),
        Bin::MulHiS => of("mul_hi", s, s),
        Bin::MulU24 => of("mul24", "u24", "u32"),
        Bin::MulS24 => of("mul24", "i24", "i32"),
        Bin::MulHiU24 => of("mul24_hi", "u24", "u32"),
        Bin::MulHiS24 => of("mul24_hi", "i24", "i32"),
        Bin::And => infix("&", "", "", a, b),
        Bin::Or => infix("|", "", "", a, b),
        Bin::Xor => infix("^", "", "", a, b),
        Bin::Shl => shift("<<", n, elem, a, b),
        Bin::Shr => shift(">>", u, elem, a, b),
        Bin::Sar => shift(">>", s, elem, a, b),
        Bin::MinU => of("min", u, u),
        Bin::MaxU => of("max", u, u),
        Bin::MinS => of("min", s, s),
        Bin::MaxS => of("max", s, s),
        Bin::AddSatU => of("add_sat", u, u),
        Bin::SubSatU => of("sub_sat", u, u),
        Bin::AddSatS => of("add_sat", s, s),
        Bin::SubSatS => of("sub_sat", s, s),
        Bin::Pack => Expr::closed(format!("{{{}, {}}}", b.argument(n), a.argument(n)), ""),
        Bin::PackSatU => of("pack_sat", "u32", ""),
        Bin::PackSatS => of("pack_sat", "i32", ""),
        Bin::FAdd => infix("+", f, f, a, b),
        Bin::FSub => infix("-", f, f, a, b),
        Bin::FMul => infix("*", f, f, a, b),
        Bin::FMin => of("min", f, f),
        Bin::FMax => of("max", f, f),
        Bin::FLdexp => {
            let exponent = if elem == Elem::F16 { "i16" } else { "i32" };
            Expr::open(format!("{} * 2 ** {}", a.seen(f), b.seen(exponent)), f, "*")
        }
    }
}

/// Returns a shift, whose count is taken modulo the width.
fn shift(operator: &'static str, of: View, elem: Elem, a: &Expr, count: &Expr) -> Expr {
    let number = count.text.parse::<u32>().is_ok();
    let width = elem.half().unwrap_or(elem).bits();
    let count = if number {
        count.text.clone()
    } else {
        format!("({} & {})", count.left("", "&"), width - 1)
    };
    Expr::open(format!("{} {operator} {count}", a.seen(of)), of, operator)
}

/// Returns an operation with three operands.
pub(super) fn tern(tern: Tern, elem: Elem, [a, b, c]: [&Expr; 3]) -> Expr {
    let (u, s, f) = (unsigned(elem), signed(elem), float(elem));
    let each = |name: &str, of: [View; 3], is: View| {
        call(
            name,
            &[a.argument(of[0]), b.argument(of[1]), c.argument(of[2])],
            is,
        )
    };
    match tern {
        Tern::Fma => each("fma", [f; 3], f),
        Tern::FMad => {
            let product = infix("*", f, f, a, b);
            Expr::open(format!("{} + {}", product.text, c.seen(f)), f, "+")
        }
        Tern::BitSelect => {
            let (a, b, c) = (a.seen(""), b.seen(""), c.seen(""));
            Expr::open(format!("({a} & {b}) | (~{a} & {c})"), "", "|")
        }
        Tern::BfeU => each("bits", [u, "", ""], u),
        Tern::BfeS => each("bits", [s, "", ""], s),
        Tern::AlignBit => {
            let text = format!(
                "({{{}, {}}} >> ({} & 31))[31:0]",
                a.seen(""),
                b.seen(""),
                c.seen("")
            );
            Expr::closed(text, "")
        }
        Tern::AlignByte => {
            let count = c.seen("");
            let text = format!(
                "({{{}, {}}} >> 8 * ({count} & 3))[31:0]",
                a.seen(""),
                b.seen("")
            );
            Expr::closed(text, "")
        }
        Tern::InsertU8 => each("insert_byte", [""; 3], ""),
        Tern::Med3U => each("median", [u; 3], u),
        Tern::Med3S => each("median", [s; 3], s),
        Tern::Perm => each("permute_bytes", [""; 3], ""),
        Tern::AverageU8 => each("average_bytes", [""; 3], ""),
        Tern::SadU8 => each("sad_u8", [""; 3], ""),
        Tern::MaskedSadU8 => each("masked_sad_u8", [""; 3], ""),
        Tern::SadU16 => each("sad_u16", [""; 3], ""),
        Tern::SadU32 => each("sad_u32", [""; 3], ""),
        Tern::FMed3 => each("median", [f; 3], f),
    }
}

/// Returns a compare of two operands.
pub(super) fn cmp(rel: Rel, elem: Elem, a: &Expr, b: &Expr) -> Expr {
    let c = compared(elem);
    let same = if elem.is_float() { c } else { bits(elem) };
    match rel {
        Rel::Eq => infix("==", same, "", a, b),
        Rel::Ne => infix("!=", same, "", a, b),
        Rel::LtU | Rel::LeU | Rel::Lt | Rel::Le if comes_later(a, b) => {
            let of = if matches!(rel, Rel::LtU | Rel::LeU) {
                unsigned(elem)
            } else {
                c
            };
            let less = matches!(rel, Rel::LtU | Rel::Lt);
            infix(if less { ">" } else { ">=" }, of, "", b, a)
        }
        Rel::LtU => infix("<", unsigned(elem), "", a, b),
        Rel::LeU => infix("<=", unsigned(elem), "", a, b),
        Rel::Lt => infix("<", c, "", a, b),
        Rel::Le => infix("<=", c, "", a, b),
        Rel::FLg => infix("<>", c, "", a, b),
        Rel::FOrd => call("ordered", &[a.argument(c), b.argument(c)], ""),
    }
}

/// Whether `a` follows `b` in the row, so that the compare reads better in the other direction.
fn comes_later(a: &Expr, b: &Expr) -> bool {
    let later = [("S1", "S0"), ("SIMM16.i16", "D"), ("SIMM16.u16", "D")];
    later.contains(&(a.text.as_str(), b.text.as_str()))
}

/// Returns a conversion, a function named for the type of its result.
pub(super) fn cvt(cvt: Cvt, from: Elem, to: Elem, a: &Expr) -> Expr {
    let (of, is) = match cvt {
        Cvt::SToF => (signed(from), float(to)),
        Cvt::UToF => (unsigned(from), float(to)),
        Cvt::FToS => (float(from), signed(to)),
        Cvt::FToU => (float(from), unsigned(to)),
        Cvt::FToF => (float(from), float(to)),
    };
    call(is, &[a.argument(of)], is)
}
