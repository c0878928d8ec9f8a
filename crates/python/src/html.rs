//! HTML for notebooks.

/// Returns text with the characters escaped that mean something in HTML.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// Returns a finding: its rule and sentence, and the code around it.
pub(crate) fn finding(rule: &str, message: &str, body: &str) -> String {
    let (rule, message, body) = (escaped(rule), escaped(message), escaped(body));
    format!(
        "<div class=\"wavetank-finding\"><p><b style=\"color:#b00020\">{rule}</b> {message}</p><pre>{body}</pre></div>"
    )
}

/// Returns the 64 lanes of a register as a grid of four rows: each colour is that of a value.
pub(crate) fn lanes(name: &str, values: &[u32], exec: u64) -> String {
    let mut out = format!("<tr><th rowspan=\"4\">{}</th>", escaped(name));
    for (lane, value) in values.iter().enumerate() {
        if lane > 0 && lane % 16 == 0 {
            out.push_str("</tr><tr>");
        }
        // Equal values have equal colours; a hash spreads those of neighbours.
        let hue = value.wrapping_mul(0x9e37_79b1) >> 16;
        let faint = if exec >> lane & 1 == 0 {
            ";opacity:0.35"
        } else {
            ""
        };
        out.push_str(&format!(
            "<td title=\"lane {lane}\" style=\"font-family:monospace;background:hsl({},60%,85%){faint}\">{value:x}</td>",
            hue % 360
        ));
    }
    out + "</tr>"
}
