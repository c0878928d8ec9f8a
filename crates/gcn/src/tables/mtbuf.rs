//! Rows of typed buffer instructions (Vega ISA, 12.15 MTBUF).

use super::Ty::*;
use super::row::*;

family! {
    /// Typed buffer instructions (Vega ISA, 12.15 MTBUF).
    Mtbuf: Vmem {
        //                                                                    gfx6  gfx7  gfx8  gfx9
        TBUFFER_LOAD_FORMAT_X         = row("tbuffer_load_format_x",         [0x00, 0x00, 0x00, 0x00], &[vdata(B32), vaddr(), srsrc(B128), soffset()]),
        TBUFFER_LOAD_FORMAT_XY        = row("tbuffer_load_format_xy",        [0x01, 0x01, 0x01, 0x01], &[vdata(B64), vaddr(), srsrc(B128), soffset()]),
        TBUFFER_LOAD_FORMAT_XYZ       = row("tbuffer_load_format_xyz",       [0x02, 0x02, 0x02, 0x02], &[vdata(B96), vaddr(), srsrc(B128), soffset()]),
        TBUFFER_LOAD_FORMAT_XYZW      = row("tbuffer_load_format_xyzw",      [0x03, 0x03, 0x03, 0x03], &[vdata(B128), vaddr(), srsrc(B128), soffset()]),
        TBUFFER_STORE_FORMAT_X        = row("tbuffer_store_format_x",        [0x04, 0x04, 0x04, 0x04], &[vdata(B32).read(), vaddr(), srsrc(B128), soffset()]),
        TBUFFER_STORE_FORMAT_XY       = row("tbuffer_store_format_xy",       [0x05, 0x05, 0x05, 0x05], &[vdata(B64).read(), vaddr(), srsrc(B128), soffset()]),
        TBUFFER_STORE_FORMAT_XYZ      = row("tbuffer_store_format_xyz",      [0x06, 0x06, 0x06, 0x06], &[vdata(B96).read(), vaddr(), srsrc(B128), soffset()]),
        TBUFFER_STORE_FORMAT_XYZW     = row("tbuffer_store_format_xyzw",     [0x07, 0x07, 0x07, 0x07], &[vdata(B128).read(), vaddr(), srsrc(B128), soffset()]),
        TBUFFER_LOAD_FORMAT_D16_X     = row("tbuffer_load_format_d16_x",     [  __,   __, 0x08, 0x08], &[vdata(B32), vaddr(), srsrc(B128), soffset()]).d16(),
        TBUFFER_LOAD_FORMAT_D16_XY    = row("tbuffer_load_format_d16_xy",    [  __,   __, 0x09, 0x09], &[vdata(B32), vaddr(), srsrc(B128), soffset()]).d16(),
        TBUFFER_LOAD_FORMAT_D16_XYZ   = row("tbuffer_load_format_d16_xyz",   [  __,   __, 0x0a, 0x0a], &[vdata(B64), vaddr(), srsrc(B128), soffset()]).d16(),
        TBUFFER_LOAD_FORMAT_D16_XYZW  = row("tbuffer_load_format_d16_xyzw",  [  __,   __, 0x0b, 0x0b], &[vdata(B64), vaddr(), srsrc(B128), soffset()]).d16(),
        TBUFFER_STORE_FORMAT_D16_X    = row("tbuffer_store_format_d16_x",    [  __,   __, 0x0c, 0x0c], &[vdata(B32).read(), vaddr(), srsrc(B128), soffset()]).d16(),
        TBUFFER_STORE_FORMAT_D16_XY   = row("tbuffer_store_format_d16_xy",   [  __,   __, 0x0d, 0x0d], &[vdata(B32).read(), vaddr(), srsrc(B128), soffset()]).d16(),
        TBUFFER_STORE_FORMAT_D16_XYZ  = row("tbuffer_store_format_d16_xyz",  [  __,   __, 0x0e, 0x0e], &[vdata(B64).read(), vaddr(), srsrc(B128), soffset()]).d16(),
        TBUFFER_STORE_FORMAT_D16_XYZW = row("tbuffer_store_format_d16_xyzw", [  __,   __, 0x0f, 0x0f], &[vdata(B64).read(), vaddr(), srsrc(B128), soffset()]).d16(),
    }
}
