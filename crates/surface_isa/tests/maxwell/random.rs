//! Random words, instructions and lines.

use proptest::prelude::*;
use wavetank_surface_isa::maxwell::{
    Clamp, Control, Dim, FORMS, Generation, Guard, Handle, Inst, Mode, Op, Pred, Reg, Size,
    assemble, decode, encode, form_of, parse, print,
};

use crate::isa::round_trip;

fn generation() -> impl Strategy<Value = Generation> {
    prop::sample::select(&Generation::ALL[..])
}

fn pred() -> impl Strategy<Value = Pred> {
    (0..8u8).prop_map(|n| Pred::new(n).expect("three bits"))
}

fn reg() -> impl Strategy<Value = Reg> {
    any::<u8>().prop_map(Reg)
}

/// Any instruction that can be said, and some that cannot.
fn inst() -> impl Strategy<Value = Inst> {
    let mode = prop_oneof![
        Just(Mode::Formatted),
        any::<bool>().prop_map(|bytes| Mode::Raw { bytes })
    ];
    let handle = prop_oneof![
        reg().prop_map(Handle::Register),
        (0..=Handle::MAX).prop_map(Handle::Immediate)
    ];
    let what = (
        prop::sample::select(Dim::ALL),
        prop::sample::select(Op::ALL),
        prop::sample::select(Size::ALL),
        prop::sample::select(Clamp::ALL),
    );
    let guard = (pred(), any::<bool>()).prop_map(|(pred, negated)| Guard { pred, negated });
    let others = (generation(), guard, mode, prop::option::of(pred()), handle);
    (what, others, [reg(), reg(), reg()]).prop_map(|(what, others, [rd, ra, rb])| {
        let (dim, op, size, clamp) = what;
        let (generation, guard, mode, sparse, handle) = others;
        Inst {
            generation,
            guard,
            mode,
            dim,
            op,
            size: if mode == Mode::Formatted {
                Size::U32
            } else {
                size
            },
            clamp,
            sparse: sparse.filter(|p| op != Op::Cas || *p != Pred::PT),
            rd,
            ra,
            rb,
            handle,
        }
    })
}

fn control() -> impl Strategy<Value = Control> {
    (0..1u64 << 21).prop_map(Control::of_bits)
}

/// A word that begins like a SUATOM.
fn word() -> impl Strategy<Value = u64> {
    let near = (any::<u64>(), prop::sample::select(&FORMS[..])).prop_map(|(word, form)| {
        let shift = 64 - form.prefix_width;
        form.prefix << shift | word & ((1 << shift) - 1)
    });
    prop_oneof![4 => near, 1 => any::<u64>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn what_decodes_encodes_to_itself(word in word(), generation in generation()) {
        if let Ok(inst) = decode(word, generation) {
            let meant = form_of(word).expect("it has a form").meant();
            prop_assert_eq!(encode(&inst), Ok(word & meant));
            let text = inst.to_string();
            prop_assert_eq!(parse(&text, generation).expect(&text).inst, inst);
        }
    }

    #[test]
    fn what_encodes_decodes_to_itself(inst in inst(), control in control()) {
        round_trip(inst.generation, inst)?;
        let text = print(&inst, control);
        match encode(&inst) {
            Ok(_) => {
                let parsed = parse(&text, inst.generation).expect(&text);
                prop_assert_eq!((parsed.inst, parsed.control), (inst, control));
            }
            Err(_) => prop_assert!(parse(&text, inst.generation).is_err(), "{}", text),
        }
    }

    #[test]
    fn controls_are_their_bits(word in any::<u64>()) {
        prop_assert_eq!(Control::word(Control::of_word(word)), word & (u64::MAX >> 1));
    }

    #[test]
    fn no_line_panics(line in "\\PC{0,60}", generation in generation()) {
        let _ = assemble(&line, generation);
    }

    /// A line with a piece of it replaced: the place of an error lies in the line.
    #[test]
    fn errors_have_a_place(
        inst in inst(),
        control in control(),
        (at, length) in (0..90usize, 0..8usize),
        piece in "[A-Z0-9.,;@!#&?\\[\\] é/*_]{0,5}",
    ) {
        let mut line = print(&inst, control);
        let at = at.min(line.len());
        line.replace_range(at..(at + length).min(line.len()), &piece);
        if let Err(error) = assemble(&line, inst.generation) {
            prop_assert!(line.get(error.span.clone()).is_some(), "{} {:?}", line, error);
            prop_assert!(!error.message.is_empty());
            prop_assert!(error.snippet(&line).contains('^'));
        }
    }
}
