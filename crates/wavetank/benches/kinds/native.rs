//! What the host does when it is programmed itself: the same work as loops of the guest, by its vectors of 512 bits, the C
//! library and locked instructions. The compiler keeps nothing of it from being done: what is computed is looked at.

use std::arch::x86_64::{
    __m512, __m512i, _mm512_add_epi32, _mm512_fmadd_ps, _mm512_set1_epi32, _mm512_set1_ps,
};
use std::hint::black_box;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::AcqRel;

use crate::kinds::Kind;
use crate::tank::{self, Engine, Tank};
use crate::{Effort, rates};

/// Instructions of a pass: copies in a loop of the guest.
const COPIES: usize = 16;
/// Vectors of the host that 64 lanes are.
const TILES: usize = 4;

/// Work of the host, and a loop of the guest that does as much.
pub struct Peer {
    pub name: &'static str,
    /// As [`Kind::text`], on consecutive elements of so many bytes.
    text: &'static str,
    bytes: u32,
    /// So many passes, each for `COPIES` instructions.
    work: fn(u32),
    needs_avx512: bool,
}

/// All of them.
pub const PEERS: [Peer; 5] = [
    Peer {
        name: "sums of 32 bits, independent",
        text: "v_add_u32 v{v}, v{v}, v1",
        bytes: 4,
        // SAFETY: `line` has looked whether the processor can.
        work: |passes| unsafe { independent_sums(passes) },
        needs_avx512: true,
    },
    Peer {
        name: "a chain of sums of 32 bits",
        text: "v_add_u32 v20, v20, v1",
        bytes: 4,
        // SAFETY: as above.
        work: |passes| unsafe { chained_sums(passes) },
        needs_avx512: true,
    },
    Peer {
        name: "a chain of v_fma_f32",
        text: "v_fma_f32 v20, v20, v1, v10",
        bytes: 4,
        // SAFETY: as above.
        work: |passes| unsafe { chained_fma(passes) },
        needs_avx512: true,
    },
    Peer {
        name: "memcpy of 1 KB, to 16 bytes a lane",
        text: "global_load_dwordx4 v[20:23], v[2:3], off\nglobal_store_dwordx4 v[2:3], v[20:23], off offset:1024",
        bytes: 16,
        work: copies,
        needs_avx512: false,
    },
    Peer {
        name: "locked additions to 64 words",
        text: "global_atomic_add v[2:3], v1, off",
        bytes: 4,
        work: locked_additions,
        needs_avx512: false,
    },
];

impl Peer {
    /// What the host does, in millions of instructions of 64 lanes a second; what compiled code does, if there is any.
    pub fn line(&self, tank: &mut Tank<'_>, effort: &Effort) -> Result<String, String> {
        if self.needs_avx512 && !is_x86_feature_detected!("avx512f") {
            return Ok("this host has no AVX-512".to_owned());
        }
        let code = tank.assemble(self.text)?;
        let host = self.of_host(effort)?;
        if !code.is_compiled() {
            return Ok(format!("{host:9.2}"));
        }
        tank.set_up(&Kind {
            name: self.name.to_owned(),
            text: self.text.to_owned(),
            offsets: std::array::from_fn(|lane| self.bytes * lane as u32),
            exec: !0,
        });
        let [ours, _] = rates(tank, Engine::Compiled, [(&code, !0); 2], effort)?;
        Ok(format!("{host:9.2} {ours:9.2} {:7.3}", ours / host))
    }

    fn of_host(&self, effort: &Effort) -> Result<f64, String> {
        let mut passes = 64;
        let mut best = f64::INFINITY;
        for _ in 0..effort.runs + 12 {
            let start = tank::processor_time()?;
            (self.work)(passes);
            let time = tank::processor_time()? - start;
            best = best.min(time / f64::from(passes));
            if time < effort.seconds {
                passes *= 2;
            }
        }
        Ok(COPIES as f64 / best / 1e6)
    }
}

#[target_feature(enable = "avx512f")]
fn independent_sums(passes: u32) {
    let one = black_box(_mm512_set1_epi32(1));
    for _ in 0..TILES {
        let mut sums: [__m512i; COPIES] = [one; COPIES];
        for _ in 0..passes {
            for sum in &mut sums {
                *sum = kept(_mm512_add_epi32(*sum, one));
            }
        }
        black_box(sums);
    }
}

#[target_feature(enable = "avx512f")]
fn chained_sums(passes: u32) {
    let one = black_box(_mm512_set1_epi32(1));
    let mut sums: [__m512i; TILES] = [one; TILES];
    for _ in 0..passes {
        for _ in 0..COPIES {
            for sum in &mut sums {
                *sum = kept(_mm512_add_epi32(*sum, one));
            }
        }
    }
    black_box(sums);
}

#[target_feature(enable = "avx512f")]
fn chained_fma(passes: u32) {
    let [a, b] = black_box([_mm512_set1_ps(0.5), _mm512_set1_ps(1.25)]);
    let mut sums: [__m512; TILES] = [b; TILES];
    for _ in 0..passes {
        for _ in 0..COPIES {
            for sum in &mut sums {
                *sum = _mm512_fmadd_ps(*sum, a, b);
            }
        }
    }
    black_box(sums);
}

/// A sum that the compiler cannot fold with the next one, in the register that it is in.
#[target_feature(enable = "avx512f")]
fn kept(mut sum: __m512i) -> __m512i {
    // SAFETY: there is nothing in it.
    unsafe { std::arch::asm!("/* {0} */", inout(zmm_reg) sum, options(pure, nomem, nostack)) };
    sum
}

fn copies(passes: u32) {
    let (from, mut to) = ([3u8; 1024], [0u8; 1024]);
    for _ in 0..passes {
        for _ in 0..COPIES {
            black_box(&mut to).copy_from_slice(black_box(&from));
        }
    }
}

fn locked_additions(passes: u32) {
    let words: [AtomicU32; 64] = std::array::from_fn(|_| AtomicU32::new(0));
    for _ in 0..passes {
        for _ in 0..COPIES {
            for word in black_box(&words) {
                word.fetch_add(3, AcqRel);
            }
        }
    }
}
