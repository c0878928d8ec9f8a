//! Related instructions: the other segments of a FLAT one, the steps of one computation, and other types of one operation.

use std::collections::HashMap;
use std::sync::OnceLock;

use wavetank_explain::name_in;
use wavetank_gcn::Form;

use crate::forms::{Subject, subjects};

/// The greatest number of instructions that are named.
const MAX_SHOWN: usize = 12;

/// Instructions that belong together, although their names do not say so. A name stands for all types.
const GROUPS: &[&[&str]] = &[
    &["v_div_scale", "v_rcp", "v_div_fmas", "v_div_fixup"],
    &["v_cubeid", "v_cubesc", "v_cubetc", "v_cubema"],
    &["v_readlane", "v_writelane", "v_readfirstlane"],
    &["ds_swizzle", "ds_permute", "ds_bpermute"],
    &["v_interp_p1", "v_interp_p2", "v_interp_mov"],
    &[
        "v_mad_mix",
        "v_mad_mixlo",
        "v_mad_mixhi",
        "v_fma_mix",
        "v_fma_mixlo",
        "v_fma_mixhi",
    ],
    &["v_perm", "v_alignbyte", "v_alignbit", "v_bfi"],
    &["s_getreg", "s_setreg", "s_setreg_imm32"],
    &["s_waitcnt", "s_nop", "s_sleep"],
    &["s_getpc", "s_setpc", "s_swappc", "s_call"],
    &["v_add_co", "v_addc_co", "v_sub_co", "v_subb_co"],
    &["s_add", "s_addc", "s_sub", "s_subb"],
    &["v_trig_preop", "v_sin", "v_cos", "v_fract"],
    &["v_frexp_mant", "v_frexp_exp", "v_ldexp"],
];

/// Returns the instructions that are related to one, at most `MAX_SHOWN`.
pub fn related(subject: Subject) -> Vec<Subject> {
    let (op, form) = subject;
    let (name, mut found) = (name_in(op, form), Vec::new());
    if op.home() == Form::Flat {
        let segments = [Form::Flat, Form::Global, Form::Scratch];
        let siblings = segments.into_iter().map(|form| (op, form));
        found.extend(siblings.filter(|other| subjects_by_stem().contains(other)));
    }
    let stem = stem(&name);
    let group = GROUPS.iter().find(|group| group.contains(&stem));
    let ty = name.strip_prefix(stem).unwrap_or_default();
    for member in group.copied().unwrap_or_default() {
        let all = subjects_by_stem().of(member);
        let same = all.iter().find(|s| name_in(s.0, s.1).ends_with(ty));
        found.extend(same.or(all.first()));
    }
    found.extend(subjects_by_stem().of(stem));
    let mut kept: Vec<Subject> = Vec::new();
    for other in found {
        if other != subject && !kept.contains(&other) {
            kept.push(other);
        }
    }
    kept.truncate(MAX_SHOWN);
    kept
}

/// Every subject, by the name without types.
struct ByStem {
    of: HashMap<String, Vec<Subject>>,
}

impl ByStem {
    fn of(&self, stem: &str) -> &[Subject] {
        self.of.get(stem).map_or(&[], Vec::as_slice)
    }

    fn contains(&self, subject: &Subject) -> bool {
        self.of(stem(&name_in(subject.0, subject.1)))
            .contains(subject)
    }
}

fn subjects_by_stem() -> &'static ByStem {
    static ALL: OnceLock<ByStem> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut of: HashMap<String, Vec<Subject>> = HashMap::new();
        for subject in subjects() {
            let name = name_in(subject.0, subject.1);
            of.entry(stem(&name).to_owned()).or_default().push(subject);
        }
        ByStem { of }
    })
}

/// Returns a name without the types and sizes at its end: `v_add` of `v_add_f32`, `global_load` of `global_load_dwordx2`.
fn stem(name: &str) -> &str {
    let mut stem = name;
    while let Some((rest, last)) = stem.rsplit_once('_') {
        if !is_type(last) || !rest.contains('_') {
            break;
        }
        stem = rest;
    }
    stem
}

/// Whether a part of a name is a type, a size, or how a result is returned.
fn is_type(part: &str) -> bool {
    let sized = part.strip_prefix(['b', 'u', 'i', 'f']);
    let bits = sized.is_some_and(|n| ["8", "16", "24", "32", "64", "96", "128"].contains(&n));
    let bytes = [
        "dword", "ubyte", "sbyte", "ushort", "sshort", "byte", "short",
    ];
    bits || bytes.contains(&part)
        || part.starts_with("dwordx")
        || ["x2", "x3", "x4", "x8", "x16", "rtn", "d16", "hi"].contains(&part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(name: &str) -> Vec<String> {
        let subject = subjects().find(|s| name_in(s.0, s.1) == name);
        let related = related(subject.expect("it exists"));
        related.into_iter().map(|s| name_in(s.0, s.1)).collect()
    }

    #[test]
    fn relations_are_types_steps_and_segments() {
        assert!(names("v_add_f32").contains(&"v_add_f64".to_owned()));
        let loads = names("global_load_dword");
        assert_eq!(loads[..2], ["flat_load_dword", "scratch_load_dword"]);
        assert!(loads.contains(&"global_load_dwordx4".to_owned()));
        let steps = names("v_div_fmas_f64");
        assert_eq!(
            steps[..3],
            ["v_div_scale_f64", "v_rcp_f64", "v_div_fixup_f64"]
        );
        assert!(names("ds_add_u32").contains(&"ds_add_rtn_u32".to_owned()));
    }

    /// A name of a group that no instruction has would say nothing.
    #[test]
    fn groups_name_instructions() {
        for stem in GROUPS.iter().copied().flatten() {
            assert!(!subjects_by_stem().of(stem).is_empty(), "{stem}");
        }
    }
}
