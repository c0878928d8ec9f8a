//! 16 blocks of 4×4.

use iced_x86::Code;

use super::common::{
    DOT, EACH, FACTOR, FMA, LOAD, Numbers, OF_B, OF_D, Product, REGISTER, ROW_OF_D, SIGNS, STORE,
    TILE, XOR, note_nans, zmm,
};
use crate::compiler::asm::{Arg, Asm, Mem};

impl Product<'_> {
    /// A row of each of four blocks is a tile, in which A's factor is that of the lane's quad.
    pub(super) fn quads(&self, asm: &mut Asm) {
        if self.numbers == Numbers::Bytes {
            let signs = asm.constant(0x8080_8080);
            asm.op(EACH, &[SIGNS.into(), signs.into()]);
        }
        let d = self.at(self.op.d, 0);
        asm.op(Code::Lea_r64_m, &[ROW_OF_D.into(), d.into()]);
        for tile in 0..4 {
            let b = zmm(OF_B);
            let lane = self.op.instruction.lane_of_b(16 * tile as usize) as u32;
            let from = self.at(self.op.b, 4 * lane).into();
            match self.numbers {
                Numbers::Bytes => asm.op(XOR, &[b.into(), SIGNS.into(), from]),
                _ => asm.op(LOAD, &[b.into(), from]),
            }
            for i in 0..4 {
                let (d, to) = (zmm(OF_D + i), REGISTER * i + TILE * tile);
                self.load_c(asm, d, to);
                let of_quads = Code::EVEX_Vpermilps_zmm_k1z_zmmm512b32_imm8;
                let a = self.at(self.op.a, TILE * tile).into();
                asm.op(of_quads, &[FACTOR.into(), a, Arg::I(i as u8 * 0x55)]);
                if self.numbers == Numbers::Bytes {
                    let excess = zmm(OF_B + 1);
                    asm.op(XOR, &[excess.into(); 3]);
                    asm.op(DOT, &[excess.into(), SIGNS.into(), FACTOR.into()]);
                    let less = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
                    asm.op(less, &[d.into(), d.into(), excess.into()]);
                    asm.op(DOT, &[d.into(), b.into(), FACTOR.into()]);
                } else {
                    asm.op(FMA, &[d.into(), b.into(), FACTOR.into()]);
                    note_nans(asm, i as usize, d, d);
                }
                asm.op(STORE, &[Mem::at(ROW_OF_D, to).into(), d.into()]);
            }
        }
    }
}
