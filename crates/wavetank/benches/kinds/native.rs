//! What the host does when it is programmed itself: the same work as loops of the guest, by its vectors of 512 bits, the C
//! library and locked instructions. The compiler keeps nothing of it from being done: what is computed is looked at.

use std::hint::black_box;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::AcqRel;

use crate::kinds::Kind;
use crate::tank::{self, Engine, Tank};
use crate::{Effort, rates};

#[cfg(target_arch = "x86_64")]
#[path = "vectors.rs"]
mod vectors;

/// Instructions of a pass: copies in a loop of the guest.
const COPIES: usize = 16;

/// Work of the host, and a loop of the guest that does as much.
pub(crate) struct Peer {
    pub name: &'static str,
    /// As [`Kind::text`], on consecutive elements of so many bytes.
    text: &'static str,
    bytes: u32,
    /// So many passes, each for `COPIES` instructions.
    work: fn(u32),
    needs_avx512: bool,
}

/// All of them.
pub(crate) const PEERS: &[Peer] = &[
    #[cfg(target_arch = "x86_64")]
    Peer {
        name: "sums of 32 bits, independent",
        text: "v_add_u32 v{v}, v{v}, v1",
        bytes: 4,
        // SAFETY: `line` has looked whether the processor can.
        work: |passes| unsafe { vectors::independent_sums(passes) },
        needs_avx512: true,
    },
    #[cfg(target_arch = "x86_64")]
    Peer {
        name: "a chain of sums of 32 bits",
        text: "v_add_u32 v20, v20, v1",
        bytes: 4,
        // SAFETY: as above.
        work: |passes| unsafe { vectors::chained_sums(passes) },
        needs_avx512: true,
    },
    #[cfg(target_arch = "x86_64")]
    Peer {
        name: "a chain of v_fma_f32",
        text: "v_fma_f32 v20, v20, v1, v10",
        bytes: 4,
        // SAFETY: as above.
        work: |passes| unsafe { vectors::chained_fma(passes) },
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
    pub(crate) fn line(&self, tank: &mut Tank<'_>, effort: &Effort) -> Result<String, String> {
        if self.needs_avx512 && !has_avx512() {
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

fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx512f");
    #[cfg(not(target_arch = "x86_64"))]
    false
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
