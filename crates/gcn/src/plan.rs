//! Plans: the fixed facts about an instruction in one form on one chip. A plan has the places and readings of the operands, the
//! accepted modifiers, and the opcode.
//!
//! Plans follow from rows and layouts and are made once for each chip, so that decoding and encoding are look-ups.

use std::sync::OnceLock;

use crate::codes::{Codes, Reading};
use crate::form::Form;
use crate::generation::{Chip, Generation};
use crate::inst::{Inst, MAX_OPERANDS, Mods, Operand, Spelling};
use crate::layout::{Bits, Coding, FORMS, Layout, Place, VOP3B_SDST, layout};
use crate::modifiers::{self, Taken};
use crate::tables::{Chips, Features, Field, Kind, Op, OperandSpec};

/// Codes of SRC0 in VOP1, VOP2 or VOPC that announce a modifier word.
const SDWA: u32 = 249;
const DPP: u32 = 250;

/// The plan of an instruction in one form.
pub(crate) struct Plan {
    pub op: Op,
    pub form: Form,
    /// The length in bytes, 4 or 8, without a literal.
    pub len: u8,
    /// The operand that is a signed 16-bit number, if any.
    pub simm16: Option<u8>,
    slots: [Slot; MAX_OPERANDS],
    /// The modifiers that the instruction takes.
    pub taken: Taken,
    /// The bits that identify encoding and instruction.
    pub word: u64,
    pub layout: &'static Layout,
    places: [Place; MAX_OPERANDS],
}

/// The place of an operand, and the table that reads it.
#[derive(Clone, Copy, Default)]
struct Slot {
    /// The lowest of eight adjacent bits.
    low: u8,
    /// The position of a ninth bit.
    high: u8,
    /// The index of the table.
    codes: u8,
}

impl Slot {
    /// Returns the nine bits of the field.
    #[inline]
    fn code(self, word: u64) -> u16 {
        (word >> (self.low & 63)) as u16 & 0xff | ((word >> (self.high & 63)) as u16 & 1) << 8
    }
}

impl Plan {
    /// Returns the code in the field of an operand.
    pub(crate) fn code(&self, operand: usize, word: u64) -> u16 {
        let width = self.places[operand].bits.max() as u16;
        self.slots[operand].code(word) & width
    }

    /// Returns the instruction without operands and modifiers.
    #[inline]
    pub(crate) fn blank(&self, chip: Chip) -> Inst {
        Inst {
            op: self.op,
            chip,
            form: self.form,
            len: self.len,
            operands: [Operand::None; MAX_OPERANDS],
            mods: Mods::default(),
            spelling: Spelling::default(),
        }
    }

    /// Returns the place and coding of an operand.
    pub(crate) fn place(&self, operand: usize) -> Place {
        self.places[operand]
    }
}

/// The plans of all instructions of a chip.
pub(crate) struct Plans {
    all: Vec<Plan>,
    codes: Vec<Codes>,
    readings: Vec<Reading>,
    /// The opcode fields, by the upper nine bits of a word.
    opcodes: Vec<Opcodes>,
    /// Indices of plans, by form and opcode.
    by_opcode: Vec<u16>,
    /// Indices of plans, by [`Op::index`] and form.
    by_op: Vec<[u16; VARIANTS]>,
}

/// The opcode field of words with the same upper bits.
#[derive(Clone, Copy, Default)]
struct Opcodes {
    shift: u8,
    mask: u16,
    /// The start of their opcodes in [`Plans::by_opcode`]: for the form itself, for its SDWA form, and for its DPP form.
    base: [usize; 3],
}

/// The index that stands for a missing plan.
const NONE: u16 = u16::MAX;
/// The number of opcodes reserved for a form. VOP3 has ten bits; FLAT has seven, and between the opcode and the segment two bits
/// without meaning.
const ROOM: usize = 1 << 11;
/// The number of forms that an instruction can have.
const VARIANTS: usize = 4;

/// Returns the index of a form among those that an instruction can have.
fn variant(op: Op, form: Form) -> Option<usize> {
    match form {
        _ if form == op.home() => Some(0),
        Form::Vop3 | Form::Vop2 | Form::Global => Some(1),
        Form::Sdwa | Form::Scratch => Some(2),
        Form::Dpp => Some(3),
        _ => None,
    }
}

/// Returns the opcode of an instruction in a form, if the chip has it.
fn opcode(op: Op, form: Form, chip: Chip) -> Option<u16> {
    let gfx9 = chip.generation() == Generation::Gfx9;
    let short = matches!(op.home(), Form::Vop1 | Form::Vop2 | Form::Vopc);
    // Where an instruction lacks forms, its opcode can be that of another one.
    let lacks = !op.row().all_forms.contain(chip);
    let new = !op.row().chips.intersects(Chips::VEGA);
    match form {
        Form::Flat | Form::Vop3 | Form::Sdwa | Form::Dpp if lacks => None,
        // Instructions of CDNA have the forms of LLVM's text alone.
        Form::Sdwa if new && !op.sdwa(chip) => None,
        Form::Dpp if new && !op.dpp(chip) => None,
        Form::Vop3 => op.vop3(chip),
        Form::Vop2 => op.vop2(chip),
        Form::Scratch if gfx9 => op.scratch(chip),
        Form::Global if gfx9 && op.home() == Form::Flat => op.opcode(chip),
        Form::Sdwa | Form::Dpp if short && chip.generation() >= Generation::Gfx8 => op.opcode(chip),
        form if form == op.home() => op.opcode(chip),
        _ => None,
    }
}

impl Plans {
    /// Returns the plans of a chip, made at first use.
    #[inline]
    pub(crate) fn of(chip: Chip) -> &'static Plans {
        static ALL: [OnceLock<Plans>; Chip::COUNT] = [const { OnceLock::new() }; Chip::COUNT];
        ALL[chip as usize].get_or_init(|| Plans::new(chip))
    }

    /// Returns the plan of the instruction that begins with `word`.
    #[inline]
    pub(crate) fn find(&self, word: u32) -> Option<&Plan> {
        let opcodes = &self.opcodes[(word >> 23) as usize];
        let form = match word & 0x1ff {
            SDWA => 1,
            DPP => 2,
            _ => 0,
        };
        let opcode = word >> opcodes.shift & u32::from(opcodes.mask);
        let number = *self.by_opcode.get(opcodes.base[form] + opcode as usize)?;
        self.all.get(usize::from(number))
    }

    /// Returns the index of the plan of an instruction in a form.
    #[inline]
    pub(crate) fn number(&self, op: Op, form: Form) -> Option<usize> {
        let number = self.by_op[op.index()][variant(op, form)?];
        (number != NONE).then_some(number.into())
    }

    /// Returns the plan of an instruction in a form.
    pub(crate) fn get(&self, op: Op, form: Form) -> Option<&Plan> {
        self.number(op, form).map(|number| &self.all[number])
    }

    /// Returns the operand in a field of a word, or [`RESERVED`](crate::codes::RESERVED).
    #[inline]
    pub(crate) fn operand(&self, plan: &Plan, operand: usize, word: u64) -> Operand {
        let slot = plan.slots[operand];
        self.codes[usize::from(slot.codes)][usize::from(slot.code(word))]
    }

    /// Returns every plan, in the order of their indices.
    pub(crate) fn all(&self) -> &[Plan] {
        &self.all
    }

    fn new(chip: Chip) -> Plans {
        let mut plans = Plans {
            all: Vec::new(),
            codes: Vec::new(),
            readings: Vec::new(),
            opcodes: (0..512).map(|top| opcodes(top, chip)).collect(),
            by_opcode: vec![NONE; FORMS * ROOM],
            by_op: vec![[NONE; VARIANTS]; Op::INDICES],
        };
        for op in Op::all() {
            for form in Form::ALL {
                let variant = variant(op, form);
                if let (Some(opcode), Some(variant)) = (opcode(op, form, chip), variant) {
                    plans.enter(op, form, opcode, variant, chip);
                }
            }
        }
        plans
    }

    fn enter(&mut self, op: Op, form: Form, opcode: u16, variant: usize, chip: Chip) {
        let number = self.all.len() as u16;
        let plan = self.plan(op, form, opcode, chip);
        self.all.push(plan);
        self.by_op[op.index()][variant] = number;
        let region = region(form, op.home());
        for field in opcode_fields(form, opcode, chip.generation()) {
            self.by_opcode[region + field] = number;
        }
    }

    fn plan(&mut self, op: Op, form: Form, opcode: u16, chip: Chip) -> Plan {
        let own = layout(form, chip);
        // The first word of SDWA and DPP is that of the home form.
        let (first, marker) = match form {
            Form::Sdwa => (layout(op.home(), chip), SDWA),
            Form::Dpp => (layout(op.home(), chip), DPP),
            _ => (own, 0),
        };
        let mut plan = Plan {
            op,
            form,
            len: own.len,
            simm16: None,
            slots: [Slot::default(); MAX_OPERANDS],
            taken: Taken::new(op, form, chip),
            word: first.base | first.opcode.put(opcode.into()) | u64::from(marker),
            layout: own,
            places: [Place::ABSENT; MAX_OPERANDS],
        };
        for (i, spec) in op.row().operands.iter().enumerate() {
            let place = place(own, form, op, spec);
            plan.places[i] = place;
            plan.slots[i] = self.slot(spec, form, place, own.literal);
            if place.coding == Coding::Signed {
                plan.simm16 = Some(i as u8);
            }
        }
        for slot in &mut plan.slots[op.row().operands.len()..] {
            slot.codes = self.table(Reading::NONE);
        }
        plan
    }

    fn slot(&mut self, spec: &OperandSpec, form: Form, place: Place, literal: bool) -> Slot {
        let start = place.bits.0;
        Slot {
            low: start,
            high: match place.coding {
                Coding::Sdwa(Some(bit)) | Coding::Vector(bit) => bit,
                _ if place.bits.1 > 8 => start + 8,
                _ => 0,
            },
            codes: self.table(Reading::new(spec, form, place, literal)),
        }
    }

    /// Returns the index of the table of a reading.
    fn table(&mut self, reading: Reading) -> u8 {
        let known = self.readings.iter().position(|r| *r == reading);
        known.unwrap_or_else(|| {
            self.readings.push(reading);
            self.codes.push(reading.codes());
            self.readings.len() - 1
        }) as u8
    }
}

/// Returns the form of the words that begin with these nine bits; for FLAT, the form of segment 0.
fn form(top: u32, generation: Generation) -> Option<Form> {
    let old = generation < Generation::Gfx8;
    let form = match (top >> 3, top >> 2, top) {
        (.., 0x1a7) if !old => Form::Vop3p,
        (.., 0x17f) => Form::Sopp,
        (.., 0x17e) => Form::Sopc,
        (.., 0x17d) => Form::Sop1,
        (_, 0x3f, _) => Form::Vop1,
        (_, 0x3e, _) => Form::Vopc,
        (..0x20, ..) => Form::Vop2,
        (0x2c..0x30, ..) => Form::Sopk,
        (0x20..0x30, ..) => Form::Sop2,
        (0x30 | 0x31, ..) if old => Form::Smem,
        (0x30, ..) => Form::Smem,
        (0x31, ..) => Form::Exp,
        (0x32, ..) if old => Form::Vintrp,
        (0x34, ..) => Form::Vop3,
        (0x35, ..) if !old => Form::Vintrp,
        (0x36, ..) => Form::Ds,
        (0x37, ..) if generation > Generation::Gfx6 => Form::Flat,
        (0x38, ..) => Form::Mubuf,
        (0x3a, ..) => Form::Mtbuf,
        (0x3c, ..) => Form::Mimg,
        (0x3e, ..) if old => Form::Exp,
        _ => return None,
    };
    Some(form)
}

/// Returns the start of a form's opcodes in [`Plans::by_opcode`]. SDWA and DPP use those of their home form.
fn region(form: Form, home: Form) -> usize {
    let within = match (form, home) {
        (Form::Sdwa | Form::Dpp, Form::Vop2) => ROOM / 4,
        (Form::Sdwa | Form::Dpp, Form::Vopc) => ROOM / 2,
        _ => 0,
    };
    let form = match form {
        Form::Global | Form::Scratch => Form::Flat,
        Form::Mai => Form::Vop3p,
        form => form,
    };
    form as usize * ROOM + within
}

/// The segment field of FLAT, GLOBAL and SCRATCH.
const SEGMENT: Bits = Bits(14, 2);

/// Returns the opcode field of words that begin with these nine bits.
fn opcodes(top: u32, chip: Chip) -> Opcodes {
    let generation = chip.generation();
    let Some(form) = form(top, generation) else {
        return Opcodes {
            base: [FORMS * ROOM; 3],
            ..Opcodes::default()
        };
    };
    let own = region(form, form);
    let bits = match form {
        Form::Flat => Bits(SEGMENT.0, 11),
        form => layout(form, chip).opcode,
    };
    let short = matches!(form, Form::Vop1 | Form::Vop2 | Form::Vopc);
    let second = |second| {
        if short && generation >= Generation::Gfx8 {
            region(second, form)
        } else {
            own
        }
    };
    Opcodes {
        shift: bits.0,
        mask: bits.max() as u16,
        base: [own, second(Form::Sdwa), second(Form::Dpp)],
    }
}

/// Returns the values of the field of [`opcodes`] that stand for an opcode; for FLAT, there is one for each value of the bits
/// between opcode and segment.
fn opcode_fields(form: Form, opcode: u16, generation: Generation) -> Vec<usize> {
    let opcode = usize::from(opcode);
    let segment = match form {
        Form::Flat => 0,
        Form::Scratch => 1,
        Form::Global => 2,
        _ => return vec![opcode],
    };
    let has_segments = generation == Generation::Gfx9;
    let fields = (0..16).filter(|low| !has_segments || low & 3 == segment);
    fields.map(|low| opcode << 4 | low).collect()
}

/// Returns the place and coding of an operand. A row can have a scalar where its encoding has a VGPR (v_readlane_b32,
/// v_readfirstlane_b32).
fn place(layout: &Layout, form: Form, op: Op, spec: &OperandSpec) -> Place {
    if form == Form::Vop3 && spec.field == Field::Sdst && modifiers::is_vop3b(op.row()) {
        return VOP3B_SDST;
    }
    let place = match (form, spec.field) {
        // The register that synchronization by GDS reads can be an AGPR.
        (Form::Ds, Field::Vaddr) if op.row().has(Features::GDS_ONLY) => Place {
            coding: layout.place(Field::Data0).coding,
            ..layout.place(Field::Vaddr)
        },
        // In this form v_madmk and v_madak have no room for a literal.
        (Form::Vop3, Field::Literal) => layout.place(Field::Src2),
        (_, field) => layout.place(field),
    };
    let coding = match (place.coding, spec.kind) {
        (Coding::Vgpr, Kind::Sgpr) => Coding::Sgpr(1),
        (Coding::Vgpr, Kind::Scalar) => Coding::Source,
        (Coding::Vgpr, Kind::Agpr) => Coding::Agpr,
        (Coding::Sgpr(_), Kind::Probe) => Coding::Unsigned,
        (coding, _) => coding,
    };
    Place { coding, ..place }
}
