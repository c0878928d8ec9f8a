//! Modules and kernels: loaded code, and its launches.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use wavetank::{Dims, Group, Report, Tools};

use crate::argument::{Arguments, Parameter};
use crate::error::{argument_error, raised};
use crate::finding::{self, Finding};
use crate::hook::PythonHooks;
use crate::interrupt;
use crate::launch::{Run, launch_error};
use crate::observed::observed;
use crate::prepared::{Launch, Prepared, pair};
use crate::print;
use crate::shared::Shared;
use crate::step::{Step, Tracer};

/// Code that has been loaded on a device: a mapping of the names of its kernels to kernels.
///
/// The name of a C++ kernel may be that of the source, without its parameters if no other kernel has the name.
#[pyclass(frozen, module = "wavetank")]
pub(crate) struct Module {
    module: wavetank::Module,
    device: Arc<Shared>,
    /// The name of the file for findings.
    path: PathBuf,
}

impl Module {
    pub(crate) fn new(module: wavetank::Module, device: Arc<Shared>, path: PathBuf) -> Module {
        Module {
            module,
            device,
            path,
        }
    }
}

#[pymethods]
impl Module {
    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<Kernel> {
        self.device.get(py)?;
        let kernel = self.module.kernel(name);
        let kernel = kernel.map_err(|e| PyKeyError::new_err(e.to_string()))?;
        Ok(Kernel::new(kernel, self.device.clone(), self.path.clone()))
    }

    fn __contains__(&self, name: &str) -> bool {
        self.module.kernel(name).is_ok()
    }

    fn __len__(&self) -> usize {
        self.module.object().kernels().len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let names = self.kernels().into_pyobject(py)?;
        Ok(names.try_iter()?.into_any())
    }

    /// The names of the kernels, in the order of the code object.
    #[getter]
    fn kernels(&self) -> Vec<String> {
        let kernels = self.module.object().kernels().iter();
        kernels.map(|kernel| kernel.name.clone()).collect()
    }

    /// The target of the code: `gfx906:xnack-`.
    #[getter]
    fn target(&self) -> String {
        self.module.object().target().to_string()
    }

    /// Returns device address and size in bytes of a global variable, or of any other symbol. Raises `KeyError` if there is none.
    fn symbol(&self, name: &str) -> PyResult<(u64, u64)> {
        let symbol = self.module.symbol(name);
        symbol.ok_or_else(|| PyKeyError::new_err(format!("there is no symbol `{name}` here")))
    }

    fn __repr__(&self) -> String {
        format!("Module({}, {})", self.target(), self.kernels().join(", "))
    }
}

/// A kernel of a module. A call launches it and waits for its end:
///
/// `kernel(*args, grid, block=None, lds=0, timeout=None, count=True, cooperative=False)`
///
/// An argument is an array of the device, an array of NumPy, which is copied to the device and back, or a number. The type of a
/// number of Python is that of the kernel's argument; a scalar of NumPy must have that type. `None` and addresses stand for
/// pointers, bytes for structures, a number of bytes for a pointer to LDS.
///
/// `grid` and `block` are the work-items of the launch and of a work-group, each a number or a tuple of up to three. Without
/// `block`, a work-group has the size that the kernel requires, or up to 64 work-items of the first dimension. `lds` is LDS in bytes in
/// addition to the kernel's own. A launch that takes longer than `timeout` seconds raises `wavetank.Timeout`. `count=False` leaves
/// out the count of instructions. `cooperative=True` lets work-groups meet (`this_grid().sync()` of HIP): all of them must fit on the
/// chip at once. `capture` is the path of a file in which the launch is captured, for `wavetank.Capture`.
///
/// The lock of the interpreter is released while the kernel runs.
///
/// Raises `wavetank.ArgumentError` for arguments and sizes that do not fit, and `wavetank.Fault` for a kernel that stops.
///
/// >>> import numpy as np, wavetank as wt
/// >>> gpu = wt.Device("gfx906")
/// >>> fill = gpu.load(wt.asm('''fill:
/// ...     s_load_dwordx4 s[4:7], s[0:1], 0x0
/// ...     v_lshlrev_b32 v0, 2, v0
/// ...     s_waitcnt lgkmcnt(0)
/// ...     v_mov_b32 v1, s6
/// ...     global_store_dword v0, v1, s[4:5]
/// ...     s_endpgm''', kernels=["fill(global f32* y, f32 a)"]))["fill"]
/// >>> y = np.zeros(64, np.float32)
/// >>> run = fill(y, 2.5, grid=64, block=64)
/// >>> y[:3]
/// array([2.5, 2.5, 2.5], dtype=float32)
/// >>> run.instructions, run.waves
/// (6, 1)
#[pyclass(frozen, module = "wavetank")]
pub(crate) struct Kernel {
    kernel: wavetank::Kernel,
    device: Arc<Shared>,
    path: PathBuf,
    parameters: Vec<Parameter>,
}

impl Kernel {
    fn new(kernel: wavetank::Kernel, device: Arc<Shared>, path: PathBuf) -> Kernel {
        let parameters = kernel.args().into_iter().enumerate();
        let parameters = parameters.map(|(n, arg)| Parameter::of(n, arg)).collect();
        Kernel {
            kernel,
            device,
            path,
            parameters,
        }
    }

    /// Converts the arguments of a launch.
    fn arguments<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        device: &wavetank::Device,
    ) -> PyResult<Arguments<'py>> {
        let py = args.py();
        let wrong = |problem: String| {
            raised(
                py,
                &wavetank::Error::Arguments {
                    kernel: self.kernel.name().to_owned(),
                    problem,
                    signature: self.kernel.signature(),
                },
            )
        };
        let is_listed = self.kernel.info().unlisted_args.is_none();
        if is_listed && args.len() != self.parameters.len() {
            let (takes, given) = (self.parameters.len(), args.len());
            let s = if takes == 1 { "" } else { "s" };
            return Err(wrong(format!(
                "takes {takes} argument{s} and was given {given}"
            )));
        }
        let mut arguments = Arguments::new();
        for (n, object) in args.iter().enumerate() {
            let parameter = self.parameters.get(n).filter(|_| is_listed);
            arguments.add(&object, parameter, device)?.map_err(wrong)?;
        }
        Ok(arguments)
    }

    /// Returns the sizes of a launch.
    fn sizes(
        &self,
        grid: &Bound<'_, PyAny>,
        block: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Dims, Dims)> {
        let grid = dims(grid, "grid")?;
        let block = match block {
            Some(block) => dims(block, "block")?,
            None => self.kernel.default_block(grid),
        };
        Ok((grid, block))
    }
}

/// The settings of a launch.
#[derive(Clone)]
struct Settings {
    sizes: (Dims, Dims),
    lds: u32,
    timeout: Option<Duration>,
    count: bool,
    cooperative: bool,
    /// The file in which the launch is captured.
    capture: Option<PathBuf>,
    tools: Tools,
    tracer: Option<Arc<Tracer>>,
    hooks: Option<Arc<PythonHooks>>,
}

impl Settings {
    /// The settings of a launch without options.
    fn of(sizes: (Dims, Dims)) -> Settings {
        Settings {
            sizes,
            lds: 0,
            timeout: None,
            count: false,
            cooperative: false,
            capture: None,
            tools: Tools::default(),
            tracer: None,
            hooks: None,
        }
    }

    /// Whether the launch has no tools, hooks and trace of its own.
    fn is_plain(&self) -> bool {
        self.tools.is_empty() && self.hooks.is_none() && self.tracer.is_none()
    }
}

impl Kernel {
    fn settings(
        &self,
        grid: &Bound<'_, PyAny>,
        block: Option<&Bound<'_, PyAny>>,
        lds: u32,
        timeout: Option<f64>,
        count: bool,
    ) -> PyResult<Settings> {
        Ok(Settings {
            lds,
            timeout: seconds(grid.py(), timeout)?,
            count,
            ..Settings::of(self.sizes(grid, block)?)
        })
    }

    /// Launches the kernel, and returns its report or raises its failure.
    fn run(&self, args: &Bound<'_, PyTuple>, settings: &Settings) -> PyResult<Run> {
        let py = args.py();
        let result = self.perform(args, settings)?;
        let exception = settings.hooks.as_ref().and_then(|h| h.take_exception());
        if let Some(exception) = exception {
            return Err(exception);
        }
        let report = result.map_err(|e| launch_error(py, &e, self.kernel.module(), &self.path))?;
        Ok(Run::of(&report))
    }

    /// Launches the kernel without the lock of the interpreter, and copies arrays back.
    fn perform(
        &self,
        args: &Bound<'_, PyTuple>,
        settings: &Settings,
    ) -> PyResult<Result<Report, wavetank::Error>> {
        let py = args.py();
        let device = self.device.get(py)?;
        let mut arguments = self.arguments(args, &device)?;
        let values = std::mem::take(&mut arguments.values);
        let observed = if settings.is_plain() {
            observed(py)?
        } else {
            None
        };
        let (kernel, mut settings) = (self.kernel.clone(), settings.clone());
        let mut keep_going = true;
        if let Some(observed) = observed {
            let left = observed.begin(py, &kernel)?;
            settings.timeout = settings.timeout.into_iter().chain(left).min();
            settings.tools = observed.tools;
            settings.count |= observed.counts;
            keep_going = observed.keep_going;
        }
        let result = interrupt::run(py, move |cancel| {
            let (grid, block) = settings.sizes;
            let dispatch = kernel.dispatch().grid(grid).block(block).args(values);
            let dispatch = dispatch.dynamic_lds(settings.lds).count(settings.count);
            let dispatch = dispatch.cooperative(settings.cooperative);
            let dispatch = match settings.timeout {
                Some(timeout) => dispatch.timeout(timeout),
                None => dispatch,
            };
            let dispatch = dispatch.check(settings.tools).keep_going(keep_going);
            let dispatch = dispatch.cancel(cancel);
            let mut dispatch = dispatch.print(&print::to_python);
            if let Some(path) = &settings.capture {
                dispatch = dispatch.capture(path);
            }
            if let Some(hooks) = &settings.hooks {
                return dispatch.hooks(&hooks.all()).run();
            }
            let Some(tracer) = &settings.tracer else {
                return dispatch.run();
            };
            let filter = |group: &Group, wave| tracer.wants(group, wave);
            dispatch.trace(&filter, &|step| tracer.add(step)).run()
        })?;
        if let Some(observed) = observed {
            observed.end(&self.kernel, &self.path, &result);
        }
        if result.is_ok() {
            arguments.copy_back(py, self.kernel.name())?;
        }
        Ok(result)
    }

    /// Launches the kernel with tools, and returns their findings.
    #[expect(
        clippy::too_many_arguments,
        reason = "they are those of a call of Python"
    )]
    pub(crate) fn check(
        &self,
        args: &Bound<'_, PyTuple>,
        grid: &Bound<'_, PyAny>,
        block: Option<&Bound<'_, PyAny>>,
        lds: u32,
        timeout: Option<f64>,
        tools: Tools,
        cooperative: bool,
    ) -> PyResult<Vec<Finding>> {
        let py = args.py();
        let settings = Settings {
            lds,
            timeout: seconds(py, timeout)?,
            tools,
            cooperative,
            ..Settings::of(self.sizes(grid, block)?)
        };
        let module = self.kernel.module();
        match self.perform(args, &settings)? {
            Ok(report) => Ok(finding::all(module, &self.path, &report.findings)),
            // What stopped the kernel is among its findings.
            Err(error) if !error.findings().is_empty() => {
                Ok(finding::all(module, &self.path, error.findings()))
            }
            Err(error) => Err(raised(py, &error)),
        }
    }

    /// Launches the kernel, and returns the steps of a wave, with the fault that stopped it.
    pub(crate) fn trace(
        &self,
        args: &Bound<'_, PyTuple>,
        grid: &Bound<'_, PyAny>,
        block: Option<&Bound<'_, PyAny>>,
        lds: u32,
        timeout: Option<f64>,
        tracer: Arc<Tracer>,
    ) -> PyResult<(Vec<Step>, Option<PyErr>)> {
        let py = args.py();
        let settings = Settings {
            lds,
            timeout: seconds(py, timeout)?,
            tracer: Some(tracer.clone()),
            ..Settings::of(self.sizes(grid, block)?)
        };
        let module = self.kernel.module();
        let fault = match self.perform(args, &settings)? {
            Ok(_) => None,
            Err(error) if error.is_kernel_failure() => {
                Some(launch_error(py, &error, module, &self.path))
            }
            Err(error) => return Err(raised(py, &error)),
        };
        Ok((tracer.take(module.device().chip()), fault))
    }
}

/// A kernel with the arguments and settings of a launch that has not run yet.
struct PreparedKernel {
    kernel: Py<Kernel>,
    arguments: Py<PyTuple>,
    settings: Settings,
}

impl Prepared for PreparedKernel {
    fn name(&self) -> &str {
        self.kernel.get().name()
    }

    fn code_range(&self, within: &Bound<'_, PyAny>) -> PyResult<Range<u64>> {
        let Ok(name) = within.extract::<String>() else {
            let wanted = "within is the name of a function, or a pair of device addresses";
            return pair(within, wanted);
        };
        match self.kernel.get().kernel.module().symbol(&name) {
            Some((start, size)) => Ok(start..start + size),
            None => {
                let sentence = format!("there is no function `{name}` in the module");
                Err(argument_error(within.py(), sentence))
            }
        }
    }

    fn run(&self, py: Python<'_>, hooks: Option<Arc<PythonHooks>>) -> PyResult<Run> {
        let settings = Settings {
            hooks,
            ..self.settings.clone()
        };
        self.kernel.get().run(self.arguments.bind(py), &settings)
    }
}

#[pymethods]
impl Kernel {
    #[pyo3(signature = (*args, grid, block = None, lds = 0, timeout = None, count = true, cooperative = false, capture = None))]
    #[expect(clippy::too_many_arguments, reason = "they are named in calls")]
    fn __call__(
        &self,
        args: &Bound<'_, PyTuple>,
        grid: &Bound<'_, PyAny>,
        block: Option<&Bound<'_, PyAny>>,
        lds: u32,
        timeout: Option<f64>,
        count: bool,
        cooperative: bool,
        capture: Option<PathBuf>,
    ) -> PyResult<Run> {
        let settings = Settings {
            cooperative,
            capture,
            ..self.settings(grid, block, lds, timeout, count)?
        };
        self.run(args, &settings)
    }

    /// Prepares a launch, with the arguments of a call: hooks are added to it before it runs.
    #[pyo3(signature = (*args, grid, block = None, lds = 0, timeout = None, count = true, cooperative = false, capture = None))]
    #[expect(clippy::too_many_arguments, reason = "they are named in calls")]
    fn launch(
        this: &Bound<'_, Self>,
        args: &Bound<'_, PyTuple>,
        grid: &Bound<'_, PyAny>,
        block: Option<&Bound<'_, PyAny>>,
        lds: u32,
        timeout: Option<f64>,
        count: bool,
        cooperative: bool,
        capture: Option<PathBuf>,
    ) -> PyResult<Launch> {
        let settings = Settings {
            cooperative,
            capture,
            ..this.get().settings(grid, block, lds, timeout, count)?
        };
        Ok(Launch::new(PreparedKernel {
            kernel: this.clone().unbind(),
            arguments: args.clone().unbind(),
            settings,
        }))
    }

    /// The name of the kernel, mangled for C++.
    #[getter]
    pub(crate) fn name(&self) -> &str {
        self.kernel.name()
    }

    /// Name and arguments for people: `saxpy(float* y, float* x, float a, int n)`.
    #[getter]
    fn signature(&self) -> String {
        self.kernel.signature()
    }

    /// The number of arguments that a call takes.
    #[getter]
    fn arity(&self) -> usize {
        self.parameters.len()
    }

    /// The number of vector registers of a wave, if the code object says it.
    #[getter]
    fn vgprs(&self) -> Option<u32> {
        self.kernel.info().vgpr_count
    }

    /// The number of scalar registers of a wave, if the code object says it.
    #[getter]
    fn sgprs(&self) -> Option<u32> {
        self.kernel.info().sgpr_count
    }

    /// The kernel's own LDS in bytes.
    #[getter]
    fn lds(&self) -> u32 {
        self.kernel.info().descriptor.group_segment_fixed_size
    }

    fn __repr__(&self) -> String {
        format!("Kernel({})", self.kernel.signature())
    }
}

/// Returns a duration.
pub(crate) fn seconds(py: Python<'_>, seconds: Option<f64>) -> PyResult<Option<Duration>> {
    let duration = |seconds| Duration::try_from_secs_f64(seconds);
    let duration = seconds.map(duration).transpose();
    duration.map_err(|e| argument_error(py, format!("the timeout is wrong: {e}")))
}

/// Returns a size: a number, or a tuple of one to three.
fn dims(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Dims> {
    if let Ok(x) = object.extract::<u32>() {
        return Ok(x.into());
    }
    let sides = object.extract::<Vec<u32>>();
    match sides.as_deref() {
        Ok([x]) => Ok(Dims::from(*x)),
        Ok([x, y]) => Ok([*x, *y].into()),
        Ok([x, y, z]) => Ok([*x, *y, *z].into()),
        _ => {
            let given = object.repr()?;
            let sentence = format!(
                "{what} is a number of work-items below 2**32, or a tuple of up to three, not {given}"
            );
            Err(argument_error(object.py(), sentence))
        }
    }
}
