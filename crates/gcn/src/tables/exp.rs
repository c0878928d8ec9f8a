//! The row of exports to render target, position or parameter (Vega ISA, 12.17 EXPORT).

use super::row::*;

family! {
    /// Exports to render target, position or parameter (Vega ISA, 12.17 EXPORT).
    Exp: Export {
        //                gfx6  gfx7  gfx8  gfx9
        EXP = row("exp", [0x00, 0x00, 0x00, 0x00], &[export_target(), exp0(), exp1(), exp2(), exp3()]).on(Chips::BEFORE_90A),
    }
}
