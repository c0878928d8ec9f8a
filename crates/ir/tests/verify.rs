//! Each rule of the verifier, broken once. The blocks are made of nodes
//! directly, since the builder infers types that fit.

use wavetank_ir::{
    Access, Bin, Block, Builder, Counter, Cvt, DataReg, Elem, Family, Fp, Half, MemKind, MemOp,
    Node, Op, Reg, Rmw, Space, Terminator, Ty, Un, Value, WaitCnt, verify,
};

/// The message about a block that opens an instruction, holds these nodes and ends.
fn complaint(nodes: &[(Op, Option<Ty>)]) -> String {
    let inst = Op::Inst {
        pc: 0,
        family: Family::Other,
    };
    let mut all = vec![Node { op: inst, ty: None }];
    all.extend(nodes.iter().cloned().map(|(op, ty)| Node { op, ty }));
    let op = Op::End(Terminator::EndProgram);
    all.push(Node { op, ty: None });
    message(Block { pc: 0, nodes: all })
}

fn message(block: Block) -> String {
    match verify(&block) {
        Ok(()) => String::new(),
        Err(errors) => errors.iter().map(|e| format!("{e}\n")).collect(),
    }
}

fn konst(c: u64, ty: Ty) -> (Op, Option<Ty>) {
    (Op::Const(c), Some(ty))
}

fn read(reg: Reg) -> (Op, Option<Ty>) {
    (Op::Read(reg), Some(reg.ty()))
}

fn write(reg: Reg, value: u32, mask: Option<u32>, bytes: u8) -> (Op, Option<Ty>) {
    let (value, mask) = (Value(value), mask.map(Value));
    (
        Op::Write {
            reg,
            value,
            mask,
            bytes,
        },
        None,
    )
}

fn add(elem: Elem, a: u32, b: u32, ty: Ty) -> (Op, Option<Ty>) {
    let op = Op::Bin(Bin::Add, elem, Fp::default(), Value(a), Value(b));
    (op, Some(ty))
}

#[track_caller]
fn refused(nodes: &[(Op, Option<Ty>)], why: &str) {
    let said = complaint(nodes);
    assert!(said.contains(why), "said: {said:?}");
}

#[test]
fn a_sound_block_passes() {
    let nodes = [
        read(Reg::V(1)),
        konst(5, Ty::U32),
        // A vector operation takes a uniform operand.
        add(Elem::I32, 1, 2, Ty::V32),
        read(Reg::EXEC),
        write(Reg::V(0), 3, Some(4), 0b0011),
        // A uniform is written to every lane.
        write(Reg::V(0), 2, Some(4), 0b1111),
        write(Reg::S(3), 2, None, 0b1111),
    ];
    assert_eq!(complaint(&nodes), "");
}

#[test]
fn values_are_defined_before_their_use() {
    refused(&[add(Elem::I32, 1, 1, Ty::U32)], "%1 is used before");
    refused(&[add(Elem::I32, 9, 9, Ty::U32)], "%9 is used before");
    refused(&[add(Elem::I32, 0, 0, Ty::U32)], "no result");
}

#[test]
fn operands_and_results_have_their_types() {
    let (c32, c64) = (konst(1, Ty::U32), konst(1, Ty::U64));
    refused(
        &[c32.clone(), c64.clone(), add(Elem::I32, 1, 2, Ty::U32)],
        "%2 is a u64, but u32 or v32 is needed",
    );
    refused(
        &[c32.clone(), add(Elem::I32, 1, 1, Ty::V32)],
        "the result is a u32, but its type says v32",
    );
    refused(&[c32.clone(), add(Elem::F32, 1, 1, Ty::U32)], "integers");
    let second = (Op::Second(Value(1)), Some(Ty::U32));
    refused(&[c32.clone(), second], "has no second result");
    refused(&[konst(1 << 32, Ty::U32)], "does not fit");
    refused(&[konst(1, Ty::V32)], "a constant is");
    refused(
        &[(Op::WaitCnt(WaitCnt::default()), Some(Ty::U32))],
        "it has no result",
    );
    refused(&[(Op::Read(Reg::Scc), None)], "it has no type");
    let nine = Op::Un(Un::SignExtend(9), Elem::I32, Fp::default(), Value(1));
    refused(&[c32, (nine, Some(Ty::U32))], "8, 16 or 24");
    let (fp, a) = (Fp::default(), Value(1));
    let wide = Op::Un(Un::FExp2, Elem::F64, fp, a);
    let said = "`fexp2` takes f16 or f32, not f64";
    refused(&[c64.clone(), (wide, Some(Ty::U64))], said);
    let far = Op::Cvt(Cvt::SToF, Elem::I64, Elem::F16, fp, a);
    let said = "there is no `s_to_f` from i64 to f16";
    refused(&[c64.clone(), (far, Some(Ty::U32))], said);
    let cond = (Op::Select(Value(1), Value(1), Value(1)), Some(Ty::U64));
    refused(&[c64, cond], "mask or u32");
}

#[test]
fn writes_have_masks_bytes_and_registers() {
    let start = [read(Reg::EXEC), konst(1, Ty::U32)];
    let with = |w: (Op, Option<Ty>)| [start[0].clone(), start[1].clone(), w];
    refused(&with(write(Reg::V(0), 2, None, 0b1111)), "needs a mask");
    refused(&with(write(Reg::V(0), 2, Some(2), 0b1111)), "but mask is");
    refused(
        &with(write(Reg::S(0), 2, Some(1), 0b1111)),
        "without a mask",
    );
    refused(&with(write(Reg::S(0), 2, None, 0b0011)), "bytes 0b0011");
    refused(&with(write(Reg::V(0), 2, Some(1), 0)), "bytes 0b0000");
    refused(
        &with(write(Reg::Mask(0), 2, None, 0b1111)),
        "mask is needed",
    );
    refused(&with(write(Reg::S64(255), 2, None, 0b1111)), "past the end");
    refused(&[read(Reg::V64(u16::MAX))], "past the end");
    refused(&[read(Reg::Hw(64))], "past the end");
}

#[test]
fn blocks_open_an_instruction_and_end_once() {
    let end = Node {
        op: Op::End(Terminator::EndProgram),
        ty: None,
    };
    let nodes = vec![end.clone()];
    assert!(message(Block { pc: 0, nodes }).contains("must be `inst`"));
    assert!(message(Block::default()).contains("empty"));
    let b = Builder::new(0);
    b.inst(0, Family::Other);
    assert!(message(b.finish()).contains("must be a terminator"));
    refused(&[(end.op, None)], "nothing may follow");
}

#[test]
fn memory_operands_fit_their_space() {
    let load = MemOp {
        kind: MemKind::Load,
        space: Space::Lds {
            address: Value(1),
            limit: None,
        },
        offset: 0,
        access: Access::Dwords(1),
        half: Half::Whole,
        data: vec![],
        ret: Some(DataReg::V(0)),
        mask: Some(Value(2)),
        glc: false,
        slc: false,
        shadow: false,
        counter: Counter::Lgkm,
    };
    let said = |m: MemOp| {
        complaint(&[
            read(Reg::V(0)),
            read(Reg::EXEC),
            read(Reg::S64(0)),
            (Op::Mem(Box::new(m)), None),
        ])
    };
    let value = |m: MemOp, used: u32| {
        complaint(&[
            read(Reg::V(0)),
            read(Reg::EXEC),
            (Op::Mem(Box::new(m)), Some(Ty::V32)),
            read(Reg::EXEC),
            write(Reg::V(1), used, Some(4), 0b1111),
        ])
    };
    assert_eq!(said(load.clone()), "");
    let no_mask = MemOp {
        mask: None,
        ..load.clone()
    };
    assert!(said(no_mask).contains("needs a mask"));
    let no_return = MemOp {
        ret: None,
        ..load.clone()
    };
    assert!(said(no_return.clone()).contains("the result is a v32, but it has no type"));
    assert_eq!(value(no_return.clone(), 3), "");
    assert!(value(load.clone(), 1).contains("it has no result"));
    let two = MemOp {
        access: Access::Dwords(2),
        ..no_return
    };
    assert!(value(two, 3).contains("is of one register, by lanes"));
    let uniform = MemOp {
        ret: Some(DataReg::S(0)),
        ..load.clone()
    };
    assert!(said(uniform).contains("wrong register file"));
    let half = MemOp {
        half: Half::High,
        ..load.clone()
    };
    assert!(said(half).contains("half of the register"));
    let five = MemOp {
        access: Access::Dwords(5),
        ..load.clone()
    };
    assert!(said(five).contains("has 1 to 4 dwords, not 5"));
    let store = MemOp {
        kind: MemKind::Store,
        ..load.clone()
    };
    assert!(said(store.clone()).contains("takes 1 dwords of data, not 0"));
    let store = MemOp {
        ret: None,
        data: vec![Value(1)],
        ..store
    };
    assert_eq!(said(store.clone()), "");
    let back = MemOp {
        ret: Some(DataReg::V(0)),
        ..store.clone()
    };
    assert!(said(back).contains("a store returns nothing"));
    let mask = MemOp {
        data: vec![Value(2)],
        ..store.clone()
    };
    assert!(said(mask).contains("%2 is a mask"));
    let swap = |data: Vec<Value>| MemOp {
        kind: MemKind::Atomic(Rmw::CmpSwap),
        data,
        ..store.clone()
    };
    assert_eq!(said(swap(vec![Value(1); 2])), "");
    assert!(said(swap(vec![Value(1)])).contains("takes 2 dwords of data, not 1"));
    let wide = MemOp {
        space: Space::Lds {
            address: Value(3),
            limit: None,
        },
        ..load.clone()
    };
    assert!(said(wide).contains("%3 is a u64"));
    let scalar = MemOp {
        space: Space::Scalar {
            address: Value(3),
            index: None,
        },
        ..load
    };
    assert!(said(scalar).contains("a scalar access has no mask"));
}
