//! Image instructions (Vega ISA, 8.2 "Vector memory image instructions" and 12.16 MIMG).
//!
//! LWE requests a status like TFE, with a bit that is set if the level of detail was limited to resident memory. All memory is
//! resident here, so the bit is never set.

use wavetank_gcn::tables::Mimg;
use wavetank_gcn::{Field, Flags};
use wavetank_ir::{Access, Counter, Half, Image, ImageKind, Lod, MemKind, MemOp, Rmw, Space};

use crate::block::{Flow, Lift};

/// The operation of an opcode on a texel, or on the texels around a point.
#[derive(Clone, Copy)]
struct Meaning {
    kind: ImageKind,
    memory: MemKind,
    lod: Lod,
    clamp: bool,
    compare: bool,
    offsets: bool,
}

impl Meaning {
    const fn new(kind: ImageKind, memory: MemKind, lod: Lod) -> Self {
        Meaning {
            kind,
            memory,
            lod,
            clamp: false,
            compare: false,
            offsets: false,
        }
    }

    /// _CL: the address ends with an upper limit of the level.
    const fn clamp(self) -> Self {
        Meaning {
            clamp: true,
            ..self
        }
    }

    /// _C: texels are compared with a number in the address.
    const fn compare(self) -> Self {
        Meaning {
            compare: true,
            ..self
        }
    }

    /// _O: the address begins with offsets in texels.
    const fn offsets(self) -> Self {
        Meaning {
            offsets: true,
            ..self
        }
    }
}

const fn load(kind: ImageKind, lod: Lod) -> Meaning {
    Meaning::new(kind, MemKind::Load, lod)
}

const fn store(kind: ImageKind, lod: Lod) -> Meaning {
    Meaning::new(kind, MemKind::Store, lod)
}

const fn atomic(rmw: Rmw) -> Meaning {
    Meaning::new(ImageKind::Texel, MemKind::Atomic(rmw), Lod::Zero)
}

const fn sample(lod: Lod) -> Meaning {
    load(ImageKind::Sample, lod)
}

const fn gather(lod: Lod) -> Meaning {
    load(ImageKind::Gather, lod)
}

/// Lifts an MIMG instruction.
pub(crate) fn mimg(l: &Lift, op: Mimg) -> Flow {
    use ImageKind::{Info, Raw, RawSigned, Texel};
    use Lod::{Bias, Derivatives, Explicit, Implicit, Zero};
    use Mimg::*;
    let meaning = match op {
        IMAGE_LOAD => load(Texel, Zero),
        IMAGE_LOAD_MIP => load(Texel, Explicit),
        IMAGE_LOAD_PCK => load(Raw, Zero),
        IMAGE_LOAD_PCK_SGN => load(RawSigned, Zero),
        IMAGE_LOAD_MIP_PCK => load(Raw, Explicit),
        IMAGE_LOAD_MIP_PCK_SGN => load(RawSigned, Explicit),
        IMAGE_STORE => store(Texel, Zero),
        IMAGE_STORE_MIP => store(Texel, Explicit),
        IMAGE_STORE_PCK => store(Raw, Zero),
        IMAGE_STORE_MIP_PCK => store(Raw, Explicit),
        IMAGE_GET_RESINFO => load(Info, Explicit),
        IMAGE_GET_LOD => load(ImageKind::Lod, Implicit),

        IMAGE_ATOMIC_SWAP => atomic(Rmw::Swap),
        IMAGE_ATOMIC_CMPSWAP => atomic(Rmw::CmpSwap),
        IMAGE_ATOMIC_ADD => atomic(Rmw::Add),
        IMAGE_ATOMIC_SUB => atomic(Rmw::Sub),
        IMAGE_ATOMIC_RSUB => atomic(Rmw::RevSub),
        IMAGE_ATOMIC_SMIN => atomic(Rmw::MinS),
        IMAGE_ATOMIC_UMIN => atomic(Rmw::MinU),
        IMAGE_ATOMIC_SMAX => atomic(Rmw::MaxS),
        IMAGE_ATOMIC_UMAX => atomic(Rmw::MaxU),
        IMAGE_ATOMIC_AND => atomic(Rmw::And),
        IMAGE_ATOMIC_OR => atomic(Rmw::Or),
        IMAGE_ATOMIC_XOR => atomic(Rmw::Xor),
        IMAGE_ATOMIC_INC => atomic(Rmw::Inc),
        IMAGE_ATOMIC_DEC => atomic(Rmw::Dec),
        IMAGE_ATOMIC_FCMPSWAP => atomic(Rmw::FCmpSwap),
        IMAGE_ATOMIC_FMIN => atomic(Rmw::FMin),
        IMAGE_ATOMIC_FMAX => atomic(Rmw::FMax),

        IMAGE_SAMPLE => sample(Implicit),
        IMAGE_SAMPLE_CL => sample(Implicit).clamp(),
        IMAGE_SAMPLE_D => sample(Derivatives),
        IMAGE_SAMPLE_D_CL => sample(Derivatives).clamp(),
        IMAGE_SAMPLE_L => sample(Explicit),
        IMAGE_SAMPLE_B => sample(Bias),
        IMAGE_SAMPLE_B_CL => sample(Bias).clamp(),
        IMAGE_SAMPLE_LZ => sample(Zero),
        IMAGE_SAMPLE_C => sample(Implicit).compare(),
        IMAGE_SAMPLE_C_CL => sample(Implicit).compare().clamp(),
        IMAGE_SAMPLE_C_D => sample(Derivatives).compare(),
        IMAGE_SAMPLE_C_D_CL => sample(Derivatives).compare().clamp(),
        IMAGE_SAMPLE_C_L => sample(Explicit).compare(),
        IMAGE_SAMPLE_C_B => sample(Bias).compare(),
        IMAGE_SAMPLE_C_B_CL => sample(Bias).compare().clamp(),
        IMAGE_SAMPLE_C_LZ => sample(Zero).compare(),
        IMAGE_SAMPLE_O => sample(Implicit).offsets(),
        IMAGE_SAMPLE_CL_O => sample(Implicit).clamp().offsets(),
        IMAGE_SAMPLE_D_O => sample(Derivatives).offsets(),
        IMAGE_SAMPLE_D_CL_O => sample(Derivatives).clamp().offsets(),
        IMAGE_SAMPLE_L_O => sample(Explicit).offsets(),
        IMAGE_SAMPLE_B_O => sample(Bias).offsets(),
        IMAGE_SAMPLE_B_CL_O => sample(Bias).clamp().offsets(),
        IMAGE_SAMPLE_LZ_O => sample(Zero).offsets(),
        IMAGE_SAMPLE_C_O => sample(Implicit).compare().offsets(),
        IMAGE_SAMPLE_C_CL_O => sample(Implicit).compare().clamp().offsets(),
        IMAGE_SAMPLE_C_D_O => sample(Derivatives).compare().offsets(),
        IMAGE_SAMPLE_C_D_CL_O => sample(Derivatives).compare().clamp().offsets(),
        IMAGE_SAMPLE_C_L_O => sample(Explicit).compare().offsets(),
        IMAGE_SAMPLE_C_B_O => sample(Bias).compare().offsets(),
        IMAGE_SAMPLE_C_B_CL_O => sample(Bias).compare().clamp().offsets(),
        IMAGE_SAMPLE_C_LZ_O => sample(Zero).compare().offsets(),
        IMAGE_GATHER4 => gather(Implicit),
        IMAGE_GATHER4_CL => gather(Implicit).clamp(),
        IMAGE_GATHER4_L => gather(Explicit),
        IMAGE_GATHER4_B => gather(Bias),
        IMAGE_GATHER4_B_CL => gather(Bias).clamp(),
        IMAGE_GATHER4_LZ => gather(Zero),
        IMAGE_GATHER4_C => gather(Implicit).compare(),
        IMAGE_GATHER4_C_CL => gather(Implicit).compare().clamp(),
        IMAGE_GATHER4_C_L => gather(Explicit).compare(),
        IMAGE_GATHER4_C_B => gather(Bias).compare(),
        IMAGE_GATHER4_C_B_CL => gather(Bias).compare().clamp(),
        IMAGE_GATHER4_C_LZ => gather(Zero).compare(),
        IMAGE_GATHER4_O => gather(Implicit).offsets(),
        IMAGE_GATHER4_CL_O => gather(Implicit).clamp().offsets(),
        IMAGE_GATHER4_L_O => gather(Explicit).offsets(),
        IMAGE_GATHER4_B_O => gather(Bias).offsets(),
        IMAGE_GATHER4_B_CL_O => gather(Bias).clamp().offsets(),
        IMAGE_GATHER4_LZ_O => gather(Zero).offsets(),
        IMAGE_GATHER4_C_O => gather(Implicit).compare().offsets(),
        IMAGE_GATHER4_C_CL_O => gather(Implicit).compare().clamp().offsets(),
        IMAGE_GATHER4_C_L_O => gather(Explicit).compare().offsets(),
        IMAGE_GATHER4_C_B_O => gather(Bias).compare().offsets(),
        IMAGE_GATHER4_C_B_CL_O => gather(Bias).compare().clamp().offsets(),
        IMAGE_GATHER4_C_LZ_O => gather(Zero).compare().offsets(),
        IMAGE_SAMPLE_CD => sample(Derivatives),
        IMAGE_SAMPLE_CD_CL => sample(Derivatives).clamp(),
        IMAGE_SAMPLE_C_CD => sample(Derivatives).compare(),
        IMAGE_SAMPLE_C_CD_CL => sample(Derivatives).compare().clamp(),
        IMAGE_SAMPLE_CD_O => sample(Derivatives).offsets(),
        IMAGE_SAMPLE_CD_CL_O => sample(Derivatives).clamp().offsets(),
        IMAGE_SAMPLE_C_CD_O => sample(Derivatives).compare().offsets(),
        IMAGE_SAMPLE_C_CD_CL_O => sample(Derivatives).compare().clamp().offsets(),

        // NotYet
        IMAGE_GATHER4H | IMAGE_GATHER4H_PCK => {
            return Flow::unsupported(
                l.inst,
                "it takes a row of four texels, and no document says which",
            );
        }
        IMAGE_GATHER8H_PCK => {
            return Flow::unsupported(
                l.inst,
                "it takes a row of eight texels, and no document says which",
            );
        }
    };
    emit(l, meaning)
}

fn emit(l: &Lift, meaning: Meaning) -> Flow {
    let Meaning {
        kind,
        memory,
        lod,
        clamp,
        compare,
        offsets,
    } = meaning;
    // At least one component: the effect of a mask of 0 is undocumented.
    let components = l.inst.mods.dmask.max(1);
    let count = components.count_ones() as u8;
    let dwords = match (kind, memory) {
        (ImageKind::Gather, _) => 4,
        (_, MemKind::Atomic(Rmw::CmpSwap | Rmw::FCmpSwap)) => (count / 2).max(1),
        _ => count,
    };
    if matches!(memory, MemKind::Atomic(_)) && dwords > 2 {
        return Flow::unsupported(l.inst, "an atomic changes 32 or 64 bits");
    }
    let returns = match memory {
        MemKind::Load => true,
        MemKind::Store => false,
        MemKind::Atomic(_) => l.inst.has(Flags::GLC),
    };
    let narrow = l.inst.has(Flags::R128);
    let mut image = Image {
        kind,
        resource: if narrow {
            let [low, high] = l.descriptor(Field::Srsrc);
            [low, high, l.b.u64(0), l.b.u64(0)]
        } else {
            l.descriptor(Field::Srsrc)
        },
        sampler: l
            .sgpr_code(Field::Ssamp)
            .map(|_| l.descriptor(Field::Ssamp)),
        address: vec![],
        lod,
        components,
        clamp,
        compare,
        offsets,
        unnormalized: l.inst.has(Flags::UNORM),
        array: l.inst.has(Flags::DA),
        short: l.inst.has(Flags::A16),
        tiling: l.rules().image_tiling,
        narrow,
    };
    image.address = l.vectors(Field::Vaddr, image.address_dwords() as u32);
    let mut op = MemOp {
        kind: memory,
        space: Space::Image(image),
        offset: 0,
        access: Access::Dwords(dwords),
        half: if l.inst.has(Flags::D16) {
            super::buffer::components(l)
        } else {
            Half::Whole
        },
        data: vec![],
        ret: l.results(Field::Vdata).filter(|_| returns),
        mask: Some(l.exec_mask()),
        glc: l.inst.has(Flags::GLC),
        slc: l.inst.has(Flags::SLC),
        shadow: false,
        counter: Counter::Vm,
    };
    let operands = match memory {
        MemKind::Load => 0,
        MemKind::Atomic(rmw) if rmw.needs_two() => 2,
        MemKind::Store | MemKind::Atomic(_) => 1,
    };
    op.data = l.vectors(Field::Vdata, operands * op.registers());
    l.vector_memory(op);
    Flow::Next
}
