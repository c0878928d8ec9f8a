//! A buffer of host instructions with labels and constants: the encoder is `iced-x86`, the rest is what a compiler in one
//! pass needs around it.
//!
//! Templates write AVX-512. Where the processor has AVX2 alone, their instructions are collected in a list ([`inst_list`])
//! instead of being encoded; `avx2` lowers the complete list to AVX2.

pub mod inst_list;
mod operands;

use iced_x86::{Code, Encoder, Instruction, OpKind, Register, RoundingControl};
use wavetank_ir::Value;

use inst_list::{Item, Wide};
pub use operands::{Arg, CONSTANTS, Label, Mem, Under, fixed, low};

/// Code under way.
pub struct Asm {
    encoder: Encoder,
    length: usize,
    /// Where each label is, once that is known.
    labels: Vec<Option<usize>>,
    /// Distances of 32 bits to be filled in: where they stand, and the label.
    jumps: Vec<(usize, Label)>,
    constants: Vec<u32>,
    /// Distances to constants to be filled in.
    constant_users: Vec<Distance>,
    marks: Vec<(usize, Value)>,
    /// What has been written, where it is to become AVX2.
    list: Option<Vec<Item>>,
}

/// A distance of 32 bits to a constant.
struct Distance {
    /// Where it stands.
    at: usize,
    /// What it is counted from: where its instruction ends.
    from: usize,
    /// Which constant.
    to: usize,
}

/// Finished code.
pub struct Assembled {
    /// The instructions, then the constants. It can be anywhere.
    pub bytes: Vec<u8>,
    /// How many of it are instructions.
    pub code: usize,
    /// Where the code of nodes begins, in the order of the code.
    pub marks: Vec<(usize, Value)>,
    /// Where each label is.
    labels: Vec<Option<usize>>,
    /// Nodes whose code has instructions that AVX2 has nothing for.
    pub refused: Vec<Value>,
}

impl Assembled {
    /// Where a label is.
    pub fn position(&self, label: Label) -> usize {
        self.labels[label.0].expect("every label is placed")
    }
}

impl Asm {
    /// No code yet.
    pub fn new() -> Asm {
        Asm {
            encoder: Encoder::new(64),
            length: 0,
            labels: Vec::new(),
            jumps: Vec::new(),
            constants: Vec::new(),
            constant_users: Vec::new(),
            marks: Vec::new(),
            list: None,
        }
    }

    /// No code yet, which is to become AVX2.
    pub fn to_avx2() -> Asm {
        Asm {
            list: Some(Vec::new()),
            ..Asm::new()
        }
    }

    /// Whether what is written runs as it is. If not, selections by numbers of lanes and roundings of their own are dear.
    pub fn is_avx512(&self) -> bool {
        self.list.is_none()
    }

    /// What follows is the code of a node.
    pub fn mark(&mut self, node: Value) {
        match &mut self.list {
            Some(list) => list.push(Item::Mark(node)),
            None => self.marks.push((self.length, node)),
        }
    }

    fn push(&mut self, instruction: &Instruction) {
        if let Some(list) = &mut self.list {
            return list.push(Item::Host(*instruction));
        }
        let encoded = self.encoder.encode(instruction, self.length as u64);
        // Only operands that the instruction does not have are refused: a mistake of a template.
        self.length += encoded.unwrap_or_else(|error| panic!("{:?}: {error}", instruction.code()));
    }

    /// An instruction that may name a constant by its distance.
    fn push_near(&mut self, mut instruction: Instruction) {
        if self.list.is_some() || instruction.memory_base() != CONSTANTS {
            return self.push(&instruction);
        }
        let (start, to) = (self.length, instruction.memory_displacement64() as usize);
        instruction.set_memory_displ_size(8);
        instruction.set_memory_displacement64(start as u64 + 0x1000);
        self.push(&instruction);
        self.constant_users.push(Distance {
            at: start + self.encoder.get_constant_offsets().displacement_offset(),
            from: self.length,
            to,
        });
    }

    /// Whether it goes to the list, as an instruction on vectors; and there it is.
    fn is_listed(&mut self, wide: Wide) -> bool {
        match &mut self.list {
            Some(list) if wide.is_vector() => {
                list.push(Item::Wide(wide));
                true
            }
            _ => false,
        }
    }

    /// An instruction of any operands.
    pub fn op(&mut self, code: Code, args: &[Arg]) {
        self.under(code, Under::All, args);
    }

    /// A jump, or whatever reads flags, as it stands.
    pub fn as_it_is(&mut self, instruction: &Instruction) {
        self.push_near(*instruction);
    }

    /// An instruction that changes memory as one.
    pub fn locked(&mut self, code: Code, args: &[Arg]) {
        let mut instruction = instruction(code, args);
        instruction.set_has_lock_prefix(true);
        self.push(&instruction);
    }

    /// A vector instruction under a mask.
    pub fn under(&mut self, code: Code, under: Under, args: &[Arg]) {
        if self.list.is_some()
            && self.is_listed(Wide::new(code, RoundingControl::None, under, args))
        {
            return;
        }
        let mut instruction = instruction(code, args);
        mask(&mut instruction, under);
        self.push_near(instruction);
    }

    /// A vector instruction of registers alone, with its own rounding.
    pub fn rounded(&mut self, code: Code, round: RoundingControl, under: Under, args: &[Arg]) {
        if self.list.is_some() && self.is_listed(Wide::new(code, round, under, args)) {
            return;
        }
        let mut instruction = instruction(code, args);
        mask(&mut instruction, under);
        instruction.set_rounding_control(round);
        self.push(&instruction);
    }

    /// A register gets a constant.
    pub fn set(&mut self, register: Register, value: u64) {
        let instruction = match u32::try_from(value) {
            Ok(0) => {
                let low = low(register);
                Instruction::with2(Code::Xor_r32_rm32, low, low)
            }
            Ok(value) => Instruction::with2(Code::Mov_r32_imm32, low(register), value),
            Err(_) => Instruction::with2(Code::Mov_r64_imm64, register, value),
        };
        self.push(&instruction.expect("the operands are those of the code"));
    }

    /// An instruction with a register or memory, and a constant, which one of 64 bits extends with its sign.
    pub fn with_constant(&mut self, code: Code, to: Arg, value: i32, wide: bool) {
        let mut instruction = instruction(code, &[to]);
        if wide {
            instruction.set_op_kind(1, OpKind::Immediate32to64);
            instruction.set_immediate32to64(value.into());
        } else {
            instruction.set_op_kind(1, OpKind::Immediate32);
            instruction.set_immediate32(value as u32);
        }
        self.push(&instruction);
    }

    /// A label, to be [placed](Self::place).
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// The label is here.
    pub fn place(&mut self, label: Label) {
        match &mut self.list {
            Some(list) => list.push(Item::Place(label)),
            None => self.labels[label.0] = Some(self.length),
        }
    }

    /// A jump with a distance of 32 bits.
    pub fn jump(&mut self, code: Code, to: Label) {
        if let Some(list) = &mut self.list {
            return list.push(Item::Jump(code, to));
        }
        let target = (self.length + 0x1000) as u64;
        let jump = Instruction::with_branch(code, target);
        self.push(&jump.expect("the code is a jump"));
        self.jumps.push((self.length - 4, to));
    }

    /// The offset of a constant behind [`fixed::CONSTANTS`].
    pub fn constant(&mut self, value: u32) -> Mem {
        let known = self.constants.iter().position(|c| *c == value);
        let at = known.unwrap_or_else(|| {
            self.constants.push(value);
            self.constants.len() - 1
        });
        Mem::at(fixed::CONSTANTS, 4 * at as u32)
    }

    /// The dword at an offset behind the first constant.
    pub fn constant_at(&self, offset: u32) -> u32 {
        self.constants[offset as usize / 4]
    }

    /// The offset of a constant of 64 bits behind [`fixed::CONSTANTS`].
    pub fn wide_constant(&mut self, value: u64) -> Mem {
        let at = self.constant_row(&[value as u32, (value >> 32) as u32]);
        Mem::at(fixed::CONSTANTS, at)
    }

    /// The offset of a row of constants behind [`fixed::CONSTANTS`]. What fills a vector stands as vectors are loaded best.
    pub fn constant_row(&mut self, row: &[u32]) -> u32 {
        let step = if row.len() < 16 { 1 } else { 16 };
        let mut windows = self.constants.windows(row.len()).step_by(step);
        let at = windows.position(|w| w == row).map(|n| n * step);
        let at = at.unwrap_or_else(|| {
            let at = self.constants.len().next_multiple_of(step);
            self.constants.resize(at, 0);
            self.constants.extend_from_slice(row);
            at
        });
        4 * at as u32
    }

    /// Points [`fixed::CONSTANTS`] to the constants.
    pub fn use_constants(&mut self) {
        let constants = Mem::at(CONSTANTS, 0);
        self.op(
            Code::Lea_r64_m,
            &[fixed::CONSTANTS.into(), constants.into()],
        );
    }

    /// The list of a buffer that is to become AVX2. What is written from now on is encoded; labels and constants stay.
    pub fn take_list(&mut self) -> Option<Vec<Item>> {
        self.list.take()
    }

    /// The encoded code, with its constants after it. `refused`: the nodes whose code could not be lowered.
    pub fn assemble(mut self, refused: Vec<Value>) -> Assembled {
        let mut bytes = self.encoder.take_buffer();
        let code = bytes.len();
        bytes.resize(code.next_multiple_of(64), 0xcc);
        let constants = bytes.len();
        bytes.extend(self.constants.iter().flat_map(|c| c.to_le_bytes()));
        let mut fill = |at: usize, from: usize, target: usize| {
            let distance = (target as i32).wrapping_sub(from as i32);
            bytes[at..at + 4].copy_from_slice(&distance.to_le_bytes());
        };
        for (at, label) in &self.jumps {
            let target = self.labels[label.0].expect("every label is placed");
            fill(*at, at + 4, target);
        }
        for user in &self.constant_users {
            fill(user.at, user.from, constants + user.to);
        }
        Assembled {
            bytes,
            code,
            marks: self.marks,
            labels: self.labels,
            refused,
        }
    }
}

fn instruction(code: Code, args: &[Arg]) -> Instruction {
    let mut instruction = Instruction::new();
    instruction.set_code(code);
    for (n, arg) in args.iter().enumerate() {
        let n = n as u32;
        match *arg {
            Arg::R(register) => {
                instruction.set_op_kind(n, OpKind::Register);
                instruction.set_op_register(n, register);
            }
            Arg::M(mem) | Arg::Each(mem) => {
                instruction.set_op_kind(n, OpKind::Memory);
                instruction.set_memory_base(mem.base);
                instruction.set_memory_index(mem.index);
                instruction.set_memory_displ_size(1);
                instruction.set_memory_displacement64(mem.offset as i64 as u64);
                instruction.set_is_broadcast(matches!(arg, Arg::Each(_)));
            }
            Arg::I(byte) => {
                instruction.set_op_kind(n, OpKind::Immediate8);
                instruction.set_immediate8(byte);
            }
        }
    }
    instruction
}

fn mask(instruction: &mut Instruction, under: Under) {
    match under {
        Under::All => {}
        Under::Merge(mask) => instruction.set_op_mask(mask),
        Under::Zero(mask) => {
            instruction.set_op_mask(mask);
            instruction.set_zeroing_masking(true);
        }
    }
}
