//! What `llvm-mc` makes of lines.

use std::io::Write;
use std::process::{Command, Stdio};

use wavetank_gcn::Chip;

/// An assembled line.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Assembled {
    pub text: String,
    pub bytes: Vec<u8>,
}

/// The newest `llvm-mc` on this machine whose text is the canonical one, or 14.
pub(crate) fn tool() -> Option<&'static str> {
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
pub(crate) fn assemble(
    tool: &str,
    chip: Chip,
    lines: &[&str],
) -> Result<Vec<Option<Assembled>>, String> {
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
    let Some((out, refused)) = run(tool, chip, &["-show-encoding"], lines)? else {
        return Ok(None);
    };
    let mut made = out.lines().filter_map(instruction);
    let take = |no: bool| if no { None } else { made.next() };
    let all = refused.into_iter().take(lines.len()).map(take).collect();
    match made.next() {
        Some(more) => Err(format!("{tool} printed more than it took: {}", more.text)),
        None => Ok(Some(all)),
    }
}

/// What the tool prints, and which lines it refuses; `None` if it crashed.
fn run<S: AsRef<str>>(
    tool: &str,
    chip: Chip,
    arguments: &[&str],
    lines: &[S],
) -> Result<Option<(String, Vec<bool>)>, String> {
    let mut child = Command::new(tool)
        .args(["-arch=amdgcn", &format!("-mcpu={}", chip.name())])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{tool}: {e}"))?;
    let mut stdin = child.stdin.take().ok_or("no stdin")?;
    let mut source = String::new();
    for line in lines {
        source += line.as_ref();
        source += "\n";
    }
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
    let mut refused = vec![false; 2 * lines.len()];
    for message in String::from_utf8_lossy(&output.stderr).lines() {
        let mut parts = message.strip_prefix("<stdin>:").unwrap_or("").split(':');
        let number = parts.next().and_then(|n| n.parse::<usize>().ok());
        let wrong = message.contains(": error:") || message.contains("invalid instruction");
        if let (Some(number), true) = (number, wrong) {
            refused[number - 1] = true;
        }
    }
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(Some((out, refused)))
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

/// What each word disassembles to: `None` for one that is refused, or that is
/// not as long.
pub(crate) fn disassemble(
    tool: &str,
    chip: Chip,
    words: &[&[u8]],
) -> Result<Vec<Option<String>>, String> {
    let hex = |w: &&[u8]| {
        let bytes: Vec<_> = w.iter().map(|b| format!("{b:#04x}")).collect();
        bytes.join(",")
    };
    // The address of an instruction after each gives its length.
    let source: Vec<String> = words.iter().map(|w| hex(w) + "\n" + MARK).collect();
    let arguments = ["-disassemble", "-show-encoding"];
    let Some((out, _)) = run(tool, chip, &arguments, &source)? else {
        if let [word] = words {
            eprintln!("{tool} crashed on {word:02x?}");
            return Ok(vec![None]);
        }
        let (first, second) = words.split_at(words.len() / 2);
        let mut all = disassemble(tool, chip, first)?;
        all.extend(disassemble(tool, chip, second)?);
        return Ok(all);
    };
    let mut all = Vec::new();
    let mut texts = Vec::new();
    for one in out.lines().filter_map(instruction) {
        if one.text == "s_trap 0x5a" {
            let alone = texts.len() == 2 && texts[1] == "s_nop 0";
            all.push(alone.then(|| texts.swap_remove(0)));
            texts.clear();
        } else {
            texts.push(one.text);
        }
    }
    if all.len() == words.len() {
        Ok(all)
    } else {
        Err(format!("{tool} printed too few lines"))
    }
}

/// `s_nop 0`, which what is cut short can take for its second word, and
/// `s_trap 0x5a`.
const MARK: &str = "0x00,0x00,0x80,0xbf,0x5a,0x00,0x92,0xbf";
