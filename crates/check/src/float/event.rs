//! Float events (a new NaN, an infinity, a flush), and the numbers of their probes.

use wavetank_ir::Elem;

/// An event in the computation of a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Event {
    /// The result is a NaN, and no operand is one.
    Nan,
    /// The result is infinite, and no operand is infinite.
    Infinity,
    /// The result differs from the one with denormals.
    Flushed,
    /// The number does not fit into the integer.
    Conversion,
}

/// The first probe number of this tool; lower numbers belong to other tools.
const FIRST: u8 = 64;

impl Event {
    const ALL: [Event; 4] = [
        Event::Nan,
        Event::Infinity,
        Event::Flushed,
        Event::Conversion,
    ];

    /// The float types that probes show.
    const KINDS: [Elem; 3] = [Elem::F16, Elem::F32, Elem::F64];

    /// Returns the number of the event's probe that shows floats of a type.
    pub(super) fn about(self, elem: Elem) -> u8 {
        let kind = Event::KINDS.iter().position(|e| *e == elem);
        let kind = kind.unwrap_or_default();
        FIRST + (self as usize * Event::KINDS.len() + kind) as u8
    }

    /// Returns the event and float type of a probe; `None` for a probe of another tool.
    pub fn of_probe(about: u8) -> Option<(Event, Elem)> {
        let number = usize::from(about.checked_sub(FIRST)?);
        let event = Event::ALL.get(number / Event::KINDS.len())?;
        Some((*event, Event::KINDS[number % Event::KINDS.len()]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_say_what_they_are_about() {
        for event in Event::ALL {
            for elem in Event::KINDS {
                assert_eq!(Event::of_probe(event.about(elem)), Some((event, elem)));
            }
        }
        // Lower numbers belong to `init`.
        assert_eq!(Event::of_probe(FIRST - 1), None);
        assert_eq!(Event::of_probe(FIRST + 12), None);
    }
}
