//! Hooks: functions of Python that a launch calls while its waves run.

use std::ops::ControlFlow::{self, Break, Continue};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use wavetank::hooks::{Accesses, AfterFault, HookedWave, Hooks, Places};
use wavetank::{AccessRecord, Error, Group, KernelFault, MemKind, MemoryKind};

use crate::error::{argument_error, raised};
use crate::hooked_wave;
use crate::host_array::array_of;
use crate::loan::Loan;

/// The event that a hook is called at.
#[derive(Clone)]
pub(crate) enum Event {
    Instruction(Places),
    Memory(Accesses),
    Barrier,
    Fault,
    WaveStart,
    WaveEnd,
    GroupStart,
    GroupEnd,
}

/// A function of Python, and the event that it is called at.
pub(crate) struct Hook {
    pub event: Event,
    pub function: Py<PyAny>,
}

/// The hooks of a launch, and the first exception of one.
#[derive(Default)]
pub(crate) struct PythonHooks {
    pub hooks: Vec<Hook>,
    raised: Mutex<Option<PyErr>>,
}

impl PythonHooks {
    pub(crate) fn new(hooks: Vec<Hook>) -> PythonHooks {
        let raised = Mutex::default();
        PythonHooks { hooks, raised }
    }

    /// Takes the exception out that ended the launch, if one did.
    pub(crate) fn take_exception(&self) -> Option<PyErr> {
        self.exception().take()
    }

    fn exception(&self) -> std::sync::MutexGuard<'_, Option<PyErr>> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the exception of a hook; the first one is that of the launch.
    fn keep(&self, error: PyErr) {
        self.exception().get_or_insert(error);
    }

    /// Returns the hooks as the library takes them.
    pub(crate) fn all(&self) -> Hooks<'_> {
        self.hooks.iter().fold(Hooks::default(), |all, hook| {
            let on_wave = move |at: &mut HookedWave<'_>| self.on_wave(hook, at);
            let on_group = move |group: &Group| self.on_group(hook, group);
            match &hook.event {
                Event::Instruction(places) => all.instructions(places.clone(), on_wave),
                Event::Barrier => all.instructions(Places::barriers(), on_wave),
                Event::WaveEnd => all.instructions(Places::ends(), on_wave),
                Event::WaveStart => all.wave_start(on_wave),
                Event::Memory(accesses) => all.accesses(accesses.clone(), move |at, records| {
                    self.on_accesses(hook, at, records)
                }),
                Event::Fault => all.fault(move |at, fault| self.on_fault(hook, at, fault)),
                Event::GroupStart => all.group_start(on_group),
                Event::GroupEnd => all.group_end(on_group),
            }
        })
    }

    /// Calls a function of Python. An exception ends the launch.
    fn call<R>(&self, function: impl FnOnce(Python<'_>) -> PyResult<R>) -> ControlFlow<(), R> {
        match Python::attach(function) {
            Ok(result) => Continue(result),
            Err(error) => {
                self.keep(error);
                Break(())
            }
        }
    }

    /// Calls a function with the wave as an object of Python, which is gone afterwards.
    fn with_wave<R>(
        &self,
        at: &mut HookedWave<'_>,
        function: impl FnOnce(Python<'_>, &Bound<'_, hooked_wave::HookedWave>) -> PyResult<R>,
    ) -> ControlFlow<(), R> {
        self.call(|py| {
            let (group, index, pc) = (at.group, at.index, at.pc);
            Loan::lend(py, at, |loan| {
                let wave = hooked_wave::HookedWave::of(py, loan, &group, index, pc)?;
                function(py, &wave)
            })
        })
    }

    fn on_wave(&self, hook: &Hook, at: &mut HookedWave<'_>) -> ControlFlow<()> {
        self.with_wave(at, |py, wave| hook.function.call1(py, (wave,)).map(drop))
    }

    fn on_group(&self, hook: &Hook, group: &Group) -> ControlFlow<()> {
        let [x, y, z] = group.id;
        self.call(|py| hook.function.call1(py, ((x, y, z),)).map(drop))
    }

    /// Calls a hook with the accesses of each kind and memory.
    fn on_accesses(
        &self,
        hook: &Hook,
        at: &mut HookedWave<'_>,
        records: &[AccessRecord],
    ) -> ControlFlow<()> {
        let of = |record: &AccessRecord| (kind_name(record.kind), record.memory);
        self.with_wave(at, |py, wave| {
            for records in records.chunk_by(|one, next| of(one) == of(next)) {
                let seen = Bound::new(py, Accessed::of(records))?;
                hook.function.call1(py, (wave, seen))?;
            }
            Ok(())
        })
    }

    /// Calls a hook with a fault. If its result is true, the wave goes on: at the same instruction after `"retry"`, at the PC that the
    /// hook has set, and otherwise after the instruction.
    fn on_fault(&self, hook: &Hook, at: &mut HookedWave<'_>, fault: &KernelFault) -> AfterFault {
        let before = at.wave().uniform().pc;
        let answer = self.with_wave(at, |py, wave| {
            let error = raised(py, &Error::Fault(Box::new(fault.clone())));
            let answer = hook.function.call1(py, (wave, error.value(py)))?;
            let answer = answer.bind(py);
            match answer.extract::<String>() {
                Ok(text) if text == "retry" => Ok(AfterFault::Retry),
                Ok(text) => {
                    let sentence = format!(
                        "a hook on `fault` returns True, False, None or \"retry\", not \"{text}\""
                    );
                    Err(argument_error(py, sentence))
                }
                Err(_) if answer.is_truthy()? => Ok(AfterFault::Skip),
                Err(_) => Ok(AfterFault::Fail),
            }
        });
        match answer {
            Continue(AfterFault::Skip) if at.wave().uniform().pc != before => AfterFault::Retry,
            Continue(answer) => answer,
            Break(()) => AfterFault::Fail,
        }
    }
}

/// The name of a kind of access.
pub(crate) fn kind_name(kind: MemKind) -> &'static str {
    match kind {
        MemKind::Load => "load",
        MemKind::Store => "store",
        MemKind::Atomic(_) => "atomic",
    }
}

/// The names of the kinds of memory.
pub(crate) const MEMORIES: [(&str, MemoryKind); 4] = [
    ("global", MemoryKind::Global),
    ("lds", MemoryKind::Lds),
    ("gds", MemoryKind::Gds),
    ("scratch", MemoryKind::Scratch),
];

/// The name of a kind of memory.
pub(crate) fn memory_name(memory: MemoryKind) -> &'static str {
    let mut named = MEMORIES.iter().filter(|(_, kind)| *kind == memory);
    named.next().map_or("memory", |(name, _)| name)
}

/// The accesses of an instruction of a wave to one memory, in the order of the lanes: for each of them its lane, address and size.
#[pyclass(frozen, module = "wavetank")]
pub(crate) struct Accessed {
    records: Vec<AccessRecord>,
}

impl Accessed {
    fn of(records: &[AccessRecord]) -> Accessed {
        Accessed {
            records: records.to_vec(),
        }
    }
}

#[pymethods]
impl Accessed {
    /// `"load"`, `"store"` or `"atomic"`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.records.first().map_or("load", |r| kind_name(r.kind))
    }

    /// `"global"`, `"lds"`, `"gds"` or `"scratch"`.
    #[getter]
    fn space(&self) -> &'static str {
        self.records
            .first()
            .map_or("global", |r| memory_name(r.memory))
    }

    /// The lanes, `int8`; -1 for an access of the wave as a whole.
    #[getter]
    fn lanes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let lanes = self.records.iter().map(|r| r.lane.map_or(-1, |l| l as i8));
        array_of(py, &lanes.collect::<Vec<i8>>(), "int8")
    }

    /// The addresses, `uint64`; for memory other than global memory, the offsets from its beginning.
    #[getter]
    fn addresses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let addresses = self.records.iter().map(|r| r.address);
        array_of(py, &addresses.collect::<Vec<u64>>(), "uint64")
    }

    /// The sizes in bytes, `uint32`.
    #[getter]
    fn sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let sizes = self.records.iter().map(|r| r.bytes);
        array_of(py, &sizes.collect::<Vec<u32>>(), "uint32")
    }

    fn __len__(&self) -> usize {
        self.records.len()
    }

    fn __repr__(&self) -> String {
        let (kind, space, count) = (self.kind(), self.space(), self.records.len());
        format!("Accessed({kind}, {space}, {count} accesses)")
    }
}

/// Returns the places of some code: within a range, and with some mnemonics.
pub(crate) fn places(within: Option<Range<u64>>, mnemonics: &[String]) -> Places {
    let places = within.map_or_else(Places::all, |range| Places::all().within(range));
    mnemonics
        .iter()
        .fold(places, |places, pattern| places.mnemonic(pattern))
}
