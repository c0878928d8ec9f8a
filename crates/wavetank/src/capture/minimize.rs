//! Captures with only the memory that the launch accesses.

use std::io::{self, Write};
use std::ops::Range;

use wavetank_capture::{Allocation, Launch, Outcome, PAGE, Writer};
use wavetank_machine::gcn::aql;
use wavetank_memory::ALIAS;

use super::accesses::Accesses;
use super::memory::{pieces, read_page};
use super::replay::{Replay, placed};

impl Replay<'_> {
    /// Writes a capture of the same launch, with those pages and allocations that it accesses, and the code. `accesses` are those of
    /// [this launch](Self::dispatch), after which all memory was [as captured](Self::compare).
    ///
    /// # Errors
    /// What writing gave.
    pub fn write_minimized(&self, accesses: &Accesses, to: impl Write) -> io::Result<()> {
        let capture = self.capture();
        let given = self.given();
        let is_kept = |page: u64| {
            let page = page & !ALIAS;
            let end = page + PAGE as u64;
            accesses.has_page(page) || given.iter().any(|g| g.start < end && page < g.end)
        };
        let keeps = |allocation: &&Allocation| {
            let start = allocation.address & !ALIAS;
            let range = start..start + allocation.bytes;
            let is_given = given
                .iter()
                .any(|g| g.start < range.end && range.start < g.end);
            is_given || accesses.is_accessed(range)
        };
        let launch = capture.launch();
        let launch = Launch {
            allocations: launch.allocations.iter().filter(keeps).cloned().collect(),
            ..launch.clone()
        };
        let mut writer = Writer::new(to, &launch, capture.object())?;
        for (address, page) in capture.pages().filter(|(address, _)| is_kept(*address)) {
            writer.page(address, page)?;
        }
        writer.gds(capture.gds())?;
        let mut launched = writer.launched()?;
        match capture.outcome() {
            Outcome::Ended(written) => {
                let registry = self.kernel().module().device().registry();
                let pieces = pieces(&placed(capture));
                for (address, page) in written {
                    let contents = read_page(registry, &pieces, *address);
                    launched.written(*address, &page.mask, &contents);
                }
                launched.finish().map(drop)
            }
            Outcome::Failed(why) => launched.fail(why).map(drop),
            Outcome::Unknown => Ok(()),
        }
    }

    /// The memory that no wave has to load: the code, and the arguments and the packet, which may come in registers.
    fn given(&self) -> Vec<Range<u64>> {
        let launch = self.capture().launch();
        let (packet, object) = (&launch.packet, self.kernel().module().object());
        let arguments = self.kernel().info().kernarg_segment_size.max(1);
        let range = |start: u64, bytes: u64| {
            let start = start & !ALIAS;
            start..start.saturating_add(bytes)
        };
        let code = object
            .segments()
            .iter()
            .filter(|segment| segment.executable);
        let code = code.map(|segment| {
            let offset = segment.address.wrapping_sub(object.image_origin());
            range(launch.module.wrapping_add(offset), segment.memory_size)
        });
        let others = [
            range(packet.address, aql::PACKET_SIZE as u64),
            range(packet.kernarg, arguments.into()),
        ];
        code.chain(others).collect()
    }
}
