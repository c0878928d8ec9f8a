//! Random bytes, texts and instructions.

use proptest::prelude::*;
use wavetank_surface_isa::visa::{
    Channels, Combine, Ids, Mask, Operation, Predicate, Raw, TypedAtomic, Version, check, decode,
    encode, parse,
};

use crate::isa::{errors_have_a_place, round_trip};

/// Any instruction that has bytes, whether it keeps the rules or not.
pub(crate) fn instructions() -> impl Strategy<Value = TypedAtomic> {
    let operation = prop::sample::select(Operation::all().collect::<Vec<_>>());
    let channels = prop::sample::select([1, 2, 4, 8, 16].map(Channels::new).to_vec());
    let mask = (0u8..16).prop_map(Mask::from_code);
    let combine = prop::sample::select(vec![Combine::Each, Combine::Any, Combine::All]);
    let predicate =
        (1u16..4096, combine, any::<bool>()).prop_map(|(variable, combine, inverse)| Predicate {
            variable,
            combine,
            inverse,
        });
    let known = (0u32..70, 0u16..3).prop_map(|(variable, offset)| Raw::new(variable, offset * 32));
    let far = (any::<u16>(), any::<u16>()).prop_map(|(v, offset)| Raw::new(v.into(), offset));
    let raw = prop_oneof![Just(Raw::NULL), known, far];
    let head = (
        operation,
        any::<bool>(),
        channels,
        mask,
        prop::option::of(predicate),
        any::<u8>(),
    );
    (head, prop::array::uniform7(raw)).prop_map(|(head, [u, v, r, lod, src0, src1, dst])| {
        let (operation, word, channels, mask, predicate, surface) = head;
        TypedAtomic {
            operation,
            word,
            channels: channels.expect("a number of channels"),
            mask,
            predicate,
            surface,
            u,
            v,
            r,
            lod,
            src0,
            src1,
            dst,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn instructions_have_bytes_and_text(inst in instructions(), wide: bool) {
        let ids = if wide { Ids::Wide } else { Ids::Narrow };
        let bytes = encode(&inst, ids).expect("numbers of 16 bits");
        prop_assert_eq!(bytes.len(), ids.instruction());
        round_trip(if wide { Version::DEFAULT } else { Version::FIRST }, inst)?;
        // What breaks a rule is printed as it is, and not assembled.
        let text = inst.to_string();
        if let Err(broken) = check(&inst) {
            prop_assert_eq!(parse(&text).expect_err(&text).message, broken.message);
        }
    }

    #[test]
    fn bytes_are_an_instruction_or_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..64), first: bool, wide: bool) {
        let ids = if wide { Ids::Wide } else { Ids::Narrow };
        if first && bytes.len() > 5 {
            bytes[0] = 0x73;
            bytes[1] &= 0x3f;
            bytes[2] &= 0xf7;
            bytes[4] &= 0x0f;
        }
        match decode(&bytes, ids) {
            Ok(inst) => prop_assert_eq!(&encode(&inst, ids).expect("it has bytes")[..], &bytes[..ids.instruction()]),
            Err(error) => prop_assert!(error.offset <= bytes.len() && !error.message.is_empty()),
        }
    }

    #[test]
    fn texts_are_an_instruction_or_refused(line in r"(\PC{0,60}|[(!Pp1.any) ]{0,9}typed_atomic\.?[a-z16.]{0,9} ?[(M1_N, 8)]{0,9}[TV%null. 0-9é]{0,60})") {
        match parse(&line) {
            Ok(inst) => prop_assert!(encode(&inst, Ids::Wide).is_ok()),
            Err(error) => {
                prop_assert!(line.get(error.span.clone()).is_some(), "{:?}", error);
                prop_assert!(!error.message.is_empty() && !error.snippet(&line).is_empty());
            }
        }
    }

    #[test]
    fn sources_are_read_or_refused(text in r"((\.decl ?[VPTA3-8]{0,3} ?(v_type=[GPTQ])? ?(type=(ud|d|x))? ?(num_elts=[0-9]{0,6})?( alias=<V32, 0>)?|typed_atomic\.inc \(8\) T6( V3[2-4]){7}|\PC{0,20})\n){0,8}") {
        errors_have_a_place(Version::DEFAULT, &text)?;
    }
}
