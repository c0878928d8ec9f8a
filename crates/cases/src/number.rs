//! The syntax of integers.

/// Reads an integer of up to 64 bits.
pub(crate) fn integer(text: &str) -> Option<i64> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let value = match digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0b"))
    {
        Some(rest) if digits.starts_with("0x") => {
            u64::from_str_radix(&rest.replace('_', ""), 16).ok()?
        }
        Some(rest) => u64::from_str_radix(&rest.replace('_', ""), 2).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative {
        (value as i64).wrapping_neg()
    } else {
        value as i64
    })
}
