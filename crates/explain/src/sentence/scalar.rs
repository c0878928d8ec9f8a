//! Sentences of SOP1, SOP2, SOPK, SOPC and SOPP, and of scalar instructions that do not access memory.

/// Names, or names without their type, with the sentence: `{a}` is one value of the type, `{s}` are several.
pub(super) const SENTENCES: &[(&str, &str)] = &[
    // Rows of SOP1.
    ("s_mov", "Copies {a}."),
    (
        "s_cmov",
        "Copies {a} if SCC is set, and else keeps the destination.",
    ),
    (
        "s_not",
        "Turns every bit of {a} over; SCC says whether the result is not 0.",
    ),
    (
        "s_wqm",
        "Sets all four bits of each group in {a} that has any: whole quads of lanes.",
    ),
    ("s_brev", "Reverses the bits of {a}."),
    (
        "s_bcnt0_i32",
        "Counts the zeros in {a}; SCC says whether there are any.",
    ),
    (
        "s_bcnt1_i32",
        "Counts the ones in {a}; SCC says whether there are any.",
    ),
    ("s_ff0_i32", "Finds the lowest zero in {a}, -1 without one."),
    ("s_ff1_i32", "Finds the lowest one in {a}, -1 without one."),
    (
        "s_flbit_i32_b32",
        "Counts the zeros above the highest one of a 32-bit word, -1 without one.",
    ),
    (
        "s_flbit_i32_b64",
        "Counts the zeros above the highest one of a 64-bit word, -1 without one.",
    ),
    (
        "s_flbit_i32",
        "Counts the bits of a 32-bit word that equal its sign, from the top; -1 if all do.",
    ),
    (
        "s_flbit_i32_i64",
        "Counts the bits of a 64-bit word that equal its sign, from the top; -1 if all do.",
    ),
    ("s_sext_i32_i8", "Extends the sign of a byte to 32 bits."),
    ("s_sext_i32_i16", "Extends the sign of 16 bits to 32 bits."),
    ("s_bitset0", "Clears the bit of {a} that the source names."),
    ("s_bitset1", "Sets the bit of {a} that the source names."),
    ("s_getpc_b64", "Reads the address of the next instruction."),
    (
        "s_setpc_b64",
        "Jumps to the address in a pair of registers.",
    ),
    (
        "s_swappc_b64",
        "Calls: keeps the address of the next instruction and jumps to another.",
    ),
    (
        "s_rfe_b64",
        "Returns from a trap handler to the address in a pair of registers.",
    ),
    (
        "s_and_saveexec_b64",
        "Keeps EXEC, then turns off the lanes that a mask lacks.",
    ),
    (
        "s_or_saveexec_b64",
        "Keeps EXEC, then turns on the lanes of a mask as well.",
    ),
    (
        "s_xor_saveexec_b64",
        "Keeps EXEC, then turns the lanes of a mask over.",
    ),
    (
        "s_andn1_saveexec_b64",
        "Keeps EXEC, then turns off the lanes of a mask.",
    ),
    (
        "s_andn2_saveexec_b64",
        "Keeps EXEC, then makes it those lanes of a mask that were off.",
    ),
    (
        "s_orn1_saveexec_b64",
        "Keeps EXEC, then turns on all lanes that a mask lacks.",
    ),
    (
        "s_orn2_saveexec_b64",
        "Keeps EXEC, then makes it the lanes of a mask and all that were off.",
    ),
    (
        "s_nand_saveexec_b64",
        "Keeps EXEC, then makes it all lanes but those that it shares with a mask.",
    ),
    (
        "s_nor_saveexec_b64",
        "Keeps EXEC, then makes it the lanes that were off and that a mask lacks.",
    ),
    (
        "s_xnor_saveexec_b64",
        "Keeps EXEC, then makes it the lanes in which it equals a mask.",
    ),
    (
        "s_andn1_wrexec_b64",
        "Turns off the lanes of a mask, and gives the new EXEC as well.",
    ),
    (
        "s_andn2_wrexec_b64",
        "Makes EXEC those lanes of a mask that were off, and gives it as well.",
    ),
    (
        "s_quadmask",
        "Makes one bit of each group of four in {a}: set where any of the four is.",
    ),
    (
        "s_movrels",
        "Copies {a} from the register that M0 adds to the source.",
    ),
    (
        "s_movreld",
        "Copies {a} to the register that M0 adds to the destination.",
    ),
    (
        "s_cbranch_join",
        "Ends a fork: takes up the lanes that wait on the stack of masks, or goes on with all.",
    ),
    (
        "s_mov_regrd_b32",
        "Copies a 32-bit word, as a test of the register file's read.",
    ),
    (
        "s_abs_i32",
        "Absolute value of a signed 32-bit integer; SCC says whether it is not 0.",
    ),
    (
        "s_mov_fed_b32",
        "Copies a 32-bit word, and makes the hardware put an error into it.",
    ),
    (
        "s_set_gpr_idx_idx",
        "Sets the index of VGPR indexing, which stands in M0.",
    ),
    (
        "s_bitreplicate_b64_b32",
        "Writes each bit of 32 twice, so that 64 come out.",
    ),
    // Rows of SOP2.
    (
        "s_add_u32",
        "Adds two unsigned 32-bit integers; SCC is the carry.",
    ),
    (
        "s_sub_u32",
        "Subtracts unsigned 32-bit integers; SCC is the borrow.",
    ),
    (
        "s_add_i32",
        "Adds two signed 32-bit integers; SCC says that the sum overflowed.",
    ),
    (
        "s_sub_i32",
        "Subtracts signed 32-bit integers; SCC says that the difference overflowed.",
    ),
    (
        "s_addc_u32",
        "Adds two unsigned 32-bit integers and the carry in SCC, which becomes the new one.",
    ),
    (
        "s_subb_u32",
        "Subtracts unsigned 32-bit integers and the borrow in SCC, which becomes the new one.",
    ),
    (
        "s_min",
        "The smaller of two {s}; SCC says whether it is the first.",
    ),
    (
        "s_max",
        "The larger of two {s}; SCC says whether it is the first.",
    ),
    (
        "s_cselect",
        "Chooses the first of two {s} if SCC is set, and else the second.",
    ),
    (
        "s_and",
        "Bitwise and of two {s}; SCC says whether the result is not 0.",
    ),
    (
        "s_or",
        "Bitwise or of two {s}; SCC says whether the result is not 0.",
    ),
    (
        "s_xor",
        "Bitwise exclusive or of two {s}; SCC says whether the result is not 0.",
    ),
    (
        "s_andn2",
        "Clears in one of two {s} the bits of the other; SCC says whether any are left.",
    ),
    (
        "s_orn2",
        "Bitwise or with the second of two {s} turned over; SCC says whether it is not 0.",
    ),
    (
        "s_nand",
        "Bitwise and of two {s}, turned over; SCC says whether it is not 0.",
    ),
    (
        "s_nor",
        "Bitwise or of two {s}, turned over; SCC says whether it is not 0.",
    ),
    (
        "s_xnor",
        "Sets the bits in which two {s} are equal; SCC says whether there are any.",
    ),
    (
        "s_lshl",
        "Shifts {a} left; SCC says whether the result is not 0.",
    ),
    (
        "s_lshr",
        "Shifts {a} right and fills with zeros; SCC says whether the result is not 0.",
    ),
    (
        "s_ashr",
        "Shifts {a} right and fills with its sign; SCC says whether the result is not 0.",
    ),
    (
        "s_bfm",
        "Makes a mask for a field of {a}: so many ones, from a place on.",
    ),
    (
        "s_mul_i32",
        "The low 32 bits of the product of two 32-bit integers.",
    ),
    ("s_mul_hi", "The high half of the product of two {s}."),
    (
        "s_bfe",
        "Takes a field out of {a}; its offset and width are fields of the second source.",
    ),
    (
        "s_cbranch_g_fork",
        "Branches with both parts of the lanes, by a mask; one part waits on a stack.",
    ),
    (
        "s_absdiff_i32",
        "The absolute difference of two signed 32-bit integers; SCC says whether it is not 0.",
    ),
    (
        "s_rfe_restore_b64",
        "Returns from a trap handler and puts back what it saved of the wave's state.",
    ),
    (
        "s_lshl1_add_u32",
        "Twice the first source and the second, added; SCC is the carry.",
    ),
    (
        "s_lshl2_add_u32",
        "Four times the first source and the second, added; SCC is the carry.",
    ),
    (
        "s_lshl3_add_u32",
        "Eight times the first source and the second, added; SCC is the carry.",
    ),
    (
        "s_lshl4_add_u32",
        "Sixteen times the first source and the second, added; SCC is the carry.",
    ),
    (
        "s_pack_ll_b32_b16",
        "Packs the low halves of two sources into one register.",
    ),
    (
        "s_pack_lh_b32_b16",
        "Packs the low half of the first source and the high half of the second.",
    ),
    (
        "s_pack_hh_b32_b16",
        "Packs the high halves of two sources into one register.",
    ),
    // Rows of SOPK.
    ("s_movk_i32", "Loads a 16-bit constant with its sign."),
    (
        "s_cmovk_i32",
        "Loads a 16-bit constant with its sign if SCC is set.",
    ),
    ("s_cmpk_eq", "Sets SCC if {a} equals a 16-bit constant."),
    (
        "s_cmpk_lg",
        "Sets SCC if {a} differs from a 16-bit constant.",
    ),
    (
        "s_cmpk_gt",
        "Sets SCC if {a} is more than a 16-bit constant.",
    ),
    ("s_cmpk_ge", "Sets SCC if {a} is a 16-bit constant or more."),
    (
        "s_cmpk_lt",
        "Sets SCC if {a} is less than a 16-bit constant.",
    ),
    ("s_cmpk_le", "Sets SCC if {a} is a 16-bit constant or less."),
    (
        "s_addk_i32",
        "Adds a 16-bit constant with its sign; SCC says that the sum overflowed.",
    ),
    (
        "s_mulk_i32",
        "Multiplies by a 16-bit constant with its sign; the low 32 bits remain.",
    ),
    (
        "s_cbranch_i_fork",
        "Branches to a fixed target with both parts of the lanes; one part waits on a stack.",
    ),
    ("s_getreg_b32", "Reads a field of a hardware register."),
    (
        "s_setreg_b32",
        "Writes a field of a hardware register from a register.",
    ),
    (
        "s_getreg_regrd_b32",
        "Reads a hardware register, as a test of the register file's read.",
    ),
    (
        "s_setreg_imm32_b32",
        "Writes a constant to a field of a hardware register.",
    ),
    (
        "s_call_b64",
        "Calls a function nearby: keeps the address of the next instruction and jumps.",
    ),
    // Rows of SOPC.
    ("s_cmp_eq", "Sets SCC if two {s} are equal."),
    ("s_cmp_lg", "Sets SCC if two {s} differ."),
    (
        "s_cmp_gt",
        "Sets SCC if the first of two {s} is more than the second.",
    ),
    (
        "s_cmp_ge",
        "Sets SCC if the first of two {s} is the second or more.",
    ),
    (
        "s_cmp_lt",
        "Sets SCC if the first of two {s} is less than the second.",
    ),
    (
        "s_cmp_le",
        "Sets SCC if the first of two {s} is the second or less.",
    ),
    ("s_bitcmp0", "Sets SCC if one bit of {a} is 0."),
    ("s_bitcmp1", "Sets SCC if one bit of {a} is 1."),
    (
        "s_setvskip",
        "Says by one bit whether vector instructions are skipped from here on.",
    ),
    (
        "s_set_gpr_idx_on",
        "Turns VGPR indexing on: M0 says by how much, and for which operands.",
    ),
    // Rows of SOPP.
    ("s_nop", "Does nothing for some cycles."),
    ("s_endpgm", "Ends the wave."),
    ("s_branch", "Jumps."),
    ("s_wakeup", "Wakes the sleeping waves of the work-group."),
    ("s_cbranch_scc0", "Jumps if SCC is 0."),
    ("s_cbranch_scc1", "Jumps if SCC is 1."),
    ("s_cbranch_vccz", "Jumps if no bit of VCC is set."),
    ("s_cbranch_vccnz", "Jumps if any bit of VCC is set."),
    ("s_cbranch_execz", "Jumps if no lane is active."),
    ("s_cbranch_execnz", "Jumps if any lane is active."),
    (
        "s_barrier",
        "Waits until every wave of the work-group has come here.",
    ),
    (
        "s_setkill",
        "Ends the wave if its bit is set, before the next instruction.",
    ),
    (
        "s_waitcnt",
        "Waits until no more accesses are in flight than each counter allows.",
    ),
    (
        "s_sethalt",
        "Halts the wave if its bit is set, until a debugger lets it go on.",
    ),
    ("s_sleep", "Sleeps for some 64 cycles times the constant."),
    (
        "s_setprio",
        "Sets the priority of the wave among those of its SIMD.",
    ),
    (
        "s_sendmsg",
        "Sends a message to the host or to fixed hardware.",
    ),
    ("s_sendmsghalt", "Sends a message and halts."),
    ("s_trap", "Enters the trap handler with a number."),
    ("s_icache_inv", "Drops what the instruction cache holds."),
    ("s_incperflevel", "Adds 1 to a performance counter."),
    ("s_decperflevel", "Takes 1 from a performance counter."),
    ("s_ttracedata", "Sends M0 to the thread trace."),
    (
        "s_cbranch_cdbgsys",
        "Jumps if the system debugger's flag is set.",
    ),
    (
        "s_cbranch_cdbguser",
        "Jumps if the user debugger's flag is set.",
    ),
    (
        "s_cbranch_cdbgsys_or_user",
        "Jumps if the flag of the system's or the user's debugger is set.",
    ),
    (
        "s_cbranch_cdbgsys_and_user",
        "Jumps if the flags of both debuggers, the system's and the user's, are set.",
    ),
    (
        "s_endpgm_saved",
        "Ends the wave after a trap handler has saved its state.",
    ),
    ("s_set_gpr_idx_off", "Turns VGPR indexing off."),
    (
        "s_set_gpr_idx_mode",
        "Says which operands VGPR indexing is for.",
    ),
    (
        "s_endpgm_ordered_ps_done",
        "Ends a wave of ordered pixels and lets the next ones go on.",
    ),
];
