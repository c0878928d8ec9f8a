//! The state that a case can see, and its changes.

use std::collections::{BTreeMap, HashMap};

use wavetank::stage::ExportTarget;
use wavetank_gcn::Generation;
use wavetank_gcn::numbers::first_ttmp;
use wavetank_ir::{LANES, Reg};
use wavetank_machine::Sent;
use wavetank_memory::{MemoryUnit, Registry, VECTOR_REGISTERS, Wave, hwreg, vector_name};

use crate::place::{ExportPart, Target};
use crate::set::Named;
use crate::start::ScratchOfWaves;
use crate::value::{Buffer, Buffers};

/// The elements of surfaces by number.
pub(crate) type Elements = BTreeMap<u32, Vec<u64>>;

/// The part of the state that a case can observe.
pub(crate) struct State {
    pub waves: Vec<Wave>,
    lds: Vec<u32>,
    gds: Vec<u32>,
    /// The dwords of each wave's scratch: dword 0 of all lanes, then dword 1, and so on.
    scratch: Vec<Vec<u32>>,
    memory: HashMap<String, (Buffer, Vec<u8>)>,
    /// The exports of the waves in their order, with the number of the wave.
    pub exports: Vec<(u32, Sent)>,
    pub elements: Elements,
}

/// A register or a place in memory whose value has changed.
#[derive(Clone, PartialEq, Debug)]
pub struct Changed {
    /// The name of the place: `v0`, `s4`, `vcc`, `lds[16]`, `a[8]`.
    pub name: String,
    /// The width of a value in bits.
    pub bits: u32,
    /// Whether a value is two numbers of half precision.
    pub halves: bool,
    /// For a vector register, the changed lanes with their values; otherwise one value.
    pub values: Vec<(Option<usize>, u64)>,
}

impl State {
    /// Captures the present state.
    pub(crate) fn capture(
        waves: Vec<Wave>,
        memory: &mut MemoryUnit<'_>,
        buffers: &Buffers,
        scratch: ScratchOfWaves,
        elements: Elements,
        exports: Vec<(u32, Sent)>,
    ) -> State {
        let registry = memory.registry();
        let wave_scratch = |n| dwords(&read(registry, scratch.of(n), scratch.wave_bytes));
        let buffer = |(name, buffer): (&String, &Buffer)| {
            let bytes = read(registry, buffer.address, buffer.bytes);
            (name.clone(), (*buffer, bytes))
        };
        State {
            scratch: (0..waves.len()).map(wave_scratch).collect(),
            gds: dwords(&registry.read_gds()),
            lds: memory.lds().dwords(),
            memory: buffers.iter().map(buffer).collect(),
            waves,
            exports,
            elements,
        }
    }

    /// Returns the value of a place in a wave, for a lane or, in memory, at an index; `None` if there is none.
    pub(crate) fn value(&self, wave: usize, place: &Target, n: usize) -> Option<u64> {
        let registers = self.waves.get(wave)?;
        let u = registers.uniform();
        Some(match *place {
            Target::Vector { register, wide } => {
                let dword = |register| u64::from(registers.vgpr(register)[n]);
                if wide {
                    dword(register) | dword(register + 1) << 32
                } else {
                    dword(register)
                }
            }
            Target::Scalar {
                register,
                wide: true,
            } => registers.s64(register as u8),
            Target::Scalar { register, .. } => u.s[register].into(),
            Target::Scc => u.scc.into(),
            Target::Hardware(id) => u.hw[usize::from(id)].into(),
            Target::HardwarePair(id) => {
                let half = |n: u8| u64::from(u.hw[usize::from(id + n)]);
                half(0) | half(1) << 32
            }
            Target::Lds { offset } => (*self.lds.get(offset / 4 + n)?).into(),
            Target::Gds { offset } => (*self.gds.get(offset / 4 + n)?).into(),
            Target::Scratch { offset } => {
                (*self.scratch.get(wave)?.get(offset / 4 * LANES + n)?).into()
            }
            Target::Memory {
                ref name, bytes, ..
            } => {
                let (_, contents) = self.memory.get(name)?;
                let element = if bytes { 1 } else { 4 };
                element_at(contents, element, n)?
            }
            Target::Export { target, part } => self.exported(wave, target, part, n)?,
            // For a single element, `n` is its index.
            Target::Element { number, .. } => *self.elements.get(&number)?.get(n)?,
            Target::Constant { .. }
            | Target::Variable(_)
            | Target::Predicate(_)
            | Target::OfWave { .. }
            | Target::Named { .. } => return None,
        })
    }

    /// Returns a part of a wave's last export to a target.
    fn exported(&self, wave: usize, target: u8, part: ExportPart, lane: usize) -> Option<u64> {
        let mut all = self.exports.iter().rev();
        let (_, sent) = all.find(|(w, sent)| (*w as usize, sent.target) == (wave, target))?;
        Some(match part {
            ExportPart::Component(n) => sent.component(n.into(), lane)?.into(),
            ExportPart::Lanes => sent.lanes,
            ExportPart::Enabled => (0..4).map(|n| u64::from(sent.data[n].is_some()) << n).sum(),
            ExportPart::Done => sent.done.into(),
            ExportPart::ValidMask => sent.valid_mask.into(),
            ExportPart::Compressed => sent.compressed.into(),
        })
    }

    /// Returns the mask of the lanes in a wave's last export to a target.
    pub(crate) fn exporting(&self, wave: usize, target: u8) -> u64 {
        let lanes = self.exported(wave, target, ExportPart::Lanes, 0);
        lanes.unwrap_or_default()
    }

    /// Returns whether another state is the same. With `addresses`, registers may hold addresses, which differ between runs, so
    /// they are not compared.
    pub(crate) fn same_as(&self, other: &State, addresses: bool) -> bool {
        let same = |(a, b): (&Wave, &Wave)| {
            let (x, y) = (a.uniform(), b.uniform());
            (x.s, x.scc, x.hw) == (y.s, y.scc, y.hw)
                && (0..VECTOR_REGISTERS).all(|n| a.vgpr(n) == b.vgpr(n))
        };
        let contents = |state: &State| -> HashMap<String, Vec<u8>> {
            let all = state.memory.iter();
            all.map(|(name, (_, bytes))| (name.clone(), bytes.clone()))
                .collect()
        };
        (addresses || self.waves.iter().zip(&other.waves).all(same))
            && self.lds == other.lds
            && self.gds == other.gds
            && self.scratch == other.scratch
            && self.exports == other.exports
            && contents(self) == contents(other)
            && self.elements == other.elements
    }
}

fn read(registry: &Registry, address: u64, bytes: usize) -> Vec<u8> {
    let mut contents = vec![0; bytes];
    // The memory of a case is never freed. A case without scratch has no memory at this address, and its contents are zeros then.
    let _ = registry.read(address, &mut contents);
    contents
}

fn dwords(bytes: &[u8]) -> Vec<u32> {
    let dword = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    bytes.chunks_exact(4).map(dword).collect()
}

/// Returns an element of 1 or 4 bytes.
fn element_at(contents: &[u8], bytes: usize, n: usize) -> Option<u64> {
    let element = contents.get(n * bytes..(n + 1) * bytes)?;
    Some(
        element
            .iter()
            .rev()
            .fold(0, |value, b| value << 8 | u64::from(*b)),
    )
}

/// Returns the change of a place with a single value.
fn one(name: String, bits: u32, value: u64) -> Changed {
    Changed {
        name,
        bits,
        halves: false,
        values: vec![(None, value)],
    }
}

/// Returns the changed parts of the state, except elements of surfaces. With `names`, registers are those of an instruction set
/// other than GCN.
pub(crate) fn changes(
    before: &State,
    after: &State,
    generation: Generation,
    names: Option<&[Named]>,
) -> Vec<Changed> {
    if let Some(names) = names {
        return named_changes(&before.waves[0], &after.waves[0], names);
    }
    let mut changes = Vec::new();
    for (n, (old, new)) in before.waves.iter().zip(&after.waves).enumerate() {
        let mut own = registers(old, new, generation);
        own.extend(scratch_changes(&before.scratch[n], &after.scratch[n]));
        own.extend(exports(after, n as u32));
        if before.waves.len() > 1 {
            own.iter_mut()
                .for_each(|c| c.name = format!("wave {n} {}", c.name));
        }
        changes.extend(own);
    }
    let shares = [
        ("lds", &before.lds, &after.lds),
        ("gds", &before.gds, &after.gds),
    ];
    for (name, old, new) in shares {
        let pairs = old.iter().zip(new).enumerate();
        for (i, (_, y)) in pairs.filter(|(_, (x, y))| x != y) {
            changes.push(one(format!("{name}[{}]", 4 * i), 32, (*y).into()));
        }
    }
    let mut names: Vec<_> = after.memory.keys().collect();
    names.sort();
    for name in names {
        let ((buffer, old), (_, new)) = (&before.memory[name], &after.memory[name]);
        let width = buffer.element;
        for i in 0..old.len() / width {
            let [old, new] = [old, new].map(|contents| element_at(contents, width, i));
            if let Some(value) = new.filter(|_| old != new) {
                changes.push(one(format!("{name}[{i}]"), 8 * width as u32, value));
            }
        }
    }
    changes
}

/// Returns the changed registers of a wave.
fn registers(old: &Wave, new: &Wave, generation: Generation) -> Vec<Changed> {
    let mut changes = Vec::new();
    for n in 0..VECTOR_REGISTERS {
        let (old, new) = (old.vgpr(n), new.vgpr(n));
        changes.extend(by_lane(vector_name(n), old, new));
    }
    for (code, name) in [(106, "vcc"), (126, "exec")] {
        if old.s64(code) != new.s64(code) {
            changes.push(one(name.into(), 64, new.s64(code)));
        }
    }
    let (a, b) = (old.uniform(), new.uniform());
    for n in (0..128).filter(|n| !matches!(n, 106 | 107 | 126 | 127)) {
        if a.s[n] != b.s[n] {
            changes.push(one(scalar(n, generation), 32, b.s[n].into()));
        }
    }
    if a.scc != b.scc {
        changes.push(one("scc".into(), 32, b.scc.into()));
    }
    for id in [hwreg::MODE, hwreg::STATUS, hwreg::TRAPSTS] {
        let [old, new] = [a.hw, b.hw].map(|hw| hw[usize::from(id)]);
        if old != new {
            changes.push(one(Target::Hardware(id).to_string(), 32, new.into()));
        }
    }
    changes
}

/// Returns the name of a scalar register.
fn scalar(register: usize, generation: Generation) -> String {
    let ttmp = usize::from(first_ttmp(generation));
    match register {
        124 => "m0".into(),
        108..112 if ttmp == 112 => ["tba_lo", "tba_hi", "tma_lo", "tma_hi"][register - 108].into(),
        108..124 => format!("ttmp{}", register - ttmp),
        _ => format!("s{register}"),
    }
}

/// Returns the changed lanes, if there are any.
fn by_lane(name: String, old: &[u32], new: &[u32]) -> Option<Changed> {
    let lanes = (0..LANES).filter(|l| old[*l] != new[*l]);
    let values: Vec<_> = lanes.map(|l| (Some(l), new[l].into())).collect();
    (!values.is_empty()).then_some(Changed {
        name,
        bits: 32,
        halves: false,
        values,
    })
}

/// Returns the changed dwords of a wave's scratch.
fn scratch_changes(old: &[u32], new: &[u32]) -> impl Iterator<Item = Changed> {
    let rows = old.chunks_exact(LANES).zip(new.chunks_exact(LANES));
    rows.enumerate()
        .filter_map(|(n, (old, new))| by_lane(format!("scratch[{}]", 4 * n), old, new))
}

/// Returns the exports of a wave.
fn exports(state: &State, wave: u32) -> Vec<Changed> {
    let own = state.exports.iter().filter(|(w, _)| *w == wave);
    let mut changes = Vec::new();
    for (_, sent) in own {
        let target = ExportTarget(sent.target);
        for (n, part) in ["x", "y", "z", "w"].into_iter().enumerate() {
            let lanes = (0..LANES).filter(|l| sent.lanes >> l & 1 == 1);
            let value = |l| Some((Some(l), sent.component(n, l)?.into()));
            let values: Vec<_> = lanes.filter_map(value).collect();
            if !values.is_empty() {
                changes.push(Changed {
                    name: format!("export {target}.{part}"),
                    bits: if sent.compressed { 16 } else { 32 },
                    halves: false,
                    values,
                });
            }
        }
    }
    changes
}

/// Returns the changed registers, by the names of an instruction set other than GCN.
fn named_changes(old: &Wave, new: &Wave, names: &[Named]) -> Vec<Changed> {
    let joined = |wave: &Wave, n: u16, lane: usize| {
        let half = |n: u16| u64::from(wave.vgpr(n.into())[lane]);
        half(n) | half(n + 1) << 32
    };
    let changed = |named: &Named| {
        let (bits, values) = match named.register {
            Reg::V64(n) => {
                let pairs = (0..LANES).map(|l| (l, joined(old, n, l), joined(new, n, l)));
                let values = pairs.filter(|(_, old, new)| old != new);
                (64, values.map(|(l, _, new)| (Some(l), new)).collect())
            }
            Reg::V(n) => {
                let (old, new) = (old.vgpr(n.into()), new.vgpr(n.into()));
                let lanes = (0..LANES).filter(|l| old[*l] != new[*l]);
                (32, lanes.map(|l| (Some(l), new[l].into())).collect())
            }
            Reg::Mask(n) if old.s64(n) != new.s64(n) => (32, vec![(None, new.s64(n))]),
            _ => (32, Vec::new()),
        };
        Changed {
            name: named.name.clone(),
            bits,
            halves: named.halves,
            values,
        }
    };
    names
        .iter()
        .map(changed)
        .filter(|c| !c.values.is_empty())
        .collect()
}
