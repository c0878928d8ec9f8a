//! Shadows of matrices.

use wavetank_ir::{Addend, MatrixOp, Op, Reg, Ty};

use super::block::Follow;
use super::numbers::{Bits, Shadow};

impl Follow<'_> {
    /// Appends a product of matrices, and the shadow of D: each element of it depends on whole rows of A and columns of B, so an
    /// undefined bit of either makes all of D undefined. Else an element is undefined where that of C is.
    pub(super) fn product(&mut self, product: &MatrixOp, op: Op) -> Bits {
        let shadow = |n: u32| Reg::V(n as u16).shadow().map(|reg| self.b.read(reg));
        let spans: Vec<_> = product.read().collect();
        let is_c = |n: usize| n == 2 && matches!(product.c, Addend::Registers(_));
        let factors = (0..).zip(&spans).filter(|(n, _)| !is_c(*n));
        let registers = factors.flat_map(|(_, span)| span.first..span.end());
        let undefined = registers.fold(None, |all: Shadow, n| self.n.or(all, shadow(n)));
        let lanes = undefined.map(|bits| self.b.cast(Ty::U64, self.n.any(bits)));
        let everywhere = lanes.map(|lanes| self.n.smear(lanes, 32));
        let of_c = spans.get(2).filter(|_| is_c(2));
        let written = product.written();
        let results: Vec<Shadow> = (0..written.count)
            .map(|n| {
                self.n
                    .or(everywhere, of_c.and_then(|c| shadow(c.first + n)))
            })
            .collect();
        let value = self.b.node(op, None);
        let all = self.b.mask(!0);
        for (n, result) in (written.first..).zip(results) {
            self.write(Reg::V(n as u16), result, Some(all), 0xf);
        }
        Bits {
            value,
            shadow: None,
        }
    }
}
