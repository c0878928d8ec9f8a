//! The table of modifiers: a row for each meaning of a bit field.

use wavetank_gcn::Form;
use wavetank_gcn::shapes::MatrixType;
use wavetank_gcn::tables::{Access, Op};

/// The groups of forms in which a field has one meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    /// VOP3, SDWA and DPP.
    Vector,
    /// VOP3P, except for mixed precision.
    Packed,
    /// Mixed precision in VOP3P.
    Mixed,
    /// SMEM and SMRD.
    Scalar,
    /// DS.
    Lds,
    /// MUBUF, MTBUF, MIMG, FLAT, GLOBAL and SCRATCH.
    Memory,
    /// The same, for atomics.
    Atomic,
    /// EXP.
    Export,
    /// Dense products of matrices.
    Matrix,
    /// Products with a sparse A.
    SparseMatrix,
    /// Products whose types are chosen.
    ChosenMatrix,
}

impl Family {
    pub(super) fn of(op: Op, form: Form) -> Family {
        let returns = |access| matches!(access, Access::WriteIfGlc | Access::ReadWriteIfGlc);
        let mut names = op.row().mnemonics.iter().flatten();
        match form {
            Form::Vop3p if names.any(|name| name.contains("_mix")) => Family::Mixed,
            Form::Vop3p => Family::Packed,
            Form::Exp => Family::Export,
            Form::Mai | Form::MaiScaled => match op.row().shape {
                Some(shape) if shape.sparse => Family::SparseMatrix,
                Some(shape) if shape.a == MatrixType::F8f6f4 => Family::ChosenMatrix,
                _ => Family::Matrix,
            },
            Form::Ds => Family::Lds,
            _ if op.row().operands.iter().any(|spec| returns(spec.access)) => Family::Atomic,
            Form::Smem => Family::Scalar,
            Form::Mubuf | Form::Mtbuf | Form::Mimg | Form::Flat | Form::Global | Form::Scratch => {
                Family::Memory
            }
            _ => Family::Vector,
        }
    }
}

/// A bit field, the family in which it has this meaning (or any), its text, and its meaning.
pub(super) struct Row(
    pub &'static str,
    pub Option<Family>,
    pub &'static str,
    pub &'static str,
);

/// A part of a register that SDWA selects, for the text of three fields.
const PART: &str =
    "BYTE_0 to BYTE_3, WORD_0, WORD_1 or DWORD: the part of the source that is taken";
const SIGN_EXTENDED: &str = "the part of the source is sign-extended";
const NEGATED: &str = "the sign of the source is changed, after its magnitude";
const MAGNITUDE: &str = "the source without its sign";
pub(super) const OP_SEL_HI: &str = "a bit for each source: the high result takes its high half";
pub(super) const MIXED_HI: &str = "a bit for each source: it is a half-precision float";
const BITOP3: &str = "a truth table of 8 bits: bit 4·a + 2·b + c is the result for bits a, b and c";
const FORMAT_OF_A: &str = "the format of A: 0 fp8, 1 bf8, 2 fp6, 3 bf6, 4 fp4";
const FORMAT_OF_B: &str = "the format of B: 0 fp8, 1 bf8, 2 fp6, 3 bf6, 4 fp4";

/// The modifiers (Vega ISA, 6.2 "OMOD", 6.7 "Packed math", 8.1, 8.2, 9, 10, 11.1, 13.3 to 13.6; CDNA 3 ISA, 7
/// "Matrix arithmetic instructions"; LLVM's "User Guide for AMDGPU Backend", "Memory Model gfx942").
pub(super) const ROWS: &[Row] = {
    use Family::*;
    &[
        // Vector ALU.
        Row(
            "abs",
            None,
            "|src|",
            "a bit for each source: it is taken without its sign",
        ),
        Row(
            "neg",
            Some(Packed),
            "neg_lo:[…]",
            "a bit for each source: the sign of what the low result takes is changed",
        ),
        Row(
            "neg",
            Some(Mixed),
            "-src",
            "a bit for each source: its sign is changed, after its magnitude",
        ),
        Row(
            "neg",
            Some(Matrix),
            "neg:[…]",
            "a bit each for A, B and C: the signs of its elements are changed",
        ),
        Row(
            "neg",
            None,
            "-src",
            "a bit for each source: its sign is changed, after its magnitude",
        ),
        Row(
            "neg_hi",
            Some(Mixed),
            "|src|",
            "a bit for each source: it is taken without its sign",
        ),
        Row(
            "neg_hi",
            None,
            "neg_hi:[…]",
            "a bit for each source: the sign of what the high result takes is changed",
        ),
        Row(
            "op_sel",
            Some(Packed),
            "op_sel:[…]",
            "a bit for each source: the low result takes its high half",
        ),
        Row(
            "op_sel",
            Some(Mixed),
            "op_sel:[…]",
            "a bit for each source: its high half, if op_sel_hi is set",
        ),
        Row(
            "op_sel",
            Some(ChosenMatrix),
            "op_sel:[…]",
            "a bit each for A and B: the lower bit of the byte that is the scale",
        ),
        Row(
            "op_sel",
            None,
            "op_sel:[…]",
            "a bit for each source, then one for the result: its high half",
        ),
        Row(
            "op_sel_hi",
            Some(ChosenMatrix),
            "op_sel_hi:[…]",
            "a bit each for A and B: the upper bit of the byte that is the scale",
        ),
        Row("op_sel_hi", Some(Mixed), "op_sel_hi:[…]", MIXED_HI),
        Row(
            "op_sel_hi2",
            Some(Mixed),
            "op_sel_hi:[…]",
            "the bit of op_sel_hi for the third source",
        ),
        Row("op_sel_hi", None, "op_sel_hi:[…]", OP_SEL_HI),
        Row(
            "op_sel_hi2",
            None,
            "op_sel_hi:[…]",
            "the bit of op_sel_hi for the third source",
        ),
        Row(
            "clamp",
            None,
            "clamp",
            "the result is held to 0.0 … 1.0, or an integer to the range of its type",
        ),
        Row(
            "omod",
            None,
            "mul:2, mul:4, div:2",
            "the result is scaled, if MODE flushes denormals of results and IEEE is off",
        ),
        Row(
            "high",
            None,
            "high",
            "the attribute is in the high half of its word",
        ),
        Row("bitop3_hi", None, "bitop3:n", BITOP3),
        Row("bitop3_mid", None, "bitop3:n", BITOP3),
        Row("bitop3_lo", None, "bitop3:n", BITOP3),
        Row(
            "fi",
            None,
            "fi:1",
            "fetch inactive: values of lanes that EXEC switches off are taken as well",
        ),
        // Matrices.
        Row(
            "cbsz",
            Some(Matrix),
            "cbsz:n",
            "groups of 2^n blocks read one block of A",
        ),
        Row(
            "cbsz",
            Some(SparseMatrix),
            "cbsz:n",
            "0: ABID chooses the set of bits of the index; otherwise the lowest set is taken",
        ),
        Row("cbsz", None, "cbsz:n", FORMAT_OF_A),
        Row(
            "abid",
            Some(Matrix),
            "abid:n",
            "the block of each group that CBSZ makes whose A is read",
        ),
        Row(
            "abid",
            Some(SparseMatrix),
            "abid:n",
            "the set of bits of the index that is taken, if CBSZ is 0",
        ),
        Row(
            "abid",
            None,
            "a word before the instruction",
            "set if the matrices have scales",
        ),
        Row("blgp", Some(ChosenMatrix), "blgp:n", FORMAT_OF_B),
        Row(
            "blgp",
            None,
            "blgp:n",
            "a permutation of B's lanes: 1 and 2 one half twice, 3 turned by 16, 4 to 7 one row of 16 four times",
        ),
        Row(
            "acc_cd",
            None,
            "a registers as C and D",
            "C and D are accumulation registers",
        ),
        Row(
            "acc",
            Some(Matrix),
            "a registers as A, B",
            "a bit each for A and B: accumulation registers",
        ),
        Row(
            "acc",
            Some(SparseMatrix),
            "a registers as A, B",
            "a bit each for A and B: accumulation registers",
        ),
        Row(
            "acc",
            Some(ChosenMatrix),
            "a registers as A, B",
            "a bit each for A and B: accumulation registers",
        ),
        Row(
            "acc",
            None,
            "a registers as data",
            "the data is in accumulation registers",
        ),
        // SDWA.
        Row(
            "dst_sel",
            None,
            "dst_sel:…",
            "BYTE_0 to BYTE_3, WORD_0, WORD_1 or DWORD: the part of the register that gets the result",
        ),
        Row(
            "dst_unused",
            None,
            "dst_unused:…",
            "UNUSED_PAD, UNUSED_SEXT or UNUSED_PRESERVE: the other bits become 0, signs, or stay",
        ),
        Row("src0_sel", None, "src0_sel:…", PART),
        Row("src1_sel", None, "src1_sel:…", PART),
        Row("sext0", None, "sext(src0)", SIGN_EXTENDED),
        Row("sext1", None, "sext(src1)", SIGN_EXTENDED),
        Row("neg0", None, "-src0", NEGATED),
        Row("neg1", None, "-src1", NEGATED),
        Row("abs0", None, "|src0|", MAGNITUDE),
        Row("abs1", None, "|src1|", MAGNITUDE),
        // DPP.
        Row(
            "dpp_ctrl",
            None,
            "quad_perm:[…], row_shl:n, …",
            "the lane from which each takes its first source; also row_shr, row_ror, wave_shl, wave_rol, wave_shr, wave_ror, row_mirror, row_half_mirror, row_bcast, and from gfx90a on row_newbcast",
        ),
        Row(
            "bound_ctrl",
            None,
            "bound_ctrl:0",
            "a lane that takes from no lane takes 0; otherwise it is not written",
        ),
        Row(
            "bank_mask",
            None,
            "bank_mask:n",
            "a bit for each group of 4 lanes in its 16: it is written",
        ),
        Row(
            "row_mask",
            None,
            "row_mask:n",
            "a bit for each row of 16 lanes: it is written",
        ),
        // Memory: addresses.
        Row(
            "offset",
            Some(Scalar),
            "a number",
            "an offset in bytes; on gfx6 and gfx7 in dwords",
        ),
        Row(
            "offset",
            None,
            "offset:n",
            "a number of bytes that is added to the address",
        ),
        Row(
            "offset0",
            None,
            "offset0:n",
            "the offset of the first element, in elements (ST64: in 64 elements)",
        ),
        Row(
            "offset1",
            None,
            "offset1:n",
            "the offset of the second element, in elements (ST64: in 64 elements)",
        ),
        Row(
            "imm",
            None,
            "a number",
            "the offset is a number, not a register",
        ),
        Row(
            "soffset_en",
            None,
            "a register, then offset:n",
            "the offset is a register and a number",
        ),
        Row("soffset", None, "a register", "the register of the offset"),
        Row(
            "offen",
            None,
            "offen",
            "the address register holds an offset in bytes, after an index if there is one",
        ),
        Row(
            "idxen",
            None,
            "idxen",
            "the address register holds the index of a record",
        ),
        Row(
            "addr64",
            None,
            "addr64",
            "two address registers hold a 64-bit address",
        ),
        Row(
            "gds",
            None,
            "gds",
            "the access is to GDS instead of LDS, and also raises EXP_CNT",
        ),
        // Memory: caches and results.
        Row("glc", Some(Atomic), "glc", "the value before is returned"),
        Row(
            "glc",
            None,
            "glc",
            "globally coherent: the access bypasses the first-level cache",
        ),
        Row(
            "slc",
            None,
            "slc",
            "system-level coherent: the L2 cache does not keep the data (streaming)",
        ),
        Row(
            "scc",
            None,
            "scc",
            "system-coherent: the access is visible to the host and other GPUs",
        ),
        Row("sc0", Some(Atomic), "sc0", "the value before is returned"),
        Row(
            "sc0",
            None,
            "sc0",
            "the lower bit of the scope: wave, work-group (sc0), agent (sc1), system (both)",
        ),
        Row(
            "sc1",
            Some(Atomic),
            "sc1",
            "the scope of the atomic is the system",
        ),
        Row(
            "sc1",
            None,
            "sc1",
            "the upper bit of the scope: wave, work-group (sc0), agent (sc1), system (both)",
        ),
        Row(
            "nt",
            None,
            "nt",
            "non-temporal: the caches need not keep the data (streaming)",
        ),
        Row(
            "sve",
            None,
            "an address register",
            "the address register is added; without it the text has `off`",
        ),
        Row("nv", None, "nv", "the memory is not volatile"),
        Row(
            "lds",
            None,
            "lds",
            "the data goes to LDS at M0 instead of registers",
        ),
        Row(
            "tfe",
            None,
            "tfe",
            "a register after the data gets the status of a partly resident texture",
        ),
        Row(
            "lwe",
            None,
            "lwe",
            "a register after the data reports whether the level of detail was clamped",
        ),
        // Buffers with a format, and images.
        Row(
            "dfmt",
            None,
            "dfmt:n",
            "the sizes of the components in memory",
        ),
        Row(
            "nfmt",
            None,
            "nfmt:n",
            "how the components are converted: unorm, snorm, uint, sint, float, …",
        ),
        Row(
            "dmask",
            None,
            "dmask:n",
            "a bit for each of the four components: it is accessed, in the next data register",
        ),
        Row(
            "unorm",
            None,
            "unorm",
            "coordinates count texels; otherwise 0.0 to 1.0 is the whole image",
        ),
        Row(
            "da",
            None,
            "da",
            "the image is an array: a coordinate is the layer",
        ),
        Row(
            "r128",
            None,
            "r128",
            "the descriptor of the image has 128 bits instead of 256",
        ),
        Row("a16", None, "a16", "addresses have 16 bits"),
        Row("d16", None, "d16", "data in registers has 16 bits"),
        // Exports.
        Row(
            "en",
            None,
            "off for an operand",
            "a bit for each of the four sources: it is exported",
        ),
        Row(
            "compr",
            None,
            "compr",
            "each source holds two components of 16 bits",
        ),
        Row("done", None, "done", "the last export of its kind"),
        Row(
            "vm",
            Some(Export),
            "vm",
            "EXEC becomes the mask of valid pixels",
        ),
    ]
};
