//! Memory instructions against the Vega ISA document: every one of them gives
//! IR that the verifier accepts, and where the address, the data and the result
//! go is as the document says.

use crate::common::{inst, lift};
use wavetank_gcn::tables::{Ds, Flat, Mimg, Mubuf, Smem};
use wavetank_gcn::{Chip, Field, Flags, Form, Inst, Op, Operand};
use wavetank_ir::{
    Access, Block, DataReg, Dialect, Elements, Half, Image, MemKind, MemOp, Op as Node, Reg, Rmw,
    Space, Tiling, Ty, Value,
};
use wavetank_ir::{Terminator, verify};

/// Registers with different values.
const OPERANDS: [(Field, Operand); 14] = [
    (Field::Vdst, Operand::Vgpr(10)),
    (Field::Vdata, Operand::Vgpr(20)),
    (Field::Vaddr, Operand::Vgpr(30)),
    (Field::Data0, Operand::Vgpr(40)),
    (Field::Data1, Operand::Vgpr(50)),
    (Field::Sdst, Operand::Sgpr(16)),
    (Field::Sdata, Operand::Sgpr(16)),
    (Field::Sbase, Operand::Sgpr(4)),
    (Field::Srsrc, Operand::Sgpr(8)),
    (Field::Ssamp, Operand::Sgpr(12)),
    (Field::Soffset, Operand::Sgpr(3)),
    (Field::Saddr, Operand::Off),
    (Field::Src0, Operand::Sgpr(60)),
    (Field::Src1, Operand::Sgpr(62)),
];

fn any(op: impl Into<Op>) -> Inst {
    inst(op, &OPERANDS)
}

fn with(mut inst: Inst, flags: Flags) -> Inst {
    inst.mods.flags |= flags;
    inst
}

/// The accesses of an instruction, and its block for looking values up.
fn accesses(inst: Inst) -> (Vec<MemOp>, Block) {
    let block = lift(inst);
    assert_eq!(verify(&block), Ok(()), "{:?}", inst.op);
    let ops = block.nodes.iter().filter_map(|n| match &n.op {
        Node::Mem(m) => Some((**m).clone()),
        _ => None,
    });
    (ops.collect(), block)
}

/// The register a value was read from.
fn source(block: &Block, v: Value) -> Reg {
    match block.node(v).op {
        Node::Read(reg) => reg,
        ref op => panic!("{op:?} is not a read"),
    }
}

/// The registers that the data of an access were read from.
fn data(block: &Block, op: &MemOp) -> Vec<Reg> {
    op.data.iter().map(|v| source(block, *v)).collect()
}

/// Vector registers from one on.
fn vectors(first: u16, count: u16) -> Vec<Reg> {
    (first..first + count).map(Reg::V).collect()
}

/// Whatever the modifiers, every instruction of every family that is lifted
/// here gives a valid block.
#[test]
fn every_block_is_valid() {
    let modifiers = [
        Flags::empty(),
        Flags::GLC,
        Flags::SLC,
        Flags::OFFEN,
        Flags::IDXEN,
        Flags::OFFEN | Flags::IDXEN,
        Flags::GDS,
        Flags::LDS,
        Flags::TFE,
        Flags::ADDR64,
    ];
    for op in Op::all() {
        for flags in modifiers {
            let base = with(any(op), flags);
            let forms: &[Form] = match op {
                Op::Flat(_) => &[Form::Flat, Form::Global, Form::Scratch],
                _ => &[base.form],
            };
            for &form in forms {
                let block = lift(Inst { form, ..base });
                assert_eq!(verify(&block), Ok(()), "{op:?} {form:?}");
            }
        }
    }
}

/// 11.3 and 12.13: offsets of two-address forms count elements, or 64 of them.
#[test]
fn two_addresses() {
    for (op, dwords, unit) in [
        (Ds::DS_READ2_B32, 1, 4),
        (Ds::DS_READ2_B64, 2, 8),
        (Ds::DS_READ2ST64_B32, 1, 4 * 64),
        (Ds::DS_READ2ST64_B64, 2, 8 * 64),
        (Ds::DS_WRITE2_B32, 1, 4),
        (Ds::DS_WRITE2_B64, 2, 8),
        (Ds::DS_WRITE2ST64_B32, 1, 4 * 64),
        (Ds::DS_WRITE2ST64_B64, 2, 8 * 64),
        (Ds::DS_WRXCHG2_RTN_B32, 1, 4),
        (Ds::DS_WRXCHG2ST64_RTN_B64, 2, 8 * 64),
    ] {
        let mut inst = any(op);
        inst.mods.offset = 3;
        inst.mods.offset1 = 200;
        let (ops, block) = accesses(inst);
        let [a, b] = &ops[..] else {
            panic!("{op:?} is two accesses")
        };
        assert_eq!((a.offset, b.offset), (3 * unit, 200 * unit), "{op:?}");
        assert_eq!(a.access, Access::Dwords(dwords));
        assert_eq!(a.space, b.space);
        let Space::Lds { address, .. } = a.space else {
            panic!("{op:?} is an LDS access")
        };
        assert_eq!(source(&block, address), Reg::V(30));
        if a.kind != MemKind::Load {
            let n = dwords.into();
            assert_eq!(data(&block, a), vectors(40, n));
            assert_eq!(data(&block, b), vectors(50, n));
        }
        if a.kind != MemKind::Store {
            let second = DataReg::V(10 + u16::from(dwords));
            assert_eq!((a.ret, b.ret), (Some(DataReg::V(10)), Some(second)));
        }
    }
}

/// Where the reads of a register and the accesses stand in a block.
fn place(block: &Block, what: impl Fn(&Node) -> bool) -> Vec<usize> {
    let nodes = block.nodes.iter().enumerate();
    nodes.filter(|(_, n)| what(&n.op)).map(|(i, _)| i).collect()
}

/// Both data of an exchange are read before the first result may fall on them,
/// also crosswise.
#[test]
fn exchanges_read_their_data_first() {
    for (data0, data1) in [(10, 11), (40, 10), (11, 10)] {
        let mut inst = any(Ds::DS_WRXCHG2_RTN_B32);
        inst.operands[2] = Operand::Vgpr(data0);
        inst.operands[3] = Operand::Vgpr(data1);
        let (ops, block) = accesses(inst);
        let read: Vec<_> = ops.iter().map(|m| data(&block, m)).collect();
        let [data0, data1] = [data0, data1].map(|n| vec![Reg::V(n.into())]);
        assert_eq!(read, [data0, data1]);
        let reads = place(&block, |op| matches!(op, Node::Read(Reg::V(_))));
        let accesses = place(&block, |op| matches!(op, Node::Mem(_)));
        assert!(reads.last() < accesses.first());
        let results: Vec<_> = ops.iter().map(|m| m.ret).collect();
        assert_eq!(results, [10, 11].map(|n| Some(DataReg::V(n))));
    }
}

/// 3.6.2: a vector register past the end of the file reads v0.
#[test]
fn data_past_the_end_of_the_file() {
    let mut inst = any(Flat::FLAT_STORE_DWORDX4);
    let data0 = inst
        .row()
        .operands
        .iter()
        .position(|s| s.field == Field::Data0);
    inst.operands[data0.expect("a store has data")] = Operand::Vgpr(254);
    let (ops, block) = accesses(inst);
    assert_eq!(data(&block, &ops[0]), [254, 255, 0, 0].map(Reg::V));
}

/// 12.13: the lowest lane adds the number of active ones; VDST is written by
/// what comes back alone.
#[test]
fn append_and_consume() {
    for (op, rmw) in [(Ds::DS_APPEND, Rmw::Add), (Ds::DS_CONSUME, Rmw::Sub)] {
        let (ops, block) = accesses(any(op));
        let [m] = &ops[..] else {
            panic!("{op:?} is one access")
        };
        assert_eq!(m.kind, MemKind::Atomic(rmw));
        assert_eq!(block.ty(m.data[0]), Ty::U32, "the count is uniform");
        assert_eq!(m.ret, Some(DataReg::V(10)));
        let writes = place(&block, |op| matches!(op, Node::Write { .. }));
        let access = place(&block, |op| matches!(op, Node::Mem(_)));
        assert_eq!(writes.len(), 1, "the value before, to all lanes");
        assert!(access[0] < writes[0]);
    }
}

/// 8.1.7: what goes between memory and LDS goes through no register.
#[test]
fn through_lds() {
    for (inst, kinds) in [
        (
            with(any(Mubuf::BUFFER_LOAD_SBYTE), Flags::LDS),
            [MemKind::Load, MemKind::Store],
        ),
        (
            any(Mubuf::BUFFER_STORE_LDS_DWORD),
            [MemKind::Load, MemKind::Store],
        ),
    ] {
        let (ops, block) = accesses(inst);
        assert_eq!(ops.iter().map(|m| m.kind).collect::<Vec<_>>(), kinds);
        assert_eq!(ops[0].ret, None);
        assert!(matches!(block.node(ops[1].data[0]).op, Node::Mem(_)));
        assert_eq!(place(&block, |op| matches!(op, Node::Write { .. })), []);
        let reads = place(&block, |op| matches!(op, Node::Read(Reg::V(_))));
        assert_eq!(reads, [], "neither has an index or an offset register");
    }
}

/// 12.13: ds_cmpst has src in DATA1 and cmp in DATA0; 12.14: buffer_atomic has
/// both in VDATA, and the width is that of one of them.
#[test]
fn compare_and_swap() {
    let (ops, block) = accesses(any(Ds::DS_CMPST_RTN_B64));
    assert_eq!(ops[0].kind, MemKind::Atomic(Rmw::CmpSwap));
    assert_eq!(ops[0].access, Access::Dwords(2));
    assert_eq!(
        data(&block, &ops[0]),
        [50, 51, 40, 41].map(Reg::V),
        "source first"
    );
    let (ops, block) = accesses(with(any(Mubuf::BUFFER_ATOMIC_CMPSWAP), Flags::GLC));
    assert_eq!(ops[0].access, Access::Dwords(1));
    assert_eq!(data(&block, &ops[0]), vectors(20, 2));
    assert_eq!(ops[0].ret, Some(DataReg::V(20)));
    let (ops, block) = accesses(with(any(Smem::S_ATOMIC_CMPSWAP_X2), Flags::GLC));
    assert_eq!(ops[0].access, Access::Dwords(2));
    assert_eq!(data(&block, &ops[0]), [16, 17, 18, 19].map(Reg::S));
    assert_eq!(ops[0].ret, Some(DataReg::S(16)));
    // Without GLC nothing comes back.
    let (ops, block) = accesses(any(Flat::FLAT_ATOMIC_CMPSWAP_X2));
    assert_eq!(data(&block, &ops[0]), vectors(40, 4));
    assert_eq!(ops[0].ret, None);
}

/// 8.1.5: with both index and offset, the index is in the first register.
#[test]
fn buffer_addresses() {
    for (flags, index, offset) in [
        (Flags::empty(), None, None),
        (Flags::IDXEN, Some(30), None),
        (Flags::OFFEN, None, Some(30)),
        (Flags::IDXEN | Flags::OFFEN, Some(30), Some(31)),
    ] {
        let mut inst = with(any(Mubuf::BUFFER_LOAD_DWORDX3), flags);
        inst.mods.offset = 0xfff;
        let (ops, block) = accesses(inst);
        let Space::Buffer {
            resource,
            dialect,
            address: None,
            index: i,
            offset: o,
            soffset,
            format,
        } = ops[0].space
        else {
            panic!("not a buffer access")
        };
        let resource = resource.map(|v| source(&block, v));
        assert_eq!(resource, [Reg::S64(8), Reg::S64(10)]);
        assert_eq!(
            (dialect, format, ops[0].offset),
            (Dialect::Indexed, Elements::Plain, 0xfff)
        );
        assert_eq!(i.map(|v| source(&block, v)), index.map(Reg::V));
        assert_eq!(o.map(|v| source(&block, v)), offset.map(Reg::V));
        assert_eq!(source(&block, soffset), Reg::S(3));
        assert_eq!(ops[0].access, Access::Dwords(3));
        assert_eq!(ops[0].ret, Some(DataReg::V(20)));
    }
}

/// ADDR64 of gfx6 and gfx7: base + VADDR, 64 bits, no buffer any more.
#[test]
fn wide_buffer_addresses() {
    let mut inst = with(any(Mubuf::BUFFER_STORE_DWORDX2), Flags::ADDR64);
    inst.chip = Chip::Gfx600;
    let (ops, block) = accesses(inst);
    let Space::Global { address, index } = ops[0].space else {
        panic!("not a global access")
    };
    assert_eq!((block.ty(address), index), (Ty::V64, None));
    let reads = block.nodes.iter().filter_map(|n| match n.op {
        Node::Read(reg) => Some(reg),
        _ => None,
    });
    let reads: Vec<_> = reads.collect();
    let address = [Reg::S64(8), Reg::S(3), Reg::V64(30), Reg::EXEC];
    assert_eq!(reads, [&address[..], &vectors(20, 2)].concat());
}

/// 9.4: what VADDR and SADDR mean in each segment.
#[test]
fn segments() {
    let load = |form, saddr| {
        let mut inst = any(Flat::FLAT_LOAD_DWORDX4);
        inst.form = form;
        inst.operands[2] = saddr;
        inst.mods.offset = -4096;
        accesses(inst)
    };
    let (ops, block) = load(Form::Global, Operand::Off);
    let Space::Global { address, index } = ops[0].space else {
        panic!()
    };
    assert_eq!((source(&block, address), index), (Reg::V64(30), None));
    assert_eq!((ops[0].offset, ops[0].access), (-4096, Access::Dwords(4)));
    let (ops, block) = load(Form::Global, Operand::Sgpr(2));
    let Space::Global { address, index } = ops[0].space else {
        panic!()
    };
    assert_eq!(source(&block, address), Reg::S64(2));
    assert_eq!(index.map(|v| source(&block, v)), Some(Reg::V(30)));
    let (ops, block) = load(Form::Scratch, Operand::Sgpr(2));
    let Space::Scratch { address } = ops[0].space else {
        panic!()
    };
    assert_eq!(source(&block, address), Reg::S(2));
    let (ops, block) = load(Form::Flat, Operand::Off);
    let Space::Flat { address, .. } = ops[0].space else {
        panic!()
    };
    assert_eq!(source(&block, address), Reg::V64(30));
    assert_eq!(ops[0].offset, 0, "FLAT ignores the sign of the offset");
}

/// 12.13, 12.14 and 12.18: which half of the register D16 accesses use.
#[test]
fn halves() {
    let shape = |inst| {
        let (ops, _) = accesses(inst);
        (ops[0].kind, ops[0].access, ops[0].half)
    };
    use Access::*;
    use MemKind::*;
    for (inst, expected) in [
        (any(Ds::DS_READ_U16_D16_HI), (Load, U16, Half::High)),
        (any(Ds::DS_READ_I8_D16), (Load, I8, Half::Low)),
        (any(Ds::DS_WRITE_B8_D16_HI), (Store, U8, Half::High)),
        (any(Ds::DS_WRITE_B16), (Store, U16, Half::Whole)),
        (any(Mubuf::BUFFER_LOAD_SBYTE_D16_HI), (Load, I8, Half::High)),
        (
            any(Mubuf::BUFFER_STORE_SHORT_D16_HI),
            (Store, U16, Half::High),
        ),
        (any(Flat::FLAT_LOAD_UBYTE_D16_HI), (Load, U8, Half::High)),
        (any(Flat::FLAT_LOAD_SSHORT), (Load, I16, Half::Whole)),
        (any(Flat::FLAT_STORE_BYTE_D16_HI), (Store, U8, Half::High)),
    ] {
        assert_eq!(shape(inst), expected, "{:?}", inst.op);
    }
}

/// 7.2: a signed immediate, a scalar register, or both. 7.4: data that does not
/// fit in the registers is not accessed.
#[test]
fn scalar_loads() {
    let mut inst = any(Smem::S_LOAD_DWORDX8);
    inst.mods.offset = -64;
    let (ops, block) = accesses(inst);
    let Space::Scalar { address, index } = ops[0].space else {
        panic!()
    };
    assert_eq!(source(&block, address), Reg::S64(4));
    assert_eq!(index.map(|v| source(&block, v)), Some(Reg::S(3)));
    assert_eq!((ops[0].offset, ops[0].mask), (-64, None));
    assert_eq!(
        (ops[0].ret, ops[0].access),
        (Some(DataReg::S(16)), Access::Dwords(8))
    );
    // gfx6 and gfx7 count dwords.
    inst.chip = Chip::Gfx701;
    inst.mods.offset = 5;
    assert_eq!(accesses(inst).0[0].offset, 20);
    let (ops, block) = accesses(any(Smem::S_BUFFER_STORE_DWORDX4));
    let Space::ScalarBuffer { resource, .. } = ops[0].space else {
        panic!()
    };
    let resource = resource.map(|v| source(&block, v));
    assert_eq!(resource, [Reg::S64(4), Reg::S64(6)]);
    assert_eq!(data(&block, &ops[0]), [16, 17, 18, 19].map(Reg::S));
    assert_eq!(ops[0].ret, None);
    let mut inst = any(Smem::S_LOAD_DWORDX16);
    inst.operands[0] = Operand::Sgpr(116);
    assert_eq!(accesses(inst).0, []);
}

/// What is not supported stops the kernel with its name; it is never skipped.
#[test]
fn unsupported() {
    for inst in [
        with(any(Ds::DS_SWIZZLE_B32), Flags::GDS),
        with(any(Mubuf::BUFFER_LOAD_DWORDX2), Flags::LDS),
    ] {
        let block = lift(inst);
        let name = inst.row().mnemonics[3].expect("gfx9 has it");
        match &block.nodes.last().expect("a terminator").op {
            Node::End(Terminator::Unsupported { what }) => assert!(what.starts_with(name)),
            op => panic!("{name} ends with {op:?}"),
        }
    }
}

/// The access of an image instruction on a chip.
fn image_on(chip: Chip, mut load: Inst) -> (MemOp, Image) {
    load.chip = chip;
    load.mods.dmask = 0xf;
    let (mut accesses, _) = accesses(load);
    let access = accesses.pop().expect("an access");
    let Space::Image(image) = access.space.clone() else {
        panic!("no image: {:?}", access.space)
    };
    (access, image)
}

/// How resources of images are read, and where 16-bit components stand, by chip (CLRX wiki, "GCN Memory Handling"; LLVM,
/// `FeatureUnpackedD16VMem`).
#[test]
fn images_are_read_as_on_the_chip() {
    for (chip, tiling, half) in [
        (Chip::Gfx600, Tiling::Indexed, None),
        (Chip::Gfx701, Tiling::Indexed, None),
        (Chip::Gfx803, Tiling::Indexed, Some(Half::Each)),
        (Chip::Gfx810, Tiling::Indexed, Some(Half::Low)),
        (Chip::Gfx906, Tiling::Swizzled, Some(Half::Low)),
    ] {
        let load = any(Mimg::IMAGE_LOAD);
        let (access, image) = image_on(chip, load);
        assert_eq!((image.tiling, access.half), (tiling, Half::Whole), "{chip}");
        let Some(half) = half else { continue };
        let (access, _) = image_on(chip, with(load, Flags::D16));
        let registers = if half == Half::Each { 4 } else { 2 };
        assert_eq!(
            (access.half, access.registers()),
            (half, registers),
            "{chip}"
        );
    }
}

/// A resource of 128 bits has no upper half, whatever the registers after it hold.
#[test]
fn resources_of_four_registers() {
    let load = Inst {
        chip: Chip::Gfx701,
        ..with(any(Mimg::IMAGE_LOAD), Flags::R128)
    };
    let (_, block) = accesses(load);
    let image = block.nodes.iter().find_map(|n| match &n.op {
        Node::Mem(m) => match &m.space {
            Space::Image(image) => Some(image),
            _ => None,
        },
        _ => None,
    });
    let image = image.expect("an image");
    assert!(image.narrow);
    assert_eq!(source(&block, image.resource[1]), Reg::S64(10));
    for upper in &image.resource[2..] {
        assert!(matches!(block.node(*upper).op, Node::Const(0)));
    }
}
