//! A finding as text, in the form of a compiler's diagnostics.

use annotate_snippets::{Group, Level, Origin, Padding};
use wavetank_quote::{plain, readable};
use wavetank_source::{inlined, renderer};

use super::machine::{self, Piece};
use super::{Scene, source};
use crate::finding::Finding;
use crate::host::Stack;
use crate::tool::Tools;

/// The display of text: colours and width.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Look {
    /// Whether the text has colours.
    pub colours: bool,
    /// The columns of the terminal; `None` for no limit.
    pub columns: Option<usize>,
    /// Whether findings about a program show its machine code even if its lines are shown. Those about the code itself, of `wait`,
    /// `hazard` and `limits`, always do.
    pub machine_code: bool,
    /// Whether stacks of the host have all functions, a line each; else the lines of the program itself.
    pub stacks: bool,
}

/// Returns a finding with its source lines, if they are known and readable, and with the machine code around its places. Further
/// facts and the help follow. The text ends with a line end.
pub fn text(finding: &Finding, scene: &Scene<'_>, look: Look) -> String {
    let renderer = renderer(look.colours, look.columns);
    let sources = source::snippets(finding, scene);
    let title = Level::ERROR
        .primary_title(plain(&finding.message).to_string())
        .id(format!("{}/{}", finding.tool, finding.rule));
    let shows_code = look.machine_code || sources.is_empty() || Tools::STATIC.has(finding.tool);
    let pieces = shows_code.then(|| machine::pieces(finding, scene));
    let mut pieces = pieces.unwrap_or_default().into_iter();
    let frames = inlined(&finding.at.place.source);
    let frames = frames.into_iter().map(|note| Level::NOTE.message(note));
    let mut head = Group::with_title(title);
    if !sources.is_empty() {
        head = head.elements(sources);
    } else if let Some(frame) = finding.at.place.source.own() {
        head = head.element(Origin::path(frame.to_string()));
    }
    head = head.elements(frames);
    let rest = rest(finding, shows_code, look.stacks);
    let Some(first) = pieces.next() else {
        if !rest.is_empty() {
            head = head.element(Padding).elements(rest);
        }
        return renderer.render(&[head]) + "\n";
    };
    let mut groups = vec![head, origin(&first)];
    let mut code = code(first);
    for piece in pieces {
        groups.extend([code, origin(&piece)]);
        code = self::code(piece);
    }
    if !rest.is_empty() {
        code = code.element(Padding).elements(rest);
    }
    groups.push(code);
    renderer.render(&groups) + "\n"
}

/// Returns the title of a piece of code.
fn origin(piece: &Piece) -> Group<'static> {
    Group::with_level(Level::ERROR).element(Origin::path(piece.title.clone()))
}

/// Returns a piece of code.
fn code(piece: Piece) -> Group<'static> {
    Group::with_level(Level::ERROR).element(piece.snippet())
}

/// Returns further facts, and the help. The kernel is one, unless the title of the machine code names it.
fn rest(
    finding: &Finding,
    shows_code: bool,
    stacks: bool,
) -> Vec<annotate_snippets::Message<'static>> {
    let notes = finding.notes.iter().map(|note| plain(note).to_string());
    let stack = if stacks { Stack::text } else { Stack::short };
    let host = finding.host.iter().map(stack);
    let notes = found(finding, shows_code).into_iter().chain(notes);
    let notes = notes.chain(host).chain(finding.also());
    let notes = notes.map(|note| Level::NOTE.message(note));
    let help = finding.help.iter();
    let help = help.map(|help| Level::HELP.message(plain(help).to_string()));
    notes.chain(help).collect()
}

/// Returns how often a finding was found and in which kernel, unless it is once and the kernel is named already.
fn found(finding: &Finding, shows_code: bool) -> Option<String> {
    let symbol = finding.at.place.symbol.as_ref();
    let is_named = shows_code && symbol.is_none_or(|(name, _)| *name == finding.kernel);
    let kernel = Some(&finding.kernel).filter(|kernel| !is_named && !kernel.is_empty());
    let kernel = kernel.map(|kernel| readable(kernel));
    match (finding.times, kernel) {
        (0 | 1, None) => None,
        (0 | 1, Some(kernel)) => Some(format!("found in `{kernel}`")),
        (n, None) => Some(format!("found {n} times")),
        (n, Some(kernel)) => Some(format!("found {n} times in `{kernel}`")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::scene::tests::{finding, folder, lines, located, with};
    use super::*;
    use crate::finding::Mark;
    use crate::tool::Tool;

    /// Code as `llvm-objdump-14 -d` lists it, lines as in `llvm-dwarfdump-14`, with the text of `lines.cl` and `lines.h`.
    const WITH_SOURCE: &str = "\
error[wait/vgpr-before-load]: v1 is read before it has been loaded
  --> lines.h:11:17
   |
11 |           value + 1);
   |                 ^ v1 is read here
   |
  ::: lines.cl:9:22
   |
 9 |         sum = square(in[i]);
   |                      -- it is loaded here
   |
   = note: `put` is inlined into `lines` at lines.cl:10:5
";

    const CODE: &str = "\
--> lines+0x34 in lines.hsaco (gfx900)
 |
 | +0x1c  v_lshlrev_b32_e32 v0, 2, v0
 | +0x20  s_and_saveexec_b64 s[4:5], vcc
 | +0x24  s_cbranch_execz 5  // to +0x3c
 | +0x28  global_load_dword v1, v0, s[2:3]
 |        -------------------------------- it is loaded here
 | +0x30  s_waitcnt vmcnt(0)
 | +0x34  v_mad_u64_u32 v[1:2], s[2:3], v1, v1, 1
 |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ v1 is read here
 | +0x3c  s_or_b64 exec, exec, s[4:5]
 | +0x40  global_store_dword v0, v1, s[0:1]
 | +0x48  s_endpgm
 |
 = note: 1 load may be in flight
 = note: freed here: main.cpp:7 in `axpy(float*)`
 = help: wait with `s_waitcnt vmcnt(0)`
";

    fn shown(finding: &Finding, folder: &Path) -> String {
        let show = |scene: &Scene<'_>| text(finding, scene, Look::default());
        with(&lines(), folder, show)
    }

    #[test]
    fn sources_and_code_are_shown() {
        let object = lines();
        let finding = located(finding(&object, 0x34, 0x28), &object);
        let code = CODE.lines().map(|line| format!("  {line}\n"));
        let expected = WITH_SOURCE.to_owned() + &code.collect::<String>();
        assert_eq!(shown(&finding, folder()), expected);
    }

    #[test]
    fn where_no_source_is_the_code_is() {
        let object = lines();
        let mut located = located(finding(&object, 0x34, 0x28), &object);
        let text = shown(&located, Path::new("/absent"));
        let head = "read before it has been loaded\n--> lines.h:11:17\n = note: `put`";
        assert!(text.contains(head) && text.ends_with(CODE), "{text}");
        for mark in located.related.iter_mut().chain([&mut located.at]) {
            mark.place.source = Default::default();
        }
        let text = shown(&located, folder());
        let expected = "error[wait/vgpr-before-load]: v1 is read before it has been loaded\n |\n";
        assert_eq!(text, expected.to_owned() + CODE);
    }

    #[test]
    fn authors_are_shown_their_own_lines() {
        let object = lines();
        let mut located = located(finding(&object, 0x34, 0x28), &object);
        located.tool = Tool::Race;
        let text = shown(&located, folder());
        for part in [
            "`put` is inlined into `lines`",
            "= note: found in `lines`\n",
        ] {
            assert!(text.contains(part), "{text}");
        }
        assert!(!text.contains("v_mad_u64_u32"), "{text}");
        let with_code = Look {
            machine_code: true,
            ..Look::default()
        };
        let text = with(&object, folder(), |scene| {
            super::text(&located, scene, with_code)
        });
        assert!(text.contains("v_mad_u64_u32"), "{text}");
        // The line of a header is not the author's.
        for mark in located.related.iter_mut().chain([&mut located.at]) {
            mark.place.source.frames[0].file = "/usr/include/hip/lines.h".into();
        }
        let text = shown(&located, folder());
        assert!(text.contains("--> lines.cl:10:5"), "{text}");
        assert!(!text.contains("inlined"), "{text}");
    }

    #[test]
    fn other_functions_and_counts_are_printed() {
        let object = lines();
        let mut finding = finding(&object, 0x108, 0x28);
        finding.times = 3;
        finding.message = "a \x1b[2J b".into();
        finding.kernel = "_Z4axpyPf".into();
        let text = shown(&located(finding, &object), folder());
        for part in [
            "error[wait/vgpr-before-load]: a \\u{1b}[2J b\n",
            "--> checked+0x8 in lines.hsaco (gfx900)\n",
            "--> lines+0x28 in lines.hsaco (gfx900)\n",
            "| +0x8   s_waitcnt lgkmcnt(0)\n   |        ^^^^^^^^^^^^^^^^^^^^ v1 is read here\n",
            "= note: found 3 times in `axpy(float*)`\n   = note: 1 load",
            "= note: freed here: main.cpp:7 in `axpy(float*)`\n   = help: ",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn colours_change_no_character() {
        let object = lines();
        let finding = located(finding(&object, 0x34, 0x28), &object);
        let coloured = Look {
            colours: true,
            ..Look::default()
        };
        let text = with(&object, folder(), |scene| text(&finding, scene, coloured));
        assert!(text.starts_with("\x1b["), "{text:?}");
        let mut bare = String::new();
        for piece in text.split("\x1b[") {
            bare += piece.split_once('m').map_or("", |(_, rest)| rest);
        }
        assert_eq!(bare, shown(&finding, folder()));
    }

    /// DWARF may name any line and column of a file that has changed since, and terminals may be narrow.
    #[test]
    fn any_line_and_column_is_drawn() {
        let folder = std::env::temp_dir().join(format!("wavetank-lines-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let long = "x ".repeat(2000);
        let lines = [
            "",
            "\t\tx = é;\r",
            "日本語 b",
            "\u{200d}\u{202e}\u{301}",
            &long,
            "\x1b[2J\0",
        ];
        std::fs::write(folder.join("odd.cl"), lines.join("\n")).unwrap();
        let object = super::super::scene::tests::lines();
        let mut finding = located(finding(&object, 0x34, 0x28), &object);
        let columns = (0..20).chain([1000, 3999, u32::MAX]).map(Some);
        let columns: Vec<Option<u32>> = columns.chain([None]).collect();
        for line in (0..9).chain([u32::MAX]) {
            for (n, column) in columns.iter().enumerate() {
                let frame = |line, column| wavetank_object::Frame {
                    function: None,
                    file: "odd.cl".into(),
                    line,
                    column,
                };
                finding.at.place.source.frames = vec![frame(Some(line), *column)];
                let other = line.checked_sub(4 - n as u32 % 4);
                finding.related[0].place.source.frames = vec![frame(other, columns[n / 2])];
                for columns in [None, Some(0), Some(30)] {
                    let look = Look {
                        columns,
                        ..Look::default()
                    };
                    let text = with(&object, &folder, |scene| text(&finding, scene, look));
                    assert!(!text.contains(['\x1b', '\0', '\u{202e}']), "{text:?}");
                    assert!(text.contains("odd.cl"), "{text}");
                }
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_the_host_did_has_no_machine_code() {
        let object = lines();
        let mut leak = finding(&object, 0x34, 0x28);
        leak.kernel.clear();
        leak.related.clear();
        leak.at.place.source.frames = vec![wavetank_object::Frame {
            function: Some("main".into()),
            file: "lines.cl".into(),
            line: Some(9),
            column: None,
        }];
        let text = shown(&leak, folder());
        assert!(text.contains("--> lines.cl:9:"), "{text}");
        assert!(text.contains("main.cpp:7"), "{text}");
        assert!(!text.contains("v_mad"), "{text}");
    }

    /// Places of a running program may be anywhere, and its code may be unavailable.
    #[test]
    fn nothing_need_be_known() {
        let object = lines();
        let mut finding = finding(&object, 0, 0);
        finding.at = Mark::at(u64::MAX, "");
        finding.related.push(Mark::at(3, ""));
        let text = shown(&finding, folder());
        assert!(
            text.contains("--> 0xffffffffffffffff in lines.hsaco"),
            "{text}"
        );
        let sources = super::super::Sources::default();
        let scene = Scene {
            file: Path::new("a\x1b.co"),
            target: "gfx900",
            places: None,
            sources: &sources,
        };
        let text = super::text(&finding, &scene, Look::default());
        assert!(text.contains("in a\\u{1b}.co (gfx900)\n"), "{text}");
        assert!(text.contains("(no code)\n"), "{text}");
    }
}
