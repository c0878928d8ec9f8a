//! Reads the text form back: the operands and operations of a line.
//!
//! The grammar is what `print` writes, and what a person may
//! write in a test: values may have any name (`%sum`), `;` starts a comment.

use std::collections::HashMap;
use std::fmt;

use crate::LaneFn;
use crate::export::Export;
use crate::functions::{Bin, Cvt, Rel, Tern, Un};
use crate::image::{Image, ImageKind, Lod};
use crate::mem::{
    Access, Clock, Counter, DataReg, Dialect, Elements, Family, GlobalSync, Half, MemKind, MemOp,
    Rmw, Space, WaitCnt,
};
use crate::op::{Block, Node, Op, Terminator};
use crate::scan::{Parsed, Scanner};
use crate::types::{Elem, Fp, Reg, Round, Ty, Value};

/// Why a text is no block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParseError {
            line,
            column,
            message,
        } = self;
        write!(f, "line {line}, column {column}: {message}")
    }
}

impl std::error::Error for ParseError {}

/// Parses the text of one block. Lane functions are found by their names.
/// The block is not [verified](crate::verify).
///
/// # Errors
/// The first place where the text is not of the grammar, or names a value
/// that no earlier line defines, or a lane function that `lane_fn` lacks.
///
/// ```
/// let text = "
/// block 0x100
///     inst 0x100 salu
///     %a:u32 = read s4
///     %b:u32 = add.i32 %a, %a   ; twice
///     write s5, %b
///     end_program
/// ";
/// let block = wavetank_ir::parse(text, &|_| None).unwrap();
/// assert_eq!(wavetank_ir::verify(&block), Ok(()));
/// assert!(block.to_string().contains("%2:u32 = add.i32 %1, %1"));
///
/// let error = wavetank_ir::parse("block 0\n  ad.i32", &|_| None).unwrap_err();
/// assert_eq!(error.to_string(), "line 2, column 3: there is no operation `ad.i32`");
/// ```
pub fn parse(
    text: &str,
    lane_fn: &dyn Fn(&str) -> Option<&'static LaneFn>,
) -> Result<Block, ParseError> {
    let mut parser = Parser {
        block: Block::default(),
        names: HashMap::new(),
        lane_fn,
    };
    let mut open = false;
    let mut lines = 0;
    for (number, line) in text.lines().enumerate() {
        lines = number + 1;
        let mut s = Scanner::new(line);
        let parsed = match (s.at_end(), open) {
            (true, _) => Ok(()),
            (false, true) => parser.line(&mut s),
            (false, false) => {
                open = true;
                parser.header(&mut s)
            }
        };
        parsed
            .and_then(|()| s.end())
            .map_err(|message| ParseError {
                line: number + 1,
                column: s.column(),
                message,
            })?;
    }
    let missing = || ParseError {
        line: lines.max(1),
        column: 1,
        message: "the text has no `block ADDRESS`".into(),
    };
    open.then_some(parser.block).ok_or_else(missing)
}

struct Parser<'a> {
    block: Block,
    /// The value each name stands for.
    names: HashMap<&'a str, Value>,
    lane_fn: &'a dyn Fn(&str) -> Option<&'static LaneFn>,
}

impl<'a> Parser<'a> {
    fn header(&mut self, s: &mut Scanner<'a>) -> Parsed {
        s.keyword("block")?;
        self.block.pc = s.number()?;
        Ok(())
    }

    /// `%name:type = operation` or `operation`.
    fn line(&mut self, s: &mut Scanner<'a>) -> Parsed {
        let this = Value(self.block.nodes.len() as u32);
        let result = if s.looks_at('%') {
            let name = s.value_name()?;
            s.expect(':')?;
            let ty = s.named("a type", Ty::from_text)?;
            s.expect('=')?;
            Some((name, ty))
        } else {
            None
        };
        let op = self.op(s)?;
        self.block.nodes.push(Node {
            op,
            ty: result.map(|(_, ty)| ty),
        });
        match result {
            Some((name, _)) if self.names.insert(name, this).is_some() => {
                Err(format!("%{name} is defined twice"))
            }
            _ => Ok(()),
        }
    }

    /// A value that an earlier line defines.
    fn value(&self, s: &mut Scanner<'a>) -> Parsed<Value> {
        let start = s.mark();
        let name = s.value_name()?;
        self.names.get(name).copied().ok_or_else(|| {
            s.reset(start);
            format!("%{name} is not defined above")
        })
    }

    /// `, %value`.
    fn next(&self, s: &mut Scanner<'a>) -> Parsed<Value> {
        s.expect(',')?;
        self.value(s)
    }

    fn op(&self, s: &mut Scanner<'a>) -> Parsed<Op> {
        let start = s.mark();
        let name = s.word("an operation")?;
        let mut parts = name.split('.');
        let head = parts.next().unwrap_or_default();
        let suffixes: Vec<&str> = parts.collect();
        let op = match *suffixes.as_slice() {
            [] => self.plain(s, head)?,
            [suffix] => self.suffixed(s, head, suffix)?,
            [first, second] => self.twice_suffixed(s, head, first, second)?,
            _ => None,
        };
        op.ok_or_else(|| {
            s.reset(start);
            format!("there is no operation `{name}`")
        })
    }

    /// Operations without an element.
    fn plain(&self, s: &mut Scanner<'a>, name: &str) -> Parsed<Option<Op>> {
        Ok(Some(match name {
            "inst" => Op::Inst {
                pc: s.number()?,
                family: s.named("a family", Family::from_text)?,
            },
            "const" => Op::Const(s.number()?),
            "read" => Op::Read(register(s)?),
            "write" => self.write(s)?,
            "read_indexed" | "write_indexed" => self.indexed(s, name)?,
            "select" => Op::Select(self.value(s)?, self.next(s)?, self.next(s)?),
            "add_carry" => Op::AddCarry(self.value(s)?, self.next(s)?, self.optional(s)?),
            "sub_borrow" => Op::SubBorrow(self.value(s)?, self.next(s)?, self.optional(s)?),
            "mad_wide_u" | "mad_wide_s" => Op::MadWide {
                signed: name == "mad_wide_s",
                args: [self.value(s)?, self.next(s)?, self.next(s)?],
            },
            "second" => Op::Second(self.value(s)?),
            "non_zero" => Op::NonZero(self.value(s)?),
            "lane_id" => Op::LaneId,
            "read_lane" => Op::ReadLane(self.value(s)?, self.next(s)?),
            "read_first_lane" => Op::ReadFirstLane(self.value(s)?, self.next(s)?),
            "shuffle" => Op::Shuffle(self.value(s)?, table(s)?),
            "shuffle_mask" => Op::ShuffleMask(self.value(s)?, table(s)?),
            "permute" => Op::Permute {
                value: self.value(s)?,
                index: self.next(s)?,
                mask: self.next(s)?,
            },
            "scatter" => Op::Scatter {
                value: self.value(s)?,
                index: self.next(s)?,
                mask: self.next(s)?,
            },
            "lane_fn" => self.lane_fn(s)?,
            "load" => self.mem(s, MemKind::Load)?,
            "store" => self.mem(s, MemKind::Store)?,
            "clock" => Op::Clock(s.named("a clock", Clock::from_text)?),
            "waitcnt" => Op::WaitCnt(WaitCnt {
                vm: most(s, "vm")?,
                exp: most(s, "exp")?,
                lgkm: most(s, "lgkm")?,
            }),
            _ => return Ok(self.terminator(s, name)?.map(Op::End)),
        }))
    }

    /// `operation.element`, and a few that have another suffix.
    fn suffixed(&self, s: &mut Scanner<'a>, name: &str, suffix: &str) -> Parsed<Option<Op>> {
        match (name, suffix) {
            ("lanes_below", "low") => return Ok(Some(Op::LanesBelow { high: false })),
            ("lanes_below", "high") => return Ok(Some(Op::LanesBelow { high: true })),
            ("cast", ty) => {
                let ty = Ty::from_text(ty);
                return ty.map(|ty| Ok(Op::Cast(ty, self.value(s)?))).transpose();
            }
            ("atomic", rmw) => {
                let rmw = Rmw::from_text(rmw);
                return rmw.map(|rmw| self.mem(s, MemKind::Atomic(rmw))).transpose();
            }
            _ => {}
        }
        let Some(elem) = Elem::from_text(suffix) else {
            return Ok(None);
        };
        Ok(Some(if name == "class" {
            Op::Class(elem, self.value(s)?, self.next(s)?)
        } else if name == "sign_extend" {
            let a = self.value(s)?;
            s.expect(',')?;
            Op::Un(Un::SignExtend(s.number()?), elem, environment(s)?, a)
        } else if let Some(un) = Un::from_text(name) {
            let a = self.value(s)?;
            Op::Un(un, elem, environment(s)?, a)
        } else if let Some(bin) = Bin::from_text(name) {
            let (a, b) = (self.value(s)?, self.next(s)?);
            Op::Bin(bin, elem, environment(s)?, a, b)
        } else if let Some(tern) = Tern::from_text(name) {
            let (a, b, c) = (self.value(s)?, self.next(s)?, self.next(s)?);
            Op::Tern(tern, elem, environment(s)?, a, b, c)
        } else {
            return Ok(None);
        }))
    }

    /// `cmp.relation.element` and `conversion.from.to`.
    fn twice_suffixed(
        &self,
        s: &mut Scanner<'a>,
        name: &str,
        first: &str,
        second: &str,
    ) -> Parsed<Option<Op>> {
        let Some(elem) = Elem::from_text(second) else {
            return Ok(None);
        };
        if name == "cmp" {
            let Some(rel) = Rel::from_text(first) else {
                return Ok(None);
            };
            let (a, b) = (self.value(s)?, self.next(s)?);
            return Ok(Some(Op::Cmp(rel, elem, environment(s)?, a, b)));
        }
        let (Some(cvt), Some(from)) = (Cvt::from_text(name), Elem::from_text(first)) else {
            return Ok(None);
        };
        let a = self.value(s)?;
        Ok(Some(Op::Cvt(cvt, from, elem, environment(s)?, a)))
    }

    /// `[%value, …]`; there may be none.
    fn values(&self, s: &mut Scanner<'a>) -> Parsed<Vec<Value>> {
        let mut values = Vec::new();
        s.expect('[')?;
        if !s.eat(']') {
            values.push(self.value(s)?);
            while s.eat(',') {
                values.push(self.value(s)?);
            }
            s.expect(']')?;
        }
        Ok(values)
    }

    /// A last operand that may be missing.
    fn optional(&self, s: &mut Scanner<'a>) -> Parsed<Option<Value>> {
        if s.eat(',') {
            self.value(s).map(Some)
        } else {
            Ok(None)
        }
    }

    /// `write v0, %value, %mask, 0b0011`.
    fn write(&self, s: &mut Scanner<'a>) -> Parsed<Op> {
        let reg = register(s)?;
        let value = self.next(s)?;
        let (mut mask, mut bytes) = (None, 0b1111);
        if s.eat(',') {
            if s.looks_at('%') {
                mask = Some(self.value(s)?);
                if s.eat(',') {
                    bytes = s.number()?;
                }
            } else {
                bytes = s.number()?;
            }
        }
        Ok(Op::Write {
            reg,
            value,
            mask,
            bytes,
        })
    }

    fn indexed(&self, s: &mut Scanner<'a>, name: &str) -> Parsed<Op> {
        let base = data_register(s)?;
        let index = self.next(s)?;
        Ok(match (name, base) {
            ("read_indexed", DataReg::V(base)) => Op::ReadIndexed { base, index },
            ("read_indexed", DataReg::S(base)) => Op::ReadIndexedS { base, index },
            (_, DataReg::V(base)) => Op::WriteIndexed {
                base,
                index,
                value: self.next(s)?,
                mask: self.next(s)?,
            },
            (_, DataReg::S(base)) => Op::WriteIndexedS {
                base,
                index,
                value: self.next(s)?,
            },
        })
    }

    /// `lane_fn name(%1, %2)`.
    fn lane_fn(&self, s: &mut Scanner<'a>) -> Parsed<Op> {
        let start = s.mark();
        let name = s.word("the name of a lane function")?;
        let function = (self.lane_fn)(name).ok_or_else(|| {
            s.reset(start);
            format!("there is no lane function `{name}`")
        })?;
        let mut args = Vec::new();
        s.expect('(')?;
        if !s.eat(')') {
            args.push(self.value(s)?);
            while s.eat(',') {
                args.push(self.value(s)?);
            }
            s.expect(')')?;
        }
        Ok(Op::LaneFn(function, args))
    }

    /// `load space, access, counter, name value, …`.
    fn mem(&self, s: &mut Scanner<'a>, kind: MemKind) -> Parsed<Op> {
        let start = s.mark();
        let space = s.word("an address space")?;
        s.expect(',')?;
        let access = access(s)?;
        s.expect(',')?;
        let counter = s.named("a counter", Counter::from_text)?;
        let f = self.fields(s)?;
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
                s.reset(start);
                return Err(format!("there is no address space `{space}`"));
            }
        };
        Ok(Op::Mem(Box::new(MemOp {
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
        })))
    }

    fn fields(&self, s: &mut Scanner<'a>) -> Parsed<Fields> {
        let mut f = Fields::default();
        while s.eat(',') {
            let start = s.mark();
            match s.word("the name of a field")? {
                "address" => f.address = Some(self.value(s)?),
                "index" => f.index = Some(self.value(s)?),
                "voffset" => f.voffset = Some(self.value(s)?),
                "soffset" => f.soffset = Some(self.value(s)?),
                "mask" => f.mask = Some(self.value(s)?),
                "offset" => f.offset = s.signed()?,
                "half" => f.half = s.named("a half", Half::from_text)?,
                "data" => f.data = self.values(s)?,
                "ret" => f.ret = Some(data_register(s)?),
                "resource" => f.resource = Some(self.values(s)?),
                "dialect" => f.dialect = s.named("a dialect", Dialect::from_text)?,
                "sampler" => f.sampler = Some(self.values(s)?),
                "vaddress" => f.vaddress = Some(self.values(s)?),
                "kind" => f.kind = Some(s.named("a kind of access", ImageKind::from_text)?),
                "lod" => f.lod = Some(s.named("a level of detail", Lod::from_text)?),
                "components" => f.components = s.number()?,
                "clamp" => f.clamp = true,
                "compare" => f.compare = true,
                "offsets" => f.offsets = true,
                "unnormalized" => f.unnormalized = true,
                "array" => f.array = true,
                "short" => f.short = true,
                "window" => f.window = Some(self.value(s)?),
                "other" => f.other = Some(self.value(s)?),
                "format" if s.looks_at(',') || s.at_end() => f.format = Elements::Resource,
                "format" => {
                    let data = s.number()?;
                    s.expect(':')?;
                    f.format = Elements::Typed(data, s.number()?);
                }
                "glc" => f.glc = true,
                "slc" => f.slc = true,
                name => {
                    s.reset(start);
                    return Err(format!("a memory operation has no field `{name}`"));
                }
            }
        }
        Ok(f)
    }

    fn terminator(&self, s: &mut Scanner<'a>, name: &str) -> Parsed<Option<Terminator>> {
        let next = |s: &mut Scanner<'a>| s.expect(',').and_then(|()| s.number());
        Ok(Some(match name {
            "branch" => Terminator::Branch(s.number()?),
            "cond_branch" => Terminator::CondBranch {
                cond: self.value(s)?,
                taken: next(s)?,
                next: next(s)?,
            },
            "jump" => Terminator::Jump(self.value(s)?),
            "barrier" => Terminator::Barrier { next: s.number()? },
            "sleep" => Terminator::Sleep { next: s.number()? },
            "global_sync" => {
                let op = s.named("a kind of synchronization", GlobalSync::from_text)?;
                let resource = self.value(s)?;
                s.expect(',')?;
                Terminator::GlobalSync {
                    op,
                    resource,
                    value: self.value(s)?,
                    next: next(s)?,
                }
            }
            "export" => {
                let next = s.number()?;
                s.expect(',')?;
                let export = self.export(s)?;
                Terminator::Export { export, next }
            }
            "message" => Terminator::Message {
                message: s.number()?,
                next: next(s)?,
            },
            "trap" => Terminator::Trap {
                id: s.number()?,
                next: next(s)?,
            },
            "end_program" => Terminator::EndProgram,
            "unsupported" => Terminator::Unsupported {
                what: s.string()?.into(),
            },
            _ => return Ok(None),
        }))
    }

    /// `12, %1, off, off, %2, mask %3, done`
    fn export(&self, s: &mut Scanner<'a>) -> Parsed<Export> {
        let target = s.number()?;
        let mut sources = [None; 4];
        for source in &mut sources {
            s.expect(',')?;
            *source = match s.looks_at('%') {
                true => Some(self.value(s)?),
                false => s.keyword("off").map(|()| None)?,
            };
        }
        s.expect(',')?;
        s.keyword("mask")?;
        let mut export = Export {
            target,
            sources,
            mask: self.value(s)?,
            compressed: false,
            done: false,
            valid_mask: false,
        };
        while s.eat(',') {
            match s.word("a flag")? {
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

/// `s4`, `s[4:5]`, `m[4:5]`, `scc`, `v1`, `v[1:2]`, `hw3`.
fn register(s: &mut Scanner<'_>) -> Parsed<Reg> {
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

/// The parts of a descriptor.
fn parts<const N: usize>(name: &str, values: Option<Vec<Value>>) -> Parsed<[Value; N]> {
    let values = values.ok_or_else(|| format!("the access needs `{name}`"))?;
    let n = values.len();
    let wrong = |_| format!("a `{name}` has {N} values here, not {n}");
    values.try_into().map_err(wrong)
}

fn data_register(s: &mut Scanner<'_>) -> Parsed<DataReg> {
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

/// `fp(up, flush_in, flush_out, ieee)`, or nothing for the default.
fn environment(s: &mut Scanner<'_>) -> Parsed<Fp> {
    let mut fp = Fp::default();
    if s.at_end() {
        return Ok(fp);
    }
    s.keyword("fp")?;
    s.expect('(')?;
    loop {
        let start = s.mark();
        match s.word("a part of the float environment")? {
            "flush_in" => fp.flush_in = true,
            "flush_out" => fp.flush_out = true,
            "ieee" => fp.ieee = true,
            word => {
                fp.round = Round::from_text(word).ok_or_else(|| {
                    s.reset(start);
                    format!("a float environment has no `{word}`")
                })?;
            }
        }
        if !s.eat(',') {
            return s.expect(')').map(|()| fp);
        }
    }
}

/// How many accesses of a counter may be left, if its name is next.
fn most(s: &mut Scanner<'_>, counter: &str) -> Parsed<Option<u8>> {
    let named = s.keyword(counter).is_ok();
    named.then(|| s.number()).transpose()
}

/// `, [0-15, 3, …]`: 64 lanes.
fn table(s: &mut Scanner<'_>) -> Parsed<Box<[u8; 64]>> {
    s.expect(',')?;
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
    lanes
        .try_into()
        .map_err(|_| format!("a shuffle selects 64 lanes, not {count}"))
}
