//! The packet processor: takes the packets of a queue in their order.

use std::sync::atomic::Ordering;
use std::time::Duration;

use wavetank::{Kernel, Packet};

use super::Queue;
use super::fault::Fault;
use crate::abi::{
    BarrierPacket, BarrierValuePacket, Condition, DispatchPacket, PacketType, Signal,
};
use crate::handler::{wait_for_any_zero, wait_for_zero};
use crate::runtime::ticks;
use crate::{loader, log, signal, signal_calls, statistics, wait};

/// How long an idle queue sleeps before it looks at its ring without having been called.
const IDLE: Duration = Duration::from_millis(250);

/// Executes packets until the queue stops.
pub fn serve(queue: &Queue) {
    let mut index = queue.amd().read_index.load(Ordering::Acquire);
    // The kernel of the last dispatch: most are followed by another of the same.
    let mut last: Option<(u64, Kernel)> = None;
    while !queue.stops() {
        let ready = || (queue.stops() || is_there(queue, index)).then_some(());
        wait::until(Some(queue.doorbell.0), Some(IDLE), ready);
        if queue.stops() || !is_there(queue, index) {
            continue;
        }
        match execute(queue, index, &mut last) {
            Ok(()) => {}
            Err(_) if queue.stops() => break,
            Err(fault) => {
                queue.stop();
                queue.ended.store(true, Ordering::Release);
                fault.report(queue);
                return;
            }
        }
        queue.header(index).store(1, Ordering::Release);
        index += 1;
        queue.amd().read_index.store(index, Ordering::Release);
    }
    queue.ended.store(true, Ordering::Release);
    wait::something_changed();
}

/// Whether a packet has been written: its slot is reserved, and its header says what it is. What number the doorbell got
/// does not matter.
fn is_there(queue: &Queue, index: u64) -> bool {
    let header = queue.header(index).load(Ordering::Acquire);
    PacketType::of(header) != PacketType::Invalid
        && index < queue.amd().write_index.load(Ordering::Acquire)
}

fn execute(queue: &Queue, index: u64, last: &mut Option<(u64, Kernel)>) -> Result<(), Fault> {
    let header = queue.header(index).load(Ordering::Acquire);
    // The packet was written before its header, and is the library's until the read index has passed it.
    let slot = std::ptr::with_exposed_provenance::<u8>(queue.slot(index) as usize);
    let start = ticks();
    let completion = match PacketType::of(header) {
        PacketType::KernelDispatch => {
            // SAFETY: a slot has 64 bytes, as the packet has, which takes any bits.
            let packet = unsafe { slot.cast::<DispatchPacket>().read() };
            dispatch(queue, index, &packet, last)?;
            packet.completion
        }
        PacketType::BarrierAnd | PacketType::BarrierOr => {
            // SAFETY: a slot has 64 bytes, as the packet has, which takes any bits.
            let packet = unsafe { slot.cast::<BarrierPacket>().read() };
            let all = PacketType::of(header) == PacketType::BarrierAnd;
            barrier(queue, &packet, all)?;
            packet.completion
        }
        PacketType::VendorSpecific => {
            // SAFETY: a slot has 64 bytes, as the packet has, which takes any bits.
            let packet = unsafe { slot.cast::<BarrierValuePacket>().read() };
            barrier_value(queue, &packet)?;
            packet.completion
        }
        other => {
            return Err(Fault::Packet(format!(
                "the packet type {other:?} is not for this queue"
            )));
        }
    };
    signal::complete(completion, start, ticks());
    Ok(())
}

fn barrier(queue: &Queue, packet: &BarrierPacket, all: bool) -> Result<(), Fault> {
    let met = match all {
        true => wait_for_zero(&packet.dependencies, || queue.stops()),
        false => wait_for_any_zero(&packet.dependencies, || queue.stops()),
    };
    met.then_some(()).ok_or(Fault::Stopped)
}

fn barrier_value(queue: &Queue, packet: &BarrierValuePacket) -> Result<(), Fault> {
    const BARRIER_VALUE: u8 = 2;
    if packet.format != BARRIER_VALUE {
        return Err(Fault::Packet(format!(
            "the vendor packet format {} is unknown",
            packet.format
        )));
    }
    let condition = Condition::new(packet.condition);
    let condition = condition
        .ok_or_else(|| Fault::Packet(format!("the condition {} is unknown", packet.condition)))?;
    let Signal(address) = packet.signal;
    let met = || condition.holds(signal::load(packet.signal) & packet.mask, packet.value);
    wait::until(Some(address), None, || {
        (queue.stops() || met()).then_some(())
    });
    (!queue.stops()).then_some(()).ok_or(Fault::Stopped)
}

/// Runs a kernel to its end.
fn dispatch(
    queue: &Queue,
    index: u64,
    packet: &DispatchPacket,
    last: &mut Option<(u64, Kernel)>,
) -> Result<(), Fault> {
    let object = packet.kernel_object;
    if last.as_ref().is_none_or(|(address, _)| *address != object) || !loader::is_loaded(object) {
        let kernel = loader::kernel_at(object);
        let kernel =
            kernel.ok_or_else(|| Fault::Packet(format!("there is no kernel at {object:#x}")))?;
        *last = Some((object, kernel));
    }
    let Some((_, kernel)) = last else {
        return Err(Fault::Stopped);
    };
    let dimensions = usize::from(packet.setup & 3);
    if dimensions == 0 {
        return Err(Fault::Packet("a dispatch has 1 to 3 dimensions".to_owned()));
    }
    let state = Packet {
        address: queue.slot(index),
        queue: queue.address,
        kernarg: packet.kernarg,
        id: index,
        private_segment_size: packet.private_segment_size,
        group_segment_size: packet.group_segment_size,
    };
    let message = |_| signal_calls::interrupt();
    let run = kernel
        .dispatch()
        .grid(packet.grid)
        .block(packet.workgroup.map(u32::from))
        .packet(state)
        .count(statistics::wanted())
        .message(&message)
        .cancel(&queue.stopped)
        .run();
    match run {
        Ok(report) => {
            statistics::add(kernel.name(), &report);
            if let Some(overrun) = &report.lds_overruns {
                log::once(kernel.name(), &overrun.to_string());
            }
            if log::informs() {
                log::line(&statistics::told(kernel.name(), packet, &report));
            }
            Ok(())
        }
        Err(_) if queue.stops() => Err(Fault::Stopped),
        Err(error) => Err(Fault::Kernel(error)),
    }
}
