//! The buffer of host calls: packets on two stacks that waves and the host share.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use wavetank_memory::Registry;

use crate::error::Result;
use crate::memory::{Allocation, Memory};

/// The number of packets, a power of two. A wave has one for the length of a call, and others wait for one.
const PACKETS: u64 = 64;

/// Lanes of a wave, each with a slot.
const LANES: usize = 64;

/// Quadwords of a slot.
const SLOT: usize = 8;

/// Bytes of a header: the next packet on the stack, the mask of lanes, the service, and control bits.
const HEADER: u64 = 24;
const HEADER_LANES: u64 = 8;
const HEADER_SERVICE: u64 = 16;
const HEADER_CONTROL: u64 = 20;

/// The control bit of a packet that waits for an answer.
const READY: u32 = 1;

/// Fields of the buffer, of which all are quadwords: addresses of headers and payloads, a signal, two stacks, the mask of indices.
const HEADERS: u64 = 0;
const PAYLOADS: u64 = 8;
const DOORBELL: u64 = 16;
const FREE: u64 = 24;
const WAITING: u64 = 32;
const INDEX_MASK: u64 = 40;

/// The signal (HSA Runtime, `amd_signal_t`): its kind, and the address of a mailbox, without which no message is sent.
const SIGNAL: u64 = 64;
const SIGNAL_MAILBOX: u64 = SIGNAL + 16;
const USER_SIGNAL: u64 = 1;
/// Where the mailbox is, after the signal.
const MAILBOX: u64 = 128;

/// Where headers begin.
const FIRST_HEADER: u64 = 192;

/// Returns the memory that device code writes for host calls, if there is the address of a buffer, of any runtime, in an argument at
/// `argument`: the buffer, the signal, and its mailbox.
pub(crate) fn memory(registry: &Registry, argument: u64) -> Vec<Range<u64>> {
    let quad = |address: u64| {
        let mut bytes = [0; 8];
        let read = registry.read(address, &mut bytes).ok();
        read.map(|()| u64::from_le_bytes(bytes))
    };
    let ranges = || {
        let buffer = quad(argument)?;
        let payload = (LANES * SLOT * 8) as u64;
        let packets = quad(buffer.checked_add(INDEX_MASK)?)?.checked_add(1)?;
        let payloads = packets.checked_mul(payload)?;
        let end = quad(buffer.checked_add(PAYLOADS)?)?.checked_add(payloads)?;
        let signal = quad(buffer.checked_add(DOORBELL)?)?;
        let mailbox = quad(signal.checked_add(SIGNAL_MAILBOX - SIGNAL)?)?;
        let signal_end = signal.checked_add(MAILBOX - SIGNAL)?;
        let mailbox_end = mailbox.checked_add(8)?;
        Some(vec![buffer..end, signal..signal_end, mailbox..mailbox_end])
    };
    ranges().unwrap_or_default()
}

/// The buffer in device memory.
pub(super) struct Buffer {
    memory: Allocation,
    headers: u64,
    payloads: u64,
}

impl Buffer {
    pub(super) fn new(memory: &Memory) -> Result<Buffer> {
        let payload = (LANES * SLOT * 8) as u64;
        let before = FIRST_HEADER + PACKETS * HEADER;
        let bytes = before.next_multiple_of(64) + PACKETS * payload;
        let memory = memory.allocate_private("the host-call buffer", bytes, 64)?;
        let base = memory.address();
        let buffer = Buffer {
            headers: base + FIRST_HEADER,
            payloads: base + before.next_multiple_of(64),
            memory,
        };
        let put = |at, value: u64| buffer.memory.write(at, &value.to_le_bytes());
        put(HEADERS, buffer.headers);
        put(PAYLOADS, buffer.payloads);
        put(DOORBELL, base + SIGNAL);
        put(INDEX_MASK, PACKETS - 1);
        put(SIGNAL, USER_SIGNAL);
        put(SIGNAL_MAILBOX, base + MAILBOX);
        // A packet is named by its index and a tag above it, which is never 0, so that no name is 0: that ends a stack.
        let name = |index| PACKETS | index;
        for index in 1..PACKETS {
            put(FIRST_HEADER + index * HEADER, name(index - 1));
        }
        put(FREE, name(PACKETS - 1));
        Ok(buffer)
    }

    /// The device address.
    pub(super) fn address(&self) -> u64 {
        self.memory.address()
    }

    /// Answers the packets that wait, the first pushed one first, lane by lane: `serve` gets the service and a lane's request, and
    /// returns the first two quadwords of its answer.
    pub(super) fn answer(&self, mut serve: impl FnMut(u32, &[u64; SLOT]) -> [u64; 2]) {
        let waiting = self.quad(self.address() + WAITING);
        let mut next = waiting.swap(0, Ordering::AcqRel);
        let mut packets = Vec::new();
        while next != 0 && packets.len() < PACKETS as usize {
            let index = next & (PACKETS - 1);
            packets.push(index);
            next = self
                .quad(self.headers + index * HEADER)
                .load(Ordering::Relaxed);
        }
        for index in packets.into_iter().rev() {
            let header = self.headers + index * HEADER;
            let lanes = self.quad(header + HEADER_LANES).load(Ordering::Relaxed);
            let service = self.word(header + HEADER_SERVICE).load(Ordering::Relaxed);
            for lane in (0..LANES).filter(|lane| lanes >> lane & 1 == 1) {
                let slot = self.payloads + 8 * ((index as usize * LANES + lane) * SLOT) as u64;
                let at = |n: usize| self.quad(slot + 8 * n as u64);
                let request = std::array::from_fn(|n| at(n).load(Ordering::Relaxed));
                let answer = serve(service, &request);
                at(0).store(answer[0], Ordering::Relaxed);
                at(1).store(answer[1], Ordering::Relaxed);
            }
            let control = self.word(header + HEADER_CONTROL);
            control.fetch_and(!READY, Ordering::Release);
        }
    }

    /// A quadword of the buffer.
    fn quad(&self, address: u64) -> &AtomicU64 {
        self.check(address, 8);
        // SAFETY: the allocation, which lives as long as the buffer, has this aligned quadword; waves access it as atomics do.
        unsafe { &*std::ptr::with_exposed_provenance(address as usize) }
    }

    /// A dword of the buffer.
    fn word(&self, address: u64) -> &AtomicU32 {
        self.check(address, 4);
        // SAFETY: as above.
        unsafe { &*std::ptr::with_exposed_provenance(address as usize) }
    }

    /// Checks that an aligned element is in the buffer.
    fn check(&self, address: u64, bytes: u64) {
        let offset = address.wrapping_sub(self.address());
        let inside = offset.is_multiple_of(bytes) && offset < self.memory.len();
        assert!(inside, "{address:#x} is not in the host-call buffer");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Chip, Device};

    /// Does what device code does: pops a packet, fills it, and pushes it on the stack of those that wait.
    fn call(buffer: &Buffer, lanes: u64, service: u32, requests: &[(usize, u64)]) -> u64 {
        let pop = |stack: u64| {
            let top = buffer
                .quad(buffer.address() + stack)
                .load(Ordering::Relaxed);
            let index = top & (PACKETS - 1);
            let next = buffer.quad(buffer.headers + index * HEADER);
            let next = next.load(Ordering::Relaxed);
            buffer
                .quad(buffer.address() + stack)
                .store(next, Ordering::Relaxed);
            top
        };
        let name = pop(FREE);
        assert_ne!(name, 0, "a packet is free");
        let index = name & (PACKETS - 1);
        let header = buffer.headers + index * HEADER;
        let waiting = buffer.quad(buffer.address() + WAITING);
        buffer
            .quad(header)
            .store(waiting.load(Ordering::Relaxed), Ordering::Relaxed);
        buffer
            .quad(header + HEADER_LANES)
            .store(lanes, Ordering::Relaxed);
        buffer
            .word(header + HEADER_SERVICE)
            .store(service, Ordering::Relaxed);
        buffer
            .word(header + HEADER_CONTROL)
            .store(READY, Ordering::Relaxed);
        for (lane, value) in requests {
            let slot = buffer.payloads + 8 * ((index as usize * LANES + lane) * SLOT) as u64;
            buffer.quad(slot).store(*value, Ordering::Relaxed);
        }
        waiting.store(name, Ordering::Relaxed);
        index
    }

    #[test]
    fn calls_are_answered_in_their_order() {
        let device = Device::new(Chip::Gfx900).unwrap();
        let buffer = Buffer::new(&device.inner.memory).unwrap();
        let first = call(&buffer, 0b101, 2, &[(0, 7), (2, 9)]);
        let second = call(&buffer, 1 << 63, 5, &[(63, 1)]);
        assert_ne!(first, second);
        let mut seen = Vec::new();
        buffer.answer(|service, request| {
            seen.push((service, request[0]));
            [request[0] + 100, 0]
        });
        assert_eq!(seen, [(2, 7), (2, 9), (5, 1)]);
        for (index, lane, answer) in [(first, 0, 107), (first, 2, 109), (second, 63, 101)] {
            let slot = buffer.payloads + 8 * ((index as usize * LANES + lane) * SLOT) as u64;
            assert_eq!(buffer.quad(slot).load(Ordering::Relaxed), answer);
            let control = buffer.word(buffer.headers + index * HEADER + HEADER_CONTROL);
            assert_eq!(control.load(Ordering::Relaxed) & READY, 0);
        }
        buffer.answer(|_, _| unreachable!("none waits any more"));
    }

    #[test]
    fn its_memory_is_found() {
        let device = Device::new(Chip::Gfx900).unwrap();
        let buffer = Buffer::new(&device.inner.memory).unwrap();
        let argument = device.buffer_from(&[buffer.address()]).unwrap();
        let (base, end) = (buffer.address(), buffer.address() + buffer.memory.len());
        let ranges = memory(device.registry(), argument.address());
        let signal = base + SIGNAL..base + SIGNAL + 64;
        assert_eq!(ranges, [base..end, signal, base + 128..base + 136]);
        let none = device.buffer_from(&[0u64]).unwrap();
        assert!(memory(device.registry(), none.address()).is_empty());
    }

    #[test]
    fn all_packets_are_free_at_first() {
        let device = Device::new(Chip::Gfx900).unwrap();
        let buffer = Buffer::new(&device.inner.memory).unwrap();
        let mut used: Vec<u64> = (0..PACKETS).map(|_| call(&buffer, 0, 0, &[])).collect();
        used.sort_unstable();
        assert_eq!(used, (0..PACKETS).collect::<Vec<_>>());
        let free = buffer.quad(buffer.address() + FREE);
        assert_eq!(free.load(Ordering::Relaxed), 0);
    }

    /// A kernel can write anything into its buffer.
    #[test]
    fn a_damaged_stack_ends() {
        let device = Device::new(Chip::Gfx900).unwrap();
        let buffer = Buffer::new(&device.inner.memory).unwrap();
        let index = call(&buffer, 0, 0, &[]);
        let circle = buffer.quad(buffer.headers + index * HEADER);
        circle.store(PACKETS | index, Ordering::Relaxed);
        buffer.answer(|_, _| unreachable!("no lane calls"));
        call(&buffer, !0, 0, &[]);
        let waiting = buffer.quad(buffer.address() + WAITING);
        waiting.store(!0, Ordering::Relaxed);
        buffer.answer(|_, _| [0, 0]);
    }
}
