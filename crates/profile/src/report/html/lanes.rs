//! The picture of active lanes: executions by the number of lanes.

use maud::{Markup, html};

use crate::figures::{Figures, LANES};
use crate::number::{grouped, percent};

/// Height of the bars, in the units of the picture.
const HEIGHT: f64 = 120.0;
/// Width of a bar with its gap.
const STEP: f64 = 10.0;

/// Returns the histogram; nothing if no instruction has lanes.
pub(super) fn picture(figures: &Figures) -> Markup {
    let largest = figures.lanes.values().copied().max().unwrap_or(0);
    let Some(active) = figures.active_share().filter(|_| largest > 0) else {
        return html! {};
    };
    let width = STEP * (LANES + 1) as f64;
    let label = format!(
        "Executions by active lanes, from 0 to 64. {} of the lanes are active in the mean.",
        percent(active)
    );
    html! {
        h4 { "Active lanes" }
        figure {
            svg.picture viewBox={ "0 0 " (width) " " (HEIGHT + 22.0) } role="img" aria-label=(label) {
                @for (lanes, times) in &figures.lanes {
                    // A bar of a few executions among millions is visible.
                    @let height = (HEIGHT * *times as f64 / largest as f64).max(1.5);
                    rect.bar x=(STEP * f64::from(*lanes) + 1.0) y={ (format!("{:.1}", HEIGHT - height)) }
                        width=(STEP - 2.0) height={ (format!("{height:.1}")) } {
                        title { (lanes) " lanes: " (grouped(*times)) " executions" }
                    }
                }
                line.axis x1="0" x2=(width) y1=(HEIGHT) y2=(HEIGHT) {}
                @for lanes in [0.0, 16.0, 32.0, 48.0, 64.0] {
                    text x=(STEP * (lanes + 0.5)) y=(HEIGHT + 16.0) text-anchor="middle" { (lanes) }
                }
            }
            figcaption {
                "Executions of vector, memory and LDS instructions by the number of active lanes; the highest bar is "
                (grouped(largest)) ". In the mean " (percent(active)) " of the lanes are active."
            }
        }
    }
}
