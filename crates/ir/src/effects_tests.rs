//! Effects compared with the documentation of the operations, and with their text.

use proptest::prelude::*;

use super::{Effects, RegFile, Span, Spans};
use crate::mem::Access;
use crate::op::Node;
use crate::operations::Op;
use crate::parse;
use crate::round_trip::{block, find};
use crate::types::Reg;

/// The values that the lines of the cases use.
const VALUES: &str = "block 0
    inst 0 other
    %u:u32 = const 1
    %w:u64 = const 1
    %m:mask = const 1
    %v:v32 = lane_id
    %d:v32 = read v9
";

fn op(line: &str) -> Op {
    let block = parse(&format!("{VALUES}    {line}"), &find).expect("a case is a line");
    block.nodes.last().expect("it has nodes").op.clone()
}

fn spans(spans: &Spans) -> String {
    let text = |s: Span| match (s.file, s.first, s.count) {
        (RegFile::Scc, ..) => "scc".into(),
        (RegFile::Uniform, 0, 256) => "s*".into(),
        (RegFile::Vector, 0, 0x1_0000) => "v*".into(),
        (RegFile::Uniform, first, n) => format!("s{first}+{n}"),
        (RegFile::Vector, first, n) => format!("v{first}+{n}"),
        (RegFile::Hardware, first, n) => format!("hw{first}+{n}"),
    };
    spans.iter().map(text).collect::<Vec<_>>().join(" ")
}

fn flags(e: &Effects) -> String {
    let flags = [
        (e.overwrites, "overwrites"),
        (e.observes_state, "observes"),
        (e.faults, "faults"),
        (e.crosses_lanes, "crosses"),
        (e.ends_block, "ends"),
        (e.yields, "yields"),
        (e.reads_memory, "loads"),
        (e.writes_memory, "stores"),
        (e.varies, "varies"),
        (e.marks, "marks"),
    ];
    let set = flags.iter().filter(|(set, _)| *set).map(|(_, name)| *name);
    set.collect::<Vec<_>>().join(" ")
}

/// Lines with the registers that they read and write, and with their other effects.
fn check(cases: &[(&str, &str, &str, &str)]) {
    for &(line, reads, writes, rest) in cases {
        let e = op(line).effects();
        let got = (spans(&e.reads), spans(&e.writes), flags(&e));
        let got = (&*got.0, &*got.1, &*got.2);
        assert_eq!(got, (reads, writes, rest), "{line}");
    }
}

#[test]
fn registers_and_values() {
    check(&[
        ("add.i32 %u, %u", "", "", ""),
        ("lane_fn sad_u8(%v)", "", "", ""),
        ("inst 4 valu", "", "", "marks"),
        ("waitcnt vm 0", "", "", "marks"),
        ("clock cycles", "", "", "varies"),
        ("read s[4:5]", "s4+2", "", ""),
        ("read scc", "scc", "", ""),
        ("read v[4:5]", "v4+2", "", ""),
        ("read hw2", "hw2+1", "", "observes varies"),
        ("write s4, %u", "", "s4+1", "overwrites"),
        ("write m[126:127], %m", "", "s126+2", "overwrites"),
        ("write scc, %u", "", "scc", "overwrites"),
        ("write v4, %v, %m", "", "v4+1", ""),
        ("write hw1, %u", "", "hw1+1 s* scc", "observes"),
        ("read_indexed v4, %u", "v*", "", ""),
        ("read_indexed s4, %u", "s*", "", ""),
        ("write_indexed v4, %u, %v, %m", "", "v*", ""),
        ("write_indexed s4, %u, %u", "", "s*", ""),
        ("non_zero %v", "", "", ""),
        ("cast.mask %w", "", "", ""),
        ("cast.u64 %m", "", "", "crosses"),
        ("read_lane %v, %u", "", "", "crosses"),
        ("read_first_lane %v, %m", "", "", "crosses"),
        ("permute %v, %v, %m", "", "", "crosses"),
    ]);
}

/// The operands of an access are values; only its results are registers.
#[test]
fn accesses_to_memory() {
    let load = "observes faults loads";
    let store = "observes faults stores";
    let atomic = "observes faults loads stores";
    let cases = [
        (
            "load scalar, dwords 16, lgkm, address %w, ret s8",
            "s8+16",
            load,
        ),
        (
            "load scalar_buffer, dwords 2, lgkm, resource [%w, %w], ret s8",
            "s8+2",
            load,
        ),
        (
            "load global, i16, vm, address %w, ret v4, mask %m",
            "v4+1",
            load,
        ),
        (
            "load lds, u8, lgkm, address %v, half high, ret v4, mask %m",
            "v4+1",
            load,
        ),
        ("load lds, dwords 1, lgkm, address %v, mask %m", "", load),
        (
            "store flat, dwords 3, both, address %w, data [%d, %d, %d], mask %m",
            "",
            store,
        ),
        (
            "atomic.add global, dwords 1, vm, address %w, data [%d], mask %m",
            "",
            atomic,
        ),
        (
            "atomic.cmp_swap lds, dwords 1, lgkm, address %v, data [%d, %u], ret v1, mask %m",
            "v1+1",
            atomic,
        ),
        (
            "atomic.add lds_pair, dwords 1, lgkm, address %v, other %v, mask %m",
            "",
            atomic,
        ),
        // Formats with one component a register, or two.
        (
            "load buffer, dwords 3, vm, resource [%w, %w], soffset %u, format, ret v1, mask %m",
            "v1+3",
            load,
        ),
        (
            "load buffer, dwords 3, vm, resource [%w, %w], soffset %u, format, half low, ret v1, mask %m",
            "v1+2",
            load,
        ),
        (
            "store buffer, dwords 4, vm, resource [%w, %w], soffset %u, format 4:7, half low, data [%d, %d], mask %m",
            "",
            store,
        ),
    ];
    check(&cases.map(|(line, writes, rest)| (line, "", writes, rest)));
}

#[test]
fn images() {
    let parts = "resource [%w, %w, %w, %w]";
    let image = |rest: &str| format!("load image, dwords 4, vm, {rest}, ret v1, mask %m");
    let sample = format!("kind sample, {parts}, sampler [%w, %w], vaddress [%d, %d, %d]");
    check(&[
        (
            &image(&format!(
                "kind texel, {parts}, vaddress [%d, %d], lod zero, components 15"
            )),
            "",
            "v1+4",
            "observes faults loads",
        ),
        // Only information about the image is read, no texel.
        (
            &image(&format!(
                "kind info, {parts}, vaddress [%d], lod explicit, components 15"
            )),
            "",
            "v1+4",
            "observes faults",
        ),
        (
            &image(&format!("{sample}, lod implicit, components 15")),
            "",
            "v1+4",
            "observes faults crosses loads",
        ),
        (
            &image(&format!(
                "{sample}, lod derivatives, components 15, clamp, compare"
            )),
            "",
            "v1+4",
            "observes faults loads",
        ),
    ]);
}

#[test]
fn ends_of_blocks() {
    check(&[
        ("branch 4", "", "", "observes ends"),
        ("cond_branch %u, 4, 8", "", "", "observes ends"),
        ("jump %w", "", "", "observes ends"),
        ("barrier 4", "", "", "observes ends yields"),
        ("global_sync wait %u, %u, 4", "", "", "observes ends yields"),
        ("trap 1, 4", "", "", "observes faults ends yields"),
        ("unsupported \"x\"", "", "", "observes faults ends yields"),
        (
            "export 4, 12, %d, off, %v, off, mask %m, done",
            "",
            "",
            "observes faults ends yields",
        ),
    ]);
}

/// The register in a word of the text form, if there is one.
fn named(word: &str) -> Option<Span> {
    let number = |s: &str| s.parse().ok();
    let pair = |s: &str| number(s.split(':').next()?);
    Some(match word.split_at_checked(1)? {
        _ if word == "scc" => Span::of(Reg::Scc),
        _ if word.starts_with("hw") => Span::new(RegFile::Hardware, number(&word[2..])?, 1),
        ("s" | "m", n) if n.starts_with('[') => Span::new(RegFile::Uniform, pair(&n[1..])?, 2),
        ("v", n) if n.starts_with('[') => Span::new(RegFile::Vector, pair(&n[1..])?, 2),
        ("s", n) => Span::new(RegFile::Uniform, number(n)?, 1),
        ("v", n) => Span::new(RegFile::Vector, number(n)?, 1),
        _ => return None,
    })
}

fn registers(node: &Node) -> Vec<Span> {
    let text = node.op.to_string();
    let words = text.split([' ', ',']);
    words.filter_map(named).collect()
}

proptest! {
    /// The registers in the text are read or written, and no others, except those of operations that have no register in their
    /// text.
    #[test]
    fn the_text_names_the_registers(
        seeds in prop::collection::vec(prop::collection::vec(any::<u64>(), 32), 1..20),
    ) {
        for node in block(0, &seeds, "an end").nodes {
            // An access of no dwords accesses none of the registers in its text.
            if matches!(&node.op, Op::Mem(m) if m.access == Access::Dwords(0)) {
                continue;
            }
            let e = node.op.effects();
            let named = registers(&node);
            let used: Vec<Span> = e.reads.iter().chain(e.writes.iter()).collect();
            for name in &named {
                let covered = used.iter().any(|u| {
                    u.file == name.file && u.first <= name.first && name.end() <= u.end()
                });
                prop_assert!(covered, "{}: {:?}", node, name);
            }
            let whole = [Span::ALL_UNIFORM, Span::ALL_VECTOR, Span::of(Reg::Scc), Span::EXEC];
            for span in used.iter().filter(|s| !whole.contains(s)) {
                let begins = |n: &Span| n.file == span.file && n.first == span.first;
                prop_assert!(named.iter().any(begins), "{}: {:?}", node, span);
            }
        }
    }

    #[test]
    fn effects_fit_together(
        seeds in prop::collection::vec(prop::collection::vec(any::<u64>(), 32), 1..20),
    ) {
        for node in block(0, &seeds, "an end").nodes {
            let e = node.op.effects();
            // The code that handles a fault or an end may observe the state.
            let seen = e.faults || e.ends_block || e.yields || e.writes_memory || e.reads_memory;
            prop_assert!(!seen || e.observes_state, "{}", node);
            prop_assert!(!e.yields || e.ends_block, "{}", node);
            prop_assert!(!e.overwrites || !e.writes.is_empty(), "{}", node);
            prop_assert_eq!(e.ends_block, matches!(node.op, Op::End(_)));
            // Only operations without a result must stay.
            let resultless = matches!(
                node.op,
                Op::Inst { .. } | Op::Write { .. } | Op::WriteIndexed { .. } | Op::WriteIndexedS { .. }
                    | Op::Mem(_) | Op::Matrix(_) | Op::WaitCnt(_) | Op::Probe { .. } | Op::Tally { .. }
                    | Op::End(_)
            );
            prop_assert_eq!(e.any(), resultless, "{}", node);
        }
    }
}
