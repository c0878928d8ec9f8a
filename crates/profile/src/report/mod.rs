//! Reports of a profile: text, one file of HTML, CSV, and a trace for Perfetto.
//!
//! * [`details`] and [`advice_text`]: text for a terminal.
//! * [`html`]: a page that needs no network; [`parts`] has what other pages share with it.
//! * [`csv`]: a row for each kernel, with rocprof's names where the meaning is the same.
//! * [`trace`]: launches, copies and calls over time, for <https://ui.perfetto.dev>.
//!
//! The profile itself is JSON ([`Profile::write`](crate::model::Profile::write)).

mod csv;
mod html;
mod text;
mod trace;

pub use csv::csv;
pub use html::{html, parts};
pub use text::{Look, advice_text, details};
pub use trace::trace;
