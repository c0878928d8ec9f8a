//! Every path that a wave takes is feasible: random programs are executed by an oracle, which knows only their text.

use std::collections::BTreeSet;

use proptest::prelude::*;
use wavetank_asm::assemble;
use wavetank_gcn::{Chip, Dialect};
use wavetank_object::CodeObject;

use super::{Facts, Paths, Start};
use crate::code::{Graph, Root};

/// The number of registers that programs use.
const REGISTERS: usize = 4;
/// VCC at the start.
const START_VCC: u64 = 1;
/// Instructions that one execution has at most.
const STEPS: usize = 200;

/// A line of a program. Labels are `l0:`, `l1:` and so on, one before each line.
fn line() -> impl Strategy<Value = String> {
    let register = || (0..REGISTERS).prop_map(|n| format!("s{n}"));
    // Few numbers, so that compares meet them.
    let number = || prop::sample::select(vec!["0", "1", "2", "3", "-1", "-2", "0x7fffffff"]);
    let either = move || prop_oneof![register(), number().prop_map(str::to_owned)];
    let compare = prop::sample::select(vec!["eq", "lg", "lt", "le", "gt", "ge"]);
    let sign = prop::sample::select(vec!["i32", "u32"]);
    let small = prop::sample::select(vec!["0", "1", "2", "3"]);
    let target = || 0..24u8;
    let pair = || prop::sample::select(vec!["s[0:1]", "s[2:3]"]);
    let any_pair = || prop::sample::select(vec!["s[0:1]", "s[2:3]", "vcc"]);
    let either_pair = || prop::sample::select(vec!["s[0:1]", "s[2:3]", "0", "1", "-1"]);
    prop_oneof![
        4 => (compare.clone(), sign.clone(), register(), either())
            .prop_map(|(op, sign, a, b)| format!("s_cmp_{op}_{sign} {a}, {b}")),
        2 => (compare.clone(), sign.clone(), number(), register())
            .prop_map(|(op, sign, a, b)| format!("s_cmp_{op}_{sign} {a}, {b}")),
        2 => (compare, sign, register(), small)
            .prop_map(|(op, sign, a, b)| format!("s_cmpk_{op}_{sign} {a}, {b}")),
        6 => (0..2u8, target()).prop_map(|(scc, to)| format!("s_cbranch_scc{scc} l{to}")),
        1 => target().prop_map(|to| format!("s_branch l{to}")),
        2 => (register(), either()).prop_map(|(a, b)| format!("s_mov_b32 {a}, {b}")),
        1 => (register(), number()).prop_map(|(a, b)| format!("s_cmov_b32 {a}, {b}")),
        2 => (register(), register(), either()).prop_map(|(a, b, c)| format!("s_add_u32 {a}, {b}, {c}")),
        2 => (register(), register(), either()).prop_map(|(a, b, c)| format!("s_sub_u32 {a}, {b}, {c}")),
        1 => (register(), register(), either()).prop_map(|(a, b, c)| format!("s_and_b32 {a}, {b}, {c}")),
        2 => (0..2u8, register(), 0..2u8).prop_map(|(value, a, bit)| format!("s_bitcmp{value}_b32 {a}, {bit}")),
        1 => (0..2u8, register(), 0..2u8).prop_map(|(value, a, bit)| format!("s_bitset{value}_b32 {a}, {bit}")),
        2 => (prop::bool::ANY, pair(), either_pair()).prop_map(|(equal, a, b)| {
            format!("s_cmp_{}_u64 {a}, {b}", if equal { "eq" } else { "lg" })
        }),
        2 => (any_pair(), either_pair()).prop_map(|(a, b)| format!("s_mov_b64 {a}, {b}")),
        2 => (prop::bool::ANY, target()).prop_map(|(zero, to)| {
            format!("s_cbranch_vcc{} l{to}", if zero { "z" } else { "nz" })
        }),
        3 => (0..4u8).prop_map(|n| format!("s_nop {n}")),
    ]
}

/// A scalar processor that reads instructions as text.
struct Oracle {
    registers: [u32; REGISTERS],
    vcc: u64,
    scc: bool,
}

impl Oracle {
    fn value(&self, operand: &str) -> u32 {
        match operand.strip_prefix('s') {
            Some(register) => self.registers[register.parse::<usize>().expect("a number")],
            None if operand == "0x7fffffff" => 0x7fff_ffff,
            None => operand.parse::<i32>().expect("a number") as u32,
        }
    }

    fn pair(&self, operand: &str) -> u64 {
        let both =
            |low: usize| u64::from(self.registers[low + 1]) << 32 | u64::from(self.registers[low]);
        match operand {
            "s[0:1]" => both(0),
            "s[2:3]" => both(2),
            number => number.parse::<i64>().expect("a number") as u64,
        }
    }

    /// Executes an instruction on bits or pairs. Returns whether the line is one.
    fn step_wide(&mut self, name: &str, operands: &[&str]) -> bool {
        match name {
            "s_cmp_eq_u64" => self.scc = self.pair(operands[0]) == self.pair(operands[1]),
            "s_cmp_lg_u64" => self.scc = self.pair(operands[0]) != self.pair(operands[1]),
            "s_mov_b64" => {
                let value = self.pair(operands[1]);
                match operands[0] {
                    "vcc" => self.vcc = value,
                    pair => {
                        let low = if pair == "s[0:1]" { 0 } else { 2 };
                        self.registers[low] = value as u32;
                        self.registers[low + 1] = (value >> 32) as u32;
                    }
                }
            }
            _ => {
                let Some(rest) = name.strip_prefix("s_bit") else {
                    return false;
                };
                let is_one = rest.as_bytes()[3] == b'1';
                let bit: u32 = 1 << operands[1].parse::<u32>().expect("a number");
                let register = operands[0][1..].parse::<usize>().expect("a register");
                let register = &mut self.registers[register];
                match (rest.starts_with("cmp"), is_one) {
                    (true, _) => self.scc = (*register & bit != 0) == is_one,
                    (false, true) => *register |= bit,
                    (false, false) => *register &= !bit,
                }
            }
        }
        true
    }

    /// Executes a line. Returns the label that it branches to.
    fn step(&mut self, line: &str) -> Option<usize> {
        let (name, operands) = line.split_once(' ').expect("operands");
        let operands: Vec<&str> = operands.split(", ").collect();
        let target = || operands[0][1..].parse().ok();
        let last = *operands.last().expect("an operand");
        match name {
            "s_branch" => return target(),
            "s_cbranch_scc0" => return target().filter(|_| !self.scc),
            "s_cbranch_scc1" => return target().filter(|_| self.scc),
            "s_cbranch_vccz" => return target().filter(|_| self.vcc == 0),
            "s_cbranch_vccnz" => return target().filter(|_| self.vcc != 0),
            "s_nop" => return None,
            _ => {}
        }
        if self.step_wide(name, &operands) {
            return None;
        }
        let b = self.value(last);
        if let Some(compare) = name.strip_prefix("s_cmp") {
            let a = self.value(operands[0]);
            let compare = compare.trim_start_matches(['k', '_']);
            let (op, sign) = compare.split_once('_').expect("a type");
            let order = match sign {
                "i32" => (a as i32).cmp(&(b as i32)),
                _ => a.cmp(&b),
            };
            self.scc = match op {
                "eq" => order.is_eq(),
                "lg" => order.is_ne(),
                "lt" => order.is_lt(),
                "le" => order.is_le(),
                "gt" => order.is_gt(),
                _ => order.is_ge(),
            };
            return None;
        }
        let to: usize = operands[0][1..].parse().expect("a register");
        let a = self.value(operands[operands.len() - 2]);
        match name {
            "s_mov_b32" => self.registers[to] = b,
            "s_cmov_b32" if self.scc => self.registers[to] = b,
            "s_cmov_b32" => {}
            "s_add_u32" => (self.registers[to], self.scc) = a.overflowing_add(b),
            "s_sub_u32" => (self.registers[to], self.scc) = a.overflowing_sub(b),
            _ => {
                self.registers[to] = a & b;
                self.scc = a & b != 0;
            }
        }
        None
    }
}

/// A place on a path: the index of a line, and that of the last `s_nop` before it.
type Place = (usize, Option<usize>);

/// Returns the places that an execution passes.
fn executed(lines: &[String], registers: [u32; REGISTERS]) -> BTreeSet<Place> {
    let mut oracle = Oracle {
        registers,
        vcc: START_VCC,
        scc: false,
    };
    let (mut at, mut nop) = (0, None);
    let mut places = BTreeSet::new();
    for _ in 0..STEPS {
        if at >= lines.len() {
            break;
        }
        places.insert((at, nop));
        if lines[at].starts_with("s_nop") {
            nop = Some(at);
        }
        at = oracle.step(&lines[at]).unwrap_or(at + 1);
    }
    places
}

/// Returns the graph of a program, and the address of each line.
fn graph_of(lines: &[String]) -> (Graph, Vec<u64>) {
    let labelled = (lines.iter().enumerate()).map(|(n, line)| format!("l{n}: {line}\n"));
    let source = labelled.collect::<String>() + &format!("l{}: s_endpgm\n", lines.len());
    let (mut code, mut addresses) = (Vec::new(), Vec::new());
    assemble(&source, Chip::Gfx900, Dialect::Llvm, |inst| {
        addresses.push(inst.address);
        code.extend_from_slice(inst.bytes());
    })
    .unwrap_or_else(|errors| panic!("{errors}\n{source}"));
    let object = CodeObject::of_code(&code, "gfx900".parse().expect("a target")).expect("code");
    let graph = Graph::of(&object, &Root::all(&object)[0]).expect("GCN");
    (graph, addresses)
}

/// Returns the places that a search passes.
fn searched(graph: &Graph, addresses: &[u64], lines: &[String]) -> BTreeSet<Place> {
    let entry = Start {
        node: graph.blocks[graph.entry].nodes.start,
        facts: Facts::default(),
        state: None,
    };
    let mut places = BTreeSet::new();
    let search = Paths::of(graph).search(vec![entry], |nop, node| {
        let pc = graph.nodes[node].pc;
        let line = addresses.binary_search(&pc).expect("the address of a line");
        places.insert((line, *nop));
        if lines
            .get(line)
            .is_some_and(|line| line.starts_with("s_nop"))
        {
            *nop = Some(line);
        }
        true
    });
    assert!(search.is_ok(), "the program is short");
    places
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_a_wave_executes_is_feasible(
        mut lines in prop::collection::vec(line(), 8..24),
        starts in prop::collection::vec([0..5u32, 0..5u32, 0..5u32, 0..5u32], 16),
    ) {
        // Branches beyond the program end it.
        for n in lines.len() + 1..24 {
            let beyond = format!(" l{n}");
            let end = format!(" l{}", lines.len());
            lines.iter_mut().filter(|l| l.ends_with(&beyond)).for_each(|l| *l = l.replace(&beyond, &end));
        }
        let (graph, addresses) = graph_of(&lines);
        let feasible = searched(&graph, &addresses, &lines);
        for registers in starts {
            let registers = registers.map(|n| [0, 1, 2, u32::MAX, 0x8000_0000][n as usize]);
            let lost: Vec<Place> = executed(&lines, registers).difference(&feasible).copied().collect();
            prop_assert!(lost.is_empty(), "{lost:?} with {registers:?} of\n{}", lines.join("\n"));
        }
    }
}
