//! A launch that has been prepared, to which hooks are added before it runs.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use wavetank::hooks::Accesses;

use crate::array::Array;
use crate::error::{argument_error, error};
use crate::hook::{Event, Hook, MEMORIES, PythonHooks, places};
use crate::launch::Run;

/// A kernel with arguments and settings.
pub(crate) trait Prepared: Send + Sync {
    /// The name of the kernel.
    fn name(&self) -> &str;

    /// Returns device addresses of code: those of a function by its name, or a pair.
    fn code_range(&self, within: &Bound<'_, PyAny>) -> PyResult<Range<u64>>;

    /// Runs the launch with hooks.
    fn run(&self, py: Python<'_>, hooks: Option<Arc<PythonHooks>>) -> PyResult<Run>;
}

/// A launch of a kernel that has not run yet, made by `Kernel.launch`. It takes hooks, and runs once.
///
/// >>> import wavetank as wt
/// >>> gpu = wt.Device("gfx906")
/// >>> source = "add:\n s_add_u32 s4, s2, 5\n v_mov_b32 v1, s4\n s_endpgm"
/// >>> launch = gpu.load(wt.asm(source, kernels=["add()"]))["add"].launch(grid=256, block=64)
/// >>> seen = []
/// >>> @launch.hook("instruction", mnemonic="v_mov_b32")
/// ... def look(wave):
/// ...     seen.append((wave.group[0], wave.sgpr(4)))
/// >>> run = launch.run()
/// >>> sorted(seen)
/// [(0, 5), (1, 6), (2, 7), (3, 8)]
#[pyclass(frozen, module = "wavetank")]
pub(crate) struct Launch {
    prepared: Box<dyn Prepared>,
    /// The hooks so far; `None` after the run.
    hooks: Mutex<Option<Vec<Hook>>>,
}

impl Launch {
    pub(crate) fn new(prepared: impl Prepared + 'static) -> Launch {
        Launch {
            prepared: Box::new(prepared),
            hooks: Mutex::new(Some(Vec::new())),
        }
    }

    /// Adds a hook.
    fn add(&self, py: Python<'_>, hook: Hook) -> PyResult<()> {
        if !hook.function.bind(py).is_callable() {
            let class = hook.function.bind(py).get_type().name()?;
            let sentence = format!("a hook is a function, not `{class}`");
            return Err(argument_error(py, sentence));
        }
        let mut hooks = self.hooks.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = hooks.as_mut() else {
            drop(hooks);
            return Err(has_run(py));
        };
        open.push(hook);
        Ok(())
    }
}

fn has_run(py: Python<'_>) -> PyErr {
    let sentence = "the launch has run: prepare another one with `Kernel.launch`";
    error(py, sentence)
}

#[pymethods]
impl Launch {
    /// Adds a function that is called while the waves run, and returns it; without `function`, returns a decorator.
    ///
    /// `on` is the event:
    ///
    /// * `"instruction"`: before each instruction, `function(wave)`. `mnemonic` is a pattern or a list of them (`"v_exp_f32"`,
    ///   `"global_load*"`), `within` the name of a function, or a pair of device addresses.
    /// * `"memory"`: after each instruction that accesses memory, `function(wave, accesses)`. `kind` (`"load"`, `"store"`,
    ///   `"atomic"`), `space` (`"global"`, `"lds"`, `"gds"`, `"scratch"`) and `range` (an array of the device, or a pair of addresses or
    ///   offsets) choose accesses; `mnemonic` and `within` choose instructions.
    /// * `"barrier"`, `"wave_start"`, `"wave_end"`: when a wave comes to a barrier, to its first and to its last instruction,
    ///   `function(wave)`.
    /// * `"group_start"`, `"group_end"`: `function(group)`, with the three numbers of the work-group.
    /// * `"fault"`: at a fault, `function(wave, fault)`. If it returns `True`, the wave goes on after the instruction: denied lanes have
    ///   loaded 0 and stored nothing. `"retry"` executes the instruction again, as after a repair of the registers.
    ///
    /// `wave` is a `wavetank.HookedWave`: its registers may be read and set while the function runs. An exception of the function
    /// ends the launch and is raised by `run`. Code without hooks is not slower. The order of waves is repeatable on a device with
    /// `threads=1`.
    #[pyo3(signature = (on, function = None, *, mnemonic = None, within = None, kind = None, space = None, range = None))]
    #[expect(clippy::too_many_arguments, reason = "they are named in calls")]
    fn hook<'py>(
        this: &Bound<'py, Self>,
        on: &str,
        function: Option<Bound<'py, PyAny>>,
        mnemonic: Option<&Bound<'py, PyAny>>,
        within: Option<&Bound<'py, PyAny>>,
        kind: Option<&Bound<'py, PyAny>>,
        space: Option<&Bound<'py, PyAny>>,
        range: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, launch) = (this.py(), this.get());
        let filters = Filters {
            mnemonic: strings(mnemonic, "mnemonic")?,
            within: within
                .map(|within| launch.prepared.code_range(within))
                .transpose()?,
            kind: strings(kind, "kind")?,
            space: strings(space, "space")?,
            range: range.map(memory_range).transpose()?,
        };
        let event = event(py, on, filters)?;
        let Some(function) = function else {
            let adder = Adder {
                launch: this.clone().unbind(),
                event,
            };
            return Ok(Bound::new(py, adder)?.into_any());
        };
        let hook = Hook {
            event,
            function: function.clone().unbind(),
        };
        launch.add(py, hook)?;
        Ok(function)
    }

    /// Runs the launch, as a call of the kernel does, with its hooks.
    fn run(&self, py: Python<'_>) -> PyResult<Run> {
        // The lock is free while the launch runs: a hook may use this object.
        let hooks = {
            let mut hooks = self.hooks.lock().unwrap_or_else(PoisonError::into_inner);
            hooks.take()
        };
        let hooks = hooks.ok_or_else(|| has_run(py))?;
        let hooks = (!hooks.is_empty()).then(|| Arc::new(PythonHooks::new(hooks)));
        self.prepared.run(py, hooks)
    }

    fn __repr__(&self) -> String {
        format!("Launch({})", self.prepared.name())
    }
}

/// A decorator that adds its function as a hook.
#[pyclass(frozen, module = "wavetank._wavetank")]
pub(crate) struct Adder {
    launch: Py<Launch>,
    event: Event,
}

#[pymethods]
impl Adder {
    fn __call__<'py>(&self, function: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = function.py();
        let hook = Hook {
            event: self.event.clone(),
            function: function.clone().unbind(),
        };
        self.launch.bind(py).get().add(py, hook)?;
        Ok(function)
    }
}

/// What a hook is restricted to.
struct Filters {
    mnemonic: Vec<String>,
    within: Option<Range<u64>>,
    kind: Vec<String>,
    space: Vec<String>,
    range: Option<Range<u64>>,
}

/// Returns the event of a name and filters.
fn event(py: Python<'_>, on: &str, filters: Filters) -> PyResult<Event> {
    let Filters {
        mnemonic,
        within,
        kind,
        space,
        range,
    } = filters;
    let has_accesses = !kind.is_empty() || !space.is_empty() || range.is_some();
    let has_code = !mnemonic.is_empty() || within.is_some();
    let refuse = |filters: &str| {
        let sentence = format!("a hook on `{on}` takes no {filters}");
        Err(argument_error(py, sentence))
    };
    if has_accesses && on != "memory" {
        return refuse("`kind`, `space` or `range`: these choose accesses to memory");
    }
    if has_code && !["instruction", "memory"].contains(&on) {
        return refuse("`mnemonic` or `within`: these choose instructions");
    }
    let places = places(within, &mnemonic);
    Ok(match on {
        "instruction" => Event::Instruction(places),
        "memory" => Event::Memory(accesses(py, Accesses::at(places), &kind, &space, range)?),
        "barrier" => Event::Barrier,
        "wave_start" => Event::WaveStart,
        "wave_end" => Event::WaveEnd,
        "group_start" => Event::GroupStart,
        "group_end" => Event::GroupEnd,
        "fault" => Event::Fault,
        _ => {
            let sentence = format!(
                "there is no event `{on}`: there are instruction, memory, barrier, wave_start, wave_end, group_start, group_end and fault"
            );
            return Err(argument_error(py, sentence));
        }
    })
}

/// Restricts accesses to kinds, memories and a range.
fn accesses(
    py: Python<'_>,
    mut accesses: Accesses,
    kinds: &[String],
    spaces: &[String],
    range: Option<Range<u64>>,
) -> PyResult<Accesses> {
    for kind in kinds {
        accesses = match kind.as_str() {
            "load" => accesses.loads(),
            "store" => accesses.stores(),
            "atomic" => accesses.atomics(),
            _ => {
                let sentence =
                    format!("there is no kind `{kind}`: there are load, store and atomic");
                return Err(argument_error(py, sentence));
            }
        };
    }
    for space in spaces {
        let Some((_, memory)) = MEMORIES.iter().find(|(name, _)| name == space) else {
            let sentence =
                format!("there is no memory `{space}`: there are global, lds, gds and scratch");
            return Err(argument_error(py, sentence));
        };
        accesses = accesses.memory(*memory);
    }
    Ok(match range {
        Some(range) => accesses.within(range),
        None => accesses,
    })
}

/// Returns a text, or a list of texts.
fn strings(object: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<Vec<String>> {
    let Some(object) = object else {
        return Ok(Vec::new());
    };
    if let Ok(text) = object.extract::<String>() {
        return Ok(vec![text]);
    }
    object.extract::<Vec<String>>().map_err(|_| {
        let class = object.get_type().name();
        let class = class.map_or_else(|_| "it".to_owned(), |class| format!("`{class}`"));
        let sentence = format!("{name} is a text or a list of texts, not {class}");
        argument_error(object.py(), sentence)
    })
}

/// Returns the range of an array, or of a pair of addresses.
fn memory_range(object: &Bound<'_, PyAny>) -> PyResult<Range<u64>> {
    if let Ok(array) = object.cast::<Array>() {
        let buffer = array.get().get(object.py())?;
        return Ok(buffer.address()..buffer.address() + buffer.len());
    }
    pair(
        object,
        "range is an array of the device, or a pair of addresses",
    )
}

/// Returns a range from a pair of numbers.
pub(crate) fn pair(object: &Bound<'_, PyAny>, wanted: &str) -> PyResult<Range<u64>> {
    match object.extract::<(u64, u64)>() {
        Ok((start, end)) => Ok(start..end),
        Err(_) => Err(argument_error(
            object.py(),
            format!("{wanted}, not {}", object.repr()?),
        )),
    }
}
