//! The results of instructions, by the examples of the manual (Vega ISA, 12.7 to 12.11), and computed by hand where it has none.

use wavetank_gcn::tables::{Vop1, Vop2, Vop3, Vop3p, Vopc};
use wavetank_gcn::{Chip, Flags, Form, Inst, MAX_OPERANDS, Mods, Op, Operand};

use super::eval::State;
use super::{flushing, lift};

pub(super) const VCC: u8 = 106;

/// Runs one instruction on some chip, its operands in the order of the text.
pub(super) fn run_on(
    chip: Chip,
    op: impl Into<Op>,
    form: Form,
    operands: &[Operand],
    mods: Mods,
    state: &mut State,
) {
    let mut all = [Operand::None; MAX_OPERANDS];
    all[..operands.len()].copy_from_slice(operands);
    let (op, operands, len) = (op.into(), all, 8);
    let inst = Inst {
        op,
        chip,
        form,
        len,
        operands,
        mods,
        spelling: Default::default(),
    };
    let block = lift(&inst, flushing()).expect("it is lifted");
    wavetank_ir::verify(&block).expect("it verifies");
    state.run(&block);
}

/// Runs one instruction on gfx900.
pub(super) fn run(
    op: impl Into<Op>,
    form: Form,
    operands: &[Operand],
    mods: Mods,
    state: &mut State,
) {
    run_on(Chip::Gfx900, op, form, operands, mods, state);
}

pub(super) fn v(n: u8) -> Operand {
    Operand::Vgpr(n)
}

/// The result of `op v0, v1, …` for 32-bit source values, without modifiers.
fn of<const N: usize>(op: impl Into<Op>, sources: [u32; N]) -> u32 {
    let op = op.into();
    let mut state = State::new(u64::MAX);
    let mut operands = vec![v(0)];
    for (n, x) in (1..).zip(sources) {
        state.set(n.into(), x);
        operands.push(v(n));
    }
    run(
        op,
        op.home(),
        &operands,
        Mods {
            op_sel_hi: 7,
            ..Mods::default()
        },
        &mut state,
    );
    state.vgpr(0)[63]
}

/// Like `of`, for sources and result of 64 bits.
fn of64<const N: usize>(op: Vop3, sources: [u64; N]) -> u64 {
    let mut state = State::new(u64::MAX);
    let mut operands = vec![v(0)];
    for (n, x) in (1..).zip(sources) {
        state.set64(2 * u16::from(n), x);
        operands.push(v(2 * n));
    }
    run(op, Form::Vop3, &operands, Mods::default(), &mut state);
    state.vgpr64(0)[5]
}

fn f(x: f32) -> u32 {
    x.to_bits()
}

/// The examples of V_FFBH_U32, V_FFBL_B32 and V_FFBH_I32.
#[test]
fn bit_searches() {
    for (x, first) in [
        (0, u32::MAX),
        (0x8000_00ff, 0),
        (0x1000_00ff, 3),
        (0xffff, 16),
        (1, 31),
    ] {
        assert_eq!(of(Vop1::V_FFBH_U32, [x]), first, "{x:#x}");
    }
    for (x, first) in [
        (0, u32::MAX),
        (0xff00_0001, 0),
        (0xff00_0008, 3),
        (0xffff_0000, 16),
        (1 << 31, 31),
    ] {
        assert_eq!(of(Vop1::V_FFBL_B32, [x]), first, "{x:#x}");
    }
    for (x, first) in [
        (0, u32::MAX),
        (0x4000_0000, 1),
        (0x8000_0000, 1),
        (0x0fff_ffff, 4),
        (0xffff_0000, 16),
        (0xffff_fffe, 31),
        (u32::MAX, u32::MAX),
    ] {
        assert_eq!(of(Vop1::V_FFBH_I32, [x]), first, "{x:#x}");
    }
}

/// The table of V_CVT_OFF_F32_I4, and the byte conversions.
#[test]
fn small_conversions() {
    for (x, want) in [
        (8, -0.5),
        (9, -0.4375),
        (15, -0.0625),
        (0, 0.0),
        (7, 0.4375),
    ] {
        assert_eq!(of(Vop1::V_CVT_OFF_F32_I4, [x | 0x70]), f(want));
    }
    let bytes = [
        Vop1::V_CVT_F32_UBYTE0,
        Vop1::V_CVT_F32_UBYTE1,
        Vop1::V_CVT_F32_UBYTE2,
        Vop1::V_CVT_F32_UBYTE3,
    ];
    assert_eq!(
        bytes.map(|op| of(op, [0xff80_0201])),
        [1.0, 2.0, 128.0, 255.0].map(f)
    );
    assert_eq!(of(Vop1::V_CVT_I32_F32, [f(-3.9)]), -3i32 as u32);
    assert_eq!(of(Vop1::V_CVT_U32_F32, [f(-3.9)]), 0);
    assert_eq!(of(Vop1::V_CVT_RPI_I32_F32, [f(2.5)]), 3);
    assert_eq!(of(Vop1::V_CVT_FLR_I32_F32, [f(-2.5)]), -3i32 as u32);
    assert_eq!(of(Vop1::V_CVT_F32_F16, [0xffff_3c00]), f(1.0));
    assert_eq!(of(Vop1::V_CVT_F16_F32, [f(-2.0)]), 0xc000);
}

/// Operand order: the REV forms and the old ones swap.
#[test]
fn operand_order() {
    assert_eq!(of(Vop2::V_SUB_F32, [f(5.0), f(3.0)]), f(2.0));
    assert_eq!(of(Vop2::V_SUBREV_F32, [f(5.0), f(3.0)]), f(-2.0));
    assert_eq!(of(Vop2::V_SUB_U32, [5, 3]), 2);
    assert_eq!(of(Vop2::V_SUBREV_U32, [5, 3]), -2i32 as u32);
    assert_eq!(of(Vop2::V_SUBREV_U16, [5, 3]), 0xfffe);
    assert_eq!(of(Vop2::V_LSHLREV_B32, [36, 1]), 16, "the count is 5 bits");
    assert_eq!(of(Vop2::V_LSHRREV_B32, [4, 0x8000_0000]), 0x0800_0000);
    assert_eq!(of(Vop2::V_ASHRREV_I32, [4, 0x8000_0000]), 0xf800_0000);
    assert_eq!(
        of(Vop2::V_LSHLREV_B16, [20, 0xffff_0001]),
        16,
        "the count is 4 bits"
    );
    assert_eq!(of(Vop2::V_ASHRREV_I16, [4, 0x1234_8000]), 0xf800);
    assert_eq!(of(Vop2::V_MAX_I16, [0x0001_ffff, 0x0002_0001]), 1);
    assert_eq!(of(Vop2::V_MAX_U16, [0x0001_ffff, 0x0002_0001]), 0xffff);
}

#[test]
fn integer_products() {
    assert_eq!(of(Vop2::V_MUL_U32_U24, [0xff00_0003, 0xff00_0005]), 15);
    assert_eq!(of(Vop2::V_MUL_I32_I24, [0x00ff_ffff, 5]), -5i32 as u32);
    assert_eq!(
        of(Vop2::V_MUL_HI_U32_U24, [0x00ff_ffff, 0x00ff_ffff]),
        0xffff
    );
    assert_eq!(of(Vop3::V_MAD_U32_U24, [3, 5, 7]), 22);
    assert_eq!(of(Vop3::V_MAD_I32_I24, [0x00ff_ffff, 5, 7]), 2);
    assert_eq!(of(Vop3::V_MUL_HI_I32, [-2i32 as u32, 1 << 31]), 1);
    assert_eq!(
        of(Vop3::V_MAD_U32_U16, [0x1_ffff, 0x1_ffff, 1]),
        0xfffe_0002
    );
    assert_eq!(of(Vop3::V_MAD_I32_I16, [0x1_ffff, 2, 1]), -1i32 as u32);
}

#[test]
fn three_operands() {
    assert_eq!(of(Vop3::V_LSHL_ADD_U32, [3, 4, 5]), 53);
    assert_eq!(of(Vop3::V_ADD_LSHL_U32, [3, 4, 5]), 224);
    assert_eq!(of(Vop3::V_LSHL_OR_B32, [3, 4, 1]), 49);
    assert_eq!(of(Vop3::V_AND_OR_B32, [0xc, 0x6, 1]), 5);
    assert_eq!(of(Vop3::V_XAD_U32, [0xc, 0x6, 1]), 0xb);
    assert_eq!(of(Vop3::V_BFE_U32, [0xabcd_1234, 8, 12]), 0xd12);
    assert_eq!(of(Vop3::V_BFE_I32, [0xabcd_1834, 8, 4]), 0xffff_fff8);
    assert_eq!(of(Vop3::V_BFI_B32, [0xff00, 0x1234, 0xabcd]), 0x12cd);
    assert_eq!(of(Vop3::V_BFM_B32, [4, 8]), 0xf00);
    assert_eq!(of(Vop3::V_ALIGNBIT_B32, [0x1, 0x8000_0000, 31]), 3);
    assert_eq!(
        of(Vop3::V_ALIGNBYTE_B32, [0x0403_0201, 0x0807_0605, 1]),
        0x0108_0706
    );
    for x in [[1, 2, 3], [3, 1, 2], [2, 3, 1], [2, 2, 1]] {
        assert_eq!(of(Vop3::V_MED3_I32, x), 2);
        assert_eq!(of(Vop3::V_MED3_U32, x), 2);
    }
    assert_eq!(of(Vop3::V_MED3_I32, [-5i32 as u32, 7, 3]), 3);
    assert_eq!(of(Vop3::V_MED3_U32, [-5i32 as u32, 7, 3]), 7);
    assert_eq!(of(Vop3::V_MIN3_I32, [1, -5i32 as u32, 3]), -5i32 as u32);
    assert_eq!(of(Vop3::V_BCNT_U32_B32, [0xf0f0, 100]), 108);
    assert_eq!(of(Vop3::V_SAD_U32, [3, 10, 100]), 107);
    assert_eq!(of(Vop3::V_SAD_HI_U8, [0x0102_0304, 0, 7]), 0x000a_0007);
    assert_eq!(
        of(Vop3::V_CVT_PK_U8_F32, [f(300.0), 2, 0x1122_3344]),
        0x11ff_3344
    );
    assert_eq!(
        of(Vop3::V_CVT_PK_I16_I32, [40_000, -40_000i32 as u32]),
        0x8000_7fff
    );
    assert_eq!(of(Vop3::V_CVT_PK_U16_U32, [70_000, 5]), 0x0005_ffff);
    assert_eq!(
        of(Vop3::V_CVT_PKRTZ_F16_F32, [f(1.0), f(-2.0)]),
        0xc000_3c00
    );
    assert_eq!(
        of(Vop3::V_CVT_PKNORM_U16_F32, [f(1.0), f(0.0)]),
        0x0000_ffff
    );
    assert_eq!(
        of(Vop3::V_PACK_B32_F16, [0xaaaa_3c00, 0xbbbb_4000]),
        0x4000_3c00
    );
    assert_eq!(of(Vop3::V_FMA_F32, [f(2.0), f(3.0), f(4.0)]), f(10.0));
    assert_eq!(of(Vop3::V_MAD_F32, [f(2.0), f(3.0), f(4.0)]), f(10.0));
    assert_eq!(
        of(Vop3::V_MAD_LEGACY_F32, [0, f(f32::INFINITY), f(4.0)]),
        f(4.0)
    );
    assert_eq!(of(Vop2::V_MUL_LEGACY_F32, [f(f32::NAN), 0x8000_0000]), 0);
    assert_eq!(of(Vop3::V_LDEXP_F32, [f(3.0), -2i32 as u32]), f(0.75));
}

#[test]
fn doubles_and_longs() {
    let d = f64::to_bits;
    assert_eq!(of64(Vop3::V_ADD_F64, [d(1.5), d(2.0)]), d(3.5));
    assert_eq!(of64(Vop3::V_FMA_F64, [d(1.5), d(2.0), d(-1.0)]), d(2.0));
    let mut state = State::new(u64::MAX);
    state.set(1, 68);
    state.set64(2, 0x8000_0000_0000_0001);
    for (op, want) in [
        (Vop3::V_LSHLREV_B64, 0x10),
        (Vop3::V_LSHRREV_B64, 0x0800_0000_0000_0000),
        (Vop3::V_ASHRREV_I64, 0xf800_0000_0000_0000),
    ] {
        run(
            op,
            Form::Vop3,
            &[v(4), v(1), v(2)],
            Mods::default(),
            &mut state,
        );
        assert_eq!(state.vgpr64(4)[0], want, "{op:?}");
    }
}

/// The addend: the destination, or K in its two places.
#[test]
fn multiply_accumulate() {
    let mut state = State::new(u64::MAX);
    state.set(0, f(10.0));
    state.set(1, f(2.0));
    state.set(2, f(3.0));
    run(
        Vop2::V_MAC_F32,
        Form::Vop2,
        &[v(0), v(1), v(2)],
        Mods::default(),
        &mut state,
    );
    assert_eq!(state.vgpr(0)[9], f(16.0));
    let k = Operand::Literal(f(100.0));
    run(
        Vop2::V_MADMK_F32,
        Form::Vop2,
        &[v(0), v(1), k, v(2)],
        Mods::default(),
        &mut state,
    );
    assert_eq!(state.vgpr(0)[9], f(203.0));
    run(
        Vop2::V_MADAK_F32,
        Form::Vop2,
        &[v(0), v(1), v(2), k],
        Mods::default(),
        &mut state,
    );
    assert_eq!(state.vgpr(0)[9], f(106.0));
}

/// gfx6 and gfx7, by the pages "GCN ISA VOP1" and "VOP3" of the CLRX wiki: a result that would be infinite is zero, and so is
/// zero times anything.
#[test]
fn legacy_rules_for_zero() {
    assert_eq!(of(Vop1::V_RCP_LEGACY_F32, [f(4.0)]), f(0.25));
    assert_eq!(of(Vop1::V_RCP_LEGACY_F32, [f(0.0)]), f(0.0));
    assert_eq!(of(Vop1::V_RCP_LEGACY_F32, [f(-0.0)]), f(-0.0));
    assert_eq!(of(Vop1::V_RSQ_LEGACY_F32, [f(4.0)]), f(0.5));
    assert_eq!(of(Vop1::V_RSQ_LEGACY_F32, [f(0.0)]), f(0.0));
    let mullit = |a, b, c| of(Vop3::V_MULLIT_F32, [f(a), f(b), f(c)]);
    assert_eq!(mullit(2.0, 3.0, 1.0), f(6.0));
    assert_eq!(mullit(0.0, f32::INFINITY, 1.0), f(0.0));
    assert_eq!(mullit(2.0, 3.0, 0.0), f(-f32::MAX));
    assert_eq!(mullit(2.0, 3.0, f32::NAN), f(-f32::MAX));
}

/// Carries go to the mask in the lanes of EXEC; inactive lanes of the mask become 0.
#[test]
fn carries() {
    let mut state = State::new(0xff);
    state.set(1, 0xffff_ffff);
    state.set(2, 1);
    let vcc = Operand::Sgpr(VCC);
    state.set_s64(VCC, u64::MAX);
    run(
        Vop2::V_ADD_CO_U32,
        Form::Vop2,
        &[v(0), vcc, v(1), v(2)],
        Mods::default(),
        &mut state,
    );
    assert_eq!((state.vgpr(0)[3], state.s64(VCC)), (0, 0xff));
    run(
        Vop2::V_ADDC_CO_U32,
        Form::Vop2,
        &[v(0), vcc, v(2), v(2), vcc],
        Mods::default(),
        &mut state,
    );
    assert_eq!((state.vgpr(0)[3], state.s64(VCC)), (3, 0));
    run(
        Vop2::V_SUBREV_CO_U32,
        Form::Vop2,
        &[v(0), vcc, v(1), v(2)],
        Mods::default(),
        &mut state,
    );
    assert_eq!(
        (state.vgpr(0)[3], state.s64(VCC)),
        (2, 0xff),
        "1 - 0xffffffff borrows"
    );
    // With both addends uniform, 0 + 0 + carry still has one value a lane.
    let zero = Operand::Inline(128);
    state.set_s64(20, 0x0f);
    let operands = [v(0), Operand::Sgpr(22), zero, zero, Operand::Sgpr(20)];
    run(
        Vop2::V_ADDC_CO_U32,
        Form::Vop3,
        &operands,
        Mods::default(),
        &mut state,
    );
    assert_eq!(
        (state.vgpr(0)[3], state.vgpr(0)[4], state.s64(22)),
        (1, 0, 0)
    );
    let operands = [v(4), Operand::Sgpr(22), v(1), v(1), v(6)];
    state.set64(6, u64::MAX);
    run(
        Vop3::V_MAD_U64_U32,
        Form::Vop3,
        &operands,
        Mods::default(),
        &mut state,
    );
    assert_eq!(
        (state.vgpr64(4)[0], state.s64(22)),
        (0xffff_fffe_0000_0000, 0xff)
    );
}

/// V_CNDMASK takes S1 where the mask is set.
#[test]
fn select() {
    let mut state = State::new(u64::MAX);
    state.set(1, 10);
    state.set(2, 20);
    state.set_s64(VCC, 1 << 5);
    let vcc = Operand::Sgpr(VCC);
    run(
        Vop2::V_CNDMASK_B32,
        Form::Vop2,
        &[v(0), v(1), v(2), vcc],
        Mods::default(),
        &mut state,
    );
    assert_eq!((state.vgpr(0)[4], state.vgpr(0)[5]), (10, 20));
}

/// Whether `S0 op S1` holds, by a compare in one lane.
fn holds(op: Vopc, a: u32, b: u32) -> bool {
    let mut state = State::new(1 << 7);
    state.set(1, a);
    state.set(2, b);
    state.set_s64(VCC, u64::MAX);
    run(
        op,
        Form::Vopc,
        &[Operand::Sgpr(VCC), v(1), v(2)],
        Mods::default(),
        &mut state,
    );
    assert_eq!(state.s64(VCC) & !(1 << 7), 0, "lanes that are off get 0");
    state.s64(VCC) != 0
}

/// The table "Instructions with Sixteen Compare Operations", the relations
/// less, equal, greater and unordered in turn.
#[test]
fn float_compares() {
    let pairs = [(1.0, 2.0), (2.0, 2.0), (3.0, 2.0), (f32::NAN, 2.0)];
    for (op, want) in [
        (Vopc::V_CMP_F_F32, [false, false, false, false]),
        (Vopc::V_CMP_LT_F32, [true, false, false, false]),
        (Vopc::V_CMP_EQ_F32, [false, true, false, false]),
        (Vopc::V_CMP_LE_F32, [true, true, false, false]),
        (Vopc::V_CMP_GT_F32, [false, false, true, false]),
        (Vopc::V_CMP_LG_F32, [true, false, true, false]),
        (Vopc::V_CMP_GE_F32, [false, true, true, false]),
        (Vopc::V_CMP_O_F32, [true, true, true, false]),
        (Vopc::V_CMP_U_F32, [false, false, false, true]),
        (Vopc::V_CMP_NGE_F32, [true, false, false, true]),
        (Vopc::V_CMP_NLG_F32, [false, true, false, true]),
        (Vopc::V_CMP_NGT_F32, [true, true, false, true]),
        (Vopc::V_CMP_NLE_F32, [false, false, true, true]),
        (Vopc::V_CMP_NEQ_F32, [true, false, true, true]),
        (Vopc::V_CMP_NLT_F32, [false, true, true, true]),
        (Vopc::V_CMP_TRU_F32, [true, true, true, true]),
    ] {
        assert_eq!(pairs.map(|(a, b)| holds(op, f(a), f(b))), want, "{op:?}");
    }
}

/// Less, equal, greater; signed and unsigned differ for −1.
#[test]
fn integer_compares() {
    let pairs = [(1, 2), (2, 2), (3, 2), (u32::MAX, 2)];
    for (op, want) in [
        (Vopc::V_CMP_LT_I32, [true, false, false, true]),
        (Vopc::V_CMP_LT_U32, [true, false, false, false]),
        (Vopc::V_CMP_LE_I32, [true, true, false, true]),
        (Vopc::V_CMP_LE_U32, [true, true, false, false]),
        (Vopc::V_CMP_GT_I32, [false, false, true, false]),
        (Vopc::V_CMP_GT_U32, [false, false, true, true]),
        (Vopc::V_CMP_GE_I32, [false, true, true, false]),
        (Vopc::V_CMP_GE_U32, [false, true, true, true]),
        (Vopc::V_CMP_EQ_I32, [false, true, false, false]),
        (Vopc::V_CMP_NE_U32, [true, false, true, true]),
        (Vopc::V_CMP_LT_I16, [true, false, false, true]),
        (Vopc::V_CMP_GT_U16, [false, false, true, true]),
    ] {
        assert_eq!(pairs.map(|(a, b)| holds(op, a, b)), want, "{op:?}");
    }
}

/// V_CMP_CLASS on a number of each class, with each bit.
#[test]
fn classes() {
    let numbers = [
        0x7f80_0001,
        0xffc0_0000,
        0xff80_0000,
        0xbf80_0000,
        0x8000_0001,
        0x8000_0000,
        0x0000_0000,
        0x0000_0001,
        0x3f80_0000,
        0x7f80_0000,
    ];
    for (n, x) in numbers.into_iter().enumerate() {
        for bit in 0..10 {
            assert_eq!(
                holds(Vopc::V_CMP_CLASS_F32, x, 1 << bit),
                bit == n,
                "{x:#x}, bit {bit}"
            );
        }
    }
}

/// V_CMPX writes the mask and EXEC.
#[test]
fn compare_and_write_exec() {
    let mut state = State::new(0xff0);
    state.v.insert(1, std::array::from_fn(|lane| lane as u32));
    let operands = [Operand::Sgpr(30), v(1), Operand::Inline(128 + 6)];
    run(
        Vopc::V_CMPX_LT_U32,
        Form::Vop3,
        &operands,
        Mods::default(),
        &mut state,
    );
    assert_eq!((state.s64(30), state.s64(126)), (0x30, 0x30));
}

/// The example of V_MBCNT_HI: each lane finds its own position.
#[test]
fn masked_bit_count() {
    let mut state = State::new(u64::MAX);
    let minus_one = Operand::Inline(193);
    let zero = Operand::Inline(128);
    run(
        Vop3::V_MBCNT_LO_U32_B32,
        Form::Vop3,
        &[v(0), minus_one, zero],
        Mods::default(),
        &mut state,
    );
    run(
        Vop3::V_MBCNT_HI_U32_B32,
        Form::Vop3,
        &[v(0), minus_one, v(0)],
        Mods::default(),
        &mut state,
    );
    assert_eq!(state.vgpr(0), std::array::from_fn(|lane| lane as u32));
}

/// Lane moves ignore EXEC, except for the selection of the first lane.
#[test]
fn lane_moves() {
    let mut state = State::new(0xf00);
    state
        .v
        .insert(1, std::array::from_fn(|lane| 100 + lane as u32));
    let s4 = Operand::Sgpr(4);
    run(
        Vop1::V_READFIRSTLANE_B32,
        Form::Vop1,
        &[s4, v(1)],
        Mods::default(),
        &mut state,
    );
    assert_eq!(state.s[4], 108);
    state.set_s64(126, 0);
    run(
        Vop1::V_READFIRSTLANE_B32,
        Form::Vop1,
        &[s4, v(1)],
        Mods::default(),
        &mut state,
    );
    assert_eq!(state.s[4], 100, "lane 0 when EXEC is 0");
    state.s[6] = 64 + 9;
    let lane = Operand::Sgpr(6);
    run(
        Vop3::V_READLANE_B32,
        Form::Vop3,
        &[s4, v(1), lane],
        Mods::default(),
        &mut state,
    );
    assert_eq!(state.s[4], 109);
    run(
        Vop3::V_WRITELANE_B32,
        Form::Vop3,
        &[v(1), s4, Operand::Inline(128 + 3)],
        Mods::default(),
        &mut state,
    );
    assert_eq!(state.vgpr(1)[2..5], [102, 109, 104]);
}

/// V_SWAP reads both registers first; V_MOVREL adds M0.
#[test]
fn moves() {
    let mut state = State::new(u64::MAX);
    state.set(1, 1);
    state.set(2, 2);
    run(
        Vop1::V_SWAP_B32,
        Form::Vop1,
        &[v(1), v(2)],
        Mods::default(),
        &mut state,
    );
    assert_eq!((state.vgpr(1)[0], state.vgpr(2)[0]), (2, 1));
    state.s[124] = 2;
    state.set(5, 55);
    run_on(
        Chip::Gfx803,
        Vop1::V_MOVRELS_B32,
        Form::Vop1,
        &[v(0), v(3)],
        Mods::default(),
        &mut state,
    );
    assert_eq!(state.vgpr(0)[0], 55);
    run_on(
        Chip::Gfx803,
        Vop1::V_MOVRELD_B32,
        Form::Vop1,
        &[v(4), v(1)],
        Mods::default(),
        &mut state,
    );
    assert_eq!(state.vgpr(6)[0], 2);
}

/// Four windows of S0 against S1, each added to its dword.
#[test]
fn quad_sums() {
    let mut state = State::new(u64::MAX);
    state.set64(2, 0x0000_0005_0403_0201);
    state.set(4, 0x0101_0101);
    for n in 0..4 {
        state.set(8 + n, 100 * u32::from(n));
    }
    run(
        Vop3::V_MQSAD_U32_U8,
        Form::Vop3,
        &[v(12), v(2), v(4), v(8)],
        Mods::default(),
        &mut state,
    );
    assert_eq!(
        [12, 13, 14, 15].map(|n| state.vgpr(n)[0]),
        [6, 110, 210, 309]
    );
}

/// Integer CLAMP holds the result in range (Vega ISA, 6.5).
#[test]
fn integer_clamp() {
    let clamped = |op: Op, form, sources: [u32; 3]| {
        let mut state = State::new(u64::MAX);
        for (n, x) in (1..).zip(sources) {
            state.set(n, x);
        }
        let operands: Vec<Operand> = (0..op.row().operands.len()).map(|n| v(n as u8)).collect();
        run(
            op,
            form,
            &operands,
            Mods {
                flags: Flags::CLAMP,
                op_sel_hi: 7,
                ..Mods::default()
            },
            &mut state,
        );
        state.vgpr(0)[0]
    };
    let min = i32::MIN as u32;
    assert_eq!(
        clamped(Vop2::V_ADD_U32.into(), Form::Vop3, [u32::MAX, 2, 0]),
        u32::MAX
    );
    assert_eq!(clamped(Vop2::V_SUB_U32.into(), Form::Vop3, [1, 2, 0]), 0);
    assert_eq!(
        clamped(Vop3::V_ADD_I32.into(), Form::Vop3, [i32::MAX as u32, 2, 0]),
        i32::MAX as u32
    );
    assert_eq!(
        clamped(Vop3::V_SUB_I32.into(), Form::Vop3, [min, 2, 0]),
        min
    );
    assert_eq!(
        clamped(Vop2::V_ADD_U16.into(), Form::Vop3, [0xffff, 2, 0]),
        0xffff
    );
    assert_eq!(
        clamped(Vop3::V_ADD_I16.into(), Form::Vop3, [0x7fff, 2, 0]),
        0x7fff
    );
    assert_eq!(
        clamped(
            Vop3::V_MAD_U32_U24.into(),
            Form::Vop3,
            [0xff_ffff, 0xff_ffff, 1]
        ),
        u32::MAX
    );
    assert_eq!(
        clamped(
            Vop3::V_MAD_I32_I24.into(),
            Form::Vop3,
            [0x80_0000, 0x7f_ffff, 1]
        ),
        min
    );
    assert_eq!(
        clamped(Vop3::V_MAD_LEGACY_U16.into(), Form::Vop3, [0xffff, 2, 1]),
        0xffff
    );
    assert_eq!(
        clamped(Vop3::V_MAD_LEGACY_I16.into(), Form::Vop3, [0x8000, 2, 1]),
        0x8000
    );
    assert_eq!(
        clamped(
            Vop3p::V_PK_ADD_U16.into(),
            Form::Vop3p,
            [0xffff_0001, 0x0002_0002, 0]
        ),
        0xffff_0003
    );
    assert_eq!(
        clamped(
            Vop3p::V_DOT4_I32_I8.into(),
            Form::Vop3p,
            [0x8080_8080, 0x8080_8080, i32::MAX as u32]
        ),
        i32::MAX as u32
    );
}
