//! Code objects to sources and back: the same sections, byte for byte.

use std::path::{Path, PathBuf};

use object::{Object, ObjectSymbol};

use wavetank_asm::{Options, assemble_object, source_of};
use wavetank_gcn::Chip;
use wavetank_link::elf::{SHF_MERGE, SHF_STRINGS};
use wavetank_link::{Input, Linked, link};
use wavetank_object::open_all;

use crate::common::linked::Elf;

/// The code objects under a folder.
fn objects(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.extension().and_then(|e| e.to_str()) {
            _ if path.is_dir() => found.append(&mut objects(&path)),
            Some("hsaco" | "co" | "hipfb" | "out") => found.push(path),
            _ => {}
        }
    }
    found.sort();
    found
}

/// What differs between an object and what its source makes.
fn difference(bytes: &[u8]) -> Option<String> {
    let source = match source_of(bytes) {
        Ok(source) => source,
        Err(error) => return Some(error.to_string()),
    };
    let object = match assemble_object("source", &source, &Options::new(Chip::Gfx900)) {
        Ok(object) => object,
        Err(errors) => return Some(errors.to_string()),
    };
    let inputs = [Input {
        name: "source",
        object: &object,
    }];
    let again = match link(
        &inputs,
        &wavetank_link::Options {
            allow_undefined: true,
            ..Default::default()
        },
    ) {
        Ok(again) => again,
        Err(error) => return Some(error.to_string()),
    };
    let [mut before, mut after] =
        [bytes, &again].map(|bytes| Linked::read(bytes).expect("a linked file"));
    if before.identity != after.identity {
        return Some(format!("{:?}, not {:?}", after.identity, before.identity));
    }
    // Linkers put texts that they merge in orders of their own: they are not merged again.
    for section in before.sections.iter_mut().chain(&mut after.sections) {
        section.flags &= !(SHF_MERGE | SHF_STRINGS);
        section.entry_size = 0;
    }
    for section in &before.sections {
        let same = after
            .sections
            .iter()
            .find(|other| other.name == section.name && other.address == section.address);
        match same {
            None => return Some(format!("no {} at {:#x}", section.name, section.address)),
            Some(other) if other != section => {
                let at = section
                    .bytes
                    .iter()
                    .zip(&other.bytes)
                    .position(|(a, b)| a != b);
                return Some(format!(
                    "{} differs at {at:x?}, {} bytes of {}",
                    section.name, other.size, section.size
                ));
            }
            Some(_) => {}
        }
    }
    for linked in [&mut before, &mut after] {
        linked.symbols.retain(|s| {
            !s.name.is_empty()
                && s.kind != wavetank_link::elf::STT_FILE
                && !s.name.starts_with(".L")
        });
        linked
            .symbols
            .sort_by(|a, b| (&a.name, a.value).cmp(&(&b.name, b.value)));
        linked.addresses.sort_by_key(|a| a.at);
    }
    let lost = before
        .symbols
        .iter()
        .find(|symbol| !after.symbols.contains(symbol));
    if let Some(symbol) = lost {
        let other = after.symbols.iter().find(|s| s.name == symbol.name);
        return Some(format!("{symbol:?}, not {other:?}"));
    }
    if before.addresses != after.addresses {
        return Some("other addresses are filled in".to_owned());
    }
    let [before, after] = [bytes, &again].map(tables);
    (before != after).then(|| format!("{after:?}, not {before:?}"))
}

/// The symbols that a loader sees, in their order.
fn tables(file: &[u8]) -> Vec<String> {
    let elf = Elf::parse(file).expect("an ELF file");
    let names = elf
        .dynamic_symbols()
        .map(|s| s.name().expect("a name").to_owned());
    names.collect()
}

#[test]
fn sources_of_code_objects_make_the_same_sections() {
    sources_make_the_same_sections("kernels/co", 100);
}

#[test]
fn sources_of_code_objects_of_cdna_make_the_same_sections() {
    sources_make_the_same_sections("kernels/cdna", 60);
}

/// Checks the code objects of a folder of the shared data, of which there are more than `least`.
fn sources_make_the_same_sections(folder: &str, least: usize) {
    let root = std::env::var_os("WAVETANK_SHARED").map(PathBuf::from);
    let root =
        root.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"));
    let folder = root.join(folder);
    if !folder.is_dir() {
        assert!(
            std::env::var_os("CI").is_none_or(|ci| ci != "true"),
            "{} is absent",
            folder.display()
        );
        eprintln!(
            "SKIP sources_of_code_objects_make_the_same_sections: {} is absent",
            folder.display()
        );
        return;
    }
    let mut wrong = Vec::new();
    let mut count = 0;
    for path in objects(&folder) {
        let bytes = std::fs::read(&path).expect("a file");
        let Ok(all) = open_all(&bytes, None) else {
            continue;
        };
        for object in all {
            if Chip::from_name(&object.target().chip).is_none() {
                continue;
            }
            count += 1;
            if let Some(what) = difference(object.bytes()) {
                let name = path
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                wrong.push(format!("{name}, {}: {what}", object.target()));
            }
        }
    }
    assert!(count > least, "{count} objects");
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Linkers join objects whose local labels have the same names; Tensile's are linked from hundreds.
#[test]
fn labels_of_the_same_name_get_names_of_their_own() {
    let object = |body: &str| {
        let source = format!(
            "label: {body}\ns_branch label\nsize = 5\n.section .debug_x,\"0x800\",@progbits\n.byte 1\n"
        );
        assemble_object("source", &source, &Options::new(Chip::Gfx900)).expect("a source")
    };
    let objects = ["s_nop 1", "s_nop 2\nlabel.2:", "s_nop 3"].map(object);
    let inputs = objects.each_ref().map(|object| Input {
        name: "source",
        object,
    });
    let linked = link(&inputs, &wavetank_link::Options::default()).expect("it is linked");
    let text = source_of(&linked).expect("a source of it");
    let object = assemble_object("source", &text, &Options::new(Chip::Gfx900));
    let object = object.unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let names: Vec<&str> = object.symbols.iter().map(|s| s.name.as_str()).collect();
    for name in [
        "label", "label.2", "label.3", "label.4", "size", "size.2", "size.3",
    ] {
        assert!(names.contains(&name), "no {name} in {names:?}");
    }
    let section = |name: &str| {
        let before = Linked::read(&linked).expect("a linked file").sections;
        let before = before
            .into_iter()
            .find(|s| s.name == name)
            .expect("a section");
        let after = object
            .sections
            .iter()
            .find(|s| s.name == name)
            .expect("a section");
        assert_eq!((&after.bytes, after.flags), (&before.bytes, before.flags));
    };
    section(".text");
    // Compressed sections stay as they are.
    section(".debug_x");
}

#[test]
fn symbols_of_other_objects_and_numbers_are_written_down() {
    let source = "
        .globl f
        .type f,@function
    f:  s_getpc_b64 s[0:1]
        s_add_u32 s0, s0, maybe@gotpcrel32@lo+4
        s_addc_u32 s1, s1, maybe@gotpcrel32@hi+12
        s_getpc_b64 s[0:1]
        s_add_u32 s0, s0, \"a name\"@gotpcrel32@lo+4
        s_addc_u32 s1, s1, \"a name\"@gotpcrel32@hi+12
        s_setpc_b64 s[30:31]
        .weak maybe, \"a name\"
        .globl number, nobody
        number = 0x123456789
        own = -5
        .set .amdgcn.next_free_sgpr, 1
    ";
    let object = assemble_object("source", source, &Options::new(Chip::Gfx900)).expect("a source");
    let inputs = [Input {
        name: "source",
        object: &object,
    }];
    let linked = link(&inputs, &wavetank_link::Options::default()).expect("it is linked");
    let text = source_of(&linked).expect("a source of it");
    for line in [
        "s_addc_u32 s1, s1, maybe@gotpcrel32@hi+12",
        ".weak maybe",
        ".globl nobody",
        ".set number, 0x123456789",
    ] {
        assert!(text.contains(line), "no {line} in\n{text}");
    }
    assert_eq!(difference(&linked), None, "{text}");
}
