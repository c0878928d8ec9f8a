//! Files that cannot be linked, and what is said of them.

use proptest::prelude::*;
use wavetank_link::{
    Error, Identity, Input, Options, Os, Place, Relocatable, Relocation, Section, Symbol, elf,
    link, reloc,
};

use crate::objects::{objects, small_objects};

/// A file with a section `.text` of 16 bytes and some symbols and relocations.
fn object(
    chip: &str,
    symbols: &[(&str, u8, u8, Place)],
    relocations: &[(u32, usize)],
) -> Relocatable {
    let target = chip.parse().expect("a target");
    let symbols = symbols
        .iter()
        .map(|(name, binding, visibility, place)| Symbol {
            name: (*name).to_owned(),
            value: 0,
            size: 16,
            kind: elf::STT_FUNC,
            binding: *binding,
            visibility: *visibility,
            place: *place,
        });
    let relocations = relocations.iter().map(|(kind, symbol)| Relocation {
        offset: 8,
        kind: *kind,
        symbol: *symbol,
        addend: 0,
    });
    Relocatable {
        identity: Identity::of(&target, Os::Hsa, 4).expect("an identity"),
        sections: vec![Section {
            name: ".text".to_owned(),
            kind: elf::SHT_PROGBITS,
            flags: elf::SHF_ALLOC | elf::SHF_EXECINSTR,
            entry_size: 0,
            align: 256,
            bytes: vec![0; 16],
            size: 16,
            group: None,
            relocations: relocations.collect(),
        }],
        symbols: symbols.collect(),
    }
}

const HERE: Place = Place::Section(0);

fn linked(objects: &[Relocatable], options: &Options) -> Result<Vec<u8>, Error> {
    let names = ["a.o", "b.o"];
    let inputs = names.into_iter().zip(objects);
    let inputs: Vec<Input> = inputs
        .map(|(name, object)| Input { name, object })
        .collect();
    link(&inputs, options)
}

fn sentence(objects: &[Relocatable]) -> String {
    let error = linked(objects, &Options::default()).expect_err("it is not linked");
    error.to_string()
}

#[test]
fn symbols_are_reported_with_their_files() {
    let f = [("f", elf::STB_GLOBAL, elf::STV_HIDDEN, HERE)];
    let twice = [object("gfx900", &f, &[]), object("gfx900", &f, &[])];
    assert_eq!(
        sentence(&twice),
        "symbol `f` is defined twice, in a.o and in b.o"
    );
    let uses = [
        ("f", elf::STB_GLOBAL, elf::STV_HIDDEN, HERE),
        ("g", elf::STB_GLOBAL, elf::STV_DEFAULT, Place::Undefined),
        ("h", elf::STB_GLOBAL, elf::STV_HIDDEN, Place::Undefined),
    ];
    let relocations = [
        (reloc::GOTPCREL32_LO, 1),
        (reloc::REL32, 2),
        (reloc::REL32, 2),
    ];
    let undefined = [object("gfx900", &uses, &relocations)];
    assert_eq!(
        sentence(&undefined),
        "symbol `g` is not defined; a.o, f (.text+0x8) uses it\n\
         symbol `h` is not defined; a.o, f (.text+0x8) uses it"
    );
    // What is hidden cannot come from outside.
    let options = Options {
        allow_undefined: true,
        ..Options::default()
    };
    let error = linked(&undefined, &options)
        .expect_err("h is hidden")
        .to_string();
    assert_eq!(
        error,
        "symbol `h` is not defined; a.o, f (.text+0x8) uses it"
    );
    let outside = object("gfx900", &uses[..2], &relocations[..1]);
    assert!(linked(&[outside], &options).is_ok());
}

#[test]
fn relocations_that_cannot_be_say_the_way_out() {
    for (kind, expected) in [
        (
            reloc::REL32_LO,
            "the relocation R_AMDGPU_REL32_LO of `f` cannot be: another object may define it",
        ),
        (
            reloc::ABS32_LO,
            "the relocation R_AMDGPU_ABS32_LO of `f` cannot be: its address is not known",
        ),
        (
            reloc::ABS64,
            "the relocation R_AMDGPU_ABS64 of `f` cannot be: a loader would have to write",
        ),
        (
            99,
            "the relocation 99 of `f` cannot be: linkers for AMD GPUs do not support it",
        ),
    ] {
        let f = [("f", elf::STB_GLOBAL, elf::STV_DEFAULT, HERE)];
        let text = sentence(&[object("gfx900", &f, &[(kind, 0)])]);
        assert!(
            text.starts_with(&format!("a.o, f (.text+0x8): {expected}")),
            "{text}"
        );
    }
    let f = [("f", elf::STB_GLOBAL, elf::STV_HIDDEN, HERE)];
    let mut outside = object("gfx900", &f, &[(reloc::REL32, 0)]);
    outside.sections[0].relocations[0].offset = 13;
    assert!(sentence(&[outside]).ends_with("it lies outside of its section"));
    let mut far = object("gfx900", &f, &[(reloc::REL16, 0)]);
    far.sections[0].relocations[0].addend = 1 << 20;
    assert!(sentence(&[far]).ends_with("does not fit into its bits"));
}

#[test]
fn files_that_differ_are_reported() {
    let of = |chip: &str| object(chip, &[], &[]);
    for (a, b, what) in [
        ("gfx900", "gfx906", "chips"),
        ("gfx900:xnack+", "gfx900:xnack-", "settings of XNACK"),
        ("gfx906:sramecc+", "gfx906:sramecc-", "settings of SRAM ECC"),
    ] {
        let expected =
            format!("a.o and b.o cannot be linked together: they are for different {what}");
        assert_eq!(sentence(&[of(a), of(b)]), expected);
    }
    let joined = linked(&[of("gfx900"), of("gfx900:xnack+")], &Options::default());
    let joined = joined.expect("one leaves it open");
    assert_eq!(
        joined[48..52],
        of("gfx900:xnack+").identity.flags.to_le_bytes()
    );
    assert_eq!(linked(&[], &Options::default()), Err(Error::NothingToLink));
}

proptest! {
    #[test]
    fn whatever_is_linked_nothing_panics(a in objects(), b in small_objects(), allow_undefined in any::<bool>(), text_relocations in any::<bool>()) {
        let options = Options { allow_undefined, text_relocations };
        let _ = linked(&[a.clone(), b.clone()], &options);
        let _ = linked(&[b, a], &options);
    }

    #[test]
    fn what_is_linked_is_loaded(object in small_objects()) {
        if let Ok(file) = linked(&[object], &Options { allow_undefined: true, ..Options::default() }) {
            prop_assert!(wavetank_object::CodeObject::parse(&file).is_ok());
        }
    }
}
