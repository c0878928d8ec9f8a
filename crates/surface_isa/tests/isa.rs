//! Properties of every instruction set, on what the tests of each make.

use proptest::prelude::*;
use wavetank_surface_isa::SurfaceIsa;

/// An instruction with a code is what the code decodes to, and what its text says if it keeps the rules. One without a code
/// is refused as text.
pub(crate) fn round_trip<I: SurfaceIsa>(isa: I, inst: I::Inst) -> Result<(), TestCaseError> {
    let text = inst.to_string();
    let parsed = isa.parse(&text).ok();
    let Ok(code) = isa.encode(&inst) else {
        prop_assert_eq!(parsed, None, "{}", text);
        return Ok(());
    };
    prop_assert_eq!(isa.decode(&code).ok(), Some(inst), "{}", text);
    let kept = isa.keeps_rules(&inst).then_some(inst);
    prop_assert_eq!(parsed, kept, "{}", text);
    Ok(())
}

/// A source is read up to a limit of errors, each with a sentence and a place in its line; what is read can be packed.
pub(crate) fn errors_have_a_place(isa: impl SurfaceIsa, source: &str) -> Result<(), TestCaseError> {
    const LIMIT: usize = 5;
    let (lines, errors) = isa.source(source, LIMIT);
    prop_assert!(lines.len() + errors.len() <= source.lines().count() && errors.len() <= LIMIT);
    prop_assert_eq!(isa.pack(&lines).is_empty(), lines.is_empty());
    for error in errors {
        prop_assert!(
            error.text.get(error.error.span.clone()).is_some(),
            "{:?}",
            error
        );
        prop_assert!(error.to_string().contains("column"), "{:?}", error);
    }
    Ok(())
}
