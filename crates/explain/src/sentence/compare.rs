//! Sentences of VOPC, composed from the parts of the name.

use super::types::Noun;

/// The relations of compares, with the condition in words.
const RELATIONS: [(&str, &str); 18] = [
    ("f", "never"),
    ("lt", "the first is less than the second"),
    ("eq", "both are equal"),
    ("le", "the first is the second or less"),
    ("gt", "the first is more than the second"),
    ("lg", "the first is less or more than the second"),
    ("ne", "both differ"),
    ("ge", "the first is the second or more"),
    ("o", "neither is a NaN"),
    ("u", "either is a NaN"),
    (
        "nge",
        "the first is less than the second or either is a NaN",
    ),
    ("nlg", "both are equal or either is a NaN"),
    ("ngt", "the first is the second or less, or either is a NaN"),
    (
        "nle",
        "the first is more than the second or either is a NaN",
    ),
    ("neq", "both differ or either is a NaN"),
    ("nlt", "the first is the second or more, or either is a NaN"),
    ("tru", "always"),
    ("t", "always"),
];

/// Returns the sentence of `v_cmp_lt_f32` and its like.
pub(super) fn sentence(name: &str) -> Option<String> {
    let mut parts = name.strip_prefix("v_")?.split('_');
    let (kind, relation, ty) = (parts.next()?, parts.next()?, parts.next()?);
    let noun = Noun::of(ty)?;
    // v_cmpx writes EXEC too, v_cmps signals every NaN, v_cmpsx does both (Vega ISA, 12.10; Southern Islands ISA, 9).
    let also = match kind {
        "cmp" => "",
        "cmpx" => "; EXEC becomes the mask too",
        "cmps" => "; any NaN signals",
        "cmpsx" => "; any NaN signals, EXEC becomes the mask too",
        _ => return None,
    };
    if relation == "class" {
        let one = noun.one();
        return Some(format!(
            "Sets the bits of lanes where {one} is of a class in the second source{also}."
        ));
    }
    let (_, when) = RELATIONS.iter().find(|(name, _)| *name == relation)?;
    let several = noun.several();
    Some(match *when {
        "never" => format!(
            "Clears the bits of all active lanes, as a compare of {several} that is never true{also}."
        ),
        "always" => format!(
            "Sets the bits of all active lanes, as a compare of {several} that is always true{also}."
        ),
        when => format!("Compares {several}: sets the bits of lanes where {when}{also}."),
    })
}
