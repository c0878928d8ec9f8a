//! A block of IR as lines of pseudo-code: values used once become parts of expressions.
//!
//! A value gets a line and a name of its own if its text is long and would be repeated, or if a register that it was read from
//! has changed before its use. Such values are found by writing the block repeatedly, with one more name each time, until no name
//! is missing.

use std::collections::{HashMap, HashSet};

use wavetank_ir::{
    Addend, Bin, Block, Clock, Elem, GlobalSync, MatrixOp, Op, Reg, Span, Terminator, Value,
};

use super::expression::{Expr, bin, call, cmp, cvt, float, tern, un};
use super::names::{File, Names};

/// The length up to which a text may be repeated without a name.
const SHORT: usize = 24;
/// The text for the address of the next instruction.
pub(super) const NEXT: &str = "PC + len";
/// The distance up to which addresses are shown relative to the instruction, which is the range of branches.
const REACH: u64 = 1 << 19;
/// The number from which on numbers are written in hexadecimal.
const DECIMAL: u64 = 1024;

/// Returns the lines of a block, or `None` if an instruction in it is refused.
pub(super) fn lines(block: &Block, names: &Names) -> Option<Vec<String>> {
    let mut named = HashSet::new();
    loop {
        let mut writer = Writer {
            block,
            names,
            named: &named,
            lines: Vec::new(),
            texts: HashMap::new(),
            held: HashMap::new(),
            changed: HashMap::new(),
            used: HashSet::new(),
            missing: None,
            at: 0,
        };
        let done = writer.write();
        match (done, writer.missing, writer.lines) {
            (Some(()), _, lines) => return Some(lines),
            (None, Some(value), _) if named.insert(value) => {}
            _ => return None,
        }
    }
}

/// A writer of one pass over a block.
pub(super) struct Writer<'a> {
    block: &'a Block,
    pub(super) names: &'a Names,
    /// Values that get a line and a name of their own.
    named: &'a HashSet<Value>,
    lines: Vec<String>,
    /// The names of the values that have had their line.
    texts: HashMap<Value, String>,
    /// Uniform registers that hold a value since their last write.
    held: HashMap<Value, (Reg, usize)>,
    /// The node that last changed each register.
    changed: HashMap<(File16, u16), usize>,
    /// Values whose long text has been used already.
    used: HashSet<Value>,
    /// A value that must get a name, found in this pass.
    missing: Option<Value>,
    /// The node that is being written.
    at: usize,
}

/// A number for a register file, used in keys.
type File16 = u8;

impl Writer<'_> {
    pub(super) fn line(&mut self, line: String) {
        self.lines.push(line);
    }

    fn write(&mut self) -> Option<()> {
        for at in 0..self.block.nodes.len() {
            self.at = at;
            let value = Value(at as u32);
            if self.named.contains(&value) {
                let expr = self.expression(value)?;
                let name = match self.named.len() {
                    1 => "t".to_owned(),
                    _ => format!("t{}", self.texts.len()),
                };
                self.line(format!("{name} = {}", expr.text));
                self.texts.insert(value, name);
            }
            self.node(value)?;
        }
        Some(())
    }

    fn node(&mut self, at: Value) -> Option<()> {
        match &self.block.node(at).op {
            Op::Write {
                reg,
                value,
                mask,
                bytes,
            } => {
                let source = self.value(self.written(*value, *bytes))?;
                let lanes = match mask {
                    Some(mask) => self.where_active(*mask)?,
                    None => String::new(),
                };
                let part = match (mask, bytes) {
                    (None, _) | (_, 0b1111) => "",
                    (_, 0b0011) => "[15:0]",
                    (_, 0b1100) => "[31:16]",
                    (_, 0b0001) => "[7:0]",
                    (_, 0b0010) => "[15:8]",
                    (_, 0b0100) => "[23:16]",
                    _ => "[31:24]",
                };
                let name = self.names.register(*reg);
                let text = source.text;
                if name != text || !lanes.is_empty() {
                    self.line(format!("{name}{part} = {text}{lanes}"));
                }
                self.change(*reg);
                if mask.is_none() && !matches!(self.block.node(*value).op, Op::Const(_)) {
                    self.held.insert(*value, (*reg, at.index()));
                }
            }
            Op::WriteIndexed {
                base,
                index,
                value,
                mask,
            } => {
                let (index, value) = (self.value(*index)?, self.value(*value)?);
                let lanes = self.where_active(*mask)?;
                let base = self.names.register(Reg::V(*base));
                self.line(format!("{base}[{}] = {}{lanes}", index.text, value.text));
            }
            Op::WriteIndexedS { base, index, value } => {
                let (index, value) = (self.value(*index)?, self.value(*value)?);
                let base = self.names.register(Reg::S(*base));
                self.line(format!("{base}[{}] = {}", index.text, value.text));
            }
            Op::Mem(access) if self.block.node(at).ty.is_none() => self.access(access)?,
            Op::Matrix(product) => self.product(product),
            Op::End(end) => self.end(end)?,
            _ => {}
        }
        Some(())
    }

    /// Writes a product of matrices: its shape is in the sentence.
    fn product(&mut self, product: &MatrixOp) {
        let spans: Vec<Span> = product.read().collect();
        let matrix = |span: Span| {
            let count = span.count as u16;
            self.names.span(File::Vector, span.first as u16, count)
        };
        let c = match product.c {
            Addend::Registers(_) => matrix(spans[2]),
            Addend::Every(bits) => format!("{bits:#x}"),
        };
        let index = match product.index {
            Some(index) => format!(", {}", self.names.register(Reg::V(index))),
            None => String::new(),
        };
        let [a, b, d] = [spans[0], spans[1], product.written()].map(matrix);
        self.line(format!("{d} = matrix_product({a}, {b}{index}) + {c}"));
    }

    /// Returns the value to write. For a high half that is shifted into place, it is the value before the shift.
    fn written(&self, value: Value, bytes: u8) -> Value {
        let block = self.block;
        match block.node(value).op {
            Op::Bin(Bin::Shl, Elem::I32, _, half, by)
                if bytes == 0b1100 && matches!(block.node(by).op, Op::Const(16)) =>
            {
                half
            }
            _ => value,
        }
    }

    /// Writes the end of a block, unless it continues at the next instruction.
    fn end(&mut self, end: &Terminator) -> Option<()> {
        let line = match end {
            Terminator::Branch(to) if self.names.number(*to) == Some(NEXT) => return Some(()),
            Terminator::Branch(to) => format!("PC = {}", self.number(*to)),
            Terminator::CondBranch { cond, taken, .. } => {
                let cond = self.value(*cond)?;
                let to = self.number(*taken);
                format!("if {}: PC = {to}", cond.text)
            }
            Terminator::Jump(to) => format!("PC = {}", self.value(*to)?.text),
            Terminator::Barrier { .. } => {
                "wait until every wave of the work-group is here".to_owned()
            }
            Terminator::Sleep { .. } => "let other waves run".to_owned(),
            Terminator::GlobalSync {
                op,
                resource,
                value,
                ..
            } => {
                let (resource, value) = (self.value(*resource)?, self.value(*value)?);
                global_sync(*op, &resource.text, &value.text)
            }
            Terminator::Breakpoint { .. } => return None,
            Terminator::Message { .. } => "send message SIMM16".to_owned(),
            Terminator::Trap { .. } => "call the trap handler with number SIMM16".to_owned(),
            Terminator::EndProgram => "end of the wave".to_owned(),
            Terminator::Export { export, .. } => {
                let mut sources = Vec::new();
                for source in export.sources.into_iter().flatten() {
                    sources.push(self.value(source)?.text);
                }
                format!("send {{{}}} to TARGET", sources.join(", "))
            }
            Terminator::Unsupported { .. } => return None,
        };
        self.line(line);
        Some(())
    }

    /// Returns the text for the lanes that take part, if they are not given by EXEC.
    pub(super) fn where_active(&mut self, mask: Value) -> Option<String> {
        if matches!(self.block.node(mask).op, Op::Read(Reg::EXEC)) {
            return Some(String::new());
        }
        Some(format!(", in lanes of {}", self.value(mask)?.argument("")))
    }

    /// Returns the common name of consecutive registers, if the values are reads of such.
    pub(super) fn consecutive(&self, values: &[Value]) -> Option<String> {
        let register = |value: &Value| match self.block.node(*value).op {
            Op::Read(Reg::V(n)) => Some((File::Vector, n, 1)),
            Op::Read(Reg::V64(n)) => Some((File::Vector, n, 2)),
            Op::Read(Reg::S(n)) => Some((File::Scalar, u16::from(n), 1)),
            Op::Read(Reg::S64(n)) => Some((File::Scalar, u16::from(n), 2)),
            _ => None,
        };
        let (file, first, _) = register(values.first()?)?;
        let mut end = first;
        for value in values {
            let (of, n, count) = register(value)?;
            if of != file || n != end {
                return None;
            }
            end += count;
        }
        Some(self.names.span(file, first, end - first))
    }

    /// Returns a value at its use: its name, the register that holds it, or its expression.
    pub(super) fn value(&mut self, value: Value) -> Option<Expr> {
        if let Some(name) = self.texts.get(&value) {
            return Some(Expr::name(name.clone()));
        }
        if let Op::Read(reg) = self.block.node(value).op {
            return self.read(value, reg);
        }
        if let Some((reg, since)) = self.held.get(&value)
            && self.since(*reg) <= *since
        {
            return Some(Expr::name(self.names.register(*reg)));
        }
        let expr = self.expression(value)?;
        if expr.text.chars().count() > SHORT && !self.used.insert(value) {
            return self.needs_name(value);
        }
        Some(expr)
    }

    /// Returns a register at the use of its read, unless it has been written since.
    fn read(&mut self, value: Value, reg: Reg) -> Option<Expr> {
        if self.since(reg) <= value.index() {
            return Some(Expr::name(self.names.register(reg)));
        }
        match self.held.get(&value) {
            Some((held, since)) if self.since(*held) <= *since => {
                Some(Expr::name(self.names.register(*held)))
            }
            _ => self.needs_name(value),
        }
    }

    fn needs_name(&mut self, value: Value) -> Option<Expr> {
        self.missing = Some(value);
        None
    }

    /// Returns the node that last changed a register, or 0 if none did.
    fn since(&self, reg: Reg) -> usize {
        let parts = keys(reg);
        let nodes = parts.filter_map(|key| self.changed.get(&key));
        nodes.copied().max().unwrap_or(0)
    }

    fn change(&mut self, reg: Reg) {
        for key in keys(reg) {
            self.changed.insert(key, self.at);
        }
    }

    /// Returns a number in its most readable form.
    fn number(&self, number: u64) -> String {
        let distance = number.wrapping_sub(self.block.pc) as i64;
        match self.names.number(number) {
            Some(name) => name.to_owned(),
            None if distance.unsigned_abs() < REACH && distance < 0 => {
                format!("PC - {}", -distance)
            }
            None if distance.unsigned_abs() < REACH => format!("PC + {distance}"),
            None if number < DECIMAL => number.to_string(),
            None => format!("{number:#x}"),
        }
    }

    /// Returns the expression that a node computes.
    fn expression(&mut self, value: Value) -> Option<Expr> {
        let block = self.block;
        let mut of = |value: &Value| self.value(*value);
        Some(match &block.node(value).op {
            Op::Const(c) => {
                let text = self.number(*c);
                if text.contains(|c: char| c.is_ascii_uppercase()) {
                    Expr::name(text)
                } else {
                    Expr::closed(text, "")
                }
            }
            Op::Read(reg) => Expr::name(self.names.register(*reg)),
            Op::ReadIndexed { base, index } => {
                let index = of(index)?.text;
                Expr::name(format!("{}[{index}]", self.names.register(Reg::V(*base))))
            }
            Op::ReadIndexedS { base, index } => {
                let index = of(index)?.text;
                Expr::name(format!("{}[{index}]", self.names.register(Reg::S(*base))))
            }
            Op::Un(f, elem, _, a) => un(*f, *elem, &self.number_of(*a, *elem)?),
            Op::Bin(Bin::Xor, _, _, a, b) if is_not(block, *a, *b) => {
                Expr::open("SCC == 0", "", "==")
            }
            // The exponent operand is an integer.
            Op::Bin(f @ Bin::FLdexp, elem, _, a, b) => {
                bin(*f, *elem, &self.number_of(*a, *elem)?, &self.value(*b)?)
            }
            Op::Bin(f, elem, _, a, b) => {
                let (a, b) = (self.number_of(*a, *elem)?, self.number_of(*b, *elem)?);
                bin(*f, *elem, &a, &b)
            }
            Op::Tern(f, elem, _, a, b, c) => {
                let (a, b) = (self.number_of(*a, *elem)?, self.number_of(*b, *elem)?);
                tern(*f, *elem, [&a, &b, &self.number_of(*c, *elem)?])
            }
            Op::Cmp(rel, elem, _, a, b) => {
                let (a, b) = (self.number_of(*a, *elem)?, self.number_of(*b, *elem)?);
                cmp(*rel, *elem, &a, &b)
            }
            Op::Class(elem, a, bits) => call(
                "class",
                &[of(a)?.argument(float(*elem)), of(bits)?.argument("")],
                "",
            ),
            Op::Cvt(f, from, to, _, a) => cvt(*f, *from, *to, &self.number_of(*a, *from)?),
            Op::Select(cond, a, b) => {
                let (cond, a, b) = (of(cond)?, of(a)?, of(b)?);
                let view = if a.view == b.view { a.view } else { "" };
                let text = format!("{} ? {} : {}", cond.seen(""), a.seen(""), b.seen(""));
                Expr::open(text, view, "?")
            }
            Op::AddCarry(a, b, carry) => self.chain("+", [Some(*a), Some(*b), *carry])?,
            Op::SubBorrow(a, b, borrow) => self.chain("-", [Some(*a), Some(*b), *borrow])?,
            Op::MadWide {
                signed,
                args: [a, b, c],
            } => {
                let view = if *signed { "i32" } else { "u32" };
                let text = format!(
                    "{} * {} + {}",
                    of(a)?.seen(view),
                    of(b)?.seen(view),
                    of(c)?.seen("")
                );
                Expr::open(text, "", "+")
            }
            Op::Second(of) => self.second(*of)?,
            Op::Cast(_, a) => of(a)?,
            Op::NonZero(a) => Expr::open(format!("{} != 0", of(a)?.seen("")), "", "!="),
            Op::LanesBelow { high } => {
                let part = if *high { "[63:32]" } else { "[31:0]" };
                Expr::closed(format!("LANES_BELOW{part}"), "")
            }
            Op::LaneId => Expr::name("LANE"),
            Op::ReadLane(value, index) => {
                let (value, index) = (of(value)?.argument(""), of(index)?.argument(""));
                call("lane", &[value, index], "")
            }
            Op::ReadFirstLane(value, mask) => {
                let (value, mask) = (of(value)?.argument(""), of(mask)?.argument(""));
                call("first_lane", &[value, mask], "")
            }
            Op::Shuffle(value, _) | Op::ShuffleMask(value, _) => {
                let value = of(value)?;
                match &self.names.pattern {
                    Some(pattern) => pattern.call(&value),
                    None => call("shuffle", &[value.seen("")], ""),
                }
            }
            Op::Permute { value, index, .. } => {
                let index = format!("{} / 4 % 64", of(index)?.seen(""));
                call("taken", &[of(value)?.seen(""), index], "")
            }
            Op::Scatter { value, index, .. } => {
                let index = format!("{} / 4 % 64", of(index)?.seen(""));
                call("sent", &[of(value)?.seen(""), index], "")
            }
            Op::LaneFn(function, args) => {
                let mut texts = Vec::new();
                for arg in args {
                    texts.push(of(arg)?.argument(""));
                }
                call(function.name.replace("_flushing", "").as_str(), &texts, "")
            }
            Op::Mem(access) => Expr::closed(self.loaded(access)?, ""),
            Op::Clock(Clock::Cycles) => Expr::closed("clock()", ""),
            Op::Clock(Clock::RealTime) => Expr::closed("real_time()", ""),
            _ => return None,
        })
    }

    /// Returns an operand; a constant is written as a float if the elements are floats.
    fn number_of(&mut self, value: Value, elem: Elem) -> Option<Expr> {
        let number = match self.block.node(value).op {
            Op::Const(c) if self.names.number(c).is_none() => c,
            _ => return self.value(value),
        };
        let float = match elem {
            Elem::F16 => Some(f64::from(from_half(number as u16))),
            Elem::F32 => Some(f64::from(f32::from_bits(number as u32))),
            Elem::F64 => Some(f64::from_bits(number)),
            _ => None,
        };
        match float {
            Some(float) => Some(Expr::closed(format!("{float:?}"), "")),
            None => self.value(value),
        }
    }

    /// Returns the terms of one operator, the last of which may be missing.
    fn chain(&mut self, operator: &'static str, terms: [Option<Value>; 3]) -> Option<Expr> {
        let mut texts = Vec::new();
        for term in terms.into_iter().flatten() {
            texts.push(self.value(term)?.seen(""));
        }
        Some(Expr::open(
            texts.join(&format!(" {operator} ")),
            "",
            operator,
        ))
    }

    /// Returns the second result of an operation.
    fn second(&mut self, of: Value) -> Option<Expr> {
        let name = match &self.block.node(of).op {
            Op::AddCarry(..) => "carry",
            Op::SubBorrow(..) => "borrow",
            Op::MadWide { .. } => "carry",
            _ => "flag",
        };
        let first = self.expression(of)?;
        Some(call(name, &[first.text], ""))
    }
}

/// Returns the 32-bit registers that a register consists of.
fn keys(reg: Reg) -> impl Iterator<Item = (File16, u16)> {
    let (file, first, count) = match reg {
        Reg::S(n) => (0, u16::from(n), 1),
        Reg::S64(n) | Reg::Mask(n) => (0, u16::from(n), 2),
        Reg::V(n) => (1, n, 1),
        Reg::V64(n) => (1, n, 2),
        Reg::Scc => (2, 0, 1),
        Reg::Hw(n) => (3, u16::from(n), 1),
    };
    (first..first + count).map(move |n| (file, n))
}

fn global_sync(op: GlobalSync, resource: &str, value: &str) -> String {
    match op {
        GlobalSync::Init => format!("counter {resource} = {value}"),
        GlobalSync::Signal => format!("semaphore {resource} += 1"),
        GlobalSync::SignalMany => format!("semaphore {resource} += {value}"),
        GlobalSync::Wait => format!("wait until semaphore {resource} > 0, then take 1 from it"),
        GlobalSync::Release => format!("let all waves go on that wait for semaphore {resource}"),
        GlobalSync::Barrier => {
            format!("wait at barrier {resource}; at the next one {value} other waves meet")
        }
        GlobalSync::Turn => format!("wait until it is wave {value}'s turn at counter {resource}"),
        GlobalSync::Pass => format!("the turn at counter {resource} is that of wave {value} + 1"),
        GlobalSync::Last => {
            format!("the turn at all counters of {resource}'s packer passes wave {value}")
        }
    }
}

/// Whether the operation is the negation of SCC, which is 0 or 1.
fn is_not(block: &Block, scc: Value, one: Value) -> bool {
    matches!(block.node(scc).op, Op::Read(Reg::Scc)) && matches!(block.node(one).op, Op::Const(1))
}

/// Converts a number from half precision: the fields are moved to those of single precision, and the exponent is rebiased.
fn from_half(bits: u16) -> f32 {
    const REBIASED: f32 = f32::from_bits((127 + 112) << 23);
    let size = u32::from(bits & 0x7fff);
    let magnitude = if size < 0x7c00 {
        f32::from_bits(size << 13) * REBIASED
    } else {
        f32::from_bits(size << 13 | 0x7f80_0000)
    };
    if bits >> 15 == 1 {
        -magnitude
    } else {
        magnitude
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn halves_are_read() {
        // IEEE 754, binary16: 1.0, -2.0, the largest, the smallest denormal, infinity.
        let cases = [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (1, 5.9604645e-8),
            (0x7c00, f32::INFINITY),
        ];
        for (bits, number) in cases {
            assert_eq!(super::from_half(bits), number, "{bits:#x}");
        }
    }
}
