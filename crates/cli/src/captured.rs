//! `wavetank info` of a captured launch.

use std::path::Path;

use serde::Serialize;
use wavetank::capture::{Capture, Launch, Outcome};
use wavetank_quote::{plain, readable};

use crate::columns::Columns;
use crate::exit::{Failure, Result, print, print_json, shown};
use crate::paint::title;

/// The allocations that are listed for people, the largest first.
const MOST: usize = 20;

/// The contents of a capture, for programs.
#[derive(Serialize)]
struct Report<'c> {
    file: String,
    capture: &'c Launch,
    /// Pages of 4,096 bytes that were not zero before the launch.
    pages: usize,
    /// Pages that the launch wrote; absent if it did not end.
    written_pages: Option<usize>,
    /// The sentence about the failure of the launch.
    failure: Option<&'c str>,
}

/// Prints what is in a capture.
pub(crate) fn info(path: &Path, bytes: &[u8], json: bool) -> Result {
    let capture = Capture::read(bytes);
    let capture = capture.map_err(|problem| Failure::usage(problem.to_string()).of(path))?;
    let outcome = capture.outcome();
    let report = Report {
        file: shown(path),
        capture: capture.launch(),
        pages: capture.pages().count(),
        written_pages: match outcome {
            Outcome::Ended(pages) => Some(pages.len()),
            Outcome::Failed(_) | Outcome::Unknown => None,
        },
        failure: match outcome {
            Outcome::Failed(why) => Some(why),
            Outcome::Ended(_) | Outcome::Unknown => None,
        },
    };
    if json {
        print_json(&report)
    } else {
        print(&report.text())
    }
}

impl Report<'_> {
    fn text(&self) -> String {
        let launch = self.capture;
        let number = match launch.number {
            0 => "a launch".to_owned(),
            number => format!("launch {number} of a program"),
        };
        let name = readable(&launch.kernel);
        let size = |[x, y, z]: [u32; 3]| format!("{x}x{y}x{z}");
        let (packet, count) = (&launch.packet, launch.allocations.len());
        let end = match (self.written_pages, self.failure) {
            (Some(1), _) => "wrote to 1 page".to_owned(),
            (Some(n), _) => format!("wrote to {n} pages"),
            (None, Some(why)) => format!("failed: {}", plain(why)),
            (None, None) => "had not ended when its program did".to_owned(),
        };
        let bytes: u64 = launch.allocations.iter().map(|a| a.bytes).sum();
        let text = format!(
            "{}\n  captured by {}, {number}\n  {}, grid of {} work-items, work-groups of {}\n  \
             {} bytes of LDS, {} bytes of scratch a work-item, arguments at {:#x}\n  \
             {count} allocations with {bytes} bytes, of which {} pages are not zero\n  the launch {end}\n\n",
            title(&format!("capture of kernel {name}")),
            plain(&launch.made_by),
            plain(&launch.chip),
            size(launch.grid),
            size(launch.block),
            packet.group_segment_size,
            packet.private_segment_size,
            packet.kernarg,
            self.pages,
        );
        text + &self.allocations()
    }

    fn allocations(&self) -> String {
        let mut all: Vec<_> = self.capture.allocations.iter().collect();
        all.sort_by_key(|allocation| std::cmp::Reverse(allocation.bytes));
        let mut table = Columns::new(&["address", "bytes", "allocation"], &[1], &[]);
        for allocation in all.iter().take(MOST) {
            table.add(vec![
                format!("{:#x}", allocation.address),
                allocation.bytes.to_string(),
                plain(&allocation.name).to_string(),
            ]);
        }
        let more = match all.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!("and {more} smaller ones\n"),
        };
        table.text() + &more
    }
}
