//! The packet processor: takes the packets of a queue in their order.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use wavetank::{Error, Kernel, Packet};

use super::barrier::{self, Waiting, Wish};
use super::fault::Fault;
use super::slow::Slow;
use super::{Queue, pool};
use crate::abi::{BarrierPacket, BarrierValuePacket, DispatchPacket, PacketType, Signal};
use crate::state::{lock, ticks};
use crate::{
    checks, deadline, loader, log, look, origins, signal, signal_calls, statistics, undefined, wait,
};

/// How long a packet that is there waits for its doorbell, if somebody wants to know who rings.
const PATIENCE: Duration = Duration::from_millis(1);

/// How far the packets of a queue have been executed.
#[derive(Default)]
pub struct Progress {
    index: u64,
    /// The kernel of the last dispatch: most are followed by another of the same.
    last: Option<(u64, Kernel)>,
    /// The packet that waits for signals.
    waiting: Option<Waiting>,
}

/// Why a queue is left alone.
pub enum Pause {
    /// It has no packet, or was stopped.
    Idle,
    /// Its packet waits for signals.
    Blocked,
    /// Another queue needs the thread.
    Turn,
}

/// Executes packets as long as there are some.
pub fn packets(queue: &Arc<Queue>) -> Result<Pause, Fault> {
    let mut progress = lock(&queue.progress);
    while has_packet(queue, progress.index) {
        match execute(queue, &mut progress) {
            Ok(true) => {}
            Ok(false) => return Ok(Pause::Blocked),
            Err(_) if queue.stops() => return Ok(Pause::Idle),
            Err(fault) => {
                queue.stop();
                return Err(fault);
            }
        }
        if pool::is_wanted() {
            return Ok(Pause::Turn);
        }
    }
    Ok(Pause::Idle)
}

/// Whether there is a packet to execute, now or in a moment: most come in rows.
fn has_packet(queue: &Queue, index: u64) -> bool {
    let start = Instant::now();
    loop {
        if queue.stops() {
            return false;
        }
        let there = is_there(queue, index);
        if there && (queue.order.has_announced(index) || start.elapsed() >= PATIENCE) {
            return true;
        }
        if !there && (start.elapsed() >= wait::SPIN || pool::is_wanted()) {
            return false;
        }
        std::hint::spin_loop();
    }
}

/// Whether a packet has been written: its slot is reserved, and its header says what it is. What number the doorbell got
/// does not matter.
pub fn is_there(queue: &Queue, index: u64) -> bool {
    let header = queue.header(index).load(Ordering::Acquire);
    PacketType::of(header) != PacketType::Invalid
        && index < queue.write_index().load(Ordering::Acquire)
}

impl Progress {
    /// What its packet waits for, in words.
    pub fn waits_for(&self) -> Option<String> {
        self.waiting.as_ref().map(Waiting::told)
    }
}

/// Executes a packet; whether it need not wait.
fn execute(queue: &Arc<Queue>, progress: &mut Progress) -> Result<bool, Fault> {
    let index = progress.index;
    let header = queue.header(index).load(Ordering::Acquire);
    let start = ticks();
    let mut barrier = |wish: Result<Wish, String>| {
        let wish = wish.map_err(|problem| Fault::Packet(format!("packet {index}: {problem}")))?;
        let met = barrier::is_met(queue, &mut progress.waiting, index, &wish)?;
        if met {
            queue.order.waited(index, &wish.signals());
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
                barrier(Ok(Wish::of_barrier(&packet, all)))?,
            )
        }
        PacketType::VendorSpecific => {
            let packet: BarrierValuePacket = queue.packet(index);
            check(packet.completion, index)?;
            (packet.completion, barrier(Wish::of_value(&packet))?)
        }
        other => {
            return Err(Fault::Packet(format!(
                "the packet type {other:?} is not for this queue"
            )));
        }
    };
    if done {
        // Who waits for the signal finds the packet taken.
        queue.header(index).store(1, Ordering::Release);
        progress.index += 1;
        queue.read_index().store(progress.index, Ordering::Release);
        queue.order.completes(completion);
        signal::complete(completion, start, ticks());
    }
    Ok(done)
}

/// Checks the signal that a packet completes, before anything is done for it.
fn check(completion: Signal, index: u64) -> Result<(), Fault> {
    match signal::is_optional(completion) {
        true => Ok(()),
        false => Err(Fault::Packet(format!(
            "packet {index}: it completes {:#x}, which is no signal",
            completion.0
        ))),
    }
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
    checks::runs(kernel);
    let _running = look::Running::new();
    let slow = Slow::new(kernel.name());
    let progress = |done, all| slow.look(done, all);
    statistics::begin(kernel.name());
    let begun = Instant::now();
    let (deadline, left) = deadline::Kernel::begins();
    let launch = queue.order.begins(index, kernel);
    let mut run = kernel
        .dispatch()
        .grid(packet.grid)
        .block(packet.workgroup.map(u32::from))
        .packet(state)
        .count(statistics::wanted())
        .message(&message)
        .progress(&progress)
        .cancel(&queue.stopped)
        .check(checks::tools())
        .keep_going(checks::keep_going())
        .host_reads(false)
        .origins(&origins::of);
    if let Some(left) = left {
        run = run.timeout(left);
    }
    if let Some(launch) = &launch {
        run = run.footprint(launch.footprint.clone());
    }
    let run = run.run();
    statistics::end(kernel.name(), begun.elapsed(), run.as_ref().ok());
    match run {
        Ok(mut report) => {
            checks::tell(kernel, &report.findings);
            queue.order.ends(launch);
            undefined::stored(kernel, std::mem::take(&mut report.undefined_stores));
            if let Some(overrun) = &report.lds_overruns {
                log::once(
                    &format!("the LDS of {}", kernel.name()),
                    &overrun.to_string(),
                );
            }
            if let Some(read_on) = &report.read_on {
                log::once(
                    &format!("the loads of {}", kernel.name()),
                    &read_on.to_string(),
                );
            }
            if log::informs() {
                log::line(&statistics::told(kernel.name(), packet, &report));
            }
            Ok(())
        }
        Err(_) if queue.stops() => Err(Fault::Stopped),
        Err(error) => {
            checks::tell(kernel, error.findings());
            if let (Some(deadline), Error::Timeout(_)) = (&deadline, &error) {
                // The program is about to be ended.
                deadline.is_stopped();
                return Err(Fault::Stopped);
            }
            Err(Fault::Kernel(error))
        }
    }
}
