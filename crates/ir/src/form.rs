//! The text forms of fields: a printer and a parser for each type.

use std::fmt;

use crate::functions::{Bin, Cvt, Rel, Tern, Un};
use crate::lane_fn::LaneFn;
use crate::line::{Line, Miss};
use crate::mem::{Clock, DataReg, Family, GlobalSync, WaitCnt};
use crate::print::{In, Out, Runs};
use crate::scan::{Parsed, Scanner};
use crate::types::{Elem, Fp, Reg, Round, Ty, Value};

/// The text form of a field of type `T`. A type is its own form; a row can name another one for it.
#[diagnostic::on_unimplemented(
    message = "nothing says how a field of type `{T}` is written",
    label = "this is not a form of `{T}`",
    note = "implement `Form` for it in `form.rs`, or name another form in the row: `field: {T} as Form`"
)]
pub(crate) trait Form<T = Self>: Sized {
    /// Writes the field, with the separator before it.
    fn print(field: &T, out: &mut Out<'_, '_>) -> fmt::Result;

    /// Parses the text that `print` writes.
    fn parse(line: &mut Line<'_, '_>) -> Result<T, Miss>;

    /// Writes the part of the field that follows all operands.
    fn print_rest(_: &T, _: &mut Out<'_, '_>) -> fmt::Result {
        Ok(())
    }

    /// Parses the text that `print_rest` writes.
    fn parse_rest(_: &mut T, _: &mut Line<'_, '_>) -> Parsed {
        Ok(())
    }
}

/// Declares forms of one operand: how a field is written, and how it is parsed.
macro_rules! items {
    ($($form:ty: $ty:ty, |$field:pat_param| $written:expr, |$line:ident| $read:expr;)*) => {$(
        impl Form<$ty> for $form {
            fn print($field: &$ty, out: &mut Out<'_, '_>) -> fmt::Result {
                out.item($written)
            }

            fn parse($line: &mut Line<'_, '_>) -> Result<$ty, Miss> {
                $line.item()?;
                Ok($read)
            }
        }
    )*};
}

/// Declares forms of operands that are omitted if they have a default value.
macro_rules! left_out {
    ($($form:ty: $ty:ty = $absent:expr, else $other:ty;)*) => {$(
        impl Form<$ty> for $form {
            fn print(field: &$ty, out: &mut Out<'_, '_>) -> fmt::Result {
                match *field == $absent {
                    true => Ok(()),
                    false => <$other as Form<$ty>>::print(field, out),
                }
            }

            fn parse(line: &mut Line<'_, '_>) -> Result<$ty, Miss> {
                match line.goes_on(|_| true) {
                    true => <$other as Form<$ty>>::parse(line),
                    false => Ok($absent),
                }
            }
        }
    )*};
}

pub(crate) use {items, left_out};

/// The first vector register of an indexed access.
pub(crate) struct Vector;

/// The first uniform register of an indexed access.
pub(crate) struct Uniform;

/// A bit set in base 2, as `0b0011`.
pub(crate) struct Binary;

/// The bytes of a write, omitted if all four are written.
pub(crate) struct Bytes;

items! {
    Value: Value, |v| v, |line| line.value()?;
    u8: u8, |n| format_args!("{n:#x}"), |line| line.s.number()?;
    u16: u16, |n| format_args!("{n:#x}"), |line| line.s.number()?;
    u32: u32, |n| format_args!("{n:#x}"), |line| line.s.number()?;
    u64: u64, |n| format_args!("{n:#x}"), |line| line.s.number()?;
    Binary: u8, |n| format_args!("{n:#06b}"), |line| line.s.number()?;
    Reg: Reg, |reg| reg, |line| register(line.s)?;
    // For two rows with the same name, the file of the register decides which one it is.
    Vector: u16, |&base| DataReg::V(base), |line| match data_register(line.s)? {
        DataReg::V(base) => base,
        DataReg::S(_) => return Err(Miss::Row),
    };
    Uniform: u8, |&base| DataReg::S(base), |line| match data_register(line.s)? {
        DataReg::S(base) => base,
        DataReg::V(_) => return Err(Miss::Row),
    };
    Box<[u8; 64]>: Box<[u8; 64]>, |table| Runs(table), |line| table(line.s)?;
    Box<str>: Box<str>, |sentence| format_args!("{sentence:?}"), |line| line.s.string()?.into();
}

left_out! {
    Bytes: u8 = 0b1111, else Binary;
}

impl Form for Option<Value> {
    fn print(field: &Option<Value>, out: &mut Out<'_, '_>) -> fmt::Result {
        field.map_or(Ok(()), |v| out.item(v))
    }

    fn parse(line: &mut Line<'_, '_>) -> Result<Option<Value>, Miss> {
        let is_there = line.goes_on(|s| s.looks_at('%'));
        is_there.then(|| Value::parse(line)).transpose()
    }
}

/// Several values, written as if each were a field.
pub(crate) struct OneByOne;

impl Form<[Value; 3]> for OneByOne {
    fn print(values: &[Value; 3], out: &mut Out<'_, '_>) -> fmt::Result {
        values.iter().try_for_each(|v| out.item(v))
    }

    fn parse(line: &mut Line<'_, '_>) -> Result<[Value; 3], Miss> {
        Ok([
            Value::parse(line)?,
            Value::parse(line)?,
            Value::parse(line)?,
        ])
    }
}

/// Values in parentheses, `(%1, %2)`, after a word.
pub(crate) struct Arguments;

impl Form<Vec<Value>> for Arguments {
    fn print(values: &Vec<Value>, out: &mut Out<'_, '_>) -> fmt::Result {
        out.attached(In(['(', ')'], values))
    }

    fn parse(line: &mut Line<'_, '_>) -> Result<Vec<Value>, Miss> {
        Ok(line.values('(', ')')?)
    }
}

/// The wait counters, as `vm 3 lgkm 1`.
impl Form for WaitCnt {
    fn print(field: &WaitCnt, out: &mut Out<'_, '_>) -> fmt::Result {
        let WaitCnt { vm, exp, lgkm } = field;
        for (counter, most) in [("vm", vm), ("exp", exp), ("lgkm", lgkm)] {
            if let Some(most) = most {
                out.word(counter)?;
                out.word(&most.to_string())?;
            }
        }
        Ok(())
    }

    fn parse(line: &mut Line<'_, '_>) -> Result<WaitCnt, Miss> {
        line.word()?;
        let mut most = |counter| {
            let named = line.s.keyword(counter).is_ok();
            named.then(|| line.s.number()).transpose()
        };
        Ok(WaitCnt {
            vm: most("vm")?,
            exp: most("exp")?,
            lgkm: most("lgkm")?,
        })
    }
}

/// Declares words among the operands, with their description in an error.
macro_rules! words {
    ($($ty:ident = $what:literal;)*) => {$(
        impl Form for $ty {
            fn print(field: &$ty, out: &mut Out<'_, '_>) -> fmt::Result {
                out.word(field.text())
            }

            fn parse(line: &mut Line<'_, '_>) -> Result<$ty, Miss> {
                line.word()?;
                Ok(line.s.named($what, $ty::from_text)?)
            }
        }
    )*};
}

words! {
    Family = "a family";
    Clock = "a clock";
    GlobalSync = "a kind of synchronization";
}

impl Form for &'static LaneFn {
    fn print(field: &&'static LaneFn, out: &mut Out<'_, '_>) -> fmt::Result {
        out.word(field.name)
    }

    fn parse(line: &mut Line<'_, '_>) -> Result<&'static LaneFn, Miss> {
        line.word()?;
        Ok(line.lane_fn()?)
    }
}

/// Declares functions, whose name is that of their operation.
macro_rules! functions {
    ($($ty:ident),*) => {$(
        impl Form for $ty {
            fn print(field: &$ty, out: &mut Out<'_, '_>) -> fmt::Result {
                out.name(field.text())
            }

            fn parse(line: &mut Line<'_, '_>) -> Result<$ty, Miss> {
                line.name($ty::from_text)
            }
        }
    )*};
}

functions!(Bin, Tern, Rel, Cvt);

/// A function of one operand; the number of bits, if any, follows the operand.
impl Form for Un {
    fn print(field: &Un, out: &mut Out<'_, '_>) -> fmt::Result {
        out.name(field.text())
    }

    fn parse(line: &mut Line<'_, '_>) -> Result<Un, Miss> {
        let any = Un::SignExtend(0);
        line.name(|name| Un::from_text(name).or((name == any.text()).then_some(any)))
    }

    fn print_rest(field: &Un, out: &mut Out<'_, '_>) -> fmt::Result {
        match field {
            Un::SignExtend(bits) => out.item(bits),
            _ => Ok(()),
        }
    }

    fn parse_rest(field: &mut Un, line: &mut Line<'_, '_>) -> Parsed {
        if let Un::SignExtend(bits) = field {
            line.s.expect(',')?;
            *bits = line.s.number()?;
        }
        Ok(())
    }
}

/// Declares suffixes of the name, with a point before them.
macro_rules! suffixes {
    ($($ty:ident),*) => {$(
        impl Form for $ty {
            fn print(field: &$ty, out: &mut Out<'_, '_>) -> fmt::Result {
                out.suffix(field.text())
            }

            fn parse(line: &mut Line<'_, '_>) -> Result<$ty, Miss> {
                line.suffix($ty::from_text)
            }
        }
    )*};
}

suffixes!(Elem, Ty);

/// Declares forms that are one of two endings of the name.
macro_rules! endings {
    ($($(#[$doc:meta])* $form:ident: $no:literal, $yes:literal;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $form;

        impl Form<bool> for $form {
            fn print(field: &bool, out: &mut Out<'_, '_>) -> fmt::Result {
                out.name(if *field { $yes } else { $no })
            }

            fn parse(line: &mut Line<'_, '_>) -> Result<bool, Miss> {
                line.row($no, |line| line.name_is_read().map(|()| false))
                    .or_else(|_| line.row($yes, |line| line.name_is_read().map(|()| true)))
            }
        }
    )*};
}

endings! {
    /// Whether numbers are signed.
    Sign: "_u", "_s";
    /// Whether it is the high half of a mask.
    HalfOfMask: ".low", ".high";
}

/// The float environment, after all operands, omitted if it is the default.
impl Form for Fp {
    fn print(_: &Fp, _: &mut Out<'_, '_>) -> fmt::Result {
        Ok(())
    }

    fn parse(_: &mut Line<'_, '_>) -> Result<Fp, Miss> {
        Ok(Fp::default())
    }

    fn print_rest(field: &Fp, out: &mut Out<'_, '_>) -> fmt::Result {
        out.attached(field)
    }

    /// Parses `fp(up, flush_in, flush_out, ieee)`, or nothing for the default.
    fn parse_rest(field: &mut Fp, line: &mut Line<'_, '_>) -> Parsed {
        let s = &mut *line.s;
        if s.at_end() {
            return Ok(());
        }
        s.keyword("fp")?;
        s.expect('(')?;
        loop {
            let start = s.mark();
            match s.word("a part of the float environment")? {
                "flush_in" => field.flush_in = true,
                "flush_out" => field.flush_out = true,
                "ieee" => field.ieee = true,
                word => {
                    field.round = Round::from_text(word).ok_or_else(|| {
                        s.reset(start);
                        format!("a float environment has no `{word}`")
                    })?;
                }
            }
            if !s.eat(',') {
                return s.expect(')');
            }
        }
    }
}

/// Parses a register: `s4`, `s[4:5]`, `m[4:5]`, `scc`, `v1`, `v[1:2]`, `hw3`.
pub(crate) fn register(s: &mut Scanner<'_>) -> Parsed<Reg> {
    let start = s.mark();
    let word = s.word("a register")?;
    if matches!(word, "s" | "m" | "v") && s.eat('[') {
        let first: u16 = s.number()?;
        s.expect(':')?;
        let last: u32 = s.number()?;
        s.expect(']')?;
        let small = u8::try_from(first).map_err(|_| format!("there is no register {first}"));
        if last != u32::from(first) + 1 {
            return Err(format!("a pair of registers is {word}[n:n+1]"));
        }
        return Ok(match word {
            "s" => Reg::S64(small?),
            "m" => Reg::Mask(small?),
            _ => Reg::V64(first),
        });
    }
    let numbered = |prefix: &str| {
        word.strip_prefix(prefix)
            .and_then(|n| n.parse::<u16>().ok())
    };
    let small = |prefix: &str| numbered(prefix).and_then(|n| u8::try_from(n).ok());
    let reg = match word {
        "scc" => Some(Reg::Scc),
        _ => None
            .or_else(|| small("s").map(Reg::S))
            .or_else(|| small("hw").map(Reg::Hw)),
    };
    reg.or_else(|| numbered("v").map(Reg::V)).ok_or_else(|| {
        s.reset(start);
        format!("there is no register `{word}`")
    })
}

/// Parses a single register, `s4` or `v1`.
pub(crate) fn data_register(s: &mut Scanner<'_>) -> Parsed<DataReg> {
    let start = s.mark();
    match register(s)? {
        Reg::V(n) => Ok(DataReg::V(n)),
        Reg::S(n) => Ok(DataReg::S(n)),
        other => {
            s.reset(start);
            Err(format!(
                "the first register alone is named here, not {other}"
            ))
        }
    }
}

/// Parses the table of a shuffle, `[0-15, 3, …]`: 64 lanes.
fn table(s: &mut Scanner<'_>) -> Parsed<Box<[u8; 64]>> {
    s.expect('[')?;
    let mut lanes: Vec<u8> = Vec::with_capacity(64);
    loop {
        let first: u8 = s.number()?;
        let last = if s.eat('-') { s.number()? } else { first };
        lanes.extend(first..=last);
        if !s.eat(',') {
            break;
        }
    }
    s.expect(']')?;
    let count = lanes.len();
    let wrong = |_| format!("a shuffle selects 64 lanes, not {count}");
    lanes.try_into().map_err(wrong)
}
