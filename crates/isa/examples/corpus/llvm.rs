//! What `llvm-mc` makes of lines.

use std::io::Write;
use std::process::{Command, Stdio};

use wavetank_isa::Chip;

/// An assembled line.
#[derive(Clone, PartialEq, Eq)]
pub struct Assembled {
    pub text: String,
    pub bytes: Vec<u8>,
}

/// The newest `llvm-mc` on this machine whose text is the canonical one, or 14.
pub fn tool() -> Option<&'static str> {
    ["llvm-mc-19", "llvm-mc-14", "llvm-mc"]
        .into_iter()
        .find(|tool| {
            let status = Command::new(tool)
                .arg("--version")
                .stdout(Stdio::null())
                .status();
            status.is_ok_and(|s| s.success())
        })
}

/// Assembles each line by itself: `None` for one that is refused, or that
/// ends the tool.
pub fn assemble(tool: &str, chip: Chip, lines: &[&str]) -> Result<Vec<Option<Assembled>>, String> {
    match (at_once(tool, chip, lines)?, lines) {
        (Some(all), _) => Ok(all),
        (None, [line]) => {
            eprintln!("{tool} crashed on `{line}`");
            Ok(vec![None])
        }
        (None, _) => {
            let (first, second) = lines.split_at(lines.len() / 2);
            let mut all = assemble(tool, chip, first)?;
            all.extend(assemble(tool, chip, second)?);
            Ok(all)
        }
    }
}

/// `None` if the tool crashed.
fn at_once(
    tool: &str,
    chip: Chip,
    lines: &[&str],
) -> Result<Option<Vec<Option<Assembled>>>, String> {
    let mut child = Command::new(tool)
        .args([
            "-arch=amdgcn",
            &format!("-mcpu={}", chip.name()),
            "-show-encoding",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{tool}: {e}"))?;
    let mut stdin = child.stdin.take().ok_or("no stdin")?;
    let source = lines.join("\n") + "\n";
    let writer = std::thread::spawn(move || stdin.write_all(source.as_bytes()));
    let output = child
        .wait_with_output()
        .map_err(|e| format!("{tool}: {e}"))?;
    let written = writer.join().map_err(|_| "the writer failed")?;
    // A signal ended it.
    if output.status.code().is_none() {
        return Ok(None);
    }
    written.map_err(|e| e.to_string())?;
    let mut refused = vec![false; lines.len()];
    for message in String::from_utf8_lossy(&output.stderr).lines() {
        let mut parts = message.strip_prefix("<stdin>:").unwrap_or("").split(':');
        let number = parts.next().and_then(|n| n.parse::<usize>().ok());
        if let (Some(number), true) = (number, message.contains(": error:")) {
            refused[number - 1] = true;
        }
    }
    let out = String::from_utf8_lossy(&output.stdout);
    let mut made = out.lines().filter_map(instruction);
    let all = refused
        .iter()
        .map(|&no| if no { None } else { made.next() })
        .collect();
    match made.next() {
        Some(more) => Err(format!(
            "{tool} printed more lines than it took: {}",
            more.text
        )),
        None => Ok(Some(all)),
    }
}

/// `TEXT ; encoding: [0x01,0x02,…]`.
fn instruction(line: &str) -> Option<Assembled> {
    let (text, bytes) = line.split_once("; encoding: [")?;
    let byte = |b: &str| u8::from_str_radix(b.trim_start_matches("0x"), 16).ok();
    let bytes = bytes
        .trim_end_matches(']')
        .split(',')
        .map(byte)
        .collect::<Option<_>>()?;
    Some(Assembled {
        text: text.trim().replace('\t', " "),
        bytes,
    })
}
