//! Registers out of a wave's range (Vega ISA, 3.6 "Out-of-Range behavior").
//!
//! The modes of a wave contain the number of its registers, so this is decided when a block is lifted: an operand out of range is
//! replaced by another one, or the instruction has no effect. Only registers selected by M0 are checked at run time
//! (`vector/operand.rs`, `scalar/sop1.rs`).

use wavetank_gcn::numbers::sreg::RESERVED;
use wavetank_gcn::tables::{Class, Features};
use wavetank_gcn::{Inst, Operand};

use crate::modes::Modes;
use crate::operand::M0;
use crate::rules::Rules;

/// Scalar registers from here to M0 can be written with privileges only.
const PRIVILEGED: u8 = 108;

/// The instruction with its operands in the range of the wave; `None` if it has no effect.
///
/// A source out of range is v0 or s0. A scalar destination out of range is not written; SCC and EXEC still are (5.3 "SALU
/// instructions"). The instruction has no effect if a vector destination is out of range, or one of several destinations, or part
/// of the result of a load or an atomic, including the status of TFE and LWE. The same holds for scalar loads (7.4 "Alignment and
/// bounds checking").
///
/// Accumulation registers have a range of their own, from which VGPRs are not reached. A product of matrices has no effect if one of
/// its matrices is out of range, since v0 could not stand for all of its registers (docs/reference/errata.md, "CDNA").
pub(crate) fn resolve(inst: &Inst, modes: Modes) -> Option<Inst> {
    let row = inst.row();
    let (mut resolved, mut destinations, mut lost) = (*inst, 0, false);
    let general = Rules::of(inst.chip).general_sgprs;
    let product = row.shape.is_some();
    let alu = matches!(row.class, Class::Valu | Class::Interp);
    for (i, spec) in row.operands.iter().enumerate() {
        let (_, writes) = inst.accesses(i);
        destinations += u32::from(writes);
        let count = u16::from(inst.reach(i)).max(1);
        let operand = &mut resolved.operands[i];
        match *operand {
            Operand::Vgpr(_) if row.has(Features::INDEXED) => {}
            // Memory instructions are not indexed.
            Operand::Vgpr(_) if alu && modes.indexes(inst, spec) => {}
            Operand::Vgpr(first) if u16::from(first) + count > modes.vgprs() => {
                if writes || product {
                    return None;
                }
                // For stores, each register is checked separately.
                if alu || u16::from(first) >= modes.vgprs() {
                    *operand = Operand::Vgpr(0);
                }
            }
            Operand::Agpr(first) if u16::from(first) + count > modes.accumulators() => {
                if writes || product {
                    return None;
                }
                // For stores, each register is checked separately.
                if alu || u16::from(first) >= modes.accumulators() {
                    *operand = Operand::Vgpr(0);
                }
            }
            // Trap temporaries; before gfx9 also TBA and TMA (3.9 "Traps").
            Operand::Sgpr(PRIVILEGED..M0) if writes && !modes.privileged() => {
                if row.class == Class::Smem {
                    return None;
                }
                lost = true;
                *operand = Operand::Sgpr(RESERVED);
            }
            Operand::Sgpr(first) if first < general && u16::from(first) + count > modes.sgprs() => {
                if row.has(Features::INDEXED) {
                    continue;
                }
                if writes && row.class == Class::Smem {
                    return None;
                }
                lost |= writes;
                *operand = if writes {
                    Operand::Sgpr(RESERVED)
                } else {
                    Operand::Sgpr(0)
                };
            }
            _ => {}
        }
    }
    let nothing = lost && destinations > 1;
    (!nothing).then_some(resolved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modes::GPR_IDX_EN;
    use wavetank_gcn::numbers::hwreg;
    use wavetank_gcn::{Chip, decode, parse};
    use wavetank_ir::HARDWARE_REGISTERS;

    #[test]
    fn what_is_loaded_is_not_indexed() {
        // The status of LWE would go to v256.
        let text = "image_gather4_c_l v[252:255], v[23:24], s[16:23], s[12:15] dmask:0x2 lwe";
        let load = parse(text, Chip::Gfx900).expect(text);
        let mov = parse("v_mov_b32 v255, v254", Chip::Gfx900).expect("a move");
        for (mode, m0) in [(0, 0), (GPR_IDX_EN, 0xf000)] {
            let modes = Modes::new(mode, m0);
            assert!(resolve(&load, modes).is_none(), "{mode:#x}");
            assert!(resolve(&mov, modes).is_some(), "{mode:#x}");
        }
    }

    #[test]
    fn accumulation_registers_end_at_255() {
        let modes = Modes::new(0, 0);
        let effect = |words: [u32; 2]| {
            let bytes = words.map(u32::to_le_bytes).concat();
            let inst = decode(&bytes, Chip::Gfx90a).expect("an instruction");
            resolve(&inst, modes).map(|inst| inst.operands)
        };
        // global_load_dwordx4 a[252:255], v[2:3], off, and from a253 on.
        assert!(effect([0xdc5c_8000, 0xfcff_0002]).is_some());
        assert!(effect([0xdc5c_8000, 0xfdff_0002]).is_none());
        // v_mfma_f32_32x32x8f16 a[240:255], v[2:3], v[2:3], a[240:255], and from a241 on: D, then C.
        assert!(effect([0xd3cc_80f0, 0x07c2_0502]).is_some());
        assert!(effect([0xd3cc_80f1, 0x07c2_0502]).is_none());
        assert!(effect([0xd3cc_8000, 0x07c6_0502]).is_none());
    }

    /// A wave with 32 VGPRs and 8 accumulation registers behind them, of which v32 is none.
    #[test]
    fn files_end_with_the_allocation() {
        let mut hw = [0; HARDWARE_REGISTERS];
        hw[usize::from(hwreg::GPR_ALLOC)] = 7 << 8 | 15 << 24;
        hw[usize::from(hwreg::MISSING_ACC)] = (256 - 8) / 4;
        let modes = Modes::of_wave(&hw, 0);
        assert_eq!((modes.vgprs(), modes.accumulators()), (32, 8));
        let resolved = |text: &str| {
            let inst = parse(text, Chip::Gfx90a).expect(text);
            resolve(&inst, modes)
        };
        let first = |text: &str, at: usize| resolved(text).map(|inst| inst.operands[at]);
        for (text, at, operand) in [
            ("v_accvgpr_read_b32 v31, a7", 1, Operand::Agpr(7)),
            ("v_accvgpr_read_b32 v31, a8", 1, Operand::Vgpr(0)),
            ("v_mov_b32 v31, v32", 1, Operand::Vgpr(0)),
            ("global_store_dword v[2:3], a8, off", 1, Operand::Vgpr(0)),
            // Each register of a store is for itself.
            (
                "global_store_dwordx4 v[2:3], a[6:9], off",
                1,
                Operand::Agpr(6),
            ),
        ] {
            assert_eq!(first(text, at), Some(operand), "{text}");
        }
        for text in [
            "v_accvgpr_write_b32 a8, v0",
            "v_accvgpr_read_b32 v32, a0",
            "v_mov_b32 v32, v0",
            "global_load_dwordx4 a[6:9], v[2:3], off",
            "v_mfma_f32_16x16x4f32 v[4:7], v0, v1, v[30:33]",
            "v_mfma_f32_16x16x4f32 a[6:9], v0, v1, 0",
            "v_mfma_f32_16x16x4f32 a[4:7], v0, a8, 0",
        ] {
            assert!(resolved(text).is_none(), "{text}");
        }
        let whole = "v_mfma_f32_16x16x4f32 a[4:7], v0, a7, a[4:7]";
        assert!(resolved(whole).is_some());
    }
}
