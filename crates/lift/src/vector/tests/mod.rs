//! Tests of lifting: every row in every form, with every kind of source and every modifier, lifts to a block that verifies; and a
//! few blocks are compared exactly.

mod eval;
mod meaning;
mod modifiers;

use wavetank_gcn::tables::{OperandSpec, Vop1, Vop2, Vop3, Vopc};
use wavetank_gcn::{
    Chip, DstUnused, Field, Flags, Form, Inst, MAX_OPERANDS, Mods, Op, Operand, SdwaSel,
};
use wavetank_ir::{Builder, Family, Terminator, verify};

use crate::Modes;
use crate::block::{Flow, Lift};

/// The kinds of sources of a generated instruction.
#[derive(Clone, Copy, Debug)]
enum Sources {
    Vector,
    Mixed,
    Scalar,
    Constant,
    Literal,
}

fn operand(spec: &OperandSpec, n: u8, sources: Sources) -> Operand {
    use wavetank_gcn::tables::Kind;
    match (spec.field, spec.kind, sources) {
        (Field::Vdst, Kind::Vgpr, _) => Operand::Vgpr(8),
        (Field::Vdst | Field::Sdst | Field::CarryIn, ..) => Operand::Sgpr(10),
        (Field::Literal, ..) => Operand::Literal(0x3f80_0000),
        (Field::Attr | Field::Param, ..) => Operand::Imm(0),
        (_, Kind::Vgpr, _) | (_, Kind::Source, Sources::Vector) => Operand::Vgpr(20 + 4 * n),
        (_, Kind::Source, Sources::Mixed) if n & 1 == 0 => Operand::Vgpr(20 + 4 * n),
        (_, Kind::Scalar, Sources::Constant) | (_, _, Sources::Constant) => Operand::Inline(242),
        (_, Kind::Source, Sources::Literal) => Operand::Literal(0x4048_f5c3),
        _ => Operand::Sgpr(2 * n),
    }
}

fn inst(op: Op, chip: Chip, form: Form, sources: Sources, mods: Mods) -> Inst {
    let mut operands = [Operand::None; MAX_OPERANDS];
    for (n, spec) in op.row().operands.iter().enumerate() {
        operands[n] = operand(spec, n as u8, sources);
    }
    Inst {
        op,
        chip,
        form,
        len: 8,
        operands,
        mods,
        spelling: Default::default(),
    }
}

/// The block of one instruction, or the message why it is refused.
fn lift(inst: &Inst, modes: Modes) -> Result<wavetank_ir::Block, String> {
    let b = Builder::new(0);
    b.inst(0, Family::Valu);
    let l = Lift {
        b: &b,
        inst,
        modes,
        pc: 0,
    };
    match crate::lift_inst(&l) {
        Flow::Next | Flow::Wait => b.end(Terminator::EndProgram),
        Flow::End(Terminator::Unsupported { what }) => return Err(what.into()),
        Flow::End(t) => b.end(t),
    }
    Ok(b.finish())
}

/// MODE with denormals flushed and IEEE off, so that OMOD works.
fn flushing() -> Modes {
    Modes::new(0, 0)
}

/// MODE with VGPR indexing of all operands.
fn indexed() -> Modes {
    Modes::new(1 << 27 | 0xff, 0xf << 12)
}

fn vector_ops() -> impl Iterator<Item = Op> {
    Op::all().filter(|op| {
        matches!(
            op,
            Op::Vop1(_) | Op::Vop2(_) | Op::Vop3(_) | Op::Vop3p(_) | Op::Vopc(_)
        )
    })
}

/// All the forms of an instruction with the modifiers each can carry.
fn forms(op: Op, chip: Chip) -> Vec<(Form, Mods)> {
    let plain = Mods {
        op_sel_hi: 7,
        ..Mods::default()
    };
    let signs = Mods {
        flags: Flags::CLAMP,
        neg: 7,
        abs: 7,
        omod: 3,
        ..plain
    };
    let mut forms = vec![(op.home(), plain)];
    if op.vop3(chip).is_some() || op.home() == Form::Vop3p {
        let form = if op.home() == Form::Vop3p {
            Form::Vop3p
        } else {
            Form::Vop3
        };
        forms.push((form, signs));
        forms.push((
            form,
            Mods {
                op_sel: 15,
                op_sel_hi: 0,
                ..signs
            },
        ));
    }
    if op.sdwa(chip) {
        let sels = [
            SdwaSel::Byte0,
            SdwaSel::Byte2,
            SdwaSel::Byte3,
            SdwaSel::Word0,
            SdwaSel::Word1,
            SdwaSel::Dword,
        ];
        for (sel, sext) in sels.into_iter().flat_map(|s| [(s, 0), (s, 3)]) {
            for dst_unused in [DstUnused::Pad, DstUnused::Sext, DstUnused::Preserve] {
                let (src_sel, dst_sel) = ([sel; 2], sel);
                forms.push((
                    Form::Sdwa,
                    Mods {
                        src_sel,
                        sext,
                        dst_sel,
                        dst_unused,
                        ..plain
                    },
                ));
            }
        }
    }
    if op.dpp(chip) {
        let bound = Mods {
            flags: Flags::BOUND_CTRL,
            ..plain
        };
        for mods in [plain, bound] {
            let (row_mask, bank_mask) = (0xf, 0x3);
            forms.push((
                Form::Dpp,
                Mods {
                    dpp_ctrl: 0x111,
                    row_mask,
                    bank_mask,
                    ..mods
                },
            ));
        }
    }
    forms
}

/// Every decodable instruction lifts to a block that verifies, or is refused with a message. An instruction is refused in all of
/// its forms or in none.
#[test]
fn every_form_verifies() {
    let mut seen = 0;
    for chip in [
        Chip::Gfx600,
        Chip::Gfx701,
        Chip::Gfx803,
        Chip::Gfx900,
        Chip::Gfx906,
    ] {
        for op in vector_ops().filter(|op| op.row().exists_on(chip)) {
            let refused = lift(
                &inst(op, chip, op.home(), Sources::Vector, Mods::default()),
                flushing(),
            )
            .is_err();
            for (form, mods) in forms(op, chip) {
                for sources in [
                    Sources::Vector,
                    Sources::Mixed,
                    Sources::Scalar,
                    Sources::Constant,
                    Sources::Literal,
                ] {
                    let inst = inst(op, chip, form, sources, mods);
                    for modes in [flushing(), indexed()] {
                        match lift(&inst, modes) {
                            Ok(block) => {
                                assert!(!refused, "{op:?} is refused in one form only");
                                if let Err(errors) = verify(&block) {
                                    panic!("{op:?} as {form:?} of {sources:?}: {}", errors[0]);
                                }
                                seen += 1;
                            }
                            Err(why) => assert!(
                                refused || why.contains("128-bit"),
                                "{op:?} as {form:?}: {why}"
                            ),
                        }
                    }
                }
            }
        }
    }
    assert!(seen > 10_000, "{seen}");
}

/// The kinds of node of a block, without `inst` and `end`.
fn nodes(op: impl Into<Op>, form: Form, mods: Mods) -> Vec<String> {
    let inst = inst(op.into(), Chip::Gfx900, form, Sources::Vector, mods);
    let block = lift(&inst, Modes::new(0x3c0, 0)).expect("it is lifted");
    let inner = &block.nodes[1..block.nodes.len() - 1];
    inner.iter().map(|n| n.to_string()).collect()
}

/// The simple chains that engines fuse: read, operate, read EXEC, write.
#[test]
fn chains_are_minimal() {
    let plain = Mods::default();
    assert_eq!(nodes(Vop2::V_ADD_F32, Form::Vop2, plain).len(), 5);
    assert_eq!(nodes(Vop1::V_MOV_B32, Form::Vop1, plain).len(), 3);
    assert_eq!(nodes(Vop2::V_LSHLREV_B32, Form::Vop2, plain).len(), 5);
    assert_eq!(nodes(Vop2::V_MAC_F32, Form::Vop2, plain).len(), 6);
    assert_eq!(nodes(Vop3::V_FMA_F32, Form::Vop3, plain).len(), 6);
    assert_eq!(nodes(Vop3::V_FMA_F64, Form::Vop3, plain).len(), 6);
    assert_eq!(nodes(Vop2::V_CNDMASK_B32, Form::Vop2, plain).len(), 6);
    // One node more: the mask is restricted by EXEC.
    assert_eq!(nodes(Vopc::V_CMP_LT_F32, Form::Vopc, plain).len(), 6);
    let modified = Mods {
        neg: 1,
        flags: Flags::CLAMP,
        ..plain
    };
    assert_eq!(nodes(Vop3::V_FMA_F32, Form::Vop3, modified).len(), 8);
}

/// OMOD is ignored when denormal results are kept (MODE 0x3c0 keeps those of
/// half and double precision and sets IEEE and DX10_CLAMP).
#[test]
fn omod_needs_flushing() {
    let omod = Mods {
        omod: 1,
        ..Mods::default()
    };
    assert_eq!(nodes(Vop3::V_ADD_F64, Form::Vop3, omod).len(), 5);
    let inst = inst(
        Vop3::V_FMA_F32.into(),
        Chip::Gfx900,
        Form::Vop3,
        Sources::Vector,
        omod,
    );
    let block = lift(&inst, flushing()).expect("it is lifted");
    assert_eq!(
        block.nodes.len(),
        2 + 6 + 2 + 4,
        "a constant and a product more, and what makes -0 positive"
    );
}

/// The instructions that are not lifted yet; the list should only shrink.
#[test]
fn refused_instructions() {
    let refused: Vec<Op> = vector_ops()
        .filter(|&op| {
            let chip = Chip::EXECUTED.iter().find(|&&c| op.row().exists_on(c));
            // gfx950 is not executed.
            let Some(&chip) = chip else { return false };
            lift(
                &inst(op, chip, op.home(), Sources::Vector, Mods::default()),
                flushing(),
            )
            .is_err()
        })
        .collect();
    let expected: [Op; 4] = [
        Vop1::V_MOV_FED_B32.into(),
        Vop1::V_MOV_PRSV_B32.into(),
        Vop1::V_WRITELANE_REGWR_B32.into(),
        Vop3::V_READLANE_REGRD_B32.into(),
    ];
    assert_eq!(refused, expected);
}
