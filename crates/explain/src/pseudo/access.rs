//! Memory accesses as lines of pseudo-code: the place, the size, and the operation of an atomic.

use wavetank_ir::{
    Access, DataReg, Elements, Half, Image, ImageKind, Lod, MemKind, MemOp, Rmw, Space, Value,
};

use super::block::Writer;
use super::expression::Expr;
use super::names::File;

impl Writer<'_> {
    /// Writes the lines of an access.
    pub(super) fn access(&mut self, access: &MemOp) -> Option<()> {
        let place = self.place(access)?;
        let lanes = match access.mask {
            Some(mask) => self.where_active(mask)?,
            None => String::new(),
        };
        let ret = access.ret.map(|ret| self.received(ret, access));
        match access.kind {
            MemKind::Load => {
                let loaded = self.loaded(access)?;
                self.line(format!("{} = {loaded}{lanes}", ret.unwrap_or_default()));
            }
            MemKind::Store => {
                let data = self.data(&access.data, Half::Whole)?;
                self.line(format!("{place} = {data}{}{lanes}", stored(access)));
            }
            MemKind::Atomic(rmw) => {
                let words = usize::from(access.access.bytes() > 4) + 1;
                let mut data = Vec::new();
                for operand in access.data.chunks(words) {
                    data.push(self.data(operand, part_of(access))?);
                }
                if let Space::LdsPair { other, .. } = &access.space {
                    let at = self.sum([Some(*other)], None)?;
                    self.line(format!(
                        "other = {} bytes of LDS at {at}",
                        access.access.bytes()
                    ));
                    data.push("other".to_owned());
                }
                let amount = amount(access.access.bytes());
                self.line(format!("old = {place}{lanes}"));
                self.line(format!(
                    "those {amount} = {}",
                    changed(rmw, &data, 32 * words)
                ));
                if let Some(ret) = ret {
                    let only = match self.names.returns {
                        bit if access.glc && !bit.is_empty() => format!("   (with {bit})"),
                        _ => String::new(),
                    };
                    self.line(format!("{ret} = old{only}"));
                }
            }
        }
        Some(())
    }

    /// Returns the text for the result of a load.
    pub(super) fn loaded(&mut self, access: &MemOp) -> Option<String> {
        let extended = match access.access {
            Access::I8 | Access::I16 => ", sign-extended",
            Access::U8 | Access::U16 if access.half == Half::Whole => ", zero-extended",
            _ => "",
        };
        let other = match access.half {
            Half::LowAlone | Half::HighAlone if part_of(access) != Half::Whole => {
                ", the other half 0"
            }
            _ => "",
        };
        Some(format!("{}{extended}{other}", self.place(access)?))
    }

    /// Returns the registers that receive data.
    fn received(&self, ret: DataReg, access: &MemOp) -> String {
        let mut count = access.registers() as u16;
        if let (MemKind::Atomic(_), Space::Image(image)) = (access.kind, &access.space) {
            count = count.max(image.components.count_ones() as u16);
        }
        let name = match ret {
            DataReg::V(first) => self.names.span(File::Vector, first, count),
            DataReg::S(first) => self.names.span(File::Scalar, first.into(), count),
        };
        format!("{name}{}", half(part_of(access)))
    }

    /// Returns the text for values in consecutive registers, under a common name.
    fn data(&mut self, values: &[Value], of: Half) -> Option<String> {
        if let Some(span) = self.consecutive(values) {
            return Some(format!("{span}{}", half(of)));
        }
        let mut parts = Vec::new();
        for value in values {
            parts.push(self.value(*value)?.seen(""));
        }
        Some(match &parts[..] {
            [one] => format!("{one}{}", half(of)),
            _ => format!("{{{}}}", parts.join(", ")),
        })
    }

    /// Returns the text for the place and the size of an access.
    fn place(&mut self, access: &MemOp) -> Option<String> {
        let bytes = access.access.bytes();
        let amount = amount(bytes);
        let offset = self.offset(access.offset);
        Some(match &access.space {
            Space::Global { address, index } => {
                let at = self.sum([Some(*address), *index], offset)?;
                format!("{amount} of memory at {at}")
            }
            Space::Flat { address, .. } => {
                let at = self.sum([Some(*address)], offset)?;
                format!("{amount} of flat memory at {at}")
            }
            Space::Scratch { address } => {
                let at = self.sum([Some(*address)], offset)?;
                format!("{amount} of scratch at {at}")
            }
            Space::Lds { address, .. } => {
                let at = self.sum([Some(*address)], offset)?;
                format!("{amount} of LDS at {at}")
            }
            Space::Gds { address, .. } => {
                let at = self.sum([Some(*address)], offset)?;
                format!("{amount} of GDS at {at}")
            }
            Space::LdsPair { address, .. } => {
                let at = self.sum([Some(*address)], offset)?;
                format!("{amount} of LDS at {at}")
            }
            Space::Buffer {
                resource,
                address,
                index,
                offset: voffset,
                soffset,
                format,
                ..
            } => {
                let amount = match format {
                    Elements::Plain => amount,
                    _ => components(bytes / 4, *format, access.half),
                };
                let resource = self.data(resource, Half::Whole)?;
                let record = match index {
                    Some(index) => format!("[{}]", self.value(*index)?.text),
                    None => String::new(),
                };
                let at = self.sum([*address, *voffset, Some(*soffset)], offset)?;
                format!("{amount} of {resource}{record} at {at}")
            }
            Space::Scalar { address, index } => {
                let at = self.sum([Some(*address), *index], offset)?;
                format!("{amount} of memory at {at}")
            }
            Space::ScalarBuffer { resource, index } => {
                let resource = self.data(resource, Half::Whole)?;
                let at = self.sum([*index], offset)?;
                format!("{amount} of buffer {resource} at {at}")
            }
            Space::Image(image) => {
                let mut args = vec![self.data(&image.resource, Half::Whole)?];
                if let Some(sampler) = image.sampler {
                    args.push(self.data(&sampler, Half::Whole)?);
                }
                let first = self.data(image.address.get(..1)?, Half::Whole)?;
                let address = first.split('[').next().unwrap_or(&first);
                args.push(format!("{address} = {{{}}}", coordinates(image).join(", ")));
                if matches!(image.kind, ImageKind::Sample | ImageKind::Gather) {
                    args.push(format!("LOD = {}", level(image)));
                }
                format!("{}({})", image_function(image), args.join(", "))
            }
            Space::Surface(_) => return None,
        })
    }

    /// Returns a constant offset by its name, or nothing for 0.
    fn offset(&self, offset: i64) -> Option<String> {
        let name = || self.names.number(offset as u64);
        (offset != 0).then(|| name().map_or_else(|| offset.to_string(), str::to_owned))
    }

    /// Returns the sum of an address's parts.
    fn sum<const N: usize>(
        &mut self,
        parts: [Option<Value>; N],
        offset: Option<String>,
    ) -> Option<String> {
        let mut terms = Vec::new();
        for part in parts.into_iter().flatten() {
            let part = self.value(part)?;
            if part.text != "0" {
                terms.push(part);
            }
        }
        terms.extend(offset.map(Expr::name));
        Some(match &terms[..] {
            [] => "0".to_owned(),
            [one] => one.text.clone(),
            [first, rest @ ..] => {
                let first = first.left("", "+");
                rest.iter()
                    .fold(first, |sum, term| format!("{sum} + {}", term.seen("")))
            }
        })
    }
}

fn amount(bytes: u32) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        n => format!("{n} bytes"),
    }
}

/// Returns the bits of a register that a narrow store takes.
fn stored(access: &MemOp) -> &'static str {
    match (access.access.bytes(), access.half) {
        (1, Half::High) => "[23:16]",
        (1, _) => "[7:0]",
        (2, Half::High) => "[31:16]",
        (2, _) => "[15:0]",
        _ => half(part_of(access)),
    }
}

/// Returns the part of each register that an access uses. Several components of 16 bits take more than half of a register.
fn part_of(access: &MemOp) -> Half {
    let converts = match &access.space {
        Space::Buffer { format, .. } => *format != Elements::Plain,
        space => matches!(space, Space::Image(_)),
    };
    if converts && access.access.bytes() > 4 {
        Half::Whole
    } else {
        access.half
    }
}

fn half(half: Half) -> &'static str {
    match half {
        Half::Whole => "",
        Half::Low | Half::LowAlone | Half::Each => "[15:0]",
        Half::High | Half::HighAlone => "[31:16]",
    }
}

fn components(count: u32, format: Elements, half: Half) -> String {
    let format = match format {
        Elements::Typed(..) => "by DFMT and NFMT",
        _ => "by its format",
    };
    let bits = match half {
        Half::Whole => "",
        Half::Low | Half::High | Half::LowAlone | Half::HighAlone => ", of 16 bits",
        Half::Each => ", of 16 bits in a register each",
    };
    match count {
        1 => format!("1 component {format}{bits}"),
        n => format!("{n} components {format}{bits}"),
    }
}

/// Returns the parts of an image's address, in their order.
fn coordinates(image: &Image) -> Vec<&'static str> {
    if image.kind == ImageKind::Info {
        return vec!["level"];
    }
    let parts = [
        (image.offsets, "offsets"),
        (image.lod == Lod::Bias, "bias"),
        (image.compare, "reference"),
        (image.lod == Lod::Derivatives, "derivatives"),
        (true, "coordinates"),
        (image.lod == Lod::Explicit, "level"),
        (image.clamp, "greatest level"),
    ];
    let parts = parts.into_iter().filter(|(there, _)| *there);
    parts.map(|(_, name)| name).collect()
}

/// Returns the level of detail that a sample requests, before the sampler limits it.
fn level(image: &Image) -> String {
    let asked = match image.lod {
        Lod::Zero => "0",
        Lod::Explicit => "level",
        Lod::Implicit => "lod(coordinates)",
        Lod::Bias => "lod(coordinates) + bias",
        Lod::Derivatives => "lod(derivatives)",
    };
    if image.clamp {
        format!("min({asked}, greatest level)")
    } else {
        asked.to_owned()
    }
}

fn image_function(image: &Image) -> &'static str {
    match image.kind {
        ImageKind::Sample if image.compare => "sample_compare",
        ImageKind::Gather if image.compare => "gather_compare",
        ImageKind::Texel => "texel",
        ImageKind::Raw => "raw_texel",
        ImageKind::RawSigned => "raw_texel_signed",
        ImageKind::Info => "size",
        ImageKind::Sample => "sample",
        ImageKind::Gather => "gather",
        ImageKind::Lod => "level_of_detail",
    }
}

/// Returns the value that an atomic of `bits` bits leaves in memory, from the previous one (`old`) and its operands.
fn changed(rmw: Rmw, data: &[String], bits: usize) -> String {
    let a = data.first().map_or("", String::as_str);
    let b = data.get(1).map_or("", String::as_str);
    let of_both = |name: &str, view: &str| format!("{name}(old.{view}, {a}.{view})");
    let (u, i, f) = (
        &*format!("u{bits}"),
        &*format!("i{bits}"),
        &*format!("f{bits}"),
    );
    match rmw {
        Rmw::Swap => a.to_owned(),
        Rmw::CmpSwap => format!("old == {b} ? {a} : old"),
        Rmw::FCmpSwap => format!("old.{f} == {b}.{f} ? {a} : old"),
        Rmw::Add => format!("old + {a}"),
        Rmw::Sub => format!("old - {a}"),
        Rmw::RevSub => format!("{a} - old"),
        Rmw::MinS => of_both("min", i),
        Rmw::MinU => of_both("min", u),
        Rmw::MaxS => of_both("max", i),
        Rmw::MaxU => of_both("max", u),
        Rmw::And => format!("old & {a}"),
        Rmw::Or => format!("old | {a}"),
        Rmw::Xor => format!("old ^ {a}"),
        Rmw::Inc => format!("old.{u} >= {a}.{u} ? 0 : old + 1"),
        Rmw::Dec => format!("old == 0 || old.{u} > {a}.{u} ? {a} : old - 1"),
        Rmw::MaskOr => format!("(old & ~{a}) | {b}"),
        Rmw::Wrap => format!("old.{u} >= {a}.{u} ? old - {a} : old + {b}"),
        Rmw::CondXchg => format!("{a}[31] ? {a}[30:0] : old, for each dword"),
        Rmw::FMin if data.len() > 1 => format!("{b}.{f} < old.{f} ? {a} : old"),
        Rmw::FMax if data.len() > 1 => format!("{b}.{f} > old.{f} ? {a} : old"),
        Rmw::FMin | Rmw::FMinNum => of_both("min", f),
        Rmw::FMax | Rmw::FMaxNum => of_both("max", f),
        Rmw::FAdd | Rmw::FAddFtz | Rmw::FAddFlush => format!("old.{f} + {a}.{f}"),
        Rmw::AddSatS => of_both("add_sat", i),
        Rmw::PkBfAdd => format!("old.bf16x2 + {a}.bf16x2"),
        Rmw::PkFAdd | Rmw::PkFAddFlush => format!("old.f16x2 + {a}.f16x2"),
        Rmw::PkFMinFlush => of_both("min", "f16x2"),
        Rmw::PkFMaxFlush => of_both("max", "f16x2"),
    }
}
