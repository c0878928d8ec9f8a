//! Float events (a new NaN, an infinity, a flush), and the numbers of their probes.

use wavetank_ir::Elem;

/// What happens to a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Event {
    /// The result is a NaN, and no operand is one.
    Nan,
    /// The result is infinite, and no operand is.
    Infinity,
    /// The result is another one than with denormals.
    Flushed,
    /// The integer cannot hold the number.
    Conversion,
}

/// Notes have numbers from here on, so that others can have the lower ones.
const FIRST: u8 = 64;

impl Event {
    const ALL: [Event; 4] = [
        Event::Nan,
        Event::Infinity,
        Event::Flushed,
        Event::Conversion,
    ];

    /// What probes are about; floats of which kind are shown.
    const KINDS: [Elem; 3] = [Elem::F16, Elem::F32, Elem::F64];

    /// What probes of it are about, with floats of which kind.
    pub(super) fn about(self, elem: Elem) -> u8 {
        let kind = Event::KINDS.iter().position(|e| *e == elem);
        let kind = kind.unwrap_or_default();
        FIRST + (self as usize * Event::KINDS.len() + kind) as u8
    }

    /// The event of a probe, and the kind of the floats that it shows; `None` for a probe of another tool.
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
        // Those of `init` are lower.
        assert_eq!(Event::of_probe(FIRST - 1), None);
        assert_eq!(Event::of_probe(FIRST + 12), None);
    }
}
