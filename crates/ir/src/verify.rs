//! The verifier: the rules of IR that every engine relies on.

use std::fmt;

use crate::export::Export;
use crate::functions::{Bin, Cvt, Rel, Shape, Tern, Un};
use crate::image::{Image, ImageKind};
use crate::lane_fn::LaneFn;
use crate::matrix::MatrixOp;
use crate::mem::{Access, DataReg, Half, MemKind, MemOp, Space};
use crate::op::Block;
use crate::operands::Operands;
use crate::operations::{MAX_SHOWN, Op, Terminator};
use crate::surface_atomic::SurfaceAtomic;
use crate::types::{Elem, HARDWARE_REGISTERS, Reg, Ty, Value};

/// One broken rule of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    /// The index of the node, or the number of nodes if something is missing
    /// at the end.
    pub node: usize,
    /// The node in the text form.
    pub text: String,
    /// The message that describes the error.
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let VerifyError {
            node,
            text,
            message,
        } = self;
        write!(f, "IR node {node} (`{text}`): {message}")
    }
}

impl std::error::Error for VerifyError {}

/// Checks a block.
///
/// # Errors
/// All broken rules, in the order of the nodes: a value used before it is
/// defined, operands or results of the wrong type, a vector write without a
/// mask, a missing or misplaced terminator, a block that does not open an
/// instruction, registers past the end of their file.
///
/// ```
/// use wavetank_ir::{Builder, Family, Terminator, verify};
/// let b = Builder::new(0);
/// b.inst(0, Family::Other);
/// b.end(Terminator::EndProgram);
/// assert_eq!(verify(&b.finish()), Ok(()));
/// assert!(verify(&Builder::new(0).finish()).is_err());
/// ```
pub fn verify(block: &Block) -> Result<(), Vec<VerifyError>> {
    let mut errors = Vec::new();
    let last = block.nodes.len().wrapping_sub(1);
    for (i, node) in block.nodes.iter().enumerate() {
        let checked = check_uses(block, i)
            .and_then(|()| check_place(&node.op, i, last))
            .and_then(|()| node.op.check(&Checker { block, ty: node.ty }))
            .and_then(|expected| match (expected, node.ty) {
                (e, t) if e == t => Ok(()),
                (Some(e), Some(t)) => Err(format!("the result is a {e}, but its type says {t}")),
                (Some(e), None) => Err(format!("the result is a {e}, but it has no type")),
                (_, _) => Err("it has no result, but a type".into()),
            });
        if let Err(message) = checked {
            errors.push(VerifyError {
                node: i,
                text: node.to_string(),
                message,
            });
        }
    }
    if block.nodes.is_empty() {
        errors.push(VerifyError {
            node: 0,
            text: String::new(),
            message: "the block is empty: it must open an instruction and end".into(),
        });
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

pub(crate) type Checked<T = ()> = Result<T, String>;

/// Checks that every operand is defined before its use, and is a value.
fn check_uses(block: &Block, at: usize) -> Checked {
    let mut result = Ok(());
    block.nodes[at].op.for_each_operand(&mut |v| {
        if result.is_err() {
        } else if v.index() >= at {
            result = Err(format!("{v} is used before it is defined"));
        } else if block.node(*v).ty.is_none() {
            result = Err(format!("{v} is used, but that node has no result"));
        }
    });
    result
}

/// Checks that an instruction comes first, and a terminator last and only there.
fn check_place(op: &Op, at: usize, last: usize) -> Checked {
    let is_end = matches!(op, Op::End(_));
    let opens = matches!(op, Op::Inst { .. } | Op::End(Terminator::Breakpoint { .. }));
    ensure(at != 0 || opens, || {
        "the first node of a block must be `inst`, or `breakpoint`".into()
    })?;
    ensure(at != last || is_end, || {
        "the last node of a block must be a terminator".into()
    })?;
    ensure(at == last || !is_end, || {
        "nothing may follow a terminator".into()
    })
}

fn ensure(holds: bool, message: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(message()) }
}

/// The required type of an operand, or the type of a result, in the rows of operations.
#[derive(Clone, Copy)]
pub(crate) enum Is {
    U32,
    U64,
    Mask,
    V32,
    /// A uniform or a lane vector of 32 bits; a result is a vector if any operand is a vector.
    W32,
    /// As `W32`, with 64 bits.
    W64,
}

/// The checker of one node. Methods that rows name check its operands, and return the required type of its result.
pub(crate) struct Checker<'a> {
    block: &'a Block,
    /// The type that the node declares.
    ty: Option<Ty>,
}

impl Checker<'_> {
    fn ty(&self, v: Value) -> Ty {
        self.block.ty(v)
    }

    /// Checks for a uniform or lane vector of `bits` bits.
    fn number(&self, v: Value, bits: u32) -> Checked {
        let ty = self.ty(v);
        ensure(ty == Ty::uniform(bits) || ty == Ty::vector(bits), || {
            format!(
                "{v} is a {ty}, but {} or {} is needed",
                Ty::uniform(bits),
                Ty::vector(bits)
            )
        })
    }

    /// Checks for exactly this type.
    fn exactly(&self, v: Value, ty: Ty) -> Checked {
        let is = self.ty(v);
        ensure(is == ty, || format!("{v} is a {is}, but {ty} is needed"))
    }

    /// The vector type if any operand is a vector, else the uniform type.
    fn join(&self, bits: u32, args: &[Value]) -> Ty {
        if args.iter().any(|&a| self.ty(a).is_vector()) {
            Ty::vector(bits)
        } else {
            Ty::uniform(bits)
        }
    }

    /// Checks the operands in a field against the first types that a row takes; returns the other types.
    pub(crate) fn field<'t, T: Operands>(&self, field: &T, takes: &'t [Is]) -> Checked<&'t [Is]> {
        let (these, others) = takes.split_at(T::COUNT);
        let (mut these, mut checked) = (these.iter(), Ok(()));
        field.walk(&mut |&v| {
            if let (Some(&is), Ok(())) = (these.next(), &checked) {
                checked = self.is(v, is);
            }
        });
        checked.map(|()| others)
    }

    /// The type of a result.
    pub(crate) fn result(&self, op: &impl Operands, is: Is) -> Ty {
        let mut vector = false;
        op.walk(&mut |&v| vector |= self.ty(v).is_vector());
        let width = |bits| {
            if vector {
                Ty::vector(bits)
            } else {
                Ty::uniform(bits)
            }
        };
        match is {
            Is::U32 => Ty::U32,
            Is::U64 => Ty::U64,
            Is::Mask => Ty::Mask,
            Is::V32 => Ty::V32,
            Is::W32 => width(32),
            Is::W64 => width(64),
        }
    }

    fn is(&self, v: Value, is: Is) -> Checked {
        match is {
            Is::U32 => self.exactly(v, Ty::U32),
            Is::U64 => self.exactly(v, Ty::U64),
            Is::Mask => self.exactly(v, Ty::Mask),
            Is::V32 => self.exactly(v, Ty::V32),
            Is::W32 => self.number(v, 32),
            Is::W64 => self.number(v, 64),
        }
    }

    pub(crate) fn constant(&self, &c: &u64) -> Checked<Ty> {
        match self.ty {
            Some(Ty::U32) => {
                let fits = u32::try_from(c).is_ok();
                ensure(fits, || format!("{c:#x} does not fit in 32 bits")).map(|()| Ty::U32)
            }
            Some(ty @ (Ty::U64 | Ty::Mask)) => Ok(ty),
            _ => Err("a constant is a u32, a u64 or a mask".into()),
        }
    }

    /// Checks that the register, and the second one of a pair, is in the file.
    pub(crate) fn register(&self, &reg: &Reg) -> Checked<Ty> {
        let fits = match reg {
            Reg::S64(n) | Reg::Mask(n) => n < u8::MAX,
            Reg::V64(n) => n < u16::MAX,
            Reg::Hw(n) => usize::from(n) < HARDWARE_REGISTERS,
            Reg::S(_) | Reg::Scc | Reg::V(_) => true,
        };
        ensure(fits, || {
            format!("{reg} reaches past the end of the register file")
        })?;
        Ok(reg.ty())
    }

    pub(crate) fn write(
        &self,
        &reg: &Reg,
        &value: &Value,
        &mask: &Option<Value>,
        &bytes: &u8,
    ) -> Checked<Option<Ty>> {
        let ty = self.register(&reg)?;
        if ty.is_vector() {
            let mask = mask.ok_or("the write of a vector register needs a mask")?;
            self.exactly(mask, Ty::Mask)?;
            self.number(value, ty.bits())?;
        } else {
            ensure(mask.is_none(), || {
                "a uniform register is written without a mask".into()
            })?;
            self.exactly(value, ty)?;
        }
        ensure(
            bytes == 0b1111 || matches!(reg, Reg::V(_)) && (1..15).contains(&bytes),
            || format!("bytes {bytes:#06b} cannot be written to {reg}"),
        )?;
        Ok(None)
    }

    pub(crate) fn un(&self, un: &Un, elem: &Elem, &a: &Value) -> Checked<Ty> {
        if let Un::SignExtend(bits) = un {
            ensure(matches!(bits, 8 | 16 | 24), || {
                format!("8, 16 or 24 bits are sign-extended, not {bits}")
            })?;
        }
        self.function(un.text(), un.shape(), *elem, [a])
    }

    pub(crate) fn bin(&self, bin: &Bin, elem: &Elem, &a: &Value, &b: &Value) -> Checked<Ty> {
        self.function(bin.text(), bin.shape(), *elem, [a, b])
    }

    pub(crate) fn tern(
        &self,
        tern: &Tern,
        elem: &Elem,
        &a: &Value,
        &b: &Value,
        &c: &Value,
    ) -> Checked<Ty> {
        self.function(tern.text(), tern.shape(), *elem, [a, b, c])
    }

    pub(crate) fn cmp(&self, rel: &Rel, elem: &Elem, &a: &Value, &b: &Value) -> Checked<Ty> {
        self.function(rel.text(), rel.shape(), *elem, [a, b])
    }

    /// Checks a function of numbers by its row.
    fn function<const N: usize>(
        &self,
        name: &str,
        shape: Shape,
        elem: Elem,
        args: [Value; N],
    ) -> Checked<Ty> {
        let types = args.map(|a| self.ty(a));
        if !shape.is_of_masks(&types) {
            ensure(shape.elems.contain(elem), || {
                let (takes, is) = (shape.elems.text(), elem.text());
                format!("`{name}` takes {takes}, not {is}")
            })?;
            for ((&a, &width), is) in args.iter().zip(shape.args).zip(types) {
                self.number(a, Shape::bits(width, elem, is))?;
            }
        }
        Ok(shape.result(elem, &types))
    }

    pub(crate) fn class(&self, elem: &Elem, &a: &Value, &bits: &Value) -> Checked<Ty> {
        ensure(elem.is_float() && elem.half().is_none(), || {
            format!("this operation takes floats, not {}", elem.text())
        })?;
        self.number(a, elem.carrier_bits())?;
        self.number(bits, 32)?;
        if self.join(32, &[a, bits]).is_vector() {
            Ok(Ty::Mask)
        } else {
            Ok(Ty::U32)
        }
    }

    pub(crate) fn convert(&self, cvt: &Cvt, from: &Elem, to: &Elem, &a: &Value) -> Checked<Ty> {
        conversion(*cvt, *from, *to)?;
        self.number(a, from.carrier_bits())?;
        Ok(self.join(to.carrier_bits(), &[a]))
    }

    pub(crate) fn cast(&self, &to: &Ty, &a: &Value) -> Checked<Ty> {
        for ty in [to, self.ty(a)] {
            ensure(matches!(ty, Ty::Mask | Ty::U64), || {
                format!("a cast is between mask and u64, not {ty}")
            })?;
        }
        Ok(to)
    }

    pub(crate) fn probe(
        &self,
        &of: &Value,
        &lanes: &Value,
        shows: &[Value],
    ) -> Checked<Option<Ty>> {
        self.ty(of);
        ensure(shows.len() <= MAX_SHOWN, || {
            format!("a probe shows at most {MAX_SHOWN} numbers")
        })?;
        for &shown in shows {
            self.number(shown, self.ty(shown).bits())?;
        }
        self.exactly(lanes, Ty::Mask).map(|()| None)
    }

    pub(crate) fn lane_fn(&self, function: &LaneFn, args: &[Value]) -> Checked<Ty> {
        ensure(args.len() <= 4, || {
            "a lane function takes at most four arguments".into()
        })?;
        for &a in args {
            self.number(a, self.ty(a).bits())?;
        }
        Ok(Ty::vector(function.result_bits))
    }

    pub(crate) fn select(&self, &cond: &Value, &a: &Value, &b: &Value) -> Checked<Ty> {
        let (ta, tb) = (self.ty(a), self.ty(b));
        match self.ty(cond) {
            Ty::Mask => {
                self.number(a, ta.bits())?;
                self.number(b, ta.bits())?;
                Ok(Ty::vector(ta.bits()))
            }
            Ty::U32 => {
                ensure(ta == tb && !ta.is_vector(), || {
                    format!("a u32 condition selects between equal uniforms, not {ta} and {tb}")
                })?;
                Ok(ta)
            }
            ty => Err(format!(
                "the condition {cond} is a {ty}, but mask or u32 is needed"
            )),
        }
    }

    pub(crate) fn carry(&self, &a: &Value, &b: &Value, carry: &Option<Value>) -> Checked<Ty> {
        self.number(a, 32)?;
        self.number(b, 32)?;
        match carry.map(|c| (c, self.ty(c))) {
            Some((_, Ty::Mask)) => Ok(Ty::V32),
            None | Some((_, Ty::U32)) => Ok(self.join(32, &[a, b])),
            Some((c, ty)) => Err(format!(
                "the carry {c} is a {ty}, but mask or u32 is needed"
            )),
        }
    }

    pub(crate) fn second(&self, &v: &Value) -> Checked<Ty> {
        let two = match &self.block.node(v).op {
            Op::AddCarry(..) | Op::SubBorrow(..) | Op::MadWide { .. } => true,
            Op::LaneFn(function, _) => function.has_mask,
            _ => false,
        };
        ensure(two, || {
            format!("the operation that defines {v} has no second result")
        })?;
        Ok(if self.ty(v).is_vector() {
            Ty::Mask
        } else {
            Ty::U32
        })
    }

    /// Checks an access; returns the type of its result, if it must have one.
    pub(crate) fn mem(&self, m: &MemOp) -> Checked<Option<Ty>> {
        let scalar = matches!(m.space, Space::Scalar { .. } | Space::ScalarBuffer { .. });
        m.space.check(self)?;
        let atomic = matches!(m.kind, MemKind::Atomic(_));
        ensure(atomic || !matches!(m.space, Space::Surface(_)), || {
            "elements of surfaces are changed by atomics, not loaded or stored".into()
        })?;
        match m.mask {
            Some(mask) => {
                ensure(!scalar, || "a scalar access has no mask".into())?;
                self.exactly(mask, Ty::Mask)?;
            }
            None => ensure(scalar, || "an access by lanes needs a mask".into())?,
        }
        if let Some(reg) = m.ret {
            ensure(matches!(reg, DataReg::S(_)) == scalar, || {
                format!("{reg} is in the wrong register file for this address space")
            })?;
        }
        self.data(m, scalar)?;
        let (dwords, most) = (m.access.bytes().div_ceil(4), if scalar { 16 } else { 4 });
        ensure((1..=most).contains(&dwords), || {
            format!("an access here has 1 to {most} dwords, not {dwords}")
        })?;
        ensure(
            m.half == Half::Whole || m.access.bytes() <= 2 || m.space.converts(),
            || "only accesses of up to 16 bits choose a half of the register".into(),
        )?;
        let alone = matches!(m.half, Half::LowAlone | Half::HighAlone);
        ensure(!alone || m.kind == MemKind::Load, || {
            "only a load clears the other half of its register".into()
        })?;
        ensure(m.half != Half::Each || m.space.converts(), || {
            "only converted elements stand in halves of their own registers".into()
        })?;
        match (m.kind, m.ret) {
            (MemKind::Load, None) => {
                let one = !scalar && m.registers() == 1;
                ensure(one, || {
                    "a load whose result is a value is of one register, by lanes".into()
                })?;
                Ok(Some(Ty::V32))
            }
            (MemKind::Store, Some(_)) => Err("a store returns nothing".into()),
            _ => Ok(None),
        }
    }

    /// Checks the number of data dwords, and the type of each.
    fn data(&self, m: &MemOp, scalar: bool) -> Checked {
        let one = m.registers() as usize;
        let (counts, width) = match m.kind {
            MemKind::Load => ([0, 0], true),
            MemKind::Store => ([one, one], true),
            MemKind::Atomic(_) if matches!(m.space, Space::LdsPair { .. }) => {
                ([0, 0], matches!(m.access, Access::Dwords(1 | 2)))
            }
            MemKind::Atomic(rmw) => {
                let least = if rmw.needs_two() { 2 * one } else { one };
                let short = matches!(m.space, Space::Surface(_)) && m.access == Access::U16;
                let width = short || matches!(m.access, Access::Dwords(1 | 2));
                ([least, 2 * one], width)
            }
        };
        ensure(width, || "an atomic is one or two dwords wide".into())?;
        ensure(counts.contains(&m.data.len()), || {
            let ([least, most], is) = (counts, m.data.len());
            if least == most {
                format!("it takes {least} dwords of data, not {is}")
            } else {
                format!("it takes {least} or {most} dwords of data, not {is}")
            }
        })?;
        m.data.iter().try_for_each(|&v| {
            if scalar {
                self.exactly(v, Ty::U32)
            } else {
                self.number(v, 32)
            }
        })
    }

    pub(crate) fn image(&self, image: &Image) -> Checked<Option<Ty>> {
        let samples = !matches!(
            image.kind,
            ImageKind::Texel | ImageKind::Raw | ImageKind::RawSigned | ImageKind::Info
        );
        ensure(image.sampler.is_some() == samples, || {
            "a sampler belongs to what samples, and to nothing else".into()
        })?;
        let (is, needed) = (image.address.len(), image.address_dwords());
        ensure(is == needed, || {
            format!("its address has {needed} dwords, not {is}")
        })?;
        self.descriptor(&image.resource)?;
        self.descriptor(image.sampler.as_ref().map_or(&[], |s| &s[..]))?;
        let mut dwords = image.address.iter();
        dwords.try_for_each(|&v| self.number(v, 32))?;
        Ok(None)
    }

    pub(crate) fn surface(&self, element: &SurfaceAtomic) -> Checked<Option<Ty>> {
        let (given, most) = (element.at.len(), SurfaceAtomic::MAX);
        ensure((1..=most).contains(&given), || {
            format!("an element of a surface has 1 to {most} coordinates, not {given}")
        })?;
        if let Some(dimensions) = element.dimensions {
            let needed = dimensions.coordinates();
            ensure(given == needed, || {
                let name = dimensions.name();
                format!("an element of a {name} surface has {needed} coordinates, not {given}")
            })?;
        }
        self.number(element.number, 32)?;
        let mut numbers = element.at.iter().chain(&element.level);
        numbers.try_for_each(|&v| self.number(v, 32))?;
        Ok(None)
    }

    fn descriptor(&self, parts: &[Value]) -> Checked {
        parts.iter().try_for_each(|&v| self.exactly(v, Ty::U64))
    }

    /// Checks a product of matrices: a sparse one has indices.
    pub(crate) fn matrix(&self, product: &MatrixOp) -> Checked<Option<Ty>> {
        ensure(
            product.instruction.shape().sparse == product.index.is_some(),
            || "a sparse product has a register of indices, and a dense one has none".into(),
        )?;
        Ok(None)
    }

    /// Checks an export: its data and its mask.
    pub(crate) fn export(&self, export: &Export) -> Checked<Option<Ty>> {
        let mut sources = export.sources.iter().flatten();
        sources.try_for_each(|&v| self.number(v, 32))?;
        self.exactly(export.mask, Ty::Mask)?;
        Ok(None)
    }

    pub(crate) fn end(&self, end: &Terminator) -> Checked<Option<Ty>> {
        end.check(self)
    }
}

fn conversion(cvt: Cvt, from: Elem, to: Elem) -> Checked {
    let kinds = match cvt {
        Cvt::SToF | Cvt::UToF => (false, true),
        Cvt::FToS | Cvt::FToU => (true, false),
        Cvt::FToF => (true, true),
    };
    let exists = !matches!(
        (from, to),
        (Elem::I16, Elem::F64)
            | (Elem::F64, Elem::I16)
            | (Elem::I64, Elem::F16)
            | (Elem::F16, Elem::I64)
    );
    let single = from.half().is_none() && to.half().is_none();
    let fits = (from.is_float(), to.is_float()) == kinds && from != to && exists && single;
    ensure(fits, || {
        let (name, from, to) = (cvt.text(), from.text(), to.text());
        format!("there is no `{name}` from {from} to {to}")
    })
}
