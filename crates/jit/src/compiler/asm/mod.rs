//! The assembler: a buffer of host instructions with labels and constants, on top of the encoder `iced-x86`.
//!
//! Templates emit AVX-512. On a processor with only AVX2, their instructions are collected in a list ([`inst_list`]) instead of
//! being encoded; `avx2` lowers the complete list to AVX2.

pub(super) mod inst_list;
mod operands;

use iced_x86::{Code, Encoder, Instruction, OpKind, Register, RoundingControl};
use wavetank_ir::Value;

use inst_list::{Item, Wide};
pub(super) use operands::{Arg, CONSTANTS, Label, Mem, Under, fixed, low};

/// A buffer of code that is being emitted.
pub(super) struct Asm {
    encoder: Encoder,
    length: usize,
    /// The position of each label, once it is placed.
    labels: Vec<Option<usize>>,
    /// 32-bit distances to fill in: their positions and labels.
    jumps: Vec<(usize, Label)>,
    constants: Vec<u32>,
    /// Distances to constants to fill in.
    constant_users: Vec<Distance>,
    marks: Vec<(usize, Value)>,
    /// The emitted instructions, if they are to be lowered to AVX2.
    list: Option<Vec<Item>>,
}

/// A distance of 32 bits to a constant.
struct Distance {
    /// The position of the distance in the code.
    at: usize,
    /// The position it is relative to: the end of its instruction.
    from: usize,
    /// The offset of the constant.
    to: usize,
}

/// Finished code with its constants.
pub(super) struct Assembled {
    /// The instructions, then the constants. The code is position-independent.
    pub bytes: Vec<u8>,
    /// The number of bytes that are instructions.
    pub code: usize,
    /// The start of each node's code, in the order of the code.
    pub marks: Vec<(usize, Value)>,
    /// The position of each label.
    labels: Vec<Option<usize>>,
    /// Nodes whose code contains instructions without an equivalent in AVX2.
    pub refused: Vec<Value>,
}

impl Assembled {
    /// The position of a label.
    pub(super) fn position(&self, label: Label) -> usize {
        self.labels[label.0].expect("every label is placed")
    }
}

impl Asm {
    /// An empty buffer for AVX-512 code.
    pub(super) fn new() -> Asm {
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

    /// An empty buffer for code that is to be lowered to AVX2.
    pub(super) fn to_avx2() -> Asm {
        Asm {
            list: Some(Vec::new()),
            ..Asm::new()
        }
    }

    /// Whether the instructions are encoded unchanged. If not, permutations of lanes and roundings other than the default are
    /// expensive.
    pub(super) fn is_avx512(&self) -> bool {
        self.list.is_none()
    }

    /// Marks the start of the code of a node.
    pub(super) fn mark(&mut self, node: Value) {
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
        // An error means that the instruction lacks such operands: a mistake of a template.
        self.length += encoded.unwrap_or_else(|error| panic!("{:?}: {error}", instruction.code()));
    }

    /// Emits an instruction that may refer to a constant by its distance.
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

    /// Adds a vector instruction to the list, if there is one. Returns whether it did.
    fn is_listed(&mut self, wide: Wide) -> bool {
        match &mut self.list {
            Some(list) if wide.is_vector() => {
                list.push(Item::Wide(wide));
                true
            }
            _ => false,
        }
    }

    /// Emits an instruction with any operands.
    pub(super) fn op(&mut self, code: Code, args: &[Arg]) {
        self.under(code, Under::All, args);
    }

    /// Emits a jump, or an instruction that reads flags, unchanged.
    pub(super) fn as_it_is(&mut self, instruction: &Instruction) {
        self.push_near(*instruction);
    }

    /// Emits an instruction that changes memory atomically.
    pub(super) fn locked(&mut self, code: Code, args: &[Arg]) {
        let mut instruction = instruction(code, args);
        instruction.set_has_lock_prefix(true);
        self.push(&instruction);
    }

    /// Emits a vector instruction under a mask.
    pub(super) fn under(&mut self, code: Code, under: Under, args: &[Arg]) {
        if self.list.is_some()
            && self.is_listed(Wide::new(code, RoundingControl::None, under, args))
        {
            return;
        }
        let mut instruction = instruction(code, args);
        mask(&mut instruction, under);
        self.push_near(instruction);
    }

    /// Emits a vector instruction on registers only, with a rounding mode of its own.
    pub(super) fn rounded(
        &mut self,
        code: Code,
        round: RoundingControl,
        under: Under,
        args: &[Arg],
    ) {
        if self.list.is_some() && self.is_listed(Wide::new(code, round, under, args)) {
            return;
        }
        let mut instruction = instruction(code, args);
        mask(&mut instruction, under);
        instruction.set_rounding_control(round);
        self.push(&instruction);
    }

    /// Sets a register to a constant.
    pub(super) fn set(&mut self, register: Register, value: u64) {
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

    /// Emits an instruction with a register or memory, and a constant, which is sign-extended to 64 bits if `wide`.
    pub(super) fn with_constant(&mut self, code: Code, to: Arg, value: i32, wide: bool) {
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

    /// A new label, to be [placed](Self::place).
    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Places a label at the present position.
    pub(super) fn place(&mut self, label: Label) {
        match &mut self.list {
            Some(list) => list.push(Item::Place(label)),
            None => self.labels[label.0] = Some(self.length),
        }
    }

    /// Emits a jump with a 32-bit distance.
    pub(super) fn jump(&mut self, code: Code, to: Label) {
        if let Some(list) = &mut self.list {
            return list.push(Item::Jump(code, to));
        }
        let target = (self.length + 0x1000) as u64;
        let jump = Instruction::with_branch(code, target);
        self.push(&jump.expect("the code is a jump"));
        self.jumps.push((self.length - 4, to));
    }

    /// The place of a constant relative to [`fixed::CONSTANTS`].
    pub(super) fn constant(&mut self, value: u32) -> Mem {
        let known = self.constants.iter().position(|c| *c == value);
        let at = known.unwrap_or_else(|| {
            self.constants.push(value);
            self.constants.len() - 1
        });
        Mem::at(fixed::CONSTANTS, 4 * at as u32)
    }

    /// The dword at an offset from the first constant.
    pub(super) fn constant_at(&self, offset: u32) -> u32 {
        self.constants[offset as usize / 4]
    }

    /// The place of a 64-bit constant relative to [`fixed::CONSTANTS`].
    pub(super) fn wide_constant(&mut self, value: u64) -> Mem {
        let at = self.constant_row(&[value as u32, (value >> 32) as u32]);
        Mem::at(fixed::CONSTANTS, at)
    }

    /// The offset of a row of constants from [`fixed::CONSTANTS`]. A row that fills a vector is aligned for fast loads.
    pub(super) fn constant_row(&mut self, row: &[u32]) -> u32 {
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

    /// Loads the address of the constants into [`fixed::CONSTANTS`].
    pub(super) fn use_constants(&mut self) {
        let constants = Mem::at(CONSTANTS, 0);
        self.op(
            Code::Lea_r64_m,
            &[fixed::CONSTANTS.into(), constants.into()],
        );
    }

    /// Takes the list of a buffer that is to be lowered to AVX2. Later instructions are encoded; labels and constants stay.
    pub(super) fn take_list(&mut self) -> Option<Vec<Item>> {
        self.list.take()
    }

    /// The encoded code, followed by its constants. `refused` has the nodes whose code could not be lowered.
    pub(super) fn assemble(mut self, refused: Vec<Value>) -> Assembled {
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
