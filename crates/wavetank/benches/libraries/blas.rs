//! OpenBLAS on two threads, where it is installed. It is looked for at run time, so that the benchmark builds without it.

use std::error::Error;
use std::ffi::{CStr, c_int, c_void};
use std::time::{Duration, Instant};

use bytemuck::Pod;

use crate::cases::{Case, Contents, Peer};
use crate::turns::Engine;

const THREADS: c_int = 2;
/// The threads of OpenBLAS look for more work for a while after a call. Others' turns wait until they sleep.
const REST: Duration = Duration::from_millis(100);

/// Of CBLAS: rows one after another, and a matrix as it stands.
const ROW_MAJOR: c_int = 101;
const NO_TRANSPOSE: c_int = 111;

/// `cblas_sgemm` and `cblas_dgemm`: order, how A and B stand, their three sizes, alpha, A, B, beta, C, each with its row.
type Gemm<T> = unsafe extern "C" fn(
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    T,
    *const T,
    c_int,
    *const T,
    c_int,
    T,
    *mut T,
    c_int,
);

/// The library's functions.
pub(crate) struct Blas {
    sgemm: Gemm<f32>,
    dgemm: Gemm<f64>,
}

/// Matrices of a case.
pub(crate) enum Ready {
    Single(usize, [Vec<f32>; 3]),
    Double(usize, [Vec<f64>; 3]),
}

impl Blas {
    /// `Err` says why there is none.
    pub(crate) fn new() -> Result<Blas, String> {
        // SAFETY: the library is a system's one, whose start has no demands. It stays loaded.
        let library = unsafe { libc::dlopen(c"libopenblas.so.0".as_ptr(), libc::RTLD_NOW) };
        if library.is_null() {
            return Err("there is no libopenblas.so.0".to_owned());
        }
        let find = |name: &CStr| {
            // SAFETY: the library is open, and the name ends with a zero.
            let found = unsafe { libc::dlsym(library, name.as_ptr()) };
            if found.is_null() {
                Err(format!("it has no {name:?}"))
            } else {
                Ok(found)
            }
        };
        let (sgemm, dgemm) = (find(c"cblas_sgemm")?, find(c"cblas_dgemm")?);
        let set_threads = find(c"openblas_set_num_threads")?;
        // SAFETY: these are the types of the functions in CBLAS and OpenBLAS.
        unsafe {
            std::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int)>(set_threads)(THREADS);
            Ok(Blas {
                sgemm: std::mem::transmute::<*mut c_void, Gemm<f32>>(sgemm),
                dgemm: std::mem::transmute::<*mut c_void, Gemm<f64>>(dgemm),
            })
        }
    }
}

impl Engine for Blas {
    type Ready = Ready;

    fn label(&self) -> &str {
        "OpenBLAS"
    }

    fn threads(&self) -> usize {
        THREADS as usize
    }

    fn prepare(&self, case: &Case) -> Result<Option<Ready>, Box<dyn Error>> {
        Ok(match case.peer {
            Peer::Sgemm(n) => Some(Ready::Single(n, matrices(case, n))),
            Peer::Dgemm(n) => Some(Ready::Double(n, matrices(case, n))),
            _ => None,
        })
    }

    fn time(&self, _: &Case, ready: &mut Ready) -> Result<Duration, Box<dyn Error>> {
        let start = Instant::now();
        match ready {
            Ready::Single(n, matrices) => multiply(self.sgemm, *n, matrices, [1.0, 0.0]),
            Ready::Double(n, matrices) => multiply(self.dgemm, *n, matrices, [1.0, 0.0]),
        }
        let time = start.elapsed();
        std::thread::sleep(REST);
        Ok(time)
    }

    fn result(&self, ready: &Ready) -> Result<Vec<u32>, Box<dyn Error>> {
        Ok(match ready {
            Ready::Single(_, [_, _, c]) => bytemuck::cast_slice(c).to_vec(),
            Ready::Double(_, [_, _, c]) => bytemuck::cast_slice(c).to_vec(),
        })
    }
}

/// A and B, the first two buffers, and room for C.
fn matrices<T: Pod>(case: &Case, n: usize) -> [Vec<T>; 3] {
    [0, 1, 2].map(|number| {
        let mut matrix = vec![T::zeroed(); n * n];
        if let Contents::Words(words) = &case.buffers[number] {
            bytemuck::cast_slice_mut(&mut matrix).copy_from_slice(words);
        }
        matrix
    })
}

fn multiply<T: Copy>(gemm: Gemm<T>, n: usize, matrices: &mut [Vec<T>; 3], [one, zero]: [T; 2]) {
    let [a, b, c] = matrices;
    assert!([a.len(), b.len(), c.len()] == [n * n; 3]);
    let n = n as c_int;
    // SAFETY: all three matrices have n rows of n numbers.
    unsafe {
        gemm(
            ROW_MAJOR,
            NO_TRANSPOSE,
            NO_TRANSPOSE,
            n,
            n,
            n,
            one,
            a.as_ptr(),
            n,
            b.as_ptr(),
            n,
            zero,
            c.as_mut_ptr(),
            n,
        );
    }
}
