//! Hooks: functions of the caller that runs of a launch call.

use std::ffi::{CString, c_char, c_void};
use std::ops::ControlFlow::{self, Break, Continue};
use std::ops::Range;
use std::ptr::null;

use wavetank::hooks::{Accesses, AfterFault, HookedWave, Hooks, Places};
use wavetank::{AccessRecord, KernelFault, MemKind, MemoryKind, Module};

use crate::failure::{Failure, Result};
use crate::options::Options;
use crate::pointer::c_string;

/// An access of a lane to memory.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct wavetank_access {
    /// The address; in memory other than global memory, the offset from its beginning.
    pub address: u64,
    /// The size in bytes.
    pub size: u32,
    /// The lane, or -1 for the wave as a whole.
    pub lane: i32,
    /// 0 for a load, 1 for a store, 2 for an atomic operation.
    pub kind: i32,
    /// 0 for global memory, 1 for LDS, 2 for the global data share, 3 for scratch.
    pub space: i32,
}

/// A wave at a hook. All pointers are valid while the hook runs.
#[repr(C)]
pub struct wavetank_hooked_wave {
    /// The work-group.
    pub group: [u32; 3],
    /// The number of the wave in the work-group.
    pub wave: u32,
    /// The device address of the instruction that the hook is called for.
    pub pc: u64,
    /// The device address at which the wave goes on. A hook may set it; one before an instruction then skips that one.
    pub next_pc: u64,
    /// The 128 scalar registers by their codes: SGPRs from 0, VCC 106 and 107, M0 124, EXEC 126 and 127. They may be written.
    pub scalar: *mut u32,
    /// The 512 vector registers of 64 lanes: VGPRs from 0, accumulation registers of CDNA from 256. They may be written.
    pub vector: *mut [u32; 64],
    /// The scalar condition code, 0 or 1. It may be written.
    pub scc: *mut u32,
    /// At a hook on memory, the accesses of the instruction, lane by lane; otherwise null.
    pub accesses: *const wavetank_access,
    /// The number of these accesses.
    pub access_count: usize,
    /// At a hook on faults, a sentence about the fault; otherwise null.
    pub fault: *const c_char,
}

/// A function that is called at an event of a wave, with the pointer that was given with it. It returns 0 to go on; any other number
/// ends the launch with WAVETANK_ERROR_CANCELLED.
///
/// At a fault, it returns 0 to let the launch fail, 1 to go on after the instruction (lanes whose access was denied load 0 and store
/// nothing), and 2 to execute the instruction again, or to go on at `next_pc`.
pub type wavetank_hook =
    Option<unsafe extern "C" fn(wave: *mut wavetank_hooked_wave, data: *mut c_void) -> i32>;

/// The event of a hook.
#[derive(Clone)]
enum Event {
    Instruction(Places),
    Memory(Accesses),
    WaveStart,
    Fault,
}

/// A hook of a launch.
#[derive(Clone)]
pub(crate) struct Hook {
    event: Event,
    function: unsafe extern "C" fn(*mut wavetank_hooked_wave, *mut c_void) -> i32,
    data: *mut c_void,
}

// SAFETY: the caller has promised that the function may be called with the pointer from any thread.
unsafe impl Send for Hook {}
// SAFETY: as above.
unsafe impl Sync for Hook {}

impl Hook {
    /// Makes a hook of an event's name and options, in the code of a module.
    ///
    /// # Errors
    /// An unknown event or option, or an option that does not go with the event.
    pub(crate) fn new(
        event: &str,
        options: Option<&str>,
        module: &Module,
        function: wavetank_hook,
        data: *mut c_void,
    ) -> Result<Hook> {
        let function = function.ok_or_else(|| Failure::argument("`function` is null"))?;
        let event = Event::named(event, options, module)?;
        Ok(Hook {
            event,
            function,
            data,
        })
    }

    /// Adds the hook to those of a run.
    pub(crate) fn add<'h>(&'h self, hooks: Hooks<'h>) -> Hooks<'h> {
        let on_wave = move |at: &mut HookedWave<'_>| self.flow(at, &[]);
        match &self.event {
            Event::Instruction(places) => hooks.instructions(places.clone(), on_wave),
            Event::WaveStart => hooks.wave_start(on_wave),
            Event::Memory(accesses) => {
                hooks.accesses(accesses.clone(), move |at, records| self.flow(at, records))
            }
            Event::Fault => hooks.fault(move |at, fault| self.after(at, fault)),
        }
    }

    fn flow(&self, at: &mut HookedWave<'_>, records: &[AccessRecord]) -> ControlFlow<()> {
        match self.call(at, records, null()) {
            0 => Continue(()),
            _ => Break(()),
        }
    }

    fn after(&self, at: &mut HookedWave<'_>, fault: &KernelFault) -> AfterFault {
        let sentence: CString = c_string(&fault.to_string());
        match self.call(at, &[], sentence.as_ptr()) {
            1 => AfterFault::Skip,
            2 => AfterFault::Retry,
            _ => AfterFault::Fail,
        }
    }

    fn call(&self, at: &mut HookedWave<'_>, records: &[AccessRecord], fault: *const c_char) -> i32 {
        let accesses: Vec<wavetank_access> = records.iter().map(wavetank_access::of).collect();
        let (group, wave, pc) = (at.group.id, at.index, at.pc);
        let (uniform, vector) = at.wave_mut().raw();
        // SAFETY: the registers are those of the wave, which is borrowed exclusively until this function returns.
        let (scalar, scc, next_pc) = unsafe {
            let scalar = (&raw mut (*uniform).s).cast::<u32>();
            (scalar, &raw mut (*uniform).scc, &raw mut (*uniform).pc)
        };
        // SAFETY: as above.
        let before = unsafe { *next_pc };
        let mut shown = wavetank_hooked_wave {
            group,
            wave,
            pc,
            next_pc: before,
            scalar,
            vector: vector.cast(),
            scc,
            accesses: if accesses.is_empty() {
                null()
            } else {
                accesses.as_ptr()
            },
            access_count: accesses.len(),
            fault,
        };
        // SAFETY: the caller has promised a function of this type that takes the pointer; the structure and what it points to live
        // until it returns.
        let answer = unsafe { (self.function)(&raw mut shown, self.data) };
        // SAFETY: as above; a condition code is 0 or 1.
        unsafe {
            *next_pc = shown.next_pc;
            *scc = u32::from(*scc != 0);
        }
        answer
    }
}

impl wavetank_access {
    fn of(record: &AccessRecord) -> wavetank_access {
        let kind = match record.kind {
            MemKind::Load => 0,
            MemKind::Store => 1,
            MemKind::Atomic(_) => 2,
        };
        let space = match record.memory {
            MemoryKind::Global => 0,
            MemoryKind::Lds => 1,
            MemoryKind::Gds => 2,
            MemoryKind::Scratch => 3,
        };
        wavetank_access {
            address: record.address,
            size: record.bytes,
            lane: record.lane.map_or(-1, i32::from),
            kind,
            space,
        }
    }
}

/// Options that choose instructions, and those that choose accesses.
const OF_CODE: [&str; 2] = ["mnemonic", "function"];
const OF_MEMORY: [&str; 5] = ["mnemonic", "function", "kind", "space", "range"];

impl Event {
    fn named(name: &str, options: Option<&str>, module: &Module) -> Result<Event> {
        let known: &[&str] = match name {
            "instruction" => &OF_CODE,
            "memory" => &OF_MEMORY,
            _ => &[],
        };
        let options = Options::read(options, known)?;
        Ok(match name {
            "instruction" => Event::Instruction(places(&options, module)?),
            "memory" => Event::Memory(accesses(&options, module)?),
            "barrier" => Event::Instruction(Places::barriers()),
            "wave_start" => Event::WaveStart,
            "wave_end" => Event::Instruction(Places::ends()),
            "fault" => Event::Fault,
            _ => {
                let sentence = format!(
                    "there is no event `{name}`; there are instruction, memory, barrier, wave_start, wave_end and fault"
                );
                return Err(Failure::argument(sentence));
            }
        })
    }
}

/// Returns the instructions that options choose.
fn places(options: &Options<'_>, module: &Module) -> Result<Places> {
    let mnemonics = options.all("mnemonic");
    let mut places = mnemonics.fold(Places::all(), Places::mnemonic);
    for function in options.all("function") {
        let Some((start, size)) = module.symbol(function) else {
            let sentence = format!("there is no function `{function}` in the module");
            return Err(Failure::not_found(sentence));
        };
        places = places.within(start..start + size);
    }
    Ok(places)
}

/// Returns the accesses that options choose.
fn accesses(options: &Options<'_>, module: &Module) -> Result<Accesses> {
    let mut accesses = Accesses::at(places(options, module)?);
    let unknown = |what: &str, name: &str, known: &str| {
        Failure::argument(format!("there is no {what} `{name}`; there are {known}"))
    };
    for kind in options.all("kind") {
        accesses = match kind {
            "load" => accesses.loads(),
            "store" => accesses.stores(),
            "atomic" => accesses.atomics(),
            _ => return Err(unknown("kind", kind, "load, store and atomic")),
        };
    }
    for space in options.all("space") {
        accesses = accesses.memory(match space {
            "global" => MemoryKind::Global,
            "lds" => MemoryKind::Lds,
            "gds" => MemoryKind::Gds,
            "scratch" => MemoryKind::Scratch,
            _ => return Err(unknown("space", space, "global, lds, gds and scratch")),
        });
    }
    match options.last("range") {
        Some(text) => Ok(accesses.within(range(text)?)),
        None => Ok(accesses),
    }
}

/// Reads two addresses with a hyphen between them, decimal or hexadecimal.
fn range(text: &str) -> Result<Range<u64>> {
    let number = |text: &str| match text.trim().strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.trim().parse().ok(),
    };
    let ends = text.split_once('-');
    let ends = ends.and_then(|(start, end)| Some(number(start)?..number(end)?));
    ends.ok_or_else(|| {
        let sentence = format!("`{text}` is not a range: write two addresses, `0x1000-0x2000`");
        Failure::argument(sentence)
    })
}
