//! The forms in which an instruction can be encoded.

/// The encoding of an instruction, which determines the layout of its bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Form {
    Sop1,
    Sop2,
    Sopk,
    Sopc,
    Sopp,
    /// Scalar memory: SMRD on gfx6 and gfx7, SMEM on gfx8 and gfx9.
    Smem,
    Vop1,
    Vop2,
    Vopc,
    /// VOP3a and VOP3b, native opcodes and promoted ones.
    Vop3,
    Vop3p,
    /// VOP3P-MAI: matrix instructions and moves between VGPRs and AGPRs.
    Mai,
    /// Two words of VOP3P, scales and a matrix instruction (VOP3PX2).
    MaiScaled,
    /// The SDWA form of a VOP1, VOP2 or VOPC opcode.
    Sdwa,
    /// The DPP form of a VOP1, VOP2 or VOPC opcode.
    Dpp,
    Vintrp,
    Ds,
    Mubuf,
    Mtbuf,
    Mimg,
    Flat,
    Global,
    Scratch,
    Exp,
}

impl Form {
    /// Every form, in the order of declaration.
    pub const ALL: [Form; Form::Exp as usize + 1] = {
        use Form::*;
        [
            Sop1, Sop2, Sopk, Sopc, Sopp, Smem, Vop1, Vop2, Vopc, Vop3, Vop3p, Mai, MaiScaled,
            Sdwa, Dpp, Vintrp, Ds, Mubuf, Mtbuf, Mimg, Flat, Global, Scratch, Exp,
        ]
    };
}
