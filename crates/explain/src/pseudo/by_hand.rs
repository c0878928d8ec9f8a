//! Hand-written pseudo-code, for instructions whose IR is less clear than words: fields of hardware registers, patterns,
//! parameters in LDS, and instructions that only affect timing.

use wavetank_gcn::Op;
use wavetank_gcn::tables::{
    Ds, Mubuf, Smem, Sop1, Sop2, Sopc, Sopk, Sopp, Vintrp, Vop1, Vop3, Vop3p,
};

/// Returns the lines of an operation, if they are written by hand.
pub(super) fn lines(op: Op) -> Option<Vec<String>> {
    let lines = match op {
        Op::Sop1(op) => sop1(op),
        Op::Sop2(op) => sop2(op),
        Op::Sopc(op) => sopc(op),
        Op::Sopk(op) => sopk(op),
        Op::Sopp(op) => sopp(op),
        Op::Vop3(op) => vop3(op),
        Op::Vop1(op) => vop1(op),
        Op::Vop3p(op) => vop3p(op),
        Op::Smem(op) => smem(op),
        Op::Mubuf(op) => mubuf(op),
        Op::Vintrp(op) => vintrp(op),
        Op::Ds(op) => ds(op),
        _ => None,
    };
    lines.map(|lines| lines.iter().map(|line| (*line).to_owned()).collect())
}

type Lines = Option<&'static [&'static str]>;

fn sop1(op: Sop1) -> Lines {
    use Sop1::*;
    Some(match op {
        S_WQM_B32 | S_WQM_B64 => &[
            "for each group of 4 bits: D[group] = S0[group] != 0 ? 0b1111 : 0",
            "SCC = D != 0",
        ],
        S_QUADMASK_B32 | S_QUADMASK_B64 => &[
            "for each group n of 4 bits: D[n] = S0[4 * n + 3:4 * n] != 0",
            "SCC = D != 0",
        ],
        S_BITREPLICATE_B64_B32 => &["for n in 0 to 31: D[2 * n + 1:2 * n] = {S0[n], S0[n]}"],
        S_CBRANCH_JOIN => &[
            "if CSP == S0: PC = PC + len",
            "else: CSP = CSP - 1, {PC, EXEC} = the entry of the stack at CSP",
        ],
        S_MOVRELS_B32 => &["D = the SGPR that is M0 behind S0"],
        S_MOVRELS_B64 => &["D = the pair of SGPRs that is M0 behind S0"],
        S_MOVRELD_B32 => &["the SGPR that is M0 behind D = S0"],
        S_MOVRELD_B64 => &["the pair of SGPRs that is M0 behind D = S0"],
        S_RFE_B64 => &["STATUS.PRIV = 0", "PC = S0"],
        S_SET_GPR_IDX_IDX => &["M0[7:0] = S0[7:0]"],
        _ => return None,
    })
}

fn sop2(op: Sop2) -> Lines {
    use Sop2::*;
    const FORK: &[&str] = &[
        "pass = S0 & EXEC, fail = ~S0 & EXEC",
        "if fail == 0: PC = S1; else if pass == 0: PC = PC + len",
        "else if fail has fewer lanes: push {pass, S1}; EXEC = fail, PC = PC + len",
        "else: push {fail, PC + len}; EXEC = pass, PC = S1",
    ];
    // Fields of S1: the offset in the low bits, the width from bit 16 on (Vega ISA, 12.1 SOP2).
    Some(match op {
        S_CBRANCH_G_FORK => FORK,
        S_BFE_U32 => &[
            "D = (S0.u32 >> S1[4:0]) & ((1 << S1[22:16]) - 1)",
            "SCC = D != 0",
        ],
        S_BFE_I32 => &[
            "D = (S0.i32 >> S1[4:0]) & ((1 << S1[22:16]) - 1), sign-extended",
            "SCC = D != 0",
        ],
        S_BFE_U64 => &[
            "D = (S0.u64 >> S1[5:0]) & ((1 << S1[22:16]) - 1)",
            "SCC = D != 0",
        ],
        S_BFE_I64 => &[
            "D = (S0.i64 >> S1[5:0]) & ((1 << S1[22:16]) - 1), sign-extended",
            "SCC = D != 0",
        ],
        _ => return None,
    })
}

fn sopc(op: Sopc) -> Lines {
    match op {
        Sopc::S_SET_GPR_IDX_ON => Some(&[
            "M0[7:0] = S0[7:0]",
            "M0[15:12] = SIMM4: which of SRC0, SRC1, SRC2 and DST are indexed",
            "MODE.gpr_idx_en = 1",
        ]),
        Sopc::S_SETVSKIP => Some(&["MODE.vskip = S0[S1[4:0]]"]),
        _ => None,
    }
}

fn sopk(op: Sopk) -> Lines {
    use Sopk::*;
    // Fields of SIMM16: register 5:0, offset 10:6, size - 1 15:11 (Vega ISA, 12.2 SOPK).
    Some(match op {
        S_CBRANCH_I_FORK => &[
            "pass = D & EXEC, fail = ~D & EXEC",
            "if fail == 0: PC = TARGET; else if pass == 0: PC = PC + len",
            "else if fail has fewer lanes: push {pass, TARGET}; EXEC = fail, PC = PC + len",
            "else: push {fail, PC + len}; EXEC = pass, PC = TARGET",
        ],
        S_GETREG_B32 => &["D = HWREG[id][offset + size - 1:offset]"],
        S_SETREG_B32 => &["HWREG[id][offset + size - 1:offset] = D[size - 1:0]"],
        S_SETREG_IMM32_B32 => &["HWREG[id][offset + size - 1:offset] = K[size - 1:0]"],
        _ => return None,
    })
}

fn sopp(op: Sopp) -> Lines {
    use Sopp::*;
    Some(match op {
        S_NOP => &["wait SIMM16[3:0] + 1 cycles"],
        S_WAITCNT => &["wait until VM_CNT, EXP_CNT and LGKM_CNT are no more than SIMM16 says"],
        S_SLEEP => &["wait about 64 * SIMM16[6:0] cycles, while other waves run"],
        S_SETPRIO => &["priority of the wave = SIMM16[1:0]"],
        S_WAKEUP => &["waves of the work-group that sleep go on"],
        S_ICACHE_INV => &["drop what the instruction cache holds"],
        S_INCPERFLEVEL => &["performance counter SIMM16[3:0] += 1"],
        S_DECPERFLEVEL => &["performance counter SIMM16[3:0] -= 1"],
        S_TTRACEDATA => &["send M0 to the thread trace"],
        S_SETKILL => &["if SIMM16[0]: end of the wave"],
        S_SETHALT => &["if SIMM16[0]: halt"],
        S_TRAP => &["call the trap handler with number SIMM16[7:0]"],
        S_SET_GPR_IDX_OFF => &["MODE.gpr_idx_en = 0"],
        S_SET_GPR_IDX_MODE => &["M0[15:12] = SIMM16[3:0]"],
        _ => return None,
    })
}

fn vop3(op: Vop3) -> Lines {
    use Vop3::*;
    // Only the place of the parameter differs from v_interp_p1_f32 and v_interp_p2_f32.
    Some(match op {
        V_MAD_I64_I32 => &[
            "D = S0.i32 * S1.i32 + S2",
            "VCC = overflow of that sum & EXEC",
        ],
        V_CVT_PKRTZ_F16_F32 => &["D = {S1 as f16, S0 as f16}, rounded toward 0"],
        V_INTERP_P1LL_F16 => &["D.f32 = P10.f16 * S0.f32 + P0.f16, of ATTR in LDS"],
        V_INTERP_P1LV_F16 => &["D.f32 = P10.f16 * S0.f32 + S2.f16, P10 of ATTR in LDS"],
        V_INTERP_P2_F16 | V_INTERP_P2_LEGACY_F16 => {
            &["D.f16 = P20.f16 * S0.f32 + S2.f32, P20 of ATTR in LDS"]
        }
        _ => return None,
    })
}

fn vop1(op: Vop1) -> Lines {
    use Vop1::*;
    Some(match op {
        V_NOP => &["nothing"],
        V_CLREXCP => &["the wave's exceptions = none"],
        V_LOG_CLAMP_F32 => &["D = log2(S0), where -inf is -MAX_FLOAT"],
        V_RCP_CLAMP_F32 | V_RCP_CLAMP_F64 => {
            &["D = 1.0 / S0, where an infinity is MAX_FLOAT of its sign"]
        }
        V_RSQ_CLAMP_F32 | V_RSQ_CLAMP_F64 => {
            &["D = 1.0 / sqrt(S0), where an infinity is MAX_FLOAT of its sign"]
        }
        V_RCP_LEGACY_F32 => &["D = 1.0 / S0, where an infinity is 0 of its sign"],
        V_RSQ_LEGACY_F32 => &["D = 1.0 / sqrt(S0), where an infinity is 0"],
        V_CVT_RPI_I32_F32 => &["D.i32 = floor(S0.f32 + 0.5), held to the range; a NaN by its sign"],
        V_CVT_FLR_I32_F32 => &["D.i32 = floor(S0.f32), held to the range; a NaN by its sign"],
        _ => return None,
    })
}

fn vop3p(op: Vop3p) -> Lines {
    use Vop3p::*;
    Some(match op {
        V_DOT2_F32_F16 => &[
            "t = fma(S0[15:0].f16, S1[15:0].f16, S2.f32)",
            "D = fma(S0[31:16].f16, S1[31:16].f16, t)",
        ],
        V_DOT2_I32_I16 => &["D = S0[15:0].i16 * S1[15:0].i16 + S0[31:16].i16 * S1[31:16].i16 + S2"],
        V_DOT2_U32_U16 => &["D = S0[15:0].u16 * S1[15:0].u16 + S0[31:16].u16 * S1[31:16].u16 + S2"],
        _ => return None,
    })
}

fn smem(op: Smem) -> Lines {
    use Smem::*;
    Some(match op {
        S_DCACHE_INV | S_DCACHE_INV_VOL => &["drop what the scalar data cache holds"],
        S_DCACHE_WB | S_DCACHE_WB_VOL => &["write what the scalar data cache holds to memory"],
        S_ATC_PROBE | S_ATC_PROBE_BUFFER => &["ask for the translation of the address"],
        S_DCACHE_DISCARD => &["drop the scalar cache's line of 64 bytes at BASE + SOFFSET"],
        S_DCACHE_DISCARD_X2 => &["drop the scalar cache's two lines of 64 bytes at BASE + SOFFSET"],
        _ => return None,
    })
}

fn mubuf(op: Mubuf) -> Lines {
    use Mubuf::*;
    match op {
        BUFFER_WBINVL1 | BUFFER_WBINVL1_VOL | BUFFER_WBINVL1_SC => {
            Some(&["write back what the vector L1 cache holds, then drop it"])
        }
        BUFFER_WBL2 => Some(&["write back what the L2 cache holds"]),
        BUFFER_INVL2 => Some(&["drop what the L2 cache holds"]),
        BUFFER_INV => Some(&["drop what the caches hold, up to the level of SC0 and SC1"]),
        _ => None,
    }
}

fn vintrp(op: Vintrp) -> Lines {
    use Vintrp::*;
    Some(match op {
        V_INTERP_P1_F32 => &["D = P10 * S0.f32 + P0, of ATTR in LDS at M0"],
        V_INTERP_P2_F32 => &["D = P20 * S0.f32 + D.f32, P20 of ATTR in LDS at M0"],
        V_INTERP_MOV_F32 => &["D = PARAM of ATTR in LDS at M0: P10, P20 or P0"],
    })
}

/// The number of the global wave synchronization's counter (Vega ISA, 12.15).
const NUMBER: &str = "number = (M0[21:16] + OFFSET) & 63";

fn ds(op: Ds) -> Lines {
    use Ds::*;
    Some(match op {
        DS_GWS_INIT => &[
            "counter number of GDS = the first active lane's DATA",
            NUMBER,
        ],
        DS_GWS_SEMA_V => &["semaphore number += 1", NUMBER],
        DS_GWS_SEMA_BR => &["semaphore number += the first active lane's DATA", NUMBER],
        DS_GWS_SEMA_P => &[
            "wait until semaphore number > 0, then take 1 from it",
            NUMBER,
        ],
        DS_GWS_SEMA_RELEASE_ALL => &["let all waves go on that wait for semaphore number", NUMBER],
        DS_GWS_BARRIER => &[
            "wait at barrier number until all waves are there that it counts",
            "the first active lane's DATA: how many others meet there next time",
            NUMBER,
        ],
        DS_ORDERED_COUNT => &[
            "wait until it is the turn of wave M0[15:0] at counter OFFSET[7:2] of packer OFFSET[11:10]",
            "old = 4 bytes of GDS at M0[31:16] + OFFSET[7:2] * 4",
            "those bytes = old + the first active lane's DATA; with OFFSET[12], DATA",
            "D = old",
            "if OFFSET[8]: the turn at the counter is that of the wave with the next number",
            "if OFFSET[9]: so at all counters of the packer",
        ],
        DS_NOP => &["wait a cycle"],
        DS_SWIZZLE_B32 => &[
            "LANE and source have 5 bits: both are in the same 32 lanes; OFFSET[14] counts from gfx8 on",
            "if OFFSET[15] == 0: source = ((LANE & OFFSET[4:0]) | OFFSET[9:5]) ^ OFFSET[14:10]",
            "else if OFFSET[14] == 0: source = (LANE & 0b11100) | OFFSET[2 * n + 1:2 * n] with n = LANE & 3",
            "else if OFFSET[13] == 0: by = OFFSET[10] ? -OFFSET[9:5] : OFFSET[9:5]",
            "  source = (LANE & OFFSET[4:0]) | ((LANE + by) & ~OFFSET[4:0])",
            "else: source = (reverse(LANE) >> count_ones(OFFSET[4:0])) | (LANE & OFFSET[4:0])",
            "D = taken(ADDR, source)",
        ],
        DS_CONSUME => &[
            "old = 4 bytes of LDS at M0[15:0] + OFFSET",
            "4 bytes of LDS at M0[15:0] + OFFSET = old - count_ones(EXEC)",
            "D = old",
        ],
        DS_APPEND => &[
            "old = 4 bytes of LDS at M0[15:0] + OFFSET",
            "4 bytes of LDS at M0[15:0] + OFFSET = old + count_ones(EXEC)",
            "D = old",
        ],
        _ => return None,
    })
}
