//! The execution of single instructions on a given state.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use wavetank::environment::KernelSettings;
use wavetank_cases::{Engine, ExecError, Run, parse_words};

use crate::error::{argument_error, error};
use crate::host_array::array_of;

/// The codes of scalar registers with names.
const NAMED: [(&str, usize, bool); 3] =
    [("vcc", 106, true), ("exec", 126, true), ("m0", 124, false)];

/// The state after instructions were executed.
///
/// `state["v0"]` is an array of 64 lanes, `uint32`; `.view(numpy.float32)` reads them as floats. Scalar registers, `vcc`, `exec`, `m0`
/// and `scc` are numbers.
#[pyclass(frozen, module = "wavetank._wavetank")]
pub(crate) struct Executed {
    run: Mutex<Run>,
}

/// Executes instructions, separated by `;`, on a state given by words as those of `wavetank exec`: `v1=0..63`.
#[pyfunction]
#[pyo3(signature = (isa, text, words))]
pub(crate) fn execute(
    py: Python<'_>,
    isa: &str,
    text: &str,
    words: Vec<String>,
) -> PyResult<Executed> {
    let case = parse_words(isa, text, &words).map_err(|e| argument_error(py, sentence(&e)))?;
    let settings = KernelSettings::from_env().map_err(|e| error(py, e))?;
    let engine = Engine::of_environment(settings.engine);
    let run = py.detach(|| case.run(engine));
    let run = run.map_err(|e| argument_error(py, sentence(&e)))?;
    Ok(Executed {
        run: Mutex::new(run),
    })
}

/// Returns an error without a number of line: the words are one line.
fn sentence(error: &ExecError) -> String {
    error.message.clone()
}

impl Executed {
    fn run(&self) -> MutexGuard<'_, Run> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Executed {
    /// The sentence about the fault that stopped the instructions, or `None`.
    #[getter]
    fn fault(&self) -> Option<String> {
        self.run().stopped().map(ToString::to_string)
    }

    /// The registers and places in memory whose value changed: by name, the bits of a value, the lanes, and the new values. For a
    /// place without lanes the list of lanes is empty.
    #[getter]
    fn changes(&self) -> Vec<(String, u32, Vec<usize>, Vec<u64>)> {
        let change = |change: wavetank_cases::Changed| {
            let (lanes, values): (Vec<_>, Vec<_>) = change.values.into_iter().unzip();
            let lanes = lanes.into_iter().flatten().collect();
            (change.name, change.bits, lanes, values)
        };
        self.run().changes().into_iter().map(change).collect()
    }

    /// The elements of surfaces whose value changed: number and level of the surface, coordinates, and the new value.
    #[getter]
    fn elements(&self) -> Vec<(u32, u32, [u32; 3], u64)> {
        let mut all = Vec::new();
        for grid in self.run().grids() {
            let cells = grid.changed.iter();
            all.extend(cells.map(|(at, value)| (grid.number, grid.level, *at, *value)));
        }
        all
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let run = self.run();
        let scalar = |n: usize| u64::from(run.scalar(n));
        let wide = |n: usize| scalar(n) | scalar(n + 1) << 32;
        let value = |number: u64| Ok(number.into_pyobject(py)?.into_any());
        if let Some((_, n, is_wide)) = NAMED.iter().find(|(known, ..)| *known == name) {
            return value(if *is_wide { wide(*n) } else { scalar(*n) });
        }
        if name == "scc" {
            return value(run.scc().into());
        }
        let number = |prefix: char| name.strip_prefix(prefix)?.parse::<usize>().ok();
        match (number('v'), number('s')) {
            (Some(n @ 0..256), _) => array_of(py, run.vector(n), "uint32"),
            (_, Some(n @ 0..106)) => value(scalar(n)),
            _ => {
                let sentence =
                    format!("`{name}` is not a register: take v0, s0, vcc, exec, m0 or scc");
                Err(pyo3::exceptions::PyKeyError::new_err(sentence))
            }
        }
    }

    fn __repr__(&self) -> String {
        let names: Vec<String> = self.run().changes().into_iter().map(|c| c.name).collect();
        format!("State(changed: {})", names.join(", "))
    }
}
