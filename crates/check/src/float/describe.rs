//! Messages of the findings of `float`.

use wavetank_ir::Elem;

use super::event::Event;
use crate::code::Graph;
use crate::finding::{Finding, Mark};
use crate::tool::Tool;
use crate::work_items::WorkItems;

/// An event that was seen at an instruction.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The address of the instruction.
    pub pc: u64,
    /// The kind of the event.
    pub event: Event,
    /// The type of the operands.
    pub elem: Elem,
    /// The operands of the first lane, if they are known.
    pub operands: Vec<u64>,
    /// The wave and lanes, in words.
    pub actor: String,
    /// The same as work-items.
    pub items: WorkItems,
    /// The number of occurrences.
    pub times: u64,
}

/// Returns the finding about an event, in a kernel whose code has these graphs.
pub fn describe(seen: &Seen, kernel: &str, graphs: &[Graph]) -> Finding {
    let node = graphs.iter().find_map(|graph| graph.node_at(seen.pc));
    let text = node.map(|node| node.inst.to_string()).unwrap_or_default();
    let name = match text.split_whitespace().next() {
        Some(name) => format!("`{name}`"),
        None => "the instruction".to_owned(),
    };
    let (rule, message, label) = words(seen.event, &name);
    let mut notes = vec![seen.actor.clone()];
    notes.extend(operands(seen.elem, &seen.operands));
    Finding {
        tool: Tool::Float,
        rule,
        kernel: kernel.to_owned(),
        message,
        at: Mark::at(seen.pc, label).by(seen.items),
        related: Vec::new(),
        host: Vec::new(),
        notes,
        help: None,
        address: None,
        also: Vec::new(),
        times: seen.times,
    }
}

/// Returns the rule, the sentence, and the label of the place.
fn words(event: Event, name: &str) -> (&'static str, String, &'static str) {
    match event {
        Event::Nan => (
            "nan",
            format!("{name} gives a NaN, and no operand is one"),
            "a NaN is produced here",
        ),
        Event::Infinity => (
            "infinity",
            format!("{name} gives an infinity, and no operand is one"),
            "an infinity is produced here",
        ),
        Event::Flushed => (
            "flushed",
            format!("{name} treats a denormal as zero, which changes its result"),
            "a denormal is flushed here",
        ),
        Event::Conversion => (
            "conversion",
            format!("{name} converts a number that its integer cannot hold"),
            "a number out of range is converted here",
        ),
    }
}

/// Returns the operands of a lane in a sentence.
fn operands(elem: Elem, operands: &[u64]) -> Option<String> {
    let numbers: Vec<String> = operands.iter().map(|bits| number(elem, *bits)).collect();
    match numbers.as_slice() {
        [] => None,
        [one] => Some(format!("the operand of the first lane is {one}")),
        [most @ .., last] => {
            let most = most.join(", ");
            Some(format!(
                "the operands of the first lane are {most} and {last}"
            ))
        }
    }
}

/// Returns the bits of a number, and its value.
fn number(elem: Elem, bits: u64) -> String {
    match elem {
        Elem::F64 => format!("{bits:#018x} = {:?}", f64::from_bits(bits)),
        Elem::F16 => format!("{:#06x} = {:?}", bits as u16, half(bits as u16)),
        _ => format!("{:#010x} = {:?}", bits as u32, f32::from_bits(bits as u32)),
    }
}

/// Converts a half to a float, which can represent every half.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (bits >> 10 & 31, f32::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (fraction + 1024.0) * 2f32.powi(i32::from(exponent) - 25),
    };
    if bits >> 15 == 1 {
        -magnitude
    } else {
        magnitude
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_with_their_bits() {
        assert_eq!(number(Elem::F16, 0x3c00), "0x3c00 = 1.0");
        assert_eq!(number(Elem::F16, 0xc500), "0xc500 = -5.0");
        assert_eq!(number(Elem::F16, 0x7c00), "0x7c00 = inf");
        assert_eq!(number(Elem::F16, 0x7bff), "0x7bff = 65504.0");
        assert_eq!(number(Elem::F32, 0x3fc0_0000), "0x3fc00000 = 1.5");
        assert_eq!(number(Elem::F64, 0), "0x0000000000000000 = 0.0");
        assert_eq!(half(1), 2f32.powi(-24));
    }

    #[test]
    fn operands_are_described_together() {
        let text = |bits: &[u64]| operands(Elem::F32, bits);
        assert_eq!(text(&[]), None);
        let one = "the operand of the first lane is 0x00000000 = 0.0";
        assert_eq!(text(&[0]).as_deref(), Some(one));
        let two = "the operands of the first lane are 0x3f800000 = 1.0 and 0x00000000 = 0.0";
        assert_eq!(text(&[0x3f80_0000, 0]).as_deref(), Some(two));
    }
}
