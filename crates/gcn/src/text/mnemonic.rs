//! The meaning of mnemonics: every spelling with its suffix or segment, resolved once for each chip.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::form::Form;
use crate::generation::{Chip, Generation};
use crate::shapes::MatrixType;
use crate::tables::{Mai, Op, Vop2, Vop3};

/// A row and form that a spelling can stand for.
pub(super) type Candidate = (Op, Form);

/// Every spelling that is valid on a chip, with its candidates, the shortest encoding first.
pub(super) struct Mnemonics {
    spellings: FxHashMap<Box<str>, Vec<Candidate>>,
}

impl Mnemonics {
    /// Returns the mnemonics of a chip, collected at first use.
    pub(super) fn of(chip: Chip) -> &'static Mnemonics {
        static ALL: [OnceLock<Mnemonics>; Chip::COUNT] = [const { OnceLock::new() }; Chip::COUNT];
        ALL[chip as usize].get_or_init(|| Mnemonics::collect(chip))
    }

    fn collect(chip: Chip) -> Mnemonics {
        let generation = chip.generation();
        let mut all = Mnemonics {
            spellings: FxHashMap::default(),
        };
        let named = |op: Op| {
            let row = op.row();
            let name = row.name(chip)?;
            (row.listed(generation) && row.exists_on(chip)).then_some((op, name))
        };
        for (op, name) in Op::all().filter_map(named) {
            for form in plain_forms(op, chip) {
                all.add(name.into(), op, form);
            }
        }
        for (op, name) in Op::all().filter_map(named) {
            for alias in aliases(op, name, chip) {
                all.add(alias.into(), op, op.home());
            }
            for alias in long_aliases(op, chip) {
                all.add((*alias).into(), op, Form::Vop3);
            }
        }
        for (op, name) in Op::all().filter_map(named) {
            for (suffix, form) in suffixed_forms(op, chip) {
                all.add(format!("{name}{suffix}").into(), op, form);
            }
            for (segment, form) in segments(op, chip) {
                let rest = name.strip_prefix("flat").unwrap_or(name);
                all.add(format!("{segment}{rest}").into(), op, form);
            }
        }
        all
    }

    fn add(&mut self, spelling: Box<str>, op: Op, form: Form) {
        self.spellings.entry(spelling).or_default().push((op, form));
    }

    /// Returns the candidates of a word; none if it is not a mnemonic of the chip.
    pub(super) fn candidates(&self, word: &str) -> &[Candidate] {
        self.spellings.get(word).map_or(&[], Vec::as_slice)
    }
}

/// Returns the short form of a vector instruction.
fn short_form(op: Op, chip: Chip) -> Option<Form> {
    match op.home() {
        home @ (Form::Vop1 | Form::Vop2 | Form::Vopc | Form::Vintrp) => Some(home),
        Form::Vop3 => op.vop2(chip).map(|_| Form::Vop2),
        _ => None,
    }
}

/// Returns whether suffixes distinguish the forms of an instruction.
fn is_vector(op: Op) -> bool {
    let home = op.home();
    home == Form::Vop3 || matches!(home, Form::Vop1 | Form::Vop2 | Form::Vopc | Form::Vintrp)
}

/// Returns the forms of a name without suffix.
fn plain_forms(op: Op, chip: Chip) -> impl Iterator<Item = Form> {
    let home = (!is_vector(op)).then_some(op.home());
    let home = home.filter(|form| *form != Form::Flat || op.flat(chip));
    home.into_iter().chain(
        suffixed_forms(op, chip)
            .filter(move |_| is_vector(op))
            .map(|(_, form)| form),
    )
}

/// Returns the forms of an instruction by suffix.
fn suffixed_forms(op: Op, chip: Chip) -> impl Iterator<Item = (&'static str, Form)> {
    let vector = is_vector(op);
    // LLVM accepts the suffix on scalar instructions, too.
    let scalar = (op.home() == Form::Sop1).then_some(Form::Sop1);
    let long = vector && op.lists_vop3(chip);
    [
        short_form(op, chip).or(scalar).map(|form| ("_e32", form)),
        long.then_some(("_e64", Form::Vop3)),
        (vector && op.sdwa(chip)).then_some(("_sdwa", Form::Sdwa)),
        (vector && op.dpp(chip)).then_some(("_dpp", Form::Dpp)),
    ]
    .into_iter()
    .flatten()
}

/// Returns the other names of a matrix instruction or move, which LLVM accepts: from gfx942 on, those of earlier chips.
fn aliases(op: Op, name: &str, chip: Chip) -> Vec<String> {
    let row = op.row();
    match op {
        Op::Mai(Mai::V_ACCVGPR_READ_B32 | Mai::V_ACCVGPR_WRITE_B32) => {
            vec![name.trim_end_matches("_b32").to_owned()]
        }
        Op::Mai(_) if chip >= Chip::Gfx942 => {
            let earlier = row.mnemonic(chip.generation()).filter(|old| *old != name);
            let chosen = row.shape.is_some_and(|shape| shape.a == MatrixType::F8f6f4);
            let joined = (!chosen).then(|| joined(name)).flatten();
            let joined = joined.filter(|joined| Some(joined.as_str()) != earlier);
            joined
                .into_iter()
                .chain(earlier.map(str::to_owned))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the names of other generations by which LLVM's assembler knows a long form.
fn long_aliases(op: Op, chip: Chip) -> &'static [&'static str] {
    match (op, chip.generation()) {
        (Op::Vop2(Vop2::V_ADD_CO_U32), Generation::Gfx6 | Generation::Gfx7) => {
            &["v_add_co_u32", "v_add_co_u32_e64"]
        }
        (Op::Vop2(Vop2::V_SUB_CO_U32), Generation::Gfx6 | Generation::Gfx7) => {
            &["v_sub_co_u32", "v_sub_co_u32_e64"]
        }
        (Op::Vop2(Vop2::V_SUBREV_CO_U32), Generation::Gfx6 | Generation::Gfx7) => {
            &["v_subrev_co_u32", "v_subrev_co_u32_e64"]
        }
        // The low half of a product is the same with and without signs.
        (Op::Vop3(Vop3::V_MUL_LO_U32), Generation::Gfx8 | Generation::Gfx9) => {
            &["v_mul_lo_i32", "v_mul_lo_i32_e64"]
        }
        _ => &[],
    }
}

/// Returns the name of a matrix instruction with its types after the sizes and without the number of blocks, as CDNA 2 writes it:
/// `v_mfma_f32_4x4x4f16` for `v_mfma_f32_4x4x4_16b_f16`.
fn joined(name: &str) -> Option<String> {
    let mut parts = name.split('_');
    let start: Vec<&str> = parts.by_ref().take(4).collect();
    let is_blocks = |part: &&str| {
        part.strip_suffix('b')
            .is_some_and(|n| n.parse::<u8>().is_ok())
    };
    let types: String = parts.filter(|part| !is_blocks(part)).collect();
    (!types.is_empty()).then(|| start.join("_") + &types)
}

/// Returns the names of a FLAT instruction in the other segments.
fn segments(op: Op, chip: Chip) -> impl Iterator<Item = (&'static str, Form)> {
    let flat = op.home() == Form::Flat && chip.generation() == Generation::Gfx9;
    let scratch = op.scratch(chip).is_some();
    [
        ("global", Form::Global, flat),
        ("scratch", Form::Scratch, flat && scratch),
    ]
    .into_iter()
    .filter(|(_, _, exists)| *exists)
    .map(|(name, form, _)| (name, form))
}
