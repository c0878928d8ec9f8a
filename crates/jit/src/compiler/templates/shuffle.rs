//! Templates of shuffles within a tile: a row of DPP has 16 lanes too.

use iced_x86::Code;
use wavetank_ir::{LANES, Op};
use wavetank_lower::TooMany;

use crate::compiler::asm::{Arg, Mem, Under, fixed};
use crate::compiler::tile::{SCRATCH, SCRATCH_MASK, Template, Tile};

/// The number of lanes of a tile.
const ROW: usize = 16;

/// A shuffle within each row, if a table is one; a lane without a source becomes 0.
pub(super) fn shuffle(table: &[u8; LANES]) -> Option<Template> {
    let lanes = table.iter().enumerate();
    let mut in_row = lanes.map(|(n, lane)| {
        let from = usize::from(*lane);
        from >= LANES || from / ROW == n / ROW
    });
    in_row.all(|stays| stays).then_some(row)
}

fn row(t: &mut Tile) -> Result<(), TooMany> {
    let Op::Shuffle(value, table) = &t.block.node(t.this()).op else {
        unreachable!("it is the template of a shuffle");
    };
    let from = t.reg(*value)?;
    let numbers = table.map(|lane| u32::from(lane) % ROW as u32);
    let exists = (0..LANES).fold(0u64, |mask, n| {
        mask | u64::from(usize::from(table[n]) < LANES) << n
    });
    let numbers = Mem::sum(fixed::CONSTANTS, fixed::TILE, t.asm.constant_row(&numbers));
    let exists = t.asm.constant_row(&[exists as u32, (exists >> 32) as u32]);
    let exists = Mem::sum(fixed::CONSTANTS, fixed::PIECE, exists);
    let (taken, k) = (SCRATCH[0], SCRATCH_MASK);
    t.asm
        .op(Code::VEX_Kmovw_kr_km16, &[k.into(), exists.into()]);
    t.asm.op(
        Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512,
        &[taken.into(), numbers.into()],
    );
    let args = [taken.into(), taken.into(), Arg::R(from)];
    t.asm.under(
        Code::EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32,
        Under::Zero(k),
        &args,
    );
    let (to, under) = t.result(0)?;
    let args = [to.into(), taken.into()];
    t.asm
        .under(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, under, &args);
    Ok(())
}
