//! Cross-lane operations across tiles: code for the wave as a whole, from memory to memory.

use iced_x86::{Code, Register};
use wavetank_ir::{LANES, Op, Value};
use wavetank_lower::{Place, TooMany};

use crate::compiler::asm::{Arg, Mem, Under, fixed};
use crate::compiler::segments::source;
use crate::compiler::uniform::Uniform;

/// The number of lanes of a tile.
const ROW: usize = 16;
/// The bytes of a tile of a lane vector.
const TILE: u32 = 64;
const TILES: u32 = 4;

const A: Register = Register::RAX;
const ROWS: [Register; 4] = [
    Register::ZMM16,
    Register::ZMM17,
    Register::ZMM18,
    Register::ZMM19,
];
const NUMBERS: Register = Register::ZMM0;
const RESULT: Register = Register::ZMM1;
const OTHER: Register = Register::ZMM2;
const K: Register = Register::K1;

const COPY: Code = Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512;
const STORE: Code = Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm;
const BROADCAST: Code = Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32;
/// Selects from two registers by five-bit numbers, which the result replaces.
const SELECT: Code = Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32;

type Done = Result<(), TooMany>;

impl Uniform<'_, '_> {
    /// Emits the code of a cross-lane operation.
    ///
    /// # Errors
    /// If there are no temporaries left.
    pub(super) fn cross(&mut self, v: Value) -> Done {
        match &self.block.node(v).op {
            Op::Shuffle(value, table) => self.shuffle(v, *value, table),
            Op::ShuffleMask(mask, table) => self.shuffle_mask(v, *mask, table),
            Op::Permute { value, index, mask } => self.permute(v, *value, *index, *mask),
            Op::Scatter { value, index, mask } => self.scatter(v, *value, *index, *mask),
            _ => unreachable!("others are not known"),
        }
    }

    /// The offset of a lane vector for the result.
    fn lanes_of(&mut self, v: Value) -> Result<u32, TooMany> {
        match self.single.claim(v, self.segment)? {
            Place::Vector(at) => Ok(at),
            _ => unreachable!("results of lanes are lane vectors"),
        }
    }

    /// Loads a tile of a value, or broadcasts a uniform one.
    pub(super) fn tile_of(&mut self, to: Register, v: Value, tile: u32, under: Under) {
        let (code, from) = match self.single.place(source(self.block, v)) {
            Place::Vector(at) => (COPY, Mem::at(fixed::VECTOR, at + TILE * tile)),
            Place::Uniform(at) => (BROADCAST, Mem::at(fixed::UNIFORM, at)),
            Place::Const(c) => (BROADCAST, self.asm.constant(c as u32)),
            Place::Nowhere => unreachable!("operands are computed before their users"),
        };
        self.asm.under(code, under, &[to.into(), from.into()]);
    }

    /// Loads the mask of the next tile, and shifts the rest in the first register.
    fn next_mask(&mut self) {
        let eax = crate::compiler::asm::low(A);
        self.asm.op(Code::VEX_Kmovw_kr_r32, &[K.into(), eax.into()]);
        self.asm
            .op(Code::Shr_rm64_imm8, &[A.into(), (ROW as u8).into()]);
    }

    fn constant_mask(&mut self, lanes: impl Fn(usize) -> bool) {
        let bits = (0..ROW).fold(0u32, |bits, lane| bits | u32::from(lanes(lane)) << lane);
        let bits = self.asm.constant(bits);
        self.asm
            .op(Code::VEX_Kmovw_kr_km16, &[K.into(), bits.into()]);
    }

    /// A shuffle by a constant table: each tile is assembled from the pairs of tiles that it takes lanes from.
    fn shuffle(&mut self, v: Value, value: Value, table: &[u8; LANES]) -> Done {
        let to = self.lanes_of(v)?;
        self.asm.use_constants();
        for (n, row) in (0..).zip(table.as_chunks::<ROW>().0) {
            let zero = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
            self.asm.op(zero, &[RESULT.into(); 3]);
            for pair in 0..2 {
                let in_pair = |lane: usize| usize::from(row[lane]) / (2 * ROW) == pair;
                if !(0..ROW).any(in_pair) {
                    continue;
                }
                self.constant_mask(in_pair);
                let numbers = row.map(|lane| u32::from(lane) % (2 * ROW as u32));
                let numbers = self.asm.constant_row(&numbers);
                let numbers = Mem::at(fixed::CONSTANTS, numbers);
                self.asm.op(COPY, &[NUMBERS.into(), numbers.into()]);
                for tile in 0..2 {
                    let from = 2 * pair as u32 + tile;
                    self.tile_of(ROWS[tile as usize], value, from, Under::All);
                }
                let args = [NUMBERS.into(), ROWS[0].into(), ROWS[1].into()];
                self.asm.op(SELECT, &args);
                let args = [RESULT.into(), NUMBERS.into()];
                self.asm.under(COPY, Under::Merge(K), &args);
            }
            let to = Mem::at(fixed::VECTOR, to + TILE * n);
            self.asm.op(STORE, &[to.into(), RESULT.into()]);
        }
        self.asm.op(Code::VEX_Vzeroupper, &[]);
        Ok(())
    }

    /// A shuffle of a mask by a constant table. With a byte for each lane, one instruction selects within a row.
    fn shuffle_mask(&mut self, v: Value, mask: Value, table: &[u8; LANES]) -> Done {
        let (general, done) = (self.asm.label(), self.asm.label());
        self.load(A, mask);
        self.asm
            .with_constant(Code::Cmp_rm64_imm32, A.into(), -1, true);
        self.asm.jump(Code::Jne_rel32_64, general);
        let all = (0..LANES).fold(0u64, |all, lane| {
            all | u64::from(usize::from(table[lane]) < LANES) << lane
        });
        self.asm.set(A, all);
        self.asm.jump(Code::Jmp_rel32_64, done);
        self.asm.place(general);
        self.asm.use_constants();
        self.asm.op(Code::VEX_Kmovq_kr_r64, &[K.into(), A.into()]);
        let bytes = ROWS[0];
        self.asm
            .op(Code::EVEX_Vpmovm2b_zmm_kr, &[bytes.into(), K.into()]);
        let zero = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
        self.asm.op(zero, &[RESULT.into(); 3]);
        for row in 0..4u8 {
            self.take_of_row(bytes, row, table);
        }
        self.asm
            .op(Code::EVEX_Vpmovb2m_kr_zmm, &[K.into(), RESULT.into()]);
        self.asm.op(Code::VEX_Kmovq_r64_kr, &[A.into(), K.into()]);
        self.asm.op(Code::VEX_Vzeroupper, &[]);
        self.asm.place(done);
        self.result(v)
    }

    /// Selects the bytes that the result takes from one row, if any.
    fn take_of_row(&mut self, bytes: Register, row: u8, table: &[u8; LANES]) {
        let of_row = |lane: u8| lane / ROW as u8 == row;
        if !table.iter().any(|lane| of_row(*lane)) {
            return;
        }
        // A number with the top bit set selects 0.
        let number = |lane: u8| if of_row(lane) { lane % ROW as u8 } else { 0x80 };
        let (quads, _) = table.as_chunks::<4>();
        let numbers: Vec<u32> = quads
            .iter()
            .map(|quad| u32::from_le_bytes(quad.map(number)))
            .collect();
        let numbers = Mem::at(fixed::CONSTANTS, self.asm.constant_row(&numbers));
        let everywhere = Code::EVEX_Vshufi32x4_zmm_k1z_zmm_zmmm512b32_imm8;
        let order = Arg::I(row * 0x55);
        let args = [OTHER.into(), bytes.into(), bytes.into(), order];
        self.asm.op(everywhere, &args);
        let args = [OTHER.into(), OTHER.into(), numbers.into()];
        self.asm.op(Code::EVEX_Vpshufb_zmm_k1z_zmm_zmmm512, &args);
        let args = [RESULT.into(), RESULT.into(), OTHER.into()];
        self.asm.op(Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32, &args);
    }

    /// A permute by lane numbers; lanes outside the mask give 0.
    fn permute(&mut self, v: Value, value: Value, index: Value, mask: Value) -> Done {
        let to = self.lanes_of(v)?;
        self.asm.use_constants();
        self.load(A, mask);
        for (tile, row) in (0..).zip(ROWS) {
            self.next_mask();
            self.tile_of(row, value, tile, Under::Zero(K));
        }
        for tile in 0..TILES {
            self.tile_of(NUMBERS, index, tile, Under::All);
            let shift = Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
            self.asm
                .op(shift, &[NUMBERS.into(), NUMBERS.into(), 2.into()]);
            let upper = Arg::Each(self.asm.constant(32));
            let args = [K.into(), NUMBERS.into(), upper];
            self.asm.op(Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32, &args);
            self.asm.op(COPY, &[RESULT.into(), NUMBERS.into()]);
            for (numbers, [low, high]) in
                [(RESULT, [ROWS[0], ROWS[1]]), (NUMBERS, [ROWS[2], ROWS[3]])]
            {
                self.asm
                    .op(SELECT, &[numbers.into(), low.into(), high.into()]);
            }
            self.asm
                .under(COPY, Under::Merge(K), &[RESULT.into(), NUMBERS.into()]);
            let to = Mem::at(fixed::VECTOR, to + TILE * tile);
            self.asm.op(STORE, &[to.into(), RESULT.into()]);
        }
        self.asm.op(Code::VEX_Vzeroupper, &[]);
        Ok(())
    }

    /// A scatter: lanes of the mask send their values, in order; lanes without a sender get 0.
    fn scatter(&mut self, v: Value, value: Value, index: Value, mask: Value) -> Done {
        let to = self.lanes_of(v)?;
        self.asm.use_constants();
        let zero = Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
        self.asm.op(zero, &[RESULT.into(); 3]);
        for tile in 0..TILES {
            let to = Mem::at(fixed::VECTOR, to + TILE * tile);
            self.asm.op(STORE, &[to.into(), RESULT.into()]);
        }
        self.load(A, mask);
        for tile in 0..TILES {
            self.next_mask();
            self.tile_of(NUMBERS, index, tile, Under::All);
            // The number times four, modulo 64 lanes.
            let lane = Arg::Each(self.asm.constant(0xfc));
            let args = [NUMBERS.into(), NUMBERS.into(), lane];
            self.asm.op(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, &args);
            self.tile_of(OTHER, value, tile, Under::All);
            let to = Mem::sum(fixed::VECTOR, NUMBERS, to);
            self.asm.under(
                Code::EVEX_Vpscatterdd_vm32z_k1_zmm,
                Under::Merge(K),
                &[to.into(), OTHER.into()],
            );
        }
        self.asm.op(Code::VEX_Vzeroupper, &[]);
        Ok(())
    }
}
