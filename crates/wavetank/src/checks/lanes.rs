//! Descriptions of waves and lanes for messages.

use wavetank_machine::Group;

/// Describes a wave and some of its lanes: `work-group (0, 1, 0), wave 2, lane 3`; the wave alone if the mask is empty.
pub(crate) fn wave_in_words(group: &Group, wave: u32, lanes: u64) -> String {
    let [x, y, z] = group.id;
    let wave = format!("work-group ({x}, {y}, {z}), wave {wave}");
    match lanes {
        0 => wave,
        lanes => format!("{wave}, {}", in_words(lanes)),
    }
}

/// Describes the lanes of a mask: `lane 3`, `lanes 0 to 7, 12 and 63`.
pub(crate) fn in_words(lanes: u64) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for lane in (0..64).filter(|lane| lanes >> lane & 1 == 1) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            _ => runs.push((lane, lane)),
        }
    }
    let shown = |(first, last): &(u32, u32)| match last - first {
        0 => vec![first.to_string()],
        1 => vec![first.to_string(), last.to_string()],
        _ => vec![format!("{first} to {last}")],
    };
    let mut shown: Vec<String> = runs.iter().flat_map(shown).collect();
    let Some(last) = shown.pop() else {
        return "no lane".to_owned();
    };
    match (lanes.count_ones(), shown.is_empty()) {
        (1, _) => format!("lane {last}"),
        (_, true) => format!("lanes {last}"),
        _ => format!("lanes {} and {last}", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_joined() {
        for (lanes, words) in [
            (1 << 3, "lane 3"),
            (0b11, "lanes 0 and 1"),
            (0xff | 1 << 12 | 1 << 63, "lanes 0 to 7, 12 and 63"),
            (!0, "lanes 0 to 63"),
            (1 << 63 | 1, "lanes 0 and 63"),
        ] {
            assert_eq!(in_words(lanes), words);
        }
    }
}
