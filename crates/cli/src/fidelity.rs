//! The fidelity of a run: how exact the instructions are that it executed, by the table of `isa --coverage`.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;
use wavetank::executed::Executed;
use wavetank_cases::{Fidelity, fidelity_in};
use wavetank_gcn::{Form, Op};

use wavetank_facts::name;

/// The classes, the least exact first.
const CLASSES: [&str; 6] = [
    "unsupported",
    "approximate",
    "unshown",
    "within ULP",
    "no effect",
    "exact",
];

/// The instructions that ran, by class. An instruction counts once for each place in the code where it ran.
#[derive(Serialize)]
pub(crate) struct ByFidelity {
    /// The number of places.
    places: u64,
    /// The number of places in each class.
    classes: BTreeMap<&'static str, u64>,
    /// The instructions that are not exact, the least exact first.
    not_exact: Vec<Inexact>,
}

/// An instruction that is not exact.
#[derive(Serialize)]
struct Inexact {
    gpu: &'static str,
    name: String,
    fidelity: &'static str,
    /// The number of places in the code where it ran.
    places: u64,
    /// The difference from the document.
    reason: String,
}

impl ByFidelity {
    pub(crate) fn of(executed: impl IntoIterator<Item = Executed>) -> ByFidelity {
        let mut all: BTreeMap<(&str, Op, Form), Executed> = BTreeMap::new();
        for one in executed {
            let sum = all.entry((one.chip.name(), one.op, one.form));
            let sum = sum.or_insert(Executed { places: 0, ..one });
            sum.places += one.places;
        }
        let mut classes = BTreeMap::new();
        let mut not_exact = Vec::new();
        for one in all.values() {
            let fidelity = fidelity_in(one.op, one.form, one.chip);
            *classes.entry(fidelity.class()).or_default() += one.places;
            if !matches!(fidelity, Fidelity::Exact(_)) {
                let name = name((one.op, one.form), one.chip.generation());
                not_exact.push(Inexact {
                    gpu: one.chip.name(),
                    name: name.unwrap_or_default(),
                    fidelity: fidelity.class(),
                    places: one.places,
                    reason: reason(&fidelity),
                });
            }
        }
        let rank = |class: &str| CLASSES.iter().position(|known| *known == class);
        not_exact.sort_by_key(|one| (rank(one.fidelity), std::cmp::Reverse(one.places)));
        ByFidelity {
            places: classes.values().sum(),
            classes,
            not_exact,
        }
    }

    /// Returns a line with the number of places in each class, and one for each instruction that is not exact.
    pub(crate) fn text(&self) -> String {
        let classes = CLASSES.iter().rev();
        let classes = classes.filter_map(|class| Some((class, self.classes.get(class)?)));
        let classes: Vec<String> = classes.map(|(class, n)| format!("{n} {class}")).collect();
        let list = match classes.as_slice() {
            [] => "none".to_owned(),
            classes => classes.join(", "),
        };
        let plural = if self.places == 1 { "" } else { "s" };
        let mut text = format!(
            "fidelity of the code that ran, {} instruction{plural}, each counted once: {list}\n",
            self.places
        );
        let longest = |length: fn(&Inexact) -> usize| self.not_exact.iter().map(length).max();
        let width = longest(|one| one.name.len()).unwrap_or_default();
        let classes = longest(|one| one.fidelity.len()).unwrap_or_default();
        for one in &self.not_exact {
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "{:>6} {:width$}  {:classes$}  {}",
                one.places, one.name, one.fidelity, one.reason
            );
        }
        text
    }
}

/// Returns the reason for the class of an instruction: the difference from the document, or the place that shows that there is none.
pub(crate) fn reason(fidelity: &Fidelity) -> String {
    match fidelity {
        Fidelity::Exact(place) => format!("shown by {place}"),
        Fidelity::Unshown => "no case and no test shows it bit for bit".to_owned(),
        Fidelity::WithinUlp(ulp) => format!("{ulp} ULP"),
        Fidelity::Approximate(why) | Fidelity::NoEffect(why) => (*why).to_owned(),
        Fidelity::Unsupported(why) => why.clone(),
    }
}

#[cfg(test)]
mod tests {
    use wavetank::Chip;
    use wavetank_gcn::tables::{Flat, Smem, Sop2, Vop1};

    use super::*;

    fn ran(executed: &[(Op, Form, u64)]) -> ByFidelity {
        let executed = executed.iter().map(|(op, form, places)| Executed {
            chip: Chip::Gfx900,
            op: *op,
            form: *form,
            places: *places,
        });
        ByFidelity::of(executed)
    }

    #[test]
    fn the_least_exact_comes_first() {
        let ran = ran(&[
            (Vop1::V_EXP_F32.into(), Form::Vop1, 2),
            (Sop2::S_ADD_U32.into(), Form::Sop2, 5),
            (Smem::S_MEMTIME.into(), Form::Smem, 1),
            (Vop1::V_EXP_F32.into(), Form::Vop1, 1),
        ]);
        assert_eq!(
            ran.text(),
            "fidelity of the code that ran, 9 instructions, each counted once: 5 exact, 3 within ULP, 1 approximate\n     \
             1 s_memtime  approximate  the clock of the host, not of a shader engine\n     \
             3 v_exp_f32  within ULP   0.5001 ULP\n"
        );
    }

    #[test]
    fn nothing_ran_or_one() {
        let none = ran(&[]).text();
        assert!(none.ends_with("0 instructions, each counted once: none\n"));
        let one = ran(&[(Flat::FLAT_LOAD_DWORD.into(), Form::Global, 1)]).text();
        assert!(one.ends_with("1 instruction, each counted once: 1 exact\n"));
    }

    /// A class that is not in the list would not be told.
    #[test]
    fn every_class_is_listed() {
        let chips = [Chip::Gfx600, Chip::Gfx900];
        for (op, chip) in Op::all().flat_map(|op| chips.map(|chip| (op, chip))) {
            let class = fidelity_in(op, op.home(), chip).class();
            assert!(CLASSES.contains(&class), "{class}");
        }
    }
}
