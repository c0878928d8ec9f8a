//! Rows of program control: branches, waits, messages (Vega ISA, 12.5 SOPP).

use super::row::*;

family! {
    /// Program control: branches, waits, messages (Vega ISA, 12.5 SOPP).
    Sopp: Salu {
        //                                                              gfx6  gfx7  gfx8  gfx9
        S_NOP                      = row("s_nop",                      [0x00, 0x00, 0x00, 0x00], &[count()]),
        S_ENDPGM                   = row("s_endpgm",                   [0x01, 0x01, 0x01, 0x01], &[optional()]).class(Class::Branch),
        S_BRANCH                   = row("s_branch",                   [0x02, 0x02, 0x02, 0x02], &[target()]).writes(PC).class(Class::Branch),
        S_WAKEUP                   = row("s_wakeup",                   [  __,   __, 0x03, 0x03], &[]),
        S_CBRANCH_SCC0             = row("s_cbranch_scc0",             [0x04, 0x04, 0x04, 0x04], &[target()]).reads(SCC).writes(PC).class(Class::Branch),
        S_CBRANCH_SCC1             = row("s_cbranch_scc1",             [0x05, 0x05, 0x05, 0x05], &[target()]).reads(SCC).writes(PC).class(Class::Branch),
        S_CBRANCH_VCCZ             = row("s_cbranch_vccz",             [0x06, 0x06, 0x06, 0x06], &[target()]).reads(VCC).writes(PC).class(Class::Branch),
        S_CBRANCH_VCCNZ            = row("s_cbranch_vccnz",            [0x07, 0x07, 0x07, 0x07], &[target()]).reads(VCC).writes(PC).class(Class::Branch),
        S_CBRANCH_EXECZ            = row("s_cbranch_execz",            [0x08, 0x08, 0x08, 0x08], &[target()]).reads(EXEC).writes(PC).class(Class::Branch),
        S_CBRANCH_EXECNZ           = row("s_cbranch_execnz",           [0x09, 0x09, 0x09, 0x09], &[target()]).reads(EXEC).writes(PC).class(Class::Branch),
        S_BARRIER                  = row("s_barrier",                  [0x0a, 0x0a, 0x0a, 0x0a], &[]),
        S_SETKILL                  = row("s_setkill",                  [0x0b, 0x0b, 0x0b, 0x0b], &[count()]),
        S_WAITCNT                  = row("s_waitcnt",                  [0x0c, 0x0c, 0x0c, 0x0c], &[waitcnt()]),
        S_SETHALT                  = row("s_sethalt",                  [0x0d, 0x0d, 0x0d, 0x0d], &[count()]),
        S_SLEEP                    = row("s_sleep",                    [0x0e, 0x0e, 0x0e, 0x0e], &[count()]),
        S_SETPRIO                  = row("s_setprio",                  [0x0f, 0x0f, 0x0f, 0x0f], &[count()]),
        S_SENDMSG                  = row("s_sendmsg",                  [0x10, 0x10, 0x10, 0x10], &[sendmsg()]).reads(M0).class(Class::Message),
        S_SENDMSGHALT              = row("s_sendmsghalt",              [0x11, 0x11, 0x11, 0x11], &[sendmsg()]).reads(M0.and(MODE)).writes(MODE).class(Class::Message),
        S_TRAP                     = row("s_trap",                     [0x12, 0x12, 0x12, 0x12], &[count()]).class(Class::Branch),
        S_ICACHE_INV               = row("s_icache_inv",               [0x13, 0x13, 0x13, 0x13], &[]),
        S_INCPERFLEVEL             = row("s_incperflevel",             [0x14, 0x14, 0x14, 0x14], &[count()]),
        S_DECPERFLEVEL             = row("s_decperflevel",             [0x15, 0x15, 0x15, 0x15], &[count()]),
        S_TTRACEDATA               = row("s_ttracedata",               [0x16, 0x16, 0x16, 0x16], &[]),
        S_CBRANCH_CDBGSYS          = row("s_cbranch_cdbgsys",          [0x17, 0x17, 0x17, 0x17], &[target()]).reads(MODE).writes(PC).class(Class::Branch),
        S_CBRANCH_CDBGUSER         = row("s_cbranch_cdbguser",         [0x18, 0x18, 0x18, 0x18], &[target()]).reads(MODE).writes(PC).class(Class::Branch),
        S_CBRANCH_CDBGSYS_OR_USER  = row("s_cbranch_cdbgsys_or_user",  [0x19, 0x19, 0x19, 0x19], &[target()]).reads(MODE).writes(PC).class(Class::Branch),
        S_CBRANCH_CDBGSYS_AND_USER = row("s_cbranch_cdbgsys_and_user", [0x1a, 0x1a, 0x1a, 0x1a], &[target()]).reads(MODE).writes(PC).class(Class::Branch),
        S_ENDPGM_SAVED             = row("s_endpgm_saved",             [0x1b, 0x1b, 0x1b, 0x1b], &[]).class(Class::Branch).unlisted([6, 7]),
        S_SET_GPR_IDX_OFF          = row("s_set_gpr_idx_off",          [  __,   __, 0x1c, 0x1c], &[]).reads(MODE).writes(MODE),
        S_SET_GPR_IDX_MODE         = row("s_set_gpr_idx_mode",         [  __,   __, 0x1d, 0x1d], &[gpr_idx()]).reads(M0).writes(M0),
        S_ENDPGM_ORDERED_PS_DONE   = row("s_endpgm_ordered_ps_done",   [  __,   __,   __, 0x1e], &[]).class(Class::Branch),
    }
}
