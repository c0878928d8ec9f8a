//! The packet processor: executes the packets of a queue in order.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use wavetank::{Kernel, Packet};

use super::barrier;
use super::dependencies::Dependencies;
use super::fault::Fault;
use super::pool;
use super::ring::{Progress, Queue};
use crate::c_types::{BarrierPacket, BarrierValuePacket, DispatchPacket, PacketType, Signal};
use crate::loader;
use crate::observe::{Launch, Outcome, checks};
use crate::signal::{self, poll};
use crate::state::{lock, ticks};

/// The time that a written packet waits for its doorbell, if `race` needs to identify the ringing thread.
const DOORBELL_TIMEOUT: Duration = Duration::from_millis(1);

/// The reason why the processor leaves a queue.
pub(super) enum Pause {
    /// The queue has no packet, or was stopped.
    Idle,
    /// The next packet waits for signals.
    Blocked,
    /// Another queue needs the thread.
    Yield,
}

/// Executes packets as long as there are some.
pub(super) fn packets(queue: &Arc<Queue>) -> Result<Pause, Fault> {
    let mut progress = lock(&queue.progress);
    while has_packet(queue, progress.index) {
        match execute(queue, &mut progress) {
            Ok(true) => {}
            Ok(false) => return Ok(Pause::Blocked),
            Err(_) if queue.is_stopped() => return Ok(Pause::Idle),
            Err(fault) => {
                queue.stop();
                return Err(fault);
            }
        }
        if pool::is_contended() {
            return Ok(Pause::Yield);
        }
    }
    Ok(Pause::Idle)
}

/// Whether there is a packet to execute, now or in a moment: most come in sequences.
fn has_packet(queue: &Queue, index: u64) -> bool {
    let start = Instant::now();
    loop {
        if queue.is_stopped() {
            return false;
        }
        let there = queue.is_written(index);
        if there && (queue.order.has_announced(index) || start.elapsed() >= DOORBELL_TIMEOUT) {
            return true;
        }
        if !there && (start.elapsed() >= signal::SPIN || pool::is_contended()) {
            return false;
        }
        std::hint::spin_loop();
    }
}

/// Executes a packet. Returns `false` if it has to wait.
fn execute(queue: &Arc<Queue>, progress: &mut Progress) -> Result<bool, Fault> {
    let index = progress.index;
    let header = queue.header(index).load(Ordering::Acquire);
    let start = ticks();
    let mut barrier = |dependencies: Result<Dependencies, String>| {
        let dependencies =
            dependencies.map_err(|problem| Fault::Packet(format!("packet {index}: {problem}")))?;
        let met = barrier::is_met(queue, &mut progress.waiting, index, &dependencies)?;
        if met {
            queue.order.waited(index, &dependencies.signals());
        }
        Ok(met)
    };
    let (completion, done) = match PacketType::of(header) {
        PacketType::KernelDispatch => {
            let packet: DispatchPacket = queue.packet(index);
            check(packet.completion, index)?;
            dispatch(queue, index, &packet, &mut progress.last)?;
            (packet.completion, true)
        }
        kind @ (PacketType::BarrierAnd | PacketType::BarrierOr) => {
            let packet: BarrierPacket = queue.packet(index);
            check(packet.completion, index)?;
            let all = kind == PacketType::BarrierAnd;
            (
                packet.completion,
                barrier(Ok(Dependencies::of_barrier(&packet, all)))?,
            )
        }
        PacketType::VendorSpecific => {
            let packet: BarrierValuePacket = queue.packet(index);
            check(packet.completion, index)?;
            (packet.completion, barrier(Dependencies::of_value(&packet))?)
        }
        other => {
            return Err(Fault::Packet(format!(
                "the packet type {other:?} is not for this queue"
            )));
        }
    };
    if done {
        // The slot is freed before the signal: a thread that waits for the signal finds the packet executed.
        queue.header(index).store(1, Ordering::Release);
        progress.index += 1;
        queue.read_index().store(progress.index, Ordering::Release);
        queue.order.completes(completion);
        signal::complete(completion, start, ticks());
    }
    Ok(done)
}

/// Checks the signal that a packet completes, before the packet has any effect.
fn check(completion: Signal, index: u64) -> Result<(), Fault> {
    if signal::is_optional(completion) {
        Ok(())
    } else {
        Err(Fault::Packet(format!(
            "packet {index}: it completes {:#x}, which is not a signal",
            completion.0
        )))
    }
}

/// Runs a kernel to its end.
fn dispatch(
    queue: &Queue,
    index: u64,
    packet: &DispatchPacket,
    last: &mut Option<(u64, Kernel)>,
) -> Result<(), Fault> {
    let (kernel, state) = decode(queue, index, packet, last)?;
    let launch = Launch::begin((queue.id, &queue.order), index, kernel);
    // A kernel sends messages after it has stored to a signal.
    let message = |_| poll::now();
    let progress = |done, all| launch.progress(done, all);
    let dispatch = kernel
        .dispatch()
        .grid(packet.grid)
        .block(packet.workgroup.map(u32::from))
        .packet(state)
        .message(&message)
        .progress(&progress)
        .cancel(&queue.stopped);
    let result = launch.configure(dispatch).run();
    match launch.end(packet, result, queue.is_stopped()) {
        Outcome::Done => Ok(()),
        Outcome::Failed(error) => Err(Fault::Kernel {
            lines: checks::failure(kernel, &error),
            error,
        }),
        // The program is about to be ended.
        Outcome::Deadline => Err(Fault::Stopped),
    }
}

/// The kernel of a dispatch, and the packet as the kernel sees it.
fn decode<'k>(
    queue: &Queue,
    index: u64,
    packet: &DispatchPacket,
    last: &'k mut Option<(u64, Kernel)>,
) -> Result<(&'k Kernel, Packet), Fault> {
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
    if packet.setup & 3 == 0 {
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
    Ok((kernel, state))
}
