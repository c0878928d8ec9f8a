//! Options for the lanes of a wave: whether `race` compares them.

use wavetank_check::{Extra, Tools};

/// Whether `race` compares the lanes of a wave.
#[derive(clap::Args)]
pub(crate) struct Lanes {
    /// For `race`: compare the lanes of a wave as well, as threads that only barriers and atomics order. For kernels that are to
    /// run on waves of any size; `__syncwarp()` leaves no trace in machine code
    #[arg(long)]
    lanes: bool,
    /// For `race`: as --lanes, with so many lanes in step: 1, or 32 for kernels that rely on warps of 32
    #[arg(long, value_name = "LANES", value_parser = in_step, conflicts_with = "lanes")]
    subgroup: Option<Extra>,
}

impl Lanes {
    /// Whether lanes are to be compared.
    pub(crate) fn are_compared(&self) -> bool {
        self.lanes || self.subgroup.is_some()
    }

    /// Returns the tools with the comparison of lanes, if it is requested.
    pub(crate) fn add_to(&self, tools: Tools) -> Tools {
        let lanes = self.lanes.then_some(Extra::Lanes);
        lanes
            .or(self.subgroup)
            .map_or(tools, |extra| tools.with(extra))
    }
}

/// Reads the number of lanes that are in step.
fn in_step(text: &str) -> Result<Extra, String> {
    match text {
        "1" => Ok(Extra::Lanes),
        "32" => Ok(Extra::Halves),
        _ => Err("lanes are in step alone (1), or in groups of 32".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavetank_check::Tool;

    #[test]
    fn both_options_add_the_tool() {
        let added = |lanes, subgroup: Option<&str>| {
            let subgroup = subgroup.map(|text| in_step(text).expect("it is a size"));
            let lanes = Lanes { lanes, subgroup };
            lanes.add_to(Tools::of(&[Tool::Sync]))
        };
        assert_eq!(added(true, None).to_string(), "race,sync,lanes");
        assert_eq!(added(false, Some("1")), added(true, None));
        assert_eq!(added(false, Some("32")).subgroup(), Some(32));
        assert_eq!(added(false, None), Tools::of(&[Tool::Sync]));
        assert!(in_step("64").is_err());
    }
}
