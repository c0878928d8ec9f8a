//! Global wave synchronization: the counters of a device at which waves of different work-groups meet (Vega ISA, 12.13,
//! DS_GWS_*), and the turns at its ordered counters (DS_ORDERED_COUNT).
//!
//! A resource is a semaphore or a barrier, whichever its last instruction has made of it. Waiting waves are in its queue, in
//! order of arrival; the scheduler polls whether they are still in it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wavetank_ir::GlobalSync;

use crate::ordered_count::{PACKERS, Packer};

/// The number of resources of a device: a resource number has 6 bits.
const RESOURCES: usize = 64;

/// A wave's request for global synchronization.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SyncRequest {
    /// The operation on the resource.
    pub op: GlobalSync,
    /// The number of the resource, taken modulo 64; for an ordered counter, bits 7:6 select its packer.
    pub resource: u8,
    /// The value to set or to add, or the number of waves or of the wave.
    pub value: u32,
}

/// A position in the queue of a resource, or a turn at an ordered counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket {
    resource: u8,
    place: Place,
}

/// The event that a wave waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// The entry with this number leaves the queue.
    Queue(u64),
    /// The turn of the wave with this number comes.
    Turn(u32),
}

impl Ticket {
    /// The resource that the wave waits for.
    pub fn resource(self) -> u8 {
        self.resource
    }
}

/// The synchronization resources of a device.
///
/// ```
/// use wavetank_ir::GlobalSync;
/// use wavetank_machine::{GlobalSyncUnit, SyncRequest};
/// let unit = GlobalSyncUnit::default();
/// let ask = |op, value| unit.enter(SyncRequest { op, resource: 0, value });
/// // Two waves meet: the first waits for one other.
/// assert_eq!(ask(GlobalSync::Init, 1), None);
/// let first = ask(GlobalSync::Barrier, 1).expect("it waits");
/// assert!(unit.is_waiting(first));
/// assert_eq!(ask(GlobalSync::Barrier, 1), None);
/// assert!(!unit.is_waiting(first));
/// ```
pub struct GlobalSyncUnit {
    /// The resources of the device.
    resources: Arc<[Mutex<Resource>; RESOURCES]>,
    /// The ordered counters of a dispatch, whose waves are numbered from 0 on.
    packers: [Mutex<Packer>; PACKERS],
}

impl Default for GlobalSyncUnit {
    fn default() -> Self {
        GlobalSyncUnit {
            resources: Arc::new(std::array::from_fn(|_| Mutex::default())),
            packers: Default::default(),
        }
    }
}

#[derive(Default)]
struct Resource {
    counter: u32,
    queue: VecDeque<u64>,
    tickets: u64,
}

impl GlobalSyncUnit {
    /// The same resources for another dispatch, with ordered counters of its own.
    pub(crate) fn of_dispatch(&self) -> Self {
        GlobalSyncUnit {
            resources: Arc::clone(&self.resources),
            packers: Default::default(),
        }
    }

    /// Executes a request. `None` lets the wave continue; with a ticket it waits.
    pub fn enter(&self, request: SyncRequest) -> Option<Ticket> {
        let SyncRequest {
            op,
            resource,
            value,
        } = request;
        let place = match op {
            GlobalSync::Turn if self.packer(resource).is_turn(resource, value) => return None,
            GlobalSync::Turn => Place::Turn(value),
            GlobalSync::Pass => {
                self.packer(resource).pass(resource, value);
                return None;
            }
            GlobalSync::Last => {
                self.packer(resource).last(value);
                return None;
            }
            _ => Place::Queue(self.resource(resource).enter(op, value)?),
        };
        Some(Ticket { resource, place })
    }

    /// The counters of resources that are not 0, each after the number of its resource.
    pub fn counters(&self) -> Vec<(u8, u32)> {
        let counter = |n: u8| (n, self.resource(n).counter);
        let all = (0..RESOURCES as u8).map(counter);
        all.filter(|(_, counter)| *counter != 0).collect()
    }

    /// Whether the wave of a ticket still waits.
    pub fn is_waiting(&self, ticket: Ticket) -> bool {
        let Ticket { resource, place } = ticket;
        match place {
            Place::Queue(number) => self.resource(resource).queue.contains(&number),
            Place::Turn(wave) => !self.packer(resource).is_turn(resource, wave),
        }
    }

    /// Removes a waiting wave that has stopped for another reason.
    pub fn leave(&self, ticket: Ticket) {
        if let Place::Queue(number) = ticket.place {
            self.resource(ticket.resource)
                .queue
                .retain(|n| *n != number);
        }
    }

    fn resource(&self, n: u8) -> MutexGuard<'_, Resource> {
        let resource = &self.resources[usize::from(n) % RESOURCES];
        resource.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn packer(&self, resource: u8) -> MutexGuard<'_, Packer> {
        let packer = &self.packers[usize::from(resource >> 6)];
        packer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Resource {
    fn enter(&mut self, op: GlobalSync, value: u32) -> Option<u64> {
        match op {
            GlobalSync::Init => self.counter = value,
            GlobalSync::Signal => self.signal(1),
            GlobalSync::SignalMany => self.signal(value),
            GlobalSync::Release => self.signal(self.queue.len() as u32),
            GlobalSync::Wait if self.counter > 0 => self.counter -= 1,
            GlobalSync::Wait => return Some(self.wait()),
            // The last wave releases all others, and its value counts for the next barrier.
            GlobalSync::Barrier if self.counter == 0 => {
                self.queue.clear();
                self.counter = value;
            }
            GlobalSync::Barrier => {
                self.counter -= 1;
                return Some(self.wait());
            }
            // Ordered counters are not resources.
            GlobalSync::Turn | GlobalSync::Pass | GlobalSync::Last => {}
        }
        None
    }

    fn wait(&mut self) -> u64 {
        self.tickets += 1;
        self.queue.push_back(self.tickets);
        self.tickets
    }

    /// Adds to a semaphore, and releases as many waves as it now allows, the oldest first.
    fn signal(&mut self, count: u32) {
        self.counter = self.counter.saturating_add(count);
        let pass = self.queue.len().min(self.counter as usize);
        self.queue.drain(..pass);
        self.counter -= pass as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use GlobalSync::*;

    fn ask(unit: &GlobalSyncUnit, op: GlobalSync, value: u32) -> Option<Ticket> {
        let resource = 5;
        unit.enter(SyncRequest {
            op,
            resource,
            value,
        })
    }

    /// The waves of another dispatch are numbered separately, and meet those of the first at the device's barriers.
    #[test]
    fn a_dispatch_has_turns_of_its_own() {
        let first = GlobalSyncUnit::default();
        let ask = |unit: &GlobalSyncUnit, op, value| {
            unit.enter(SyncRequest {
                op,
                resource: 0x45,
                value,
            })
        };
        assert_eq!(ask(&first, Turn, 0), None);
        assert_eq!(ask(&first, Last, 0), None);
        let second = first.of_dispatch();
        let waits = ask(&second, Turn, 1).expect("wave 0 comes first");
        assert!(second.is_waiting(waits));
        assert_eq!(ask(&second, Turn, 0), None);
        assert_eq!(ask(&second, Pass, 0), None);
        assert!(!second.is_waiting(waits));
        ask(&first, SignalMany, 1);
        assert_eq!(ask(&second, Wait, 0), None, "one device has one semaphore");
    }

    /// "Since the waves deliver the count for the next barrier, this function
    /// can have a different size barrier for each occurrence."
    #[test]
    fn barriers_of_different_sizes() {
        let unit = GlobalSyncUnit::default();
        ask(&unit, Init, 2);
        let first = [1, 2].map(|_| ask(&unit, Barrier, 1).expect("two wait"));
        assert!(first.iter().all(|t| unit.is_waiting(*t)));
        assert_eq!(ask(&unit, Barrier, 1), None, "the third opens it");
        assert!(!first.iter().any(|t| unit.is_waiting(*t)));
        let second = ask(&unit, Barrier, 0).expect("one waits");
        assert!(unit.is_waiting(second));
        assert_eq!(ask(&unit, Barrier, 0), None, "the second opens it");
        assert!(!unit.is_waiting(second));
        assert_eq!(ask(&unit, Barrier, 0), None, "no other wave is needed");
    }

    #[test]
    fn semaphores_release_in_order() {
        let unit = GlobalSyncUnit::default();
        ask(&unit, Init, 1);
        assert_eq!(unit.counters(), [(5, 1)]);
        assert_eq!(ask(&unit, Wait, 0), None);
        assert!(unit.counters().is_empty());
        let waves = [0; 5].map(|_| ask(&unit, Wait, 0).expect("nothing is left"));
        let waiting = || waves.map(|t| unit.is_waiting(t));
        ask(&unit, Signal, 0);
        assert_eq!(waiting(), [false, true, true, true, true]);
        unit.leave(waves[1]);
        ask(&unit, SignalMany, 2);
        assert_eq!(waiting(), [false, false, false, false, true]);
        ask(&unit, Release, 0);
        assert_eq!(waiting(), [false; 5]);
        assert!(ask(&unit, Wait, 0).is_some(), "no more than waited");
    }

    /// Three signals without a waiting wave: they let the next three pass.
    #[test]
    fn signals_are_kept() {
        let unit = GlobalSyncUnit::default();
        ask(&unit, SignalMany, 3);
        for _ in 0..3 {
            assert_eq!(ask(&unit, Wait, 0), None);
        }
        assert!(ask(&unit, Wait, 0).is_some());
        ask(&unit, Release, 0);
        ask(&unit, Release, 0);
        assert!(
            ask(&unit, Wait, 0).is_some(),
            "without waves it has no effect"
        );
    }
}
