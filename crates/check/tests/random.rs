//! Whatever bytes stand in code, the tools come to an end and say something.

use proptest::prelude::*;
use wavetank_check::{Findings, Places, Tools, check_code};
use wavetank_gcn::Chip;
use wavetank_object::CodeObject;

/// Words of which many are loads, waits, branches and barriers.
fn word() -> impl Strategy<Value = u32> {
    prop_oneof![
        any::<u32>(),
        (0u32..0x1000).prop_map(|bits| 0xbf8c_0000 | bits),
        (0u32..16, 0u32..24)
            .prop_map(|(distance, op)| 0xbf80_0000 | op << 16 | (distance + 0xfff8) & 0xffff),
        Just(0xbf8a_0000),
        any::<u32>().prop_map(|bits| 0xc000_0000 | bits & 0x3fff_ffff),
        any::<u32>().prop_map(|bits| 0xd800_0000 | bits & 0x07ff_ffff),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_code_can_be_checked(words in prop::collection::vec(word(), 1..200), chip in 0..Chip::EXECUTED.len()) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let chip = Chip::EXECUTED[chip];
        let target = chip.name().parse().expect("a target");
        let object = CodeObject::of_code(&bytes, target).expect("code");
        let mut findings = Findings::default();
        check_code(&object, Tools::STATIC, &mut findings);
        if let Some(places) = Places::of(&object) {
            places.locate(&mut findings);
        }
        prop_assert!(findings.iter().all(|f| !f.message.is_empty() && f.times > 0));
    }
}
