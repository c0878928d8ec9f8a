//! Numbers in sentences.

/// Returns a mean with one decimal, or none if that is 0: `4`, `2.5`.
pub fn mean(sum: u64, count: u64) -> String {
    let tenths = (sum as f64 * 10.0 / count.max(1) as f64).round() as u64;
    match (tenths / 10, tenths % 10) {
        (whole, 0) => whole.to_string(),
        (whole, part) => format!("{whole}.{part}"),
    }
}

/// Returns a mean with the name of its things, in the plural unless it is 1.
pub fn counted(sum: u64, count: u64, name: &str) -> String {
    let mean = mean(sum, count);
    let end = if mean == "1" { "" } else { "s" };
    format!("{mean} {name}{end}")
}

/// Returns a share in percent: `45 %`; small ones with a decimal.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 9.95 {
        format!("{percent:.1} %")
    } else {
        format!("{percent:.0} %")
    }
}

/// Returns a number in groups of three digits: `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [counted(4, 4, "load"), counted(3, 2, "load")],
            ["1 load", "1.5 loads"]
        );
        assert_eq!(
            [mean(64, 1), mean(5, 2), mean(1, 3), mean(0, 0)],
            ["64", "2.5", "0.3", "0"]
        );
        assert_eq!(
            [percent(1.0), percent(0.031), percent(0.0)],
            ["100 %", "3.1 %", "0 %"]
        );
        assert_eq!(
            [grouped(0), grouped(999), grouped(1234567)],
            ["0", "999", "1,234,567"]
        );
    }
}
