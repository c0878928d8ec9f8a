//! A kernel of a test's own.

use std::time::Duration;

use wavetank::check::{Finding, Tool, Tools};
use wavetank::{Buffer, Chip, Device, Dispatch, EngineChoice, Kernel};
use wavetank_gcn::{encode, parse};

pub(crate) const MEMORY: Tools = Tools::of(&[Tool::Memory]);
pub(crate) const ENGINES: [EngineChoice; 3] = [
    EngineChoice::Interpreter,
    EngineChoice::Jit,
    EngineChoice::Auto,
];

/// The initial value of every lane, if it has not been overwritten.
pub(crate) const UNTOUCHED: u32 = 0xdead;

/// A kernel of a test's own: the lane is in v0, four times that in v1, the address of `out` in s[4:5].
pub(crate) struct Bench {
    pub device: Device,
    pub kernel: Kernel,
    /// A dword for each lane.
    pub out: Buffer,
}

impl Bench {
    pub(crate) fn new(chip: Chip, engine: EngineChoice) -> Bench {
        let device = Device::builder(chip).engine(engine).threads(2);
        let device = device.strict(false).build().unwrap();
        let code: &[u8] = match chip {
            Chip::Gfx600 => include_bytes!("../data/blank-gfx600.hsaco"),
            Chip::Gfx803 => include_bytes!("../data/blank-gfx803.hsaco"),
            _ => include_bytes!("../data/blank-gfx900.hsaco"),
        };
        let kernel = device.load(code).unwrap().kernel("blank").unwrap();
        let out = device.buffer_from(&[UNTOUCHED; 64]).unwrap();
        Bench {
            device,
            kernel,
            out,
        }
    }

    /// A buffer of dwords.
    pub(crate) fn buffer(&self, dwords: &[u32]) -> Buffer {
        self.device.buffer_from(dwords).unwrap()
    }

    /// The kernel's code.
    pub(crate) fn entry(&self) -> u64 {
        let kernel = &self.kernel;
        kernel.module().address_of(kernel.info().entry)
    }

    /// Puts code into the kernel. `s[6:7]`, `s[8:9]` and so on have these addresses.
    pub(crate) fn load(&self, addresses: &[u64], code: &[&str]) {
        let mut all = vec!["v_lshlrev_b32 v1, 2, v0".to_owned()];
        let addresses = [&[self.out.address()], addresses].concat();
        for (n, address) in addresses.iter().enumerate() {
            let (low, high) = (*address as u32, (address >> 32) as u32);
            all.push(format!("s_mov_b32 s{}, {low:#x}", 4 + 2 * n));
            all.push(format!("s_mov_b32 s{}, {high:#x}", 5 + 2 * n));
        }
        all.extend(code.iter().map(|text| (*text).to_owned()));
        all.push("s_endpgm".to_owned());
        let bytes: Vec<u8> = all.iter().flat_map(|text| self.bytes(text)).collect();
        assert!(bytes.len() <= 2048, "it does not fit");
        let registry = self.device.registry();
        registry.write(self.entry(), &bytes).unwrap();
    }

    /// An instruction of the chip as machine code.
    pub(crate) fn bytes(&self, text: &str) -> Vec<u8> {
        let inst = parse(text, self.device.chip()).unwrap_or_else(|e| panic!("{text}: {e}"));
        encode(&inst).unwrap().as_ref().to_vec()
    }

    /// One wave.
    pub(crate) fn dispatch(&self) -> Dispatch<'static> {
        let dispatch = self.kernel.dispatch().grid(64).block(64);
        dispatch.timeout(Duration::from_secs(60))
    }

    /// Runs it with the tool on.
    pub(crate) fn checked(&self) -> Vec<Finding> {
        self.dispatch().check(MEMORY).run().unwrap().findings
    }

    pub(crate) fn result(&self) -> Vec<u32> {
        self.out.read().unwrap()
    }
}

/// On each engine.
pub(crate) fn on_each(chip: Chip, test: impl Fn(Bench)) {
    ENGINES
        .into_iter()
        .for_each(|engine| test(Bench::new(chip, engine)));
}

/// The only finding.
#[track_caller]
pub(crate) fn one(findings: &[Finding]) -> &Finding {
    assert_eq!(findings.len(), 1, "{findings:#?}");
    &findings[0]
}

/// An offset for each lane: four times its number, and for some lanes another one.
pub(crate) fn offsets(others: &[(usize, u32)]) -> Vec<u32> {
    let mut offsets: Vec<u32> = (0..64).map(|lane| 4 * lane).collect();
    others.iter().for_each(|(lane, at)| offsets[*lane] = *at);
    offsets
}

/// Offsets from s[6:7] to v3.
pub(crate) const OFFSETS: [&str; 2] = ["global_load_dword v3, v1, s[6:7]", "s_waitcnt vmcnt(0)"];

/// v2 to `out`.
pub(crate) const STORE: &str = "global_store_dword v1, v2, s[4:5]";

pub(crate) fn code<'a>(parts: &[&[&'a str]]) -> Vec<&'a str> {
    parts.concat()
}
