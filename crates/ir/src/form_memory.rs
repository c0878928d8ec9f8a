//! The text forms of memory accesses and exports: some fields in order, then named fields in any order.

use std::fmt;

use crate::export::Export;
use crate::form::{Form, data_register, items, left_out};
use crate::image::{Image, ImageKind, Lod, Tiling};
use crate::line::{Line, Miss};
use crate::mem::{Access, Counter, DataReg, Dialect, Elements, Half, MemKind, MemOp, Rmw, Space};
use crate::print::{In, Out};
use crate::scan::{Parsed, Scanner};
use crate::surface_atomic::{Dimensions, Outside, SurfaceAtomic};
use crate::types::Value;

/// An access, as `atomic.add global, dwords 2, vm, address %3, offset 16, data [%4, %5], ret v4, mask %6, glc`.
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

impl Form for SurfaceAtomic {
    fn print(element: &SurfaceAtomic, out: &mut Out<'_, '_>) -> fmt::Result {
        element.print_parts(out)
    }

    fn parse(line: &mut Line<'_, '_>) -> Result<SurfaceAtomic, Miss> {
        line.name_is_read()?;
        SurfaceAtomic::parse_parts(line)
    }
}

/// An export, as `12, %1, off, off, %2, mask %3, done`.
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
            *source = if line.s.looks_at('%') {
                Some(line.value()?)
            } else {
                line.s.keyword("off").map(|()| None)?
            };
        }
        line.by_name("")?;
        let export = Export::parse_parts(line, target, sources)?;
        line.all_is_read()?;
        Ok(export)
    }
}

/// Values in brackets, as `[%1, %2]`.
pub(crate) struct List;

/// A number in base 10.
pub(crate) struct Decimal;

/// One word of a list.
pub(crate) struct Choice;

items! {
    List: Vec<Value>, |values| In(['[', ']'], values), |line| line.values('[', ']')?;
    Decimal: u8, |n| n, |line| line.s.number()?;
    Decimal: i64, |n| n, |line| line.s.signed()?;
    DataReg: DataReg, |reg| reg, |line| data_register(line.s)?;
    ImageKind: ImageKind, |kind| kind.text(), |line| line.s.named("a kind of access", ImageKind::from_text)?;
    Lod: Lod, |lod| lod.text(), |line| line.s.named("a level of detail", Lod::from_text)?;
    Dimensions: Dimensions, |dimensions| dimensions.text(), |line| line.s.named("dimensions", Dimensions::from_text)?;
    Choice: Outside, |outside| outside.text(), |line| line.s.named("what is done outside", Outside::from_text)?;
    Choice: Half, |half| half.text(), |line| line.s.named("a half", Half::from_text)?;
    Choice: Tiling, |tiling| tiling.text(), |line| line.s.named("a tiling", Tiling::from_text)?;
    Choice: Dialect, |dialect| dialect.text(), |line| line.s.named("a dialect", Dialect::from_text)?;
}

left_out! {
    Vec<Value>: Vec<Value> = Vec::new(), else List;
    i64: i64 = 0, else Decimal;
    Half: Half = Half::Whole, else Choice;
    Dialect: Dialect = Dialect::default(), else Choice;
    Tiling: Tiling = Tiling::default(), else Choice;
    Outside: Outside = Outside::Drop, else Choice;
}

/// The parts of a descriptor, as a list of values.
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

/// Declares optional fields, with the form of the type that may be missing.
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

maybe!([Value; 2], DataReg, Dimensions);

/// A flag, which is set if its name is present.
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

/// The conversion of elements: `format`, `format 4:7`, or nothing.
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
