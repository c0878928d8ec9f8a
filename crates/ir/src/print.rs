//! The text form: one operation a line, readable beside the manual.
//!
//! ```text
//! block 0x100
//!     inst 0x100 valu
//!     %1:v32 = read v1
//!     %2:v32 = read v2
//!     %3:v32 = fadd.f32 %1, %2 fp(zero, flush_in)
//!     %4:mask = read m[126:127]
//!     write v0, %3, %4
//!     end_program
//! ```
//!
//! Values are `%n`, since `v3` is a vector register. The float environment is
//! shown where it differs from the default, the bytes of a write where they
//! are not all four.

use std::fmt::{self, Display, Formatter};

use crate::functions::Un;
use crate::image::Image;
use crate::mem::{Access, DataReg, Dialect, Elements, Half, MemKind, MemOp, Space, WaitCnt};
use crate::op::{Block, Node, Op, Terminator};
use crate::types::{Fp, Round, Value};

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl Display for Block {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "block {:#x}", self.pc)?;
        for (i, node) in self.nodes.iter().enumerate() {
            f.write_str("    ")?;
            if let Some(ty) = node.ty {
                write!(f, "%{i}:{ty} = ")?;
            }
            writeln!(f, "{}", node.op)?;
        }
        Ok(())
    }
}

/// A node alone does not know its number: `_:v32 = …`.
impl Display for Node {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(ty) = self.ty {
            write!(f, "_:{ty} = ")?;
        }
        self.op.fmt(f)
    }
}

/// ` fp(…)` with what differs from the default; nothing when nothing does.
impl Display for Fp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if *self == Fp::default() {
            return Ok(());
        }
        let round = (self.round != Round::Nearest).then(|| self.round.text());
        let flags = [
            (self.flush_in, "flush_in"),
            (self.flush_out, "flush_out"),
            (self.ieee, "ieee"),
        ];
        let flags = flags.iter().filter(|(on, _)| *on).map(|(_, name)| *name);
        f.write_str(" fp(")?;
        list(f, round.into_iter().chain(flags))?;
        f.write_str(")")
    }
}

fn list<T: Display>(f: &mut Formatter<'_>, items: impl IntoIterator<Item = T>) -> fmt::Result {
    for (i, item) in items.into_iter().enumerate() {
        f.write_str(if i == 0 { "" } else { ", " })?;
        item.fmt(f)?;
    }
    Ok(())
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Op::Inst { pc, family } => write!(f, "inst {pc:#x} {}", family.text()),
            Op::Const(c) => write!(f, "const {c:#x}"),
            Op::Read(reg) => write!(f, "read {reg}"),
            Op::ReadIndexed { base, index } => write!(f, "read_indexed v{base}, {index}"),
            Op::ReadIndexedS { base, index } => write!(f, "read_indexed s{base}, {index}"),
            Op::Write {
                reg,
                value,
                mask,
                bytes,
            } => {
                write!(f, "write {reg}, {value}")?;
                mask.map_or(Ok(()), |m| write!(f, ", {m}"))?;
                if *bytes == 0b1111 {
                    Ok(())
                } else {
                    write!(f, ", {bytes:#06b}")
                }
            }
            Op::WriteIndexed {
                base,
                index,
                value,
                mask,
            } => {
                write!(f, "write_indexed v{base}, {index}, {value}, {mask}")
            }
            Op::WriteIndexedS { base, index, value } => {
                write!(f, "write_indexed s{base}, {index}, {value}")
            }
            Op::Un(un, elem, fp, a) => {
                write!(f, "{}.{} {a}", un.text(), elem.text())?;
                if let Un::SignExtend(bits) = un {
                    write!(f, ", {bits}")?;
                }
                fp.fmt(f)
            }
            Op::Bin(bin, elem, fp, a, b) => {
                write!(f, "{}.{} {a}, {b}{fp}", bin.text(), elem.text())
            }
            Op::Tern(tern, elem, fp, a, b, c) => {
                write!(f, "{}.{} {a}, {b}, {c}{fp}", tern.text(), elem.text())
            }
            Op::Cmp(rel, elem, fp, a, b) => {
                write!(f, "cmp.{}.{} {a}, {b}{fp}", rel.text(), elem.text())
            }
            Op::Class(elem, a, bits) => write!(f, "class.{} {a}, {bits}", elem.text()),
            Op::Cvt(cvt, from, to, fp, a) => {
                write!(f, "{}.{}.{} {a}{fp}", cvt.text(), from.text(), to.text())
            }
            Op::MadWide { signed, args } => {
                f.write_str(if *signed {
                    "mad_wide_s "
                } else {
                    "mad_wide_u "
                })?;
                list(f, args)
            }
            Op::Cast(ty, a) => write!(f, "cast.{ty} {a}"),
            Op::LanesBelow { high } => f.write_str(if *high {
                "lanes_below.high"
            } else {
                "lanes_below.low"
            }),
            Op::Shuffle(a, table) => shuffle(f, "shuffle", *a, table),
            Op::ShuffleMask(a, table) => shuffle(f, "shuffle_mask", *a, table),
            Op::LaneFn(function, args) => {
                write!(f, "lane_fn {}(", function.name)?;
                list(f, args)?;
                f.write_str(")")
            }
            Op::Mem(m) => m.fmt(f),
            Op::Clock(clock) => write!(f, "clock {}", clock.text()),
            Op::WaitCnt(WaitCnt { vm, exp, lgkm }) => {
                f.write_str("waitcnt")?;
                let counters = [("vm", vm), ("exp", exp), ("lgkm", lgkm)];
                let waited = |(name, most): (_, &Option<u8>)| Some((name, (*most)?));
                let mut waited = counters.into_iter().filter_map(waited);
                waited.try_for_each(|(name, most)| write!(f, " {name} {most}"))
            }
            Op::End(t) => t.fmt(f),
            // A name and its operands.
            Op::Select(..)
            | Op::AddCarry(..)
            | Op::SubBorrow(..)
            | Op::Second(_)
            | Op::NonZero(_)
            | Op::LaneId
            | Op::ReadLane(..)
            | Op::ReadFirstLane(..)
            | Op::Permute { .. }
            | Op::Scatter { .. } => plain(f, self),
        }
    }
}

fn plain(f: &mut Formatter<'_>, op: &Op) -> fmt::Result {
    f.write_str(match op {
        Op::Select(..) => "select",
        Op::AddCarry(..) => "add_carry",
        Op::SubBorrow(..) => "sub_borrow",
        Op::Second(_) => "second",
        Op::NonZero(_) => "non_zero",
        Op::ReadLane(..) => "read_lane",
        Op::ReadFirstLane(..) => "read_first_lane",
        Op::Permute { .. } => "permute",
        Op::Scatter { .. } => "scatter",
        _ => "lane_id",
    })?;
    let (mut separator, mut result) = (" ", Ok(()));
    op.for_each_operand(&mut |v| {
        result = result.and_then(|()| write!(f, "{separator}{v}"));
        separator = ", ";
    });
    result
}

/// The table of a shuffle, with ascending runs as `first-last`.
fn shuffle(f: &mut Formatter<'_>, name: &str, a: Value, table: &[u8; 64]) -> fmt::Result {
    write!(f, "{name} {a}, [")?;
    let runs = table.chunk_by(|&x, &y| x.checked_add(1) == Some(y));
    for (i, run) in runs.enumerate() {
        f.write_str(if i == 0 { "" } else { ", " })?;
        match run {
            [one] => write!(f, "{one}")?,
            _ => write!(f, "{}-{}", run[0], run[run.len() - 1])?,
        }
    }
    f.write_str("]")
}

impl Display for DataReg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            DataReg::V(n) => write!(f, "v{n}"),
            DataReg::S(n) => write!(f, "s{n}"),
        }
    }
}

impl Display for Access {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Access::U8 => f.write_str("u8"),
            Access::I8 => f.write_str("i8"),
            Access::U16 => f.write_str("u16"),
            Access::I16 => f.write_str("i16"),
            Access::Dwords(n) => write!(f, "dwords {n}"),
        }
    }
}

/// `atomic.add global, dwords 2, vm, address %3, offset 16, data [%4, %5], ret v4,
/// mask %6, glc`.
impl Display for MemOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.kind {
            MemKind::Load => f.write_str("load")?,
            MemKind::Store => f.write_str("store")?,
            MemKind::Atomic(rmw) => write!(f, "atomic.{}", rmw.text())?,
        }
        write!(
            f,
            " {}, {}, {}",
            self.space.text(),
            self.access,
            self.counter.text()
        )?;
        self.space.fmt(f)?;
        if self.offset != 0 {
            write!(f, ", offset {}", self.offset)?;
        }
        if self.half != Half::Whole {
            write!(f, ", half {}", self.half.text())?;
        }
        if !self.data.is_empty() {
            values(f, "data", &self.data)?;
        }
        self.ret.map_or(Ok(()), |r| write!(f, ", ret {r}"))?;
        optional(f, "mask", self.mask)?;
        f.write_str(if self.glc { ", glc" } else { "" })?;
        f.write_str(if self.slc { ", slc" } else { "" })
    }
}

impl Space {
    /// The name in the text form.
    fn text(&self) -> &'static str {
        match self {
            Space::Global { .. } => "global",
            Space::Flat { .. } => "flat",
            Space::Scratch { .. } => "scratch",
            Space::Lds { .. } => "lds",
            Space::Buffer { .. } => "buffer",
            Space::Scalar { .. } => "scalar",
            Space::ScalarBuffer { .. } => "scalar_buffer",
            Space::Gds { .. } => "gds",
            Space::LdsPair { .. } => "lds_pair",
            Space::Image(_) => "image",
        }
    }
}

/// The parts of the address, each with a comma before it.
impl Display for Space {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Space::Global { address, index } | Space::Scalar { address, index } => {
                write!(f, ", address {address}")?;
                optional(f, "index", *index)
            }
            Space::Flat { address } | Space::Scratch { address } | Space::Lds { address } => {
                write!(f, ", address {address}")
            }
            Space::Buffer {
                resource,
                dialect,
                index,
                offset,
                soffset,
                format,
            } => {
                values(f, "resource", resource)?;
                if *dialect != Dialect::default() {
                    write!(f, ", dialect {}", dialect.text())?;
                }
                optional(f, "index", *index)?;
                optional(f, "voffset", *offset)?;
                write!(f, ", soffset {soffset}")?;
                match format {
                    Elements::Plain => Ok(()),
                    Elements::Resource => f.write_str(", format"),
                    Elements::Typed(data, number) => write!(f, ", format {data}:{number}"),
                }
            }
            Space::Image(image) => image.fmt(f),
            Space::Gds { address, window } => {
                write!(f, ", address {address}, window {window}")
            }
            Space::LdsPair { address, other } => {
                write!(f, ", address {address}, other {other}")
            }
            Space::ScalarBuffer { resource, index } => {
                values(f, "resource", resource)?;
                optional(f, "index", *index)
            }
        }
    }
}

impl Display for Image {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Image {
            kind,
            resource,
            sampler,
            address,
            lod,
            components,
            clamp,
            compare,
            offsets,
            unnormalized,
            array,
            short,
        } = self;
        write!(f, ", kind {}", kind.text())?;
        values(f, "resource", resource)?;
        if let Some(sampler) = sampler {
            values(f, "sampler", sampler)?;
        }
        values(f, "vaddress", address)?;
        write!(f, ", lod {}, components {components}", lod.text())?;
        for (set, name) in [
            (clamp, "clamp"),
            (compare, "compare"),
            (offsets, "offsets"),
            (unnormalized, "unnormalized"),
            (array, "array"),
            (short, "short"),
        ] {
            if *set {
                write!(f, ", {name}")?;
            }
        }
        Ok(())
    }
}

/// `, name [%1, %2]`.
fn values(f: &mut Formatter<'_>, name: &str, values: &[Value]) -> fmt::Result {
    write!(f, ", {name} [")?;
    list(f, values)?;
    f.write_str("]")
}

fn optional(f: &mut Formatter<'_>, name: &str, v: Option<Value>) -> fmt::Result {
    v.map_or(Ok(()), |v| write!(f, ", {name} {v}"))
}

impl Display for Terminator {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Terminator::Branch(to) => write!(f, "branch {to:#x}"),
            Terminator::CondBranch { cond, taken, next } => {
                write!(f, "cond_branch {cond}, {taken:#x}, {next:#x}")
            }
            Terminator::Jump(to) => write!(f, "jump {to}"),
            Terminator::Barrier { next } => write!(f, "barrier {next:#x}"),
            Terminator::Sleep { next } => write!(f, "sleep {next:#x}"),
            Terminator::GlobalSync {
                op,
                resource,
                value,
                next,
            } => {
                let op = op.text();
                write!(f, "global_sync {op} {resource}, {value}, {next:#x}")
            }
            Terminator::Export { export, next } => {
                write!(f, "export {next:#x}, {}", export.target)?;
                for source in export.sources {
                    match source {
                        Some(v) => write!(f, ", {v}")?,
                        None => f.write_str(", off")?,
                    }
                }
                write!(f, ", mask {}", export.mask)?;
                for (set, name) in [
                    (export.compressed, "compressed"),
                    (export.done, "done"),
                    (export.valid_mask, "valid_mask"),
                ] {
                    if set {
                        write!(f, ", {name}")?;
                    }
                }
                Ok(())
            }
            Terminator::Message { message, next } => write!(f, "message {message:#x}, {next:#x}"),
            Terminator::Trap { id, next } => write!(f, "trap {id:#x}, {next:#x}"),
            Terminator::EndProgram => f.write_str("end_program"),
            Terminator::Unsupported { what } => write!(f, "unsupported {what:?}"),
        }
    }
}
