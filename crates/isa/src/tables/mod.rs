//! The instruction table: one row an instruction, one file an encoding.

/// Where in the encoding an operand stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Field {
    /// Vector destination: VDST.
    Vdst,
    /// Scalar destination: SDST of SOP*, VOP3b, VOPC in VOP3 or SDWA form,
    /// VCC where the short form implies it, SMEM data of loads.
    Sdst,
    /// First source: SRC0, SSRC0.
    Src0,
    /// Second source: SRC1, VSRC1, SSRC1.
    Src1,
    /// Third source: SRC2.
    Src2,
    /// The carry-in or condition mask: VCC in short forms, SRC2 in VOP3.
    CarryIn,
    /// The literal K of v_madmk, v_madak, v_fmamk, v_fmaak; the 32-bit
    /// immediate of s_setreg_imm32_b32.
    Literal,
    /// SOPK, SOPP: the 16-bit immediate (branch target, hwreg, waitcnt …).
    Simm16,
    /// SMEM: base address or resource.
    Sbase,
    /// SMEM: data that is stored, or loaded and replaced.
    Sdata,
    /// SMEM, MUBUF, MTBUF: scalar offset.
    Soffset,
    /// Address VGPR(s): VADDR, ADDR of DS and FLAT.
    Vaddr,
    /// Data VGPR(s) of MUBUF, MTBUF, MIMG; source of a store, destination of
    /// a load.
    Vdata,
    /// First data operand of DS; DATA of FLAT, GLOBAL, SCRATCH.
    Data0,
    /// Second data operand of DS.
    Data1,
    /// Scalar base of GLOBAL and SCRATCH.
    Saddr,
    /// Buffer or image resource: the first of 4 or 8 SGPRs.
    Srsrc,
    /// Image sampler: the first of 4 SGPRs.
    Ssamp,
    /// VINTRP: attribute number and channel (`attr0.x`), 4·attr + channel.
    Attr,
    /// VINTRP: parameter (p10, p20, p0) of v_interp_mov_f32.
    Param,
    /// Export target.
    Target,
    /// Export sources 0 to 3.
    Exp0,
    #[allow(missing_docs)]
    Exp1,
    #[allow(missing_docs)]
    Exp2,
    #[allow(missing_docs)]
    Exp3,
}

/// What an operand's bits are: decides its width, how constants are read and
/// which modifiers apply.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Ty {
    B8, B16, B32, B64, B96, B128, B256, B512,
    U16, I16, U32, I32, U64, I64,
    /// 24-bit integers in a 32-bit register.
    U24, I24,
    F16, F32, F64,
    /// Packed pairs of 16 bits (VOP3P).
    V2F16, V2I16, V2U16,
    /// A 64-bit lane mask in an SGPR pair.
    Mask,
    /// Not a register: an immediate.
    Imm,
}
