//! Reads operations with named parts, which may stand in any order: accesses to
//! memory, and exports.

use crate::export::Export;
use crate::form::data_register;
use crate::image::{Image, ImageKind, Lod};
use crate::line::Line;
use crate::mem::{Access, Counter, DataReg, Dialect, Elements, Half, MemKind, MemOp, Space};
use crate::op::Value;
use crate::scan::{Parsed, Scanner};

impl Line<'_, '_> {
    /// `load space, access, counter, name value, …`.
    pub(crate) fn mem(&mut self, kind: MemKind) -> Parsed<MemOp> {
        let start = self.s.mark();
        let space = self.s.word("an address space")?;
        self.s.expect(',')?;
        let access = access(self.s)?;
        self.s.expect(',')?;
        let counter = self.s.named("a counter", Counter::from_text)?;
        let f = self.fields()?;
        let need = |v: Option<Value>, name: &str| {
            v.ok_or_else(|| format!("an access to {space} needs `{name}`"))
        };
        let (index, offset) = (f.index, f.voffset);
        let space = match space {
            "global" => Space::Global {
                address: need(f.address, "address")?,
                index,
            },
            "flat" => Space::Flat {
                address: need(f.address, "address")?,
            },
            "scratch" => Space::Scratch {
                address: need(f.address, "address")?,
            },
            "lds" => Space::Lds {
                address: need(f.address, "address")?,
            },
            "image" => Space::Image(Image {
                kind: f.kind.ok_or("an access to an image needs `kind`")?,
                resource: parts("resource", f.resource)?,
                sampler: f.sampler.map(|s| parts("sampler", Some(s))).transpose()?,
                address: f.vaddress.ok_or("an access to an image needs `vaddress`")?,
                lod: f.lod.ok_or("an access to an image needs `lod`")?,
                components: f.components,
                clamp: f.clamp,
                compare: f.compare,
                offsets: f.offsets,
                unnormalized: f.unnormalized,
                array: f.array,
                short: f.short,
            }),
            "gds" => Space::Gds {
                address: need(f.address, "address")?,
                window: need(f.window, "window")?,
            },
            "lds_pair" => Space::LdsPair {
                address: need(f.address, "address")?,
                other: need(f.other, "other")?,
            },
            "buffer" => Space::Buffer {
                resource: parts("resource", f.resource)?,
                dialect: f.dialect,
                index,
                offset,
                soffset: need(f.soffset, "soffset")?,
                format: f.format,
            },
            "scalar" => Space::Scalar {
                address: need(f.address, "address")?,
                index,
            },
            "scalar_buffer" => Space::ScalarBuffer {
                resource: parts("resource", f.resource)?,
                index,
            },
            _ => {
                self.s.reset(start);
                return Err(format!("there is no address space `{space}`"));
            }
        };
        Ok(MemOp {
            kind,
            space,
            offset: f.offset,
            access,
            half: f.half,
            data: f.data,
            ret: f.ret,
            mask: f.mask,
            glc: f.glc,
            slc: f.slc,
            counter,
        })
    }

    fn fields(&mut self) -> Parsed<Fields> {
        let mut f = Fields::default();
        while self.s.eat(',') {
            let start = self.s.mark();
            match self.s.word("the name of a field")? {
                "address" => f.address = Some(self.value()?),
                "index" => f.index = Some(self.value()?),
                "voffset" => f.voffset = Some(self.value()?),
                "soffset" => f.soffset = Some(self.value()?),
                "mask" => f.mask = Some(self.value()?),
                "offset" => f.offset = self.s.signed()?,
                "half" => f.half = self.s.named("a half", Half::from_text)?,
                "data" => f.data = self.values('[', ']')?,
                "ret" => f.ret = Some(data_register(self.s)?),
                "resource" => f.resource = Some(self.values('[', ']')?),
                "dialect" => f.dialect = self.s.named("a dialect", Dialect::from_text)?,
                "sampler" => f.sampler = Some(self.values('[', ']')?),
                "vaddress" => f.vaddress = Some(self.values('[', ']')?),
                "kind" => f.kind = Some(self.s.named("a kind of access", ImageKind::from_text)?),
                "lod" => f.lod = Some(self.s.named("a level of detail", Lod::from_text)?),
                "components" => f.components = self.s.number()?,
                "clamp" => f.clamp = true,
                "compare" => f.compare = true,
                "offsets" => f.offsets = true,
                "unnormalized" => f.unnormalized = true,
                "array" => f.array = true,
                "short" => f.short = true,
                "window" => f.window = Some(self.value()?),
                "other" => f.other = Some(self.value()?),
                "format" if self.s.looks_at(',') || self.s.at_end() => {
                    f.format = Elements::Resource
                }
                "format" => {
                    let data = self.s.number()?;
                    self.s.expect(':')?;
                    f.format = Elements::Typed(data, self.s.number()?);
                }
                "glc" => f.glc = true,
                "slc" => f.slc = true,
                name => {
                    self.s.reset(start);
                    return Err(format!("a memory operation has no field `{name}`"));
                }
            }
        }
        Ok(f)
    }

    /// `12, %1, off, off, %2, mask %3, done`
    pub(crate) fn export(&mut self) -> Parsed<Export> {
        let target = self.s.number()?;
        let mut sources = [None; 4];
        for source in &mut sources {
            self.s.expect(',')?;
            *source = match self.s.looks_at('%') {
                true => Some(self.value()?),
                false => self.s.keyword("off").map(|()| None)?,
            };
        }
        self.s.expect(',')?;
        self.s.keyword("mask")?;
        let mut export = Export {
            target,
            sources,
            mask: self.value()?,
            compressed: false,
            done: false,
            valid_mask: false,
        };
        while self.s.eat(',') {
            match self.s.word("a flag")? {
                "compressed" => export.compressed = true,
                "done" => export.done = true,
                "valid_mask" => export.valid_mask = true,
                name => return Err(format!("an export has no flag `{name}`")),
            }
        }
        Ok(export)
    }
}

/// The named parts of a memory operation, in any order.
#[derive(Default)]
struct Fields {
    address: Option<Value>,
    index: Option<Value>,
    voffset: Option<Value>,
    soffset: Option<Value>,
    mask: Option<Value>,
    offset: i64,
    half: Half,
    data: Vec<Value>,
    ret: Option<DataReg>,
    resource: Option<Vec<Value>>,
    dialect: Dialect,
    other: Option<Value>,
    window: Option<Value>,
    sampler: Option<Vec<Value>>,
    vaddress: Option<Vec<Value>>,
    kind: Option<ImageKind>,
    lod: Option<Lod>,
    components: u8,
    clamp: bool,
    compare: bool,
    offsets: bool,
    unnormalized: bool,
    array: bool,
    short: bool,
    format: Elements,
    glc: bool,
    slc: bool,
}

/// The parts of a descriptor.
fn parts<const N: usize>(name: &str, values: Option<Vec<Value>>) -> Parsed<[Value; N]> {
    let values = values.ok_or_else(|| format!("the access needs `{name}`"))?;
    let n = values.len();
    let wrong = |_| format!("a `{name}` has {N} values here, not {n}");
    values.try_into().map_err(wrong)
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
