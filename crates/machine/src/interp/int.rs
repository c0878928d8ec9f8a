//! Integer functions, and the choice among them.

use wavetank_ir::{Bin, Elem, Rel, Tern, Un};

use super::lanes::{Env, Op1, Op2, Op3, Test2};
use super::visit::Visit;

/// Declares functions of two elements: `Name(a: A, b: B) -> R = body`.
macro_rules! op2 {
    ($($name:ident($a:ident: $ta:ty, $b:ident: $tb:ty) -> $r:ty = $body:expr;)*) => {$(
        struct $name;
        impl Op2 for $name {
            type A = $ta;
            type B = $tb;
            type R = $r;
            #[inline(always)]
            fn f(_: Env, $a: $ta, $b: $tb) -> $r {
                $body
            }
        }
    )*};
}

op2! {
    Add32(a: u32, b: u32) -> u32 = a.wrapping_add(b);
    Add64(a: u64, b: u64) -> u64 = a.wrapping_add(b);
    Shl32(a: u32, b: u32) -> u32 = a.wrapping_shl(b);
    Shl64(a: u64, b: u32) -> u64 = a.wrapping_shl(b);
}

/// The function of a two-operand integer operation.
pub fn bin<V: Visit>(op: Bin, elem: Elem, v: V) -> Option<V::Out> {
    use Elem::{I32, I64};
    Some(match (op, elem) {
        (Bin::Add, I32) => v.plain2::<Add32>(),
        (Bin::Add, I64) => v.plain2::<Add64>(),
        (Bin::Shl, I32) => v.plain2::<Shl32>(),
        (Bin::Shl, I64) => v.plain2::<Shl64>(),
        _ => return None,
    })
}

/// Whether a value is nonzero.
pub struct NonZero;

impl Test2 for NonZero {
    type A = u32;
    type B = u32;
    #[inline(always)]
    fn f(_: Env, a: u32, _: u32) -> bool {
        a != 0
    }
}
