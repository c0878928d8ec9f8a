//! Evaluation of expressions: to a number, an address, or the difference of two addresses.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;

use super::{Expr, Function, Unary, Variant};
use crate::expression::Binary;
use crate::kernel::extra_sgprs;
use crate::state::{Definition, Layout, Location, SymbolId, Symbols};

/// The depth of nested operators and definitions at which a definition counts as circular.
const DEEPEST: usize = 700;

/// 2 to the power of 32; dividing by it gives the upper half of an address.
const WORD: i64 = 1 << 32;

/// The reason why an expression has no value, as a part of a sentence.
pub(crate) type Failure = Cow<'static, str>;

/// An expression evaluated as far as possible: `plus - minus + constant`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Reduced {
    pub plus: Option<Base>,
    pub minus: Option<Base>,
    pub constant: i64,
}

/// A base whose address only the linker can compute. It is a symbol, or a location in a section.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Base {
    Symbol(SymbolId, Variant),
    Place(Location),
}

impl From<Base> for Expr {
    fn from(base: Base) -> Expr {
        match base {
            Base::Symbol(id, variant) => Expr::Symbol(id, variant),
            Base::Place(location) => Expr::Place(location),
        }
    }
}

impl From<Reduced> for Expr {
    /// Converts back to the shortest equal expression.
    fn from(reduced: Reduced) -> Expr {
        let join = |binary, a, b| Expr::Binary(binary, Box::new([a, b]));
        let constant = Expr::Number(reduced.constant);
        let sum = match (reduced.plus, reduced.constant) {
            (Some(base), 0) => base.into(),
            (Some(base), _) => join(Binary::Add, base.into(), constant),
            (None, _) => constant,
        };
        match reduced.minus {
            Some(base) => join(Binary::Sub, sum, base.into()),
            None => sum,
        }
    }
}

impl Reduced {
    fn number(constant: i64) -> Self {
        Reduced {
            constant,
            ..Reduced::default()
        }
    }

    /// Returns the number, if the expression has no base.
    pub(crate) fn as_number(&self) -> Option<i64> {
        (self.plus.is_none() && self.minus.is_none()).then_some(self.constant)
    }

    fn negated(self) -> Self {
        Reduced {
            plus: self.minus,
            minus: self.plus,
            constant: self.constant.wrapping_neg(),
        }
    }
}

/// The context of evaluation: symbols and their layout.
#[derive(Clone, Copy)]
pub(crate) struct Values<'v> {
    pub symbols: &'v Symbols,
    /// The layout of the sections, once it has been computed.
    pub layout: Option<&'v Layout>,
}

impl Values<'_> {
    /// Evaluates an expression.
    ///
    /// # Errors
    /// Expressions without value and address: products of addresses, sums of two addresses, variables defined by themselves.
    pub(crate) fn reduce(&self, expr: &Expr) -> Result<Reduced, Failure> {
        let evaluation = Evaluation {
            values: *self,
            done: RefCell::default(),
        };
        evaluation.at(expr, 0)
    }

    /// Whether an expression without a value may have one when the whole source has been read: it depends on a symbol that is not
    /// defined yet, or on the distance of places that are not laid out yet.
    pub(crate) fn may_become_known(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Number(_) => false,
            Expr::Place(_) => self.layout.is_none(),
            Expr::Symbol(id, _) => match &self.symbols[*id].definition {
                Definition::Undefined | Definition::Variable(_) => true,
                Definition::Label(_) => self.layout.is_none(),
                Definition::Common(..) | Definition::Registers(_) => false,
            },
            Expr::Unary(_, operand) => self.may_become_known(operand),
            Expr::Binary(_, operands) => operands.iter().any(|e| self.may_become_known(e)),
            Expr::Choice(operands) => operands.iter().any(|e| self.may_become_known(e)),
            Expr::Call(_, operands) => operands.iter().any(|e| self.may_become_known(e)),
        }
    }

    /// Returns the number that an expression evaluates to.
    ///
    /// # Errors
    /// Expressions whose value is not known, or not known yet.
    pub(crate) fn number(&self, expr: &Expr) -> Result<i64, Failure> {
        let reduced = self.reduce(expr)?;
        match (reduced.as_number(), reduced.plus.or(reduced.minus)) {
            (Some(number), _) => Ok(number),
            (None, Some(Base::Symbol(id, _))) => {
                let symbol = &self.symbols[id];
                Err(match symbol.definition {
                    Definition::Undefined => format!("`{}` is not known here", symbol.name).into(),
                    _ => format!("`{}` is an address: a number is needed here", symbol.name).into(),
                })
            }
            (None, _) => Err("this is an address: a number is needed here".into()),
        }
    }

    fn unary(&self, unary: Unary, operand: Reduced) -> Result<Reduced, Failure> {
        match (unary, operand.as_number()) {
            (Unary::Minus, None) => Ok(operand.negated()),
            (_, Some(number)) => Ok(Reduced::number(unary.of(number))),
            (_, None) => Err(self.needs_numbers(&operand)),
        }
    }

    fn binary(&self, binary: Binary, a: Reduced, b: Reduced) -> Result<Reduced, Failure> {
        match binary {
            Binary::Add => self.sum(a, b),
            Binary::Sub => self.sum(a, b.negated()),
            _ => {
                // Addresses in one section are compared by their distance.
                let apart = self.sum(a, b.negated()).ok().and_then(|d| d.as_number());
                if let (Some(distance), true) = (apart, binary.compares()) {
                    return self.numbers(binary, distance, 0);
                }
                if let Some(half) = self.half(binary, &a, &b) {
                    return Ok(half);
                }
                let number = |r: &Reduced| r.as_number().ok_or_else(|| self.needs_numbers(r));
                self.numbers(binary, number(&a)?, number(&b)?)
            }
        }
    }

    /// Returns the relocation for the lower or upper half of an address in the forms that CLRX's sources use: `place&0xffffffff`,
    /// `place>>32` and their like (CLRX's documentation, "Relocations").
    fn half(&self, binary: Binary, a: &Reduced, b: &Reduced) -> Option<Reduced> {
        let (Some(Base::Symbol(id, Variant::None)), None, 0) = (a.plus, a.minus, a.constant) else {
            return None;
        };
        let variant = match (binary, b.as_number()?) {
            (Binary::BitAnd, 0xffff_ffff) => Variant::Abs32Lo,
            (Binary::Mod | Binary::UnsignedMod, WORD) => Variant::Abs32Lo,
            (Binary::Shr, 32) => Variant::Abs32Hi,
            (Binary::Div | Binary::UnsignedDiv, WORD) => Variant::Abs32Hi,
            _ => return None,
        };
        self.symbols.has_halves.then_some(Reduced {
            plus: Some(Base::Symbol(id, variant)),
            ..Reduced::default()
        })
    }

    fn numbers(&self, binary: Binary, a: i64, b: i64) -> Result<Reduced, Failure> {
        let value = binary.of(a, b).map(Reduced::number);
        value.ok_or_else(|| "this divides by zero".into())
    }

    fn needs_numbers(&self, reduced: &Reduced) -> Failure {
        match reduced.plus.or(reduced.minus) {
            Some(Base::Symbol(id, _)) => {
                let name = &self.symbols[id].name;
                match self.symbols[id].definition {
                    Definition::Undefined if self.layout.is_some() => {
                        format!("there is no symbol `{name}`").into()
                    }
                    Definition::Undefined => format!("`{name}` is not known here").into(),
                    _ => format!("`{name}` is an address: this operator needs numbers").into(),
                }
            }
            _ => "this operator needs numbers, not addresses".into(),
        }
    }

    fn sum(&self, a: Reduced, b: Reduced) -> Result<Reduced, Failure> {
        let mut constant = a.constant.wrapping_add(b.constant);
        let mut plus: Vec<Base> = a.plus.into_iter().chain(b.plus).collect();
        let mut minus: Vec<Base> = a.minus.into_iter().chain(b.minus).collect();
        let mut n = 0;
        while n < plus.len() {
            let matching = |base: &Base| self.apart(&plus[n], base);
            let mut all = minus.iter().enumerate();
            let found = all.find_map(|(m, base)| Some((m, matching(base)?)));
            match found {
                Some((m, distance)) => {
                    constant = constant.wrapping_add(distance);
                    plus.remove(n);
                    minus.remove(m);
                }
                None => n += 1,
            }
        }
        if plus.len() > 1 || minus.len() > 1 {
            return Err("two addresses cannot be added".into());
        }
        Ok(Reduced {
            plus: plus.pop(),
            minus: minus.pop(),
            constant,
        })
    }

    /// Returns the distance of two bases, if it is known by now.
    fn apart(&self, a: &Base, b: &Base) -> Option<i64> {
        if a == b {
            return Some(0);
        }
        let (a, b) = (self.location(a)?, self.location(b)?);
        if a.section == b.section && a.fragment == b.fragment {
            return Some(a.offset.wrapping_sub(b.offset) as i64);
        }
        let layout = self.layout?;
        let beside = layout.home(a) == layout.home(b);
        beside.then(|| layout.offset(a).wrapping_sub(layout.offset(b)) as i64)
    }

    /// Returns the location of a base that is in a section of this source.
    pub(crate) fn location(&self, base: &Base) -> Option<Location> {
        match base {
            Base::Place(location) => Some(*location),
            Base::Symbol(id, Variant::None) => match self.symbols[*id].definition {
                Definition::Label(location) => Some(location),
                _ => None,
            },
            Base::Symbol(..) => None,
        }
    }

    /// Returns the chip's generation.
    fn generation(&self) -> u32 {
        self.version("number").unwrap_or(9)
    }

    /// Returns a part of the chip's version from the symbol that the assembler defines for it.
    fn version(&self, part: &str) -> Option<u32> {
        let name = format!(".amdgcn.gfx_generation_{part}");
        let symbol = self.symbols.find(&name)?;
        match &self.symbols[symbol].definition {
            Definition::Variable(Expr::Number(n)) => Some(*n as u32),
            _ => None,
        }
    }

    /// Returns whether the hardware sets scratch up: on CDNA from gfx942 on.
    fn has_architected_scratch(&self) -> bool {
        self.generation() == 9 && self.version("minor").is_some_and(|minor| minor >= 4)
    }

    /// Returns whether VGPRs and AGPRs are parts of one file: on CDNA from gfx90a on.
    fn has_one_vector_file(&self) -> bool {
        let is_90a = self.version("minor") == Some(0) && self.version("stepping") == Some(10);
        self.has_architected_scratch() || is_90a && self.generation() == 9
    }

    fn call(&self, function: Function, numbers: &[i64]) -> Result<Reduced, Failure> {
        let value = match (function, numbers) {
            (Function::Max, all) => all.iter().copied().max().unwrap_or(0),
            (Function::Or, all) => all.iter().fold(0, |a, b| a | b),
            (Function::AlignTo, [value, align]) if *align > 0 => {
                let over = value.rem_euclid(*align);
                if over == 0 {
                    *value
                } else {
                    value.wrapping_add(align - over)
                }
            }
            (Function::ExtraSgprs, [vcc, flat, xnack]) => {
                let flat = *flat != 0 || self.has_architected_scratch();
                extra_sgprs(self.generation(), *vcc != 0, flat, *xnack != 0)
            }
            // AGPRs come after VGPRs in the file of both, or in a file of their own that is as large.
            (Function::TotalVgprs, [agprs, vgprs]) if *agprs > 0 && self.has_one_vector_file() => {
                (vgprs.saturating_add(3) / 4 * 4).saturating_add(*agprs)
            }
            (Function::TotalVgprs, [agprs, vgprs]) => *vgprs.max(agprs),
            _ => return Err(format!("`{function}` has no value for these numbers").into()),
        };
        Ok(Reduced::number(value))
    }
}

/// The evaluation of one expression.
struct Evaluation<'v> {
    values: Values<'v>,
    /// The values of variables with an expression of their own: several may name one, and each of these several others.
    done: RefCell<BTreeMap<SymbolId, Reduced>>,
}

impl Evaluation<'_> {
    fn at(&self, expr: &Expr, depth: usize) -> Result<Reduced, Failure> {
        if depth > DEEPEST {
            return Err(format!(
                "this expression is nested more than {DEEPEST} deep, or a variable of it depends on itself"
            )
            .into());
        }
        let inner = |expr| self.at(expr, depth + 1);
        match expr {
            Expr::Number(n) => Ok(Reduced::number(*n)),
            Expr::Place(location) => Ok(Reduced {
                plus: Some(Base::Place(*location)),
                ..Reduced::default()
            }),
            Expr::Symbol(id, variant) => self.symbol(*id, *variant, depth),
            Expr::Unary(unary, operand) => self.values.unary(*unary, inner(operand)?),
            Expr::Binary(binary, operands) => {
                let [a, b] = [inner(&operands[0])?, inner(&operands[1])?];
                self.values.binary(*binary, a, b)
            }
            Expr::Choice(operands) => {
                let [condition, yes, no] = &**operands;
                let truth = self.number(condition, depth)?;
                inner(if truth != 0 { yes } else { no })
            }
            Expr::Call(function, operands) => {
                let numbers: Result<Vec<i64>, _> =
                    operands.iter().map(|e| self.number(e, depth)).collect();
                self.values.call(*function, &numbers?)
            }
        }
    }

    /// Evaluates an operand that must be a number.
    fn number(&self, expr: &Expr, depth: usize) -> Result<i64, Failure> {
        let reduced = self.at(expr, depth + 1)?;
        let number = reduced.as_number();
        number.ok_or_else(|| self.values.needs_numbers(&reduced))
    }

    fn symbol(&self, id: SymbolId, variant: Variant, depth: usize) -> Result<Reduced, Failure> {
        match &self.values.symbols[id].definition {
            Definition::Variable(expr) if variant == Variant::None => {
                if let Expr::Number(number) = expr {
                    return Ok(Reduced::number(*number));
                }
                if let Some(done) = self.done.borrow().get(&id) {
                    return Ok(*done);
                }
                let value = self.at(expr, depth + 1)?;
                self.done.borrow_mut().insert(id, value);
                Ok(value)
            }
            _ => Ok(Reduced {
                plus: Some(Base::Symbol(id, variant)),
                ..Reduced::default()
            }),
        }
    }
}

impl Binary {
    fn compares(self) -> bool {
        use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        matches!(
            self,
            Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual
        )
    }
}
