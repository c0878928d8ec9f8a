//! Random nodes of every kind, printed and parsed back; and texts that are not blocks.

use proptest::prelude::*;

use wavetank_matrix::{Matrix, Model, Shape};

use crate::export::Export;
use crate::functions::{Bin, Cvt, Rel, Tern, Un};
use crate::image::{Image, ImageKind, Lod, Tiling};
use crate::matrix::{Addend, MatrixOp};
use crate::mem::{
    Access, Clock, Counter, DataReg, Dialect, Elements, Family, GlobalSync, Half, MemKind, MemOp,
    Rmw, Space, WaitCnt,
};
use crate::op::{Block, Node};
use crate::operations::{Op, Terminator};
use crate::surface_atomic::{Dimensions, Outside, SurfaceAtomic};
use crate::types::{Elem, Fp, Reg, Round, Ty, Value};
use crate::{LaneFn, lane_loops, over_lanes, parse};

/// Only the names matter here.
const fn named(name: &'static str) -> LaneFn {
    LaneFn {
        name,
        result_bits: 32,
        has_mask: false,
        division: None,
        call: |a| (a[0], false),
        all: lane_loops!(|args, results| over_lanes::<false, false>(
            |a| (a[0], false),
            args,
            results
        )),
    }
}

static LANE_FNS: [LaneFn; 2] = [named("sad_u8"), named("div_scale.f64")];

pub(crate) fn find(name: &str) -> Option<&'static LaneFn> {
    LANE_FNS.iter().find(|f| f.name == name)
}

/// Choices from random numbers; zeros after these are used up.
struct Random<'a> {
    bytes: std::slice::Iter<'a, u64>,
    /// The nodes so far that have a result.
    values: Vec<Value>,
}

impl Random<'_> {
    fn any(&mut self) -> u64 {
        self.bytes.next().copied().unwrap_or(0)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.any() % n as u64) as usize
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 1
    }

    fn most(&mut self) -> Option<u8> {
        let most = self.any() as u8;
        self.coin().then_some(most)
    }

    fn of<T: Copy>(&mut self, names: &[(T, &str)]) -> T {
        names[self.below(names.len())].0
    }

    fn value(&mut self) -> Value {
        let i = self.below(self.values.len());
        self.values[i]
    }

    fn values(&mut self, most: usize) -> Vec<Value> {
        (0..self.below(most + 1)).map(|_| self.value()).collect()
    }

    fn parts<const N: usize>(&mut self) -> [Value; N] {
        std::array::from_fn(|_| self.value())
    }

    fn maybe(&mut self) -> Option<Value> {
        self.coin().then(|| self.value())
    }

    fn fp(&mut self) -> Fp {
        Fp {
            round: self.of(Round::NAMES),
            flush_in: self.coin(),
            flush_out: self.coin(),
            ieee: self.coin(),
        }
    }

    fn reg(&mut self) -> Reg {
        let n = self.any();
        let (small, wide) = (n as u8, n as u16);
        match self.below(7) {
            0 => Reg::S(small),
            1 => Reg::S64(small),
            2 => Reg::Mask(small),
            3 => Reg::Scc,
            4 => Reg::V(wide),
            5 => Reg::V64(wide),
            _ => Reg::Hw(small),
        }
    }

    fn ret(&mut self) -> Option<DataReg> {
        let n = self.any();
        [None, Some(DataReg::V(n as u16)), Some(DataReg::S(n as u8))][self.below(3)]
    }

    fn table(&mut self) -> Box<[u8; 64]> {
        let (n, step) = (self.any() as u8, self.below(3) as u8);
        Box::new(std::array::from_fn(|i| {
            n.wrapping_add(i as u8 * step) & 127
        }))
    }

    fn space(&mut self) -> Space {
        let (address, index) = (self.value(), self.maybe());
        match self.below(12) {
            0 => Space::Global { address, index },
            1 => Space::Flat {
                address,
                limit: index,
            },
            2 => Space::Scratch { address },
            3 => Space::Lds {
                address,
                limit: index,
            },
            4 => Space::Buffer {
                resource: self.parts(),
                dialect: self.of(Dialect::NAMES),
                address: self.maybe(),
                index,
                offset: self.maybe(),
                soffset: address,
                format: match self.below(3) {
                    0 => Elements::Plain,
                    1 => Elements::Resource,
                    _ => Elements::Typed(self.any() as u8, self.any() as u8),
                },
            },
            5 => Space::Scalar { address, index },
            7 => Space::Image(Image {
                kind: self.of(ImageKind::NAMES),
                resource: self.parts(),
                sampler: self.coin().then(|| self.parts()),
                address: self.values(12),
                lod: self.of(Lod::NAMES),
                components: self.any() as u8,
                clamp: self.coin(),
                compare: self.coin(),
                offsets: self.coin(),
                unnormalized: self.coin(),
                array: self.coin(),
                short: self.coin(),
                tiling: self.of(Tiling::NAMES),
                narrow: self.coin(),
            }),
            9 => Space::Surface(SurfaceAtomic {
                number: address,
                at: self.values(3),
                level: index,
                dimensions: self.coin().then(|| self.of(Dimensions::NAMES)),
                bytes: self.coin(),
                typed: self.coin(),
                outside: self.of(Outside::NAMES),
                after: self.coin(),
                absent: self.ret(),
            }),
            8 => Space::Gds {
                address,
                window: self.value(),
            },
            6 => Space::LdsPair {
                address,
                other: self.value(),
                limit: index,
            },
            _ => Space::ScalarBuffer {
                resource: self.parts(),
                index,
            },
        }
    }

    fn mem(&mut self) -> MemOp {
        let rmw = MemKind::Atomic(self.of(Rmw::NAMES));
        let dwords = Access::Dwords(self.any() as u8);
        MemOp {
            kind: [MemKind::Load, MemKind::Store, rmw][self.below(3)],
            space: self.space(),
            offset: self.any() as i64,
            access: [Access::U8, Access::I8, Access::U16, Access::I16, dwords][self.below(5)],
            half: self.of(Half::NAMES),
            data: self.values(4),
            ret: self.ret(),
            mask: self.maybe(),
            glc: self.coin(),
            slc: self.coin(),
            shadow: self.coin(),
            counter: self.of(Counter::NAMES),
        }
    }

    fn terminator(&mut self, what: &str) -> Terminator {
        let (v, taken, next) = (self.value(), self.any(), self.any());
        match self.below(11) {
            0 => Terminator::Branch(taken),
            1 => Terminator::CondBranch {
                cond: v,
                taken,
                next,
            },
            2 => Terminator::Jump(v),
            3 => Terminator::Barrier { next },
            4 => Terminator::Sleep { next },
            5 => Terminator::Message {
                message: taken as u16,
                next,
            },
            11 => Terminator::Breakpoint {
                pc: taken,
                block: next,
            },
            6 => Terminator::Trap {
                id: taken as u8,
                next,
            },
            7 => Terminator::EndProgram,
            9 => Terminator::Export {
                export: Export {
                    target: taken as u8,
                    sources: [(); 4].map(|()| self.maybe()),
                    mask: v,
                    compressed: self.coin(),
                    done: self.coin(),
                    valid_mask: self.coin(),
                },
                next,
            },
            8 => Terminator::GlobalSync {
                op: self.of(GlobalSync::NAMES),
                resource: v,
                value: self.value(),
                next,
            },
            _ => Terminator::Unsupported { what: what.into() },
        }
    }

    fn product(&mut self) -> MatrixOp {
        let model = [Model::Gfx908, Model::Gfx90a, Model::Gfx942][self.below(3)];
        let shapes: Vec<Shape> = Shape::all(model).collect();
        let shape = shapes[self.below(shapes.len())];
        let mut instruction = Matrix::new(model, shape).expect("a shape of the chip");
        instruction.cbsz = self.any() as u8 & 7;
        instruction.abid = self.any() as u8 & 15;
        instruction.blgp = self.any() as u8 & 7;
        let [d, a, b] = [(); 3].map(|()| self.any() as u16);
        let c = if self.coin() {
            Addend::Registers(self.any() as u16)
        } else {
            Addend::Every(self.any())
        };
        let index = shape.sparse.then(|| self.any() as u16);
        MatrixOp {
            instruction,
            d,
            a,
            b,
            c,
            index,
        }
    }

    fn op(&mut self, what: &str) -> Op {
        let (elem, fp) = (self.of(Elem::NAMES), self.fp());
        let (a, b, c) = (self.value(), self.value(), self.value());
        let (base, carry) = (self.any() as u16, self.maybe());
        match self.below(37) {
            0 => Op::Inst {
                pc: self.any(),
                family: self.of(Family::NAMES),
            },
            1 => Op::Const(self.any()),
            2 => Op::Read(self.reg()),
            3 => Op::ReadIndexed { base, index: a },
            4 => Op::ReadIndexedS {
                base: base as u8,
                index: a,
            },
            5 | 6 => Op::Write {
                reg: self.reg(),
                value: a,
                mask: carry,
                bytes: self.any() as u8,
            },
            7 => Op::WriteIndexed {
                base,
                index: a,
                value: b,
                mask: c,
            },
            8 => Op::WriteIndexedS {
                base: base as u8,
                index: a,
                value: b,
            },
            9 => Op::Un(self.of(Un::NAMES), elem, fp, a),
            10 => Op::Un(Un::SignExtend(base as u8), elem, fp, a),
            11 => Op::Bin(self.of(Bin::NAMES), elem, fp, a, b),
            12 => Op::Tern(self.of(Tern::NAMES), elem, fp, a, b, c),
            13 => Op::Cmp(self.of(Rel::NAMES), elem, fp, a, b),
            14 => Op::Class(elem, a, b),
            15 => Op::Cvt(self.of(Cvt::NAMES), elem, self.of(Elem::NAMES), fp, a),
            16 => Op::Select(a, b, c),
            17 => Op::AddCarry(a, b, carry),
            18 => Op::SubBorrow(a, b, carry),
            19 => Op::MadWide {
                signed: self.coin(),
                args: [a, b, c],
            },
            20 => Op::Second(a),
            21 => Op::Cast(self.of(Ty::NAMES), a),
            22 => Op::NonZero(a),
            23 => Op::LanesBelow { high: self.coin() },
            24 => Op::LaneId,
            25 => Op::ReadLane(a, b),
            26 => Op::ReadFirstLane(a, b),
            27 => Op::Shuffle(a, self.table()),
            28 => Op::ShuffleMask(a, self.table()),
            29 => Op::Permute {
                value: a,
                index: b,
                mask: c,
            },
            30 => Op::Scatter {
                value: a,
                index: b,
                mask: c,
            },
            31 => Op::LaneFn(
                &LANE_FNS[self.below(2)],
                [a, b, c][..self.below(4)].to_vec(),
            ),
            32 => Op::Mem(Box::new(self.mem())),
            34 => Op::Matrix(Box::new(self.product())),
            33 => Op::Probe {
                pc: self.any(),
                about: self.any() as u8,
                of: a,
                lanes: b,
                shows: [a, b, c][..self.below(4)].to_vec(),
            },
            35 => Op::Tally {
                site: self.any() as u32,
                lanes: a,
                before: b,
            },
            _ => match self.below(3) {
                0 => Op::Clock(self.of(Clock::NAMES)),
                1 => Op::WaitCnt(WaitCnt {
                    vm: self.most(),
                    exp: self.most(),
                    lgkm: self.most(),
                }),
                _ => Op::End(self.terminator(what)),
            },
        }
    }
}

/// Nodes in any order, verified or not: the text form has no type rules.
pub(crate) fn block(pc: u64, seeds: &[Vec<u64>], what: &str) -> Block {
    let first = Node {
        op: Op::LaneId,
        ty: Some(Ty::V32),
    };
    let (mut nodes, mut values) = (vec![first], vec![Value(0)]);
    for seed in seeds {
        let mut random = Random {
            bytes: seed.iter(),
            values,
        };
        let (typed, ty) = (random.coin(), random.of(Ty::NAMES));
        let op = random.op(what);
        values = random.values;
        if typed {
            values.push(Value(nodes.len() as u32));
        }
        nodes.push(Node {
            op,
            ty: typed.then_some(ty),
        });
    }
    Block { pc, nodes }
}

proptest! {
    #[test]
    fn what_is_printed_is_parsed_back(
        pc: u64,
        seeds in prop::collection::vec(prop::collection::vec(any::<u64>(), 32), 0..20),
        what: String,
    ) {
        let block = block(pc, &seeds, &what);
        let text = block.to_string();
        let back = parse(&text, &find).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert_eq!(format!("{block:?}"), format!("{back:?}"));
        prop_assert_eq!(back.to_string(), text);
    }

    /// Passes and the text form have the operands in the same order.
    #[test]
    fn the_walk_is_in_the_order_of_the_text(
        seeds in prop::collection::vec(prop::collection::vec(any::<u64>(), 32), 0..20),
    ) {
        for node in block(0, &seeds, "an end").nodes {
            let text = node.op.to_string();
            let numbers = text.split('%').skip(1).map(|rest| {
                let end = rest.find(|c: char| !c.is_ascii_digit());
                rest[..end.unwrap_or(rest.len())].parse()
            });
            let written: Result<Vec<u32>, _> = numbers.collect();
            let mut walked = Vec::new();
            node.op.for_each_operand(&mut |v| walked.push(v.0));
            prop_assert_eq!(written, Ok(walked), "{}", text);
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text: String) {
        let _ = parse(&text, &find);
        let _ = parse(&format!("block 0\n{text}"), &find);
    }

    /// A valid text with one piece replaced comes closer to the edge cases.
    #[test]
    fn no_damage_makes_the_parser_panic(
        seeds in prop::collection::vec(prop::collection::vec(any::<u64>(), 32), 1..4),
        at: prop::sample::Index,
        piece in "[-%:=,.;\\[\\](){}\"\\\\0-9a-fmsuvx é\n]{0,6}",
        cut in 0..4usize,
    ) {
        let mut text: Vec<char> = block(0, &seeds, "a \"b\"").to_string().chars().collect();
        let start = at.index(text.len());
        let end = (start + cut).min(text.len());
        text.splice(start..end, piece.chars());
        let text: String = text.into_iter().collect();
        if let Err(e) = parse(&text, &find) {
            prop_assert!(e.line >= 1 && e.column >= 1 && !e.message.is_empty());
        }
    }
}

/// A person may write the named fields in any order.
#[test]
fn named_fields_stand_in_any_order() {
    let printed = |line: &str| {
        let text = format!("block 0\n%a:u64 = const 1\n{line} ; [a, comment");
        parse(&text, &find).unwrap().to_string()
    };
    let access = "load buffer, dwords 2, vm";
    assert_eq!(
        printed(&format!(
            "{access}, glc, mask %a, format 4:7, ret v1, soffset %a, offset -8, resource [%a, %a]"
        )),
        printed(&format!(
            "{access}, resource [%a, %a], soffset %a, format 4:7, offset -8, ret v1, mask %a, glc"
        )),
    );
}

#[test]
fn errors_name_the_place() {
    let error = |line: &str| {
        let text = format!("block 0x10 ; é\n  %a:u32 = const 1\n{line}");
        parse(&text, &find).unwrap_err().to_string()
    };
    let cases = [
        (
            "%b:u32 = add.i32 %a, %c",
            "line 3, column 22: %c is not defined above",
        ),
        ("%a:u32 = const 2", "line 3, column 17: %a is defined twice"),
        ("%b:u31 = const 2", "line 3, column 4: `u31` is not a type"),
        (
            "  add.i33 %a, %a",
            "line 3, column 3: there is no operation `add.i33`",
        ),
        (
            "write s256, %a",
            "line 3, column 7: there is no register `s256`",
        ),
        ("inst 4 valve", "line 3, column 8: `valve` is not a family"),
        (
            "trap 256, 0",
            "line 3, column 6: `256` is not a number that fits here",
        ),
        (
            "lane_fn sad(%a)",
            "line 3, column 9: there is no lane function `sad`",
        ),
        (
            "lane_id 5",
            "line 3, column 9: the line should end here, but `5` follows",
        ),
        (
            "read_indexed s[4:5], %a",
            "line 3, column 14: the first register alone is named here, not s[4:5]",
        ),
        (
            "load moon, u8, lgkm",
            "line 3, column 6: there is no address space `moon`",
        ),
        (
            "load lds, u8, lgkm, mask %a",
            "line 3, column 28: the field `address` is missing",
        ),
        (
            "load lds, u8, lgkm, address %a %a",
            "line 3, column 32: the line should end here, but `%a` follows",
        ),
        (
            "load lds, u8, lgkm, window %a, address %a",
            "line 3, column 21: there is no field `window` here, or it is named twice",
        ),
        (
            "load lds, u8, lgkm, address %a, address %a",
            "line 3, column 33: there is no field `address` here, or it is named twice",
        ),
        (
            "shuffle %a, [0-62]",
            "line 3, column 19: a shuffle selects 64 lanes, not 63",
        ),
        (
            "unsupported \"é",
            "line 3, column 14: the string has no closing quote",
        ),
    ];
    for (line, message) in cases {
        assert_eq!(error(line), message);
    }
    let empty = parse("; nothing\n", &find).unwrap_err().to_string();
    assert_eq!(empty, "line 1, column 1: the text has no `block ADDRESS`");
}
