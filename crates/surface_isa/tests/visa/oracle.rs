//! Intel's own reader (`GenX_IR` of Debian's libigc-tools), where it is installed: it lists our containers as we do.

use std::path::PathBuf;
use std::process::Command;

use wavetank_surface_isa::visa::container::Content;
use wavetank_surface_isa::visa::{
    Container, Ids, Operation, Version, encode, operation::Sources, parse,
};

use crate::visa::build::Build;

/// A folder that goes away.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("wavetank-visa-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Files that remain there do not matter.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The instructions that Intel's reader prints of a kernel's code; `None` where there is no such reader.
fn listed(name: &str, version: Version, code: Vec<u8>) -> Option<Vec<String>> {
    let folder = Folder::new(name);
    let (bytes, _) = Build::new(version, code).file(false);
    std::fs::write(folder.0.join("k.isa"), bytes).expect("a file");
    let mut command = Command::new("GenX_IR");
    command.args(["k.isa", "-platform", "SKL", "-output", "-dumpcommonisa"]);
    let Ok(out) = command.current_dir(&folder.0).output() else {
        eprintln!(
            "SKIP Intel's reader of vISA: there is no GenX_IR (Debian's package libigc-tools has it)"
        );
        return None;
    };
    let text = std::fs::read_to_string(folder.0.join(".visaasm"));
    let text = text.unwrap_or_else(|_| panic!("{name}: no listing: {out:?}"));
    // The attribute of the kernel ends without a line end.
    let text = text.replace(".kernel_attr Target=\"3d\"", "");
    let lines = text.lines().filter(|line| line.contains("/// $"));
    let line = |line: &str| {
        line.split("///")
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    Some(lines.map(line).collect())
}

const RET: [u8; 4] = [0x34, 0, 0, 0];

/// Bytes of a TYPED_ATOMIC, and of a container, mean to Intel's reader what they mean to us.
#[test]
fn intels_reader_prints_what_we_print() {
    for version in [Version::new(3, 3), Version::new(3, 6), Version::new(4, 1)] {
        let texts = texts();
        let encoded = |text: &String| encode(&parse(text).expect(text), version.ids()).expect(text);
        let mut code: Vec<u8> = texts.iter().flat_map(encoded).collect();
        code.extend(RET);
        let Some(lines) = listed(&version.to_string(), version, code) else {
            return;
        };
        assert_eq!(lines.len(), texts.len() + 1, "{version}");
        for (line, text) in lines.iter().zip(&texts) {
            // Intel's printer has no name for predec.
            let line = line.replace("typed_atomic. ", "typed_atomic.predec ");
            let line = line.replace("typed_atomic..16 ", "typed_atomic.predec.16 ");
            assert_eq!(&line, text, "{version}");
        }
    }
}

/// All operations in several forms.
fn texts() -> Vec<String> {
    let mut texts = Vec::new();
    for operation in Operation::all() {
        let row = operation.row();
        let signed = row.name.ends_with("sint");
        let (source, dst) = if signed {
            ("V38.0", "V39.0")
        } else {
            ("V36.0", "V37.0")
        };
        let sources = match row.sources {
            Sources::None | Sources::Ignored => "%null.0 %null.0".to_owned(),
            Sources::One => format!("{source} %null.0"),
            Sources::Two => format!("{source} V35.0"),
        };
        let forms = [
            ("", "", "(M1, 8)", "V32.0 %null.0 %null.0 %null.0"),
            ("(P1) ", ".16", "(M1, 8)", "V32.0 V33.0 V34.0 V35.0"),
            ("(!P1) ", "", "(M3, 8)", "V32.0 V33.0 V34.0 %null.0"),
            ("(P1.any) ", "", "(M1, 8)", "V32.0 V33.0 V34.0 %null.0"),
            ("", "", "(M1_NM, 8)", "V32.32 V33.0 %null.0 V35.0"),
        ];
        for (head, word, execution, at) in forms {
            let name = row.name;
            texts.push(format!(
                "{head}typed_atomic.{name}{word} {execution} T7 {at} {sources} {dst}"
            ));
        }
    }
    texts
}

/// Intel's reader finds the instruction after each of these where we find it: the lengths are the same.
#[test]
fn intels_reader_finds_the_next_instruction_where_we_do() {
    let text = "typed_atomic.inc (M1, 8) T6 V32.0 %null.0 %null.0 %null.0 %null.0 %null.0 V35.0";
    let versions = [Version::new(3, 3), Version::new(4, 1)];
    let cases = versions.into_iter().flat_map(|version| {
        let others = others(version.ids()).into_iter().enumerate();
        others.map(move |(n, other)| (version, n, other))
    });
    for (version, n, other) in cases {
        let atomic = encode(&parse(text).expect(text), version.ids()).expect(text);
        let code = [other.clone(), atomic.clone(), RET.to_vec()].concat();
        let name = format!("{version}-{n}");
        let Some(lines) = listed(&name, version, code.clone()) else {
            return;
        };
        // File names and lines are no lines of the listing.
        let next = lines.len().saturating_sub(2);
        assert_eq!(lines[next..], [text, "ret (M1, 1)"], "{version} {other:x?}");
        let (bytes, start) = Build::new(version, code).file(false);
        let container = Container::read(bytes).expect("a container");
        let items: Vec<_> = container.items(&container.routines[0]).collect();
        assert_eq!(items.len(), 3, "{version} {other:x?}: {items:?}");
        assert_eq!(items[1].offset, start + other.len(), "{items:?}");
        assert!(matches!(items[1].content, Content::Atomic(_)), "{items:?}");
    }
}

/// Instructions with operands of every class, by the pages of vISA, one each.
fn others(ids: Ids) -> Vec<Vec<u8>> {
    let id = |number: u8| [number, 0, 0, 0][..ids.bytes()].to_vec();
    let general =
        |number: u8, region: u16| [&[0][..], &id(number), &[0, 0], &region.to_le_bytes()].concat();
    let dst = general(32, 0x200);
    let src = general(33, 0x255);
    let one = vec![5, 0, 1, 0, 0, 0];
    let long = [&[5, 11][..], &[1; 8]].concat();
    let predicate = vec![2, 1, 0];
    let raw = |number: u8| [id(number), vec![0, 0]].concat();
    let begin = |opcode: u8| vec![opcode, 3, 0, 0];
    let cases: Vec<Vec<Vec<u8>>> = vec![
        // mov, add, mad, and with predicates, shl, sel, not
        vec![begin(0x29), dst.clone(), src.clone()],
        vec![begin(0x29), dst.clone(), long],
        vec![begin(0x01), dst.clone(), src.clone(), one.clone()],
        vec![
            begin(0x0c),
            dst.clone(),
            src.clone(),
            src.clone(),
            src.clone(),
        ],
        vec![
            begin(0x20),
            predicate.clone(),
            predicate.clone(),
            predicate.clone(),
        ],
        vec![begin(0x24), dst.clone(), src.clone(), one.clone()],
        vec![vec![0x2a, 3, 1, 0], dst.clone(), src.clone(), one.clone()],
        vec![begin(0x23), dst.clone(), src.clone()],
        // setp, cmp, min_max, addc, bfi
        vec![vec![0x2b, 0x80], predicate.clone(), one.clone()],
        vec![
            vec![0x2c, 3, 0],
            predicate.clone(),
            src.clone(),
            one.clone(),
        ],
        vec![vec![0x45, 3, 1], dst.clone(), src.clone(), src.clone()],
        vec![
            begin(0x49),
            dst.clone(),
            dst.clone(),
            src.clone(),
            src.clone(),
        ],
        vec![
            begin(0x47),
            dst.clone(),
            src.clone(),
            src.clone(),
            src.clone(),
            src.clone(),
        ],
        // oword_ld, gather4_typed, scatter4_typed, dword_atomic
        vec![vec![0x35, 0, 0, 6], one.clone(), raw(35)],
        vec![
            vec![0x4b, 3, 0, 0, 0xe, 6],
            raw(32),
            raw(33),
            raw(0),
            raw(0),
            raw(35),
        ],
        vec![
            vec![0x4c, 3, 0, 0, 0xe, 6],
            raw(32),
            raw(33),
            raw(0),
            raw(0),
            raw(35),
        ],
        vec![vec![0x7d, 2, 3, 0, 0, 6], raw(32), raw(0), raw(0), raw(35)],
        // gather4_scaled, gather_scaled, svm_gather, svm_atomic
        vec![
            vec![0x74, 3, 0, 0, 0xe, 0, 0, 6],
            one.clone(),
            raw(33),
            raw(35),
        ],
        vec![
            vec![0x78, 3, 0, 0, 2, 0, 0, 0, 6],
            one.clone(),
            raw(33),
            raw(35),
        ],
        // lifetime, file, loc, fence, barrier
        vec![vec![0x7b, 0], id(32)],
        vec![vec![0x51], id(0)],
        vec![vec![0x52, 7, 0, 0, 0]],
        vec![vec![0x5c, 0x81]],
        vec![vec![0x59]],
    ];
    cases.iter().map(|case| case.concat()).collect()
}
