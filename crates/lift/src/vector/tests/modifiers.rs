//! Modifiers of instructions: SDWA, DPP, OP_SEL, signs, OMOD, packed halves, VGPR indexing (Vega ISA, 6.2 to 6.7, 13.3.8 SDWA,
//! 13.3.9 DPP).

use wavetank_gcn::tables::{Vop1, Vop2, Vop3, Vop3p};
use wavetank_gcn::{Chip, DstUnused, Flags, Form, Inst, MAX_OPERANDS, Mods, Operand, SdwaSel};

use super::eval::State;
use super::meaning::{run, run_on, v};
use super::{indexed, lift};

fn lanes() -> [u32; 64] {
    std::array::from_fn(|lane| 1000 + lane as u32)
}

fn sdwa(src_sel: [SdwaSel; 2], sext: u8, dst_sel: SdwaSel, dst_unused: DstUnused) -> Mods {
    Mods {
        src_sel,
        sext,
        dst_sel,
        dst_unused,
        ..Mods::default()
    }
}

/// Each part of a source, plain and sign-extended.
#[test]
fn sdwa_sources() {
    use SdwaSel::*;
    let mut state = State::new(u64::MAX);
    state.set(1, 0x8091_a2b3);
    for (sel, plain, extended) in [
        (Byte0, 0xb3, 0xffff_ffb3u32),
        (Byte1, 0xa2, 0xffff_ffa2),
        (Byte2, 0x91, 0xffff_ff91),
        (Byte3, 0x80, 0xffff_ff80),
        (Word0, 0xa2b3, 0xffff_a2b3),
        (Word1, 0x8091, 0xffff_8091),
        (Dword, 0x8091_a2b3, 0x8091_a2b3),
    ] {
        for (sext, want) in [(0, plain), (1, extended)] {
            let mods = sdwa([sel, Dword], sext, Dword, DstUnused::Pad);
            run(Vop1::V_MOV_B32, Form::Sdwa, &[v(0), v(1)], mods, &mut state);
            assert_eq!(state.vgpr(0)[7], want, "{sel:?} sext {sext}");
        }
    }
}

/// Each way to treat the rest of the destination.
#[test]
fn sdwa_destinations() {
    use SdwaSel::*;
    for (sel, unused, want) in [
        (Byte1, DstUnused::Pad, 0x0000_8500u32),
        (Byte1, DstUnused::Sext, 0xffff_8500),
        (Byte1, DstUnused::Preserve, 0x1122_8544),
        (Word1, DstUnused::Pad, 0xfe85_0000),
        (Word1, DstUnused::Sext, 0xfe85_0000),
        (Word1, DstUnused::Preserve, 0xfe85_3344),
        (Word0, DstUnused::Sext, 0xffff_fe85),
        (Dword, DstUnused::Preserve, 0xffff_fe85),
    ] {
        let mut state = State::new(1 << 3);
        state.set(0, 0x1122_3344);
        state.set(1, 0xffff_fe85);
        let mods = sdwa([Dword; 2], 0, sel, unused);
        run(Vop1::V_MOV_B32, Form::Sdwa, &[v(0), v(1)], mods, &mut state);
        assert_eq!(state.vgpr(0)[3], want, "{sel:?} {unused:?}");
        assert_eq!(state.vgpr(0)[4], 0x1122_3344, "a lane that is off");
    }
}

/// Halves from and to the high words, as compilers use SDWA.
#[test]
fn sdwa_halves() {
    let mut state = State::new(u64::MAX);
    state.set(0, 0x7777_7777);
    state.set(1, 0x3c00_4000); // 1.0, 2.0
    let mods = sdwa(
        [SdwaSel::Word1, SdwaSel::Word0],
        0,
        SdwaSel::Word1,
        DstUnused::Preserve,
    );
    let neg = Mods { neg: 2, ..mods };
    run(
        Vop2::V_ADD_F16,
        Form::Sdwa,
        &[v(0), v(1), v(1)],
        neg,
        &mut state,
    );
    assert_eq!(state.vgpr(0)[0], 0xbc00_7777, "1 - 2");
}

/// OP_SEL: halves of sources, and the half of the result; the instructions that keep the other half differ by generation.
#[test]
fn op_sel_and_other_half() {
    let mut state = State::new(u64::MAX);
    let reset = |state: &mut State| {
        state.set(0, 0x1111_1111);
        state.set(1, 0x0003_0002);
        state.set(2, 0x0007_0005);
        state.set(3, 0);
    };
    let operands = [v(0), v(1), v(2), v(3)];
    let mods = |op_sel| Mods {
        op_sel,
        ..Mods::default()
    };
    for (op, op_sel, want) in [
        (Vop3::V_MAD_U16, 0, 0x1111_000a),
        (Vop3::V_MAD_U16, 0b0001, 0x1111_000f),
        (Vop3::V_MAD_U16, 0b1011, 0x0015_1111),
        (Vop3::V_MAD_LEGACY_U16, 0, 0x0000_000a),
        (Vop3::V_MIN3_U16, 0, 0),
    ] {
        reset(&mut state);
        run(op, Form::Vop3, &operands, mods(op_sel), &mut state);
        assert_eq!(state.vgpr(0)[0], want, "{op:?} {op_sel:#b}");
    }
    for (chip, want) in [(Chip::Gfx803, 0x0000_4000), (Chip::Gfx900, 0x1111_4000)] {
        state.set(0, 0x1111_3c00);
        state.set(1, 0x3c00);
        run_on(
            chip,
            Vop2::V_MAC_F16,
            Form::Vop2,
            &[v(0), v(1), v(1)],
            Mods::default(),
            &mut state,
        );
        assert_eq!(state.vgpr(0)[0], want, "{chip}");
    }
    state.set(0, 0x1111_1111);
    run(
        Vop2::V_ADD_F16,
        Form::Vop2,
        &[v(0), v(1), v(1)],
        Mods::default(),
        &mut state,
    );
    assert_eq!(state.vgpr(0)[0], 0x4000, "most clear it on gfx9 too");
}

/// ABS before NEG for sources; OMOD and CLAMP for results.
#[test]
fn signs_and_output() {
    let f = f32::to_bits;
    let mut state = State::new(u64::MAX);
    state.set(1, f(-3.0));
    state.set(2, f(1.0));
    state.set(3, f(0.0));
    let operands = [v(0), v(1), v(2), v(3)];
    for (neg, abs, omod, clamp, want) in [
        (0, 0, 0, false, -3.0),
        (1, 0, 0, false, 3.0),
        (0, 1, 0, false, 3.0),
        (1, 1, 0, false, -3.0),
        (0, 0, 1, false, -6.0),
        (0, 0, 2, false, -12.0),
        (0, 0, 3, false, -1.5),
        (1, 0, 3, true, 1.0),
        (0, 0, 0, true, 0.0),
    ] {
        let flags = if clamp { Flags::CLAMP } else { Flags::empty() };
        let mods = Mods {
            neg,
            abs,
            omod,
            flags,
            ..Mods::default()
        };
        run(Vop3::V_FMA_F32, Form::Vop3, &operands, mods, &mut state);
        assert_eq!(state.vgpr(0)[0], f(want), "{mods:?}");
    }
}

/// DPP: the value of a lane without a source, and the lanes that are written.
#[test]
fn dpp() {
    let row_shr_1 = Mods {
        dpp_ctrl: 0x111,
        row_mask: 0xf,
        bank_mask: 0xf,
        ..Mods::default()
    };
    let shift = |exec: u64, mods: Mods| {
        let mut state = State::new(exec);
        state.v.insert(1, lanes());
        state.set(0, 7);
        run(Vop1::V_MOV_B32, Form::Dpp, &[v(0), v(1)], mods, &mut state);
        state.vgpr(0)
    };
    let all = shift(u64::MAX, row_shr_1);
    assert_eq!(
        [0, 1, 15, 16, 17].map(|l: usize| all[l]),
        [7, 1000, 1014, 7, 1016]
    );
    let zero = Mods {
        flags: Flags::BOUND_CTRL,
        ..row_shr_1
    };
    let bound = shift(u64::MAX, zero);
    assert_eq!([0, 1, 16].map(|l: usize| bound[l]), [0, 1000, 0]);
    // With lane 4 inactive, lane 5 has no source, and lane 4 is not written.
    let holes = shift(!(1 << 4), row_shr_1);
    assert_eq!([4, 5, 6].map(|l: usize| holes[l]), [7, 7, 1005]);
    let holes = shift(!(1 << 4), zero);
    assert_eq!([4, 5, 6].map(|l: usize| holes[l]), [7, 0, 1005]);
    let masked = shift(
        u64::MAX,
        Mods {
            row_mask: 0b1010,
            bank_mask: 0b0001,
            ..zero
        },
    );
    let written = |l: usize| l / 16 % 2 == 1 && l % 16 < 4;
    for (lane, &x) in masked.iter().enumerate() {
        assert_eq!(x != 7, written(lane), "lane {lane}");
    }
}

/// Halves of packed sources: OP_SEL for the low result, OP_SEL_HI for the
/// high one, NEG and NEG_HI likewise.
#[test]
fn packed() {
    let mut state = State::new(u64::MAX);
    state.set(1, 0x4000_3c00); // 1, 2
    state.set(2, 0x4400_4200); // 3, 4
    let operands = [v(0), v(1), v(2)];
    let plain = Mods {
        op_sel_hi: 7,
        ..Mods::default()
    };
    for (mods, want) in [
        (plain, 0x4600_4400),                       // 1 + 3, 2 + 4
        (Mods { op_sel: 1, ..plain }, 0x4600_4500), // 2 + 3, 2 + 4
        (
            Mods {
                op_sel_hi: 6,
                ..plain
            },
            0x4500_4400,
        ), // 1 + 3, 1 + 4
        (Mods { neg: 1, ..plain }, 0x4600_4000),    // -1 + 3, 2 + 4
        (Mods { abs: 2, ..plain }, 0xc000_4400),    // 1 + 3, 2 - 4
    ] {
        run(
            Vop3p::V_PK_ADD_F16,
            Form::Vop3p,
            &operands,
            mods,
            &mut state,
        );
        assert_eq!(state.vgpr(0)[0], want, "{mods:?}");
    }
    run(
        Vop3p::V_PK_LSHLREV_B16,
        Form::Vop3p,
        &[v(0), Operand::Inline(128 + 4), v(2)],
        plain,
        &mut state,
    );
    assert_eq!(
        state.vgpr(0)[0],
        0x4400_2000,
        "the high half of the constant is 0"
    );
}

/// Mixed precision: OP_SEL_HI makes a source a half, OP_SEL selects it; NEG_HI is an absolute value.
#[test]
fn mixed_precision() {
    let f = f32::to_bits;
    let mut state = State::new(u64::MAX);
    state.set(1, 0x4000_bc00); // -1, 2
    state.set(2, f(3.0));
    state.set(3, f(10.0));
    let operands = [v(0), v(1), v(2), v(3)];
    let mods = |op_sel, op_sel_hi, neg, abs| Mods {
        op_sel,
        op_sel_hi,
        neg,
        abs,
        ..Mods::default()
    };
    for (mods, want) in [
        (mods(0, 1, 0, 0), 7.0),
        (mods(1, 1, 0, 0), 16.0),
        (mods(0, 1, 0, 1), 13.0),
        (mods(1, 1, 4, 0), -4.0),
    ] {
        run(
            Vop3p::V_MAD_MIX_F32,
            Form::Vop3p,
            &operands,
            mods,
            &mut state,
        );
        assert_eq!(state.vgpr(0)[0], f(want), "{mods:?}");
    }
    state.set(0, 0x1234_5678);
    run(
        Vop3p::V_MAD_MIXHI_F16,
        Form::Vop3p,
        &operands,
        mods(0, 1, 0, 0),
        &mut state,
    );
    assert_eq!(state.vgpr(0)[0], 0x4700_5678);
    run(
        Vop3p::V_MAD_MIXLO_F16,
        Form::Vop3p,
        &operands,
        mods(0, 1, 0, 0),
        &mut state,
    );
    assert_eq!(state.vgpr(0)[0], 0x4700_4700);
}

/// Dot products of halves, bytes and nibbles.
#[test]
fn dot_products() {
    let mut state = State::new(u64::MAX);
    state.set(1, 0x4000_3c00); // 1, 2
    state.set(2, 0x4400_4200); // 3, 4
    state.set(3, 100f32.to_bits());
    let operands = [v(0), v(1), v(2), v(3)];
    let plain = Mods {
        op_sel_hi: 7,
        ..Mods::default()
    };
    let chip = Chip::Gfx906;
    run_on(
        chip,
        Vop3p::V_DOT2_F32_F16,
        Form::Vop3p,
        &operands,
        plain,
        &mut state,
    );
    assert_eq!(state.vgpr(0)[0], 111f32.to_bits());
    state.set(1, 0xffff_0002); // 2, -1
    state.set(2, 0x0003_0004); // 4, 3
    state.set(3, 100);
    run_on(
        chip,
        Vop3p::V_DOT2_I32_I16,
        Form::Vop3p,
        &operands,
        plain,
        &mut state,
    );
    assert_eq!(state.vgpr(0)[0], 105);
    run_on(
        chip,
        Vop3p::V_DOT2_U32_U16,
        Form::Vop3p,
        &operands,
        plain,
        &mut state,
    );
    assert_eq!(state.vgpr(0)[0], 108 + 3 * 0xffff);
}

/// With VGPR indexing, M0[7:0] is added to the sources and destinations that M0[15:12] selects; constants are unchanged.
#[test]
fn gpr_index() {
    let mut operands = [Operand::None; MAX_OPERANDS];
    operands[..3].copy_from_slice(&[v(0), Operand::Inline(128 + 5), v(1)]);
    let inst = Inst {
        op: Vop2::V_ADD_U32.into(),
        chip: Chip::Gfx900,
        form: Form::Vop2,
        len: 4,
        operands,
        mods: Mods::default(),
        spelling: Default::default(),
    };
    let mut state = State::new(u64::MAX);
    state.s[124] = 0xf003;
    state.set(4, 40);
    state.run(&lift(&inst, indexed()).expect("it is lifted"));
    assert_eq!(state.vgpr(3)[0], 45);
    assert_eq!(state.vgpr(0)[0], 0);
}
