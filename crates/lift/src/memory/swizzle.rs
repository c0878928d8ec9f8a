//! The lane patterns of ds_swizzle_b32.

/// The source lane of each lane, by the 16-bit offset of the instruction.
///
/// Bit 15 clear: within 32 lanes, source = ((lane & and) | or) ^ xor. Bit 15
/// set: any lane of the same four. With `rotates`, from 0xc000 on: rotation
/// within 32 lanes, where lanes keep the bits in the mask; from 0xe000 on: the
/// order of a fast Fourier transform, bits reversed above the mask.
pub(super) fn pattern(offset: u16, rotates: bool) -> [u8; 64] {
    let field = |shift: u32| (offset >> shift & 31) as u8;
    let source = |lane: u8| -> u8 {
        match offset {
            0xe000.. if rotates => {
                let mask = field(0);
                let reversed = lane.reverse_bits() >> 3;
                (reversed >> mask.count_ones()) | (lane & mask)
            }
            0xc000.. if rotates => {
                let mask = field(0);
                let by = if offset & 0x400 != 0 {
                    field(5).wrapping_neg()
                } else {
                    field(5)
                };
                (lane & mask) | (lane.wrapping_add(by) & !mask)
            }
            0x8000.. => (lane & 0x1c) | (offset >> (2 * (lane & 3)) & 3) as u8,
            _ => ((lane & field(0)) | field(5)) ^ field(10),
        }
    };
    std::array::from_fn(|n| {
        let lane = n as u8;
        (lane & 32) | (source(lane & 31) & 31)
    })
}

#[cfg(test)]
mod tests {
    use super::pattern;

    /// The GCN wiki's operation listing of DS_SWIZZLE_B32.
    #[test]
    fn bit_masks_and_quads() {
        for offset in [
            0x1f_u16, 0x041f, 0x7c1f, 0x03e0, 0x001c, 0x5555, 0x80e4, 0x801b, 0x80b1,
        ] {
            let expected: Vec<u8> = (0..64u32)
                .map(|lane| {
                    let offset = u32::from(offset);
                    let source = if offset & 0x8000 != 0 {
                        (lane & 0x3c) + (offset >> (2 * (lane & 3)) & 3)
                    } else {
                        let (and, or, xor) = (offset & 31, offset >> 5 & 31, offset >> 10);
                        (lane & 32) + ((((lane & 31) & and) | or) ^ xor)
                    };
                    source as u8
                })
                .collect();
            assert_eq!(pattern(offset, true)[..], expected, "{offset:#x}");
        }
    }

    /// Examples of AMD's ISA documents: inputs {1, 2, … 0x20} of 32 lanes.
    #[test]
    fn fourier_and_rotation() {
        let outputs = |offset| {
            pattern(offset, true)[..8]
                .iter()
                .map(|l| l + 1)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            outputs(0xe000),
            [0x1, 0x11, 0x9, 0x19, 0x5, 0x15, 0xd, 0x1d]
        );
        assert_eq!(outputs(0xe010), [0x1, 0x9, 0x5, 0xd, 0x3, 0xb, 0x7, 0xf]);
        assert_eq!(outputs(0xe01f), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(outputs(0xc020), [2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(outputs(0xc420), [0x20, 1, 2, 3, 4, 5, 6, 7]);
    }
}
