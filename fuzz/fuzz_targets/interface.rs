//! Any sequence of calls of the HSA interface, with handles that other calls gave, that are gone, or that are none, and
//! packets of any content: each call comes back with a status, and the process lives.
//!
//! The library is loaded as programs do: the one that `WAVETANK_HSA` names, or that of the release build.

#![no_main]

use std::ffi::{CString, c_void};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU16, Ordering::Release};

use libfuzzer_sys::fuzz_target;
use libloading::{Library, Symbol};

/// What a call takes. All arguments are whole registers of the calling convention.
#[derive(Clone, Copy, PartialEq)]
enum Take {
    /// A handle of a kind, from an earlier call, or any number.
    Handle(Kind),
    /// Room for a handle that the call makes.
    Makes(Kind),
    /// Any number below this.
    Below(u64),
    /// Any 64 bits.
    Any,
    /// An address: of an allocation, near one, of host memory, or none.
    Address,
    /// A length.
    Size,
    /// Room for whatever the call gives.
    Room,
    /// A null pointer.
    Null,
    /// A number of signals and their array.
    Signals,
    /// The function for errors of a queue.
    Callback,
    /// The code object and its length.
    Code,
    /// The name of its kernel's symbol.
    Name,
    /// An array of one agent.
    Agents,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Agent,
    Pool,
    Signal,
    Memory,
    Queue,
    Reader,
    Executable,
    Symbol,
    Physical,
    Reserved,
}

use Kind::*;
use Take::*;

/// The calls, with what each takes.
const CALLS: &[(&str, &[Take])] = &[
    ("hsa_init", &[]),
    ("hsa_shut_down", &[]),
    ("hsa_agent_get_info", &[Handle(Agent), Below(32), Room]),
    ("hsa_agent_get_info", &[Handle(Agent), Any, Room]),
    (
        "hsa_amd_memory_pool_get_info",
        &[Handle(Pool), Below(32), Room],
    ),
    (
        "hsa_amd_agent_memory_pool_get_info",
        &[Handle(Agent), Handle(Pool), Below(3), Room],
    ),
    ("hsa_region_get_info", &[Handle(Pool), Below(32), Room]),
    ("hsa_memory_allocate", &[Handle(Pool), Size, Makes(Memory)]),
    (
        "hsa_amd_memory_pool_allocate",
        &[Handle(Pool), Size, Below(2), Makes(Memory)],
    ),
    ("hsa_memory_free", &[Address]),
    ("hsa_amd_memory_pool_free", &[Handle(Memory)]),
    ("hsa_memory_copy", &[Address, Address, Size]),
    ("hsa_amd_memory_fill", &[Address, Any, Size]),
    (
        "hsa_amd_memory_async_copy",
        &[
            Address,
            Handle(Agent),
            Address,
            Handle(Agent),
            Size,
            Signals,
            Handle(Signal),
        ],
    ),
    (
        "hsa_amd_memory_lock",
        &[Address, Size, Null, Below(1), Room],
    ),
    ("hsa_amd_memory_unlock", &[Address]),
    ("hsa_memory_register", &[Address, Size]),
    ("hsa_memory_deregister", &[Address, Size]),
    ("hsa_amd_agents_allow_access", &[Agents, Null, Address]),
    ("hsa_amd_pointer_info_set_userdata", &[Address, Any]),
    ("hsa_signal_create", &[Any, Below(1), Null, Makes(Signal)]),
    ("hsa_signal_destroy", &[Handle(Signal)]),
    (
        "hsa_queue_create",
        &[
            Handle(Agent),
            Below(2000),
            Below(3),
            Callback,
            Null,
            Any,
            Any,
            Makes(Queue),
        ],
    ),
    (
        "hsa_queue_create",
        &[
            Handle(Agent),
            Below(9),
            Below(2),
            Callback,
            Null,
            Any,
            Any,
            Makes(Queue),
        ],
    ),
    ("hsa_queue_inactivate", &[Handle(Queue)]),
    ("hsa_queue_destroy", &[Handle(Queue)]),
    (
        "hsa_code_object_reader_create_from_memory",
        &[Code, Makes(Reader)],
    ),
    ("hsa_code_object_reader_destroy", &[Handle(Reader)]),
    (
        "hsa_executable_create_alt",
        &[Below(2), Below(3), Null, Makes(Executable)],
    ),
    (
        "hsa_executable_load_agent_code_object",
        &[
            Handle(Executable),
            Handle(Agent),
            Handle(Reader),
            Null,
            Room,
        ],
    ),
    ("hsa_executable_freeze", &[Handle(Executable), Null]),
    ("hsa_executable_destroy", &[Handle(Executable)]),
    (
        "hsa_executable_get_symbol_by_name",
        &[Handle(Executable), Name, Null, Makes(Symbol)],
    ),
    (
        "hsa_executable_symbol_get_info",
        &[Handle(Symbol), Below(24), Room],
    ),
    (
        "hsa_amd_vmem_address_reserve",
        &[Makes(Reserved), Size, Below(1), Below(1)],
    ),
    ("hsa_amd_vmem_address_free", &[Handle(Reserved), Size]),
    (
        "hsa_amd_vmem_handle_create",
        &[Handle(Pool), Size, Below(2), Below(1), Makes(Physical)],
    ),
    ("hsa_amd_vmem_handle_release", &[Handle(Physical)]),
    (
        "hsa_amd_vmem_map",
        &[
            Handle(Reserved),
            Size,
            Below(8192),
            Handle(Physical),
            Below(1),
        ],
    ),
    ("hsa_amd_vmem_unmap", &[Handle(Reserved), Size]),
];

const CODE: &[u8] = include_bytes!("../../crates/object/tests/data/vecadd-gfx900.hsaco");

/// Host memory that copies may write: nothing lies behind it, so no length hits the fuzzer's own.
const HOST: usize = 1 << 20;

static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let built = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../target/release/hsa/libhsa-runtime64.so.1"
    );
    let file = std::env::var("WAVETANK_HSA").unwrap_or_else(|_| built.to_owned());
    // SAFETY: the library's constructors do nothing to its host.
    unsafe { Library::new(&file) }.unwrap_or_else(|error| panic!("{file}: {error}"))
});

static HOST_MEMORY: LazyLock<u64> = LazyLock::new(|| {
    // SAFETY: fresh pages, with some before and behind them that nobody may touch.
    unsafe {
        let all = mmap(std::ptr::null_mut(), 3 * HOST, 0, 0x22, -1, 0);
        let inner = all.wrapping_byte_add(HOST);
        assert_eq!(mmap(inner, HOST, 3, 0x32, -1, 0), inner);
        inner as u64
    }
});

unsafe extern "C" {
    fn mmap(
        at: *mut c_void,
        bytes: usize,
        rights: i32,
        flags: i32,
        file: i32,
        offset: i64,
    ) -> *mut c_void;
}

unsafe extern "C" fn on_error(_status: u32, _queue: *mut c_void, _data: *mut c_void) {}

/// Calls a function by name. Too many arguments do no harm: nobody reads them.
fn call(name: &str, arguments: &[u64]) -> u32 {
    type Call = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64) -> u32;
    let mut all = [0; 9];
    all[..arguments.len()].copy_from_slice(arguments);
    let [a, b, c, d, e, f, g, h, i] = all;
    let name = CString::new(name).expect("a name");
    // SAFETY: pointers among the arguments point to room for what the call writes; handles may be anything.
    unsafe {
        let symbol: Symbol<Call> = LIBRARY
            .get(name.as_bytes_with_nul())
            .expect("a call of the interface");
        symbol(a, b, c, d, e, f, g, h, i)
    }
}

/// The bytes of the input, as decisions.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn byte(&mut self) -> u64 {
        let Some((&first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        first.into()
    }

    fn word(&mut self) -> u64 {
        (0..8).fold(0, |word, _| word << 8 | self.byte())
    }
}

/// What the calls of a sequence have made.
#[derive(Default)]
struct World {
    handles: Vec<(Kind, u64)>,
    room: Vec<Box<[u64; 64]>>,
    queues: Vec<Ring>,
}

/// Where a queue that lives has its packets.
#[derive(Clone, Copy)]
struct Ring {
    queue: u64,
    base: u64,
    doorbell: u64,
    size: u64,
}

impl Ring {
    /// # Safety
    /// The queue was just made.
    unsafe fn of(queue: u64) -> Ring {
        let field = |n: usize| {
            // SAFETY: base, doorbell and size are the second to fourth words (HSA specification, 2.8).
            unsafe { (queue as *const u64).add(n).read() }
        };
        let (base, doorbell, size) = (field(1), field(2), field(3) & 0xffff_ffff);
        Ring {
            queue,
            base,
            doorbell,
            size,
        }
    }
}

impl World {
    fn any(&self, kind: Kind, choices: &mut Choices<'_>) -> u64 {
        let all: Vec<u64> = self
            .handles
            .iter()
            .filter(|(k, _)| *k == kind)
            .map(|(_, h)| *h)
            .collect();
        match choices.byte() {
            0 => choices.word(),
            1 => choices.byte() * 64,
            n if all.is_empty() => n,
            n => all[n as usize % all.len()],
        }
    }

    fn room(&mut self) -> u64 {
        self.room.push(Box::new([0; 64]));
        self.room.last().map_or(0, |room| room.as_ptr() as u64)
    }

    /// The registers of one argument.
    fn argument(&mut self, take: Take, choices: &mut Choices<'_>) -> Vec<u64> {
        vec![match take {
            Handle(kind) => self.any(kind, choices),
            Makes(_) | Room => self.room(),
            Below(n) => (choices.byte() << 8 | choices.byte()) % n,
            Any => choices.word(),
            Null => 0,
            Size => match choices.byte() {
                0 => choices.word(),
                n if n < 128 => n * 64,
                n => (n - 127) * 4096,
            },
            Address => match choices.byte() {
                0 => choices.word(),
                n if n < 64 => *HOST_MEMORY + n * 4096 + choices.byte(),
                n if n < 96 => self
                    .any(Memory, choices)
                    .wrapping_add(choices.byte().wrapping_mul(256)),
                _ => self.any(Memory, choices),
            },
            Signals => {
                let count = choices.byte() % 4;
                let at = self.room();
                for n in 0..count as usize {
                    let signal = self.any(Signal, choices);
                    self.room.last_mut().expect("just made")[n] = signal;
                }
                return vec![count, if count == 0 { 0 } else { at }];
            }
            Callback => on_error as *const () as usize as u64,
            Code => return vec![CODE.as_ptr() as u64, CODE.len() as u64],
            Name => c"vecadd.kd".as_ptr() as u64,
            Agents => {
                let at = self.room();
                self.room.last_mut().expect("just made")[0] = self.any(Agent, choices);
                return vec![1, at];
            }
        }]
    }

    fn step(&mut self, choices: &mut Choices<'_>) {
        let number = choices.byte() as usize;
        if number >= 240 {
            return self.packet(choices);
        }
        let (name, takes) = CALLS[number % CALLS.len()];
        let mut arguments = Vec::new();
        let mut makes = None;
        for take in takes {
            let registers = self.argument(*take, choices);
            if let Makes(kind) = take {
                makes = Some((*kind, self.room.len() - 1));
            }
            arguments.extend(registers);
        }
        // A reference that the fuzzer keeps: without it everything else would only be refused.
        if name == "hsa_shut_down" && choices.byte() < 250 {
            return;
        }
        if call(name, &arguments) != 0 {
            return;
        }
        if let Some((kind, room)) = makes {
            let handle = self.room[room][0];
            self.handles.push((kind, handle));
            if kind == Queue {
                // SAFETY: it was just made.
                self.queues.push(unsafe { Ring::of(handle) });
            }
        }
        if name == "hsa_queue_destroy" {
            self.queues.retain(|ring| ring.queue != arguments[0]);
            self.handles
                .retain(|(kind, handle)| *kind != Queue || *handle != arguments[0]);
        }
    }

    /// Writes a packet to a queue that lives, and rings.
    fn packet(&mut self, choices: &mut Choices<'_>) {
        let Some(&Ring {
            queue,
            base,
            doorbell,
            size,
        }) = self.queues.last()
        else {
            return;
        };
        let mut words: [u64; 8] = std::array::from_fn(|_| choices.word());
        let wild = choices.byte() < 128;
        if !wild {
            let signal = self.any(Signal, choices);
            (words[1], words[7]) = (signal, signal);
        }
        let header = choices.byte() % 8 | choices.byte() << 8;
        words[0] = words[0] & !0xffff | 1;
        let index = u64::from(call("hsa_queue_add_write_index_scacq_screl", &[queue, 1]));
        let slot = (base + index % size.max(1) * 64) as *mut u64;
        // SAFETY: the queue lives, and the slot is within its ring; headers are atomics.
        unsafe {
            slot.copy_from_nonoverlapping(words.as_ptr(), 8);
            (*slot.cast::<AtomicU16>()).store(header as u16, Release);
        }
        call("hsa_signal_store_screlease", &[doorbell, index]);
    }

    /// Takes away what lives on beyond the sequence.
    fn end(self) {
        for (kind, name) in [
            (Queue, "hsa_queue_destroy"),
            (Executable, "hsa_executable_destroy"),
            (Reader, "hsa_code_object_reader_destroy"),
            (Memory, "hsa_amd_memory_pool_free"),
            (Signal, "hsa_signal_destroy"),
            (Physical, "hsa_amd_vmem_handle_release"),
        ] {
            for (_, handle) in self.handles.iter().filter(|(k, _)| *k == kind) {
                call(name, &[*handle]);
            }
        }
    }
}

unsafe extern "C" fn keep(handle: u64, list: *mut c_void) -> u32 {
    // SAFETY: the list that `begin` gives.
    unsafe { (*list.cast::<Vec<u64>>()).push(handle) };
    0
}

/// The agents and their pools.
fn begin() -> World {
    let mut world = World::default();
    assert_eq!(call("hsa_init", &[]), 0);
    let list = |name: &str, before: &[u64]| {
        let mut all: Vec<u64> = Vec::new();
        let rest = [keep as *const () as usize as u64, &raw mut all as u64];
        call(name, &[before, &rest].concat());
        all
    };
    for agent in list("hsa_iterate_agents", &[]) {
        world.handles.push((Agent, agent));
        for pool in list("hsa_amd_agent_iterate_memory_pools", &[agent]) {
            world.handles.push((Pool, pool));
        }
    }
    world
}

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices(data);
    let mut world = begin();
    for _ in 0..100 {
        if choices.0.is_empty() {
            break;
        }
        world.step(&mut choices);
    }
    world.end();
    call("hsa_shut_down", &[]);
});
