//! How accesses to memory, and exports, are written: some fields first, and then
//! those that have names, in any order.

use std::fmt;

use crate::export::Export;
use crate::form::{Form, data_register};
use crate::image::{Image, ImageKind, Lod};
use crate::line::{Line, Miss};
use crate::mem::{Access, Counter, DataReg, Dialect, Elements, Half, MemKind, MemOp, Rmw, Space};
use crate::print::{In, Out};
use crate::scan::{Parsed, Scanner};
use crate::types::Value;

/// `atomic.add global, dwords 2, vm, address %3, offset 16, data [%4, %5], ret v4,
/// mask %6, glc`.
impl Form for Box<MemOp> {
    fn print(access: &Box<MemOp>, out: &mut Out<'_, '_>) -> fmt::Result {
        match access.kind {
            MemKind::Load => out.name("load")?,
            MemKind::Store => out.name("store")?,
            MemKind::Atomic(rmw) => {
                out.name("atomic")?;
                out.suffix(rmw.text())?;
            }
        }
        out.item(access.space.text())?;
        out.item(access.access)?;
        out.item(access.counter.text())?;
        out.by_name = true;
        access.space.print_fields(out)?;
        access.print_parts(out)
    }

    fn parse(line: &mut Line<'_, '_>) -> Result<Box<MemOp>, Miss> {
        let kind = match line.name(Some)? {
            "load" => MemKind::Load,
            "store" => MemKind::Store,
            "atomic" => MemKind::Atomic(line.suffix(Rmw::from_text)?),
            _ => return Err(Miss::Row),
        };
        line.item()?;
        let start = line.s.mark();
        let space = line.s.word("an address space")?;
        line.item()?;
        let access = access(line.s)?;
        line.item()?;
        let counter = line.s.named("a counter", Counter::from_text)?;
        line.by_name(space)?;
        let space = Space::parse(line).map_err(|miss| match miss {
            Miss::Row => {
                line.s.reset(start);
                Miss::Here(format!("there is no address space `{space}`"))
            }
            here => here,
        })?;
        let access = MemOp::parse_parts(line, kind, space, access, counter)?;
        line.all_is_read()?;
        Ok(Box::new(access))
    }
}

impl Form for Image {
    fn print(image: &Image, out: &mut Out<'_, '_>) -> fmt::Result {
        image.print_parts(out)
    }

    fn parse(line: &mut Line<'_, '_>) -> Result<Image, Miss> {
        line.name_is_read()?;
        Image::parse_parts(line)
    }
}

/// `12, %1, off, off, %2, mask %3, done`.
impl Form for Export {
    fn print(export: &Export, out: &mut Out<'_, '_>) -> fmt::Result {
        out.item(export.target)?;
        for source in export.sources {
            match source {
                Some(v) => out.item(v)?,
                None => out.item("off")?,
            }
        }
        out.by_name = true;
        export.print_parts(out)
    }

    fn parse(line: &mut Line<'_, '_>) -> Result<Export, Miss> {
        line.item()?;
        let target = line.s.number()?;
        let mut sources = [None; 4];
        for source in &mut sources {
            line.item()?;
            *source = match line.s.looks_at('%') {
                true => Some(line.value()?),
                false => line.s.keyword("off").map(|()| None)?,
            };
        }
        line.by_name("")?;
        let export = Export::parse_parts(line, target, sources)?;
        line.all_is_read()?;
        Ok(export)
    }
}

/// Values in brackets, if there are any.
impl Form for Vec<Value> {
    fn print(values: &Vec<Value>, out: &mut Out<'_, '_>) -> fmt::Result {
        match values.is_empty() {
            true => Ok(()),
            false => List::print(values, out),
        }
    }

    fn parse(line: &mut Line<'_, '_>) -> Result<Vec<Value>, Miss> {
        match line.goes_on(|_| true) {
            true => List::parse(line),
            false => Ok(Vec::new()),
        }
    }
}

/// `[%1, %2]`.
pub(crate) struct List;

impl Form<Vec<Value>> for List {
    fn print(values: &Vec<Value>, out: &mut Out<'_, '_>) -> fmt::Result {
        out.item(In(['[', ']'], values))
    }

    fn parse(line: &mut Line<'_, '_>) -> Result<Vec<Value>, Miss> {
        line.item()?;
        Ok(line.values('[', ']')?)
    }
}

/// The parts of a descriptor.
impl<const N: usize> Form for [Value; N] {
    fn print(parts: &[Value; N], out: &mut Out<'_, '_>) -> fmt::Result {
        out.item(In(['[', ']'], parts))
    }

    fn parse(line: &mut Line<'_, '_>) -> Result<[Value; N], Miss> {
        let values = List::parse(line)?;
        let (n, name) = (values.len(), line.field);
        let wrong = |_| format!("a `{name}` has {N} values here, not {n}");
        Ok(values.try_into().map_err(wrong)?)
    }
}

/// What may be missing has the form of what it is.
macro_rules! maybe {
    ($($ty:ty),*) => {$(
        impl Form for Option<$ty> {
            fn print(field: &Option<$ty>, out: &mut Out<'_, '_>) -> fmt::Result {
                field.as_ref().map_or(Ok(()), |field| <$ty>::print(field, out))
            }

            fn parse(line: &mut Line<'_, '_>) -> Result<Option<$ty>, Miss> {
                let is_there = line.goes_on(|_| true);
                is_there.then(|| <$ty>::parse(line)).transpose()
            }
        }
    )*};
}

maybe!([Value; 2], DataReg);

impl Form for DataReg {
    fn print(reg: &DataReg, out: &mut Out<'_, '_>) -> fmt::Result {
        out.item(reg)
    }

    fn parse(line: &mut Line<'_, '_>) -> Result<DataReg, Miss> {
        line.item()?;
        Ok(data_register(line.s)?)
    }
}

/// What is set if it is named.
impl Form for bool {
    fn print(flag: &bool, out: &mut Out<'_, '_>) -> fmt::Result {
        match flag {
            true => out.flag(),
            false => Ok(()),
        }
    }

    fn parse(line: &mut Line<'_, '_>) -> Result<bool, Miss> {
        let is_there = line.goes_on(|_| true);
        is_there.then(|| line.item()).transpose()?;
        Ok(is_there)
    }
}

/// An offset in bytes, if there is one.
impl Form for i64 {
    fn print(offset: &i64, out: &mut Out<'_, '_>) -> fmt::Result {
        match offset {
            0 => Ok(()),
            _ => out.item(offset),
        }
    }

    fn parse(line: &mut Line<'_, '_>) -> Result<i64, Miss> {
        if !line.goes_on(|_| true) {
            return Ok(0);
        }
        line.item()?;
        Ok(line.s.signed()?)
    }
}

/// A number in base 10.
pub(crate) struct Decimal;

impl Form<u8> for Decimal {
    fn print(number: &u8, out: &mut Out<'_, '_>) -> fmt::Result {
        out.item(number)
    }

    fn parse(line: &mut Line<'_, '_>) -> Result<u8, Miss> {
        line.item()?;
        Ok(line.s.number()?)
    }
}

/// Words with a name, and with what they are in an error; some may be left out.
macro_rules! choices {
    ($($ty:ident = $what:literal $(, or $default:expr)?;)*) => {$(
        impl Form for $ty {
            fn print(choice: &$ty, out: &mut Out<'_, '_>) -> fmt::Result {
                $(if *choice == $default {
                    return Ok(());
                })?
                out.item(choice.text())
            }

            fn parse(line: &mut Line<'_, '_>) -> Result<$ty, Miss> {
                $(if !line.goes_on(|_| true) {
                    return Ok($default);
                })?
                line.item()?;
                Ok(line.s.named($what, $ty::from_text)?)
            }
        }
    )*};
}

choices! {
    Half = "a half", or Half::Whole;
    Dialect = "a dialect", or Dialect::default();
    ImageKind = "a kind of access";
    Lod = "a level of detail";
}

/// `format`, `format 4:7`, or nothing.
impl Form for Elements {
    fn print(elements: &Elements, out: &mut Out<'_, '_>) -> fmt::Result {
        match elements {
            Elements::Plain => Ok(()),
            Elements::Resource => out.flag(),
            Elements::Typed(data, number) => out.item(format_args!("{data}:{number}")),
        }
    }

    fn parse(line: &mut Line<'_, '_>) -> Result<Elements, Miss> {
        if !line.goes_on(|_| true) {
            return Ok(Elements::Plain);
        }
        line.item()?;
        let s = &mut *line.s;
        if s.looks_at(',') || s.at_end() {
            return Ok(Elements::Resource);
        }
        let data = s.number()?;
        s.expect(':')?;
        Ok(Elements::Typed(data, s.number()?))
    }
}

fn access(s: &mut Scanner<'_>) -> Parsed<Access> {
    let start = s.mark();
    Ok(match s.word("a width")? {
        "u8" => Access::U8,
        "i8" => Access::I8,
        "u16" => Access::U16,
        "i16" => Access::I16,
        "dwords" => Access::Dwords(s.number()?),
        other => {
            s.reset(start);
            return Err(format!("there is no width of access `{other}`"));
        }
    })
}
