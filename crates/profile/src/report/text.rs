//! Text for a terminal: the figures of a kernel, and advice in the form of a compiler's diagnostics.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Padding};
use wavetank_quote::plain;
use wavetank_source::{Mark, Sources, inlined, renderer, snippet};

use crate::advice::Advice;
use crate::figures::{Figures, share};
use crate::lines::{own, source};
use crate::model::{Class, Kernel, Kind, Memory, Space};
use crate::number::{counted, grouped, mean, percent};

/// The display of text.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Look {
    /// Whether the text has colours.
    pub colours: bool,
    /// The columns of the terminal; `None` for no limit.
    pub columns: Option<usize>,
}

/// Returns a piece of advice with its source line, if that is known and readable, or else with its instruction. The text ends with
/// a line end.
pub fn advice_text(advice: &Advice, kernel: &Kernel, sources: &Sources, look: Look) -> String {
    let renderer = renderer(look.colours, look.columns);
    let level = Level::WARNING.with_name("advice");
    let title = level.primary_title(plain(&advice.message).to_string());
    let mut group = Group::with_title(title.id(advice.rule.name));
    let mut notes = vec![format!(
        "found in `{}` on {}",
        plain(&kernel.name),
        plain(&kernel.chip)
    )];
    if let Some(instruction) = &advice.at {
        let lines = own(&instruction.frames).and_then(|frame| {
            let known = |number: u32| Some(number).filter(|number| *number > 0);
            let mark = Mark {
                line: known(frame.line),
                column: known(frame.column),
                label: advice.label.clone(),
                kind: AnnotationKind::Primary,
            };
            snippet(&frame.file, &sources.get(&frame.file)?, &[mark])
        });
        let code = format!("{:#x}: {}", instruction.address, plain(&instruction.text));
        match (lines, own(&instruction.frames)) {
            (Some(lines), _) => group = group.element(lines),
            (None, Some(frame)) => {
                let place = format!("{}:{}", plain(&frame.file), frame.line);
                group = group.element(Origin::path(place));
                notes.push(format!("{code}: {}", advice.label));
            }
            (None, None) => notes.push(format!("{code}: {}", advice.label)),
        }
        notes.extend(inlined(&source(&instruction.frames)));
    }
    notes.extend(advice.notes.iter().map(|note| plain(note).to_string()));
    let notes = notes.into_iter().map(|note| Level::NOTE.message(note));
    let help = Level::HELP.message(plain(&advice.help).to_string());
    let group = group.element(Padding).elements(notes).element(help);
    renderer.render(&[group]) + "\n"
}

/// Returns the figures of a kernel, a line a subject.
pub fn details(kernel: &Kernel) -> String {
    let figures = Figures::of(kernel);
    let mut text = format!("{}\n", plain(&kernel.name));
    let mut line = |name: &str, value: String| text += &format!("  {name:<15}{value}\n");
    line("launches", launches(kernel));
    line(
        "instructions",
        format!("{}: {}", grouped(figures.executions), mix(&figures)),
    );
    line("active lanes", lanes(&figures));
    for (space, name) in [
        (Space::Global, "global memory"),
        (Space::Scratch, "scratch"),
    ] {
        let memory = figures.of_space(space);
        if memory.accesses > 0 {
            line(name, lines_of(&memory));
        }
    }
    let scalar = figures.of_space(Space::Scalar);
    if scalar.accesses > 0 {
        line(
            "scalar memory",
            format!(
                "{} bytes in {} accesses",
                grouped(scalar.bytes),
                grouped(scalar.accesses)
            ),
        );
    }
    let lds = figures.of_space(Space::Lds);
    if lds.accesses > 0 {
        line("LDS", banks(&lds));
    }
    if let Some(text) = atomics(&figures) {
        line("atomics", text);
    }
    if let Some(text) = waits(kernel) {
        line("waits", text);
    }
    line("occupancy", occupancy(kernel));
    if let Some(text) = operations(&figures) {
        line("operations", text);
    }
    text
}

/// Returns the launches, with their most frequent size.
pub(super) fn launches(kernel: &Kernel) -> String {
    let size = |[x, y, z]: [u32; 3]| format!("{x}x{y}x{z}");
    let failed = match kernel.failed {
        0 => String::new(),
        n => format!(", {} of which failed", grouped(n)),
    };
    let shape = kernel.shapes.first().map_or(String::new(), |shape| {
        format!(
            ", mostly a grid of {} in work-groups of {}",
            size(shape.grid),
            size(shape.block)
        )
    });
    format!(
        "{} on {}{failed}{shape}: {} work-groups, {} waves",
        grouped(kernel.launches),
        plain(&kernel.chip),
        grouped(kernel.groups),
        grouped(kernel.waves)
    )
}

/// Returns the classes of instructions with their shares, the largest first.
pub(super) fn mix(figures: &Figures) -> String {
    let mut classes: Vec<(Class, u64)> =
        figures.mix.iter().map(|(class, n)| (*class, *n)).collect();
    classes.retain(|(_, n)| *n > 0);
    classes.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let part = |(class, n): (Class, u64)| {
        let part = share(n, figures.executions).unwrap_or(0.0);
        format!("{} {}", class.name(), percent(part))
    };
    classes.into_iter().map(part).collect::<Vec<_>>().join(", ")
}

/// Returns the share of active lanes, and how often waves are parted.
pub(super) fn lanes(figures: &Figures) -> String {
    let active = figures
        .active_share()
        .map_or("no instructions with lanes".to_owned(), percent);
    match figures.parts {
        0 => active,
        parts => format!("{active}; branches parted waves {} times", grouped(parts)),
    }
}

/// Returns bytes against those of the touched lines.
pub(super) fn lines_of(memory: &Memory) -> String {
    let part = |lines: u64, size| {
        share(memory.different_bytes, lines * size).map_or("-".to_owned(), percent)
    };
    format!(
        "{} bytes in {} accesses; of touched lines {} are used (64 bytes), {} (128 bytes)",
        grouped(memory.bytes),
        grouped(memory.accesses),
        part(memory.lines_64, 64),
        part(memory.lines_128, 128)
    )
}

/// Returns the cycles of LDS against those without conflicts.
pub(super) fn banks(memory: &Memory) -> String {
    let cycles = format!(
        "{} bytes in {} accesses of {} cycles",
        grouped(memory.bytes),
        grouped(memory.accesses),
        mean(memory.bank_cycles, memory.accesses)
    );
    match memory.conflict_cycles() {
        0 => format!("{cycles}; no conflicts of banks"),
        lost => {
            let part = share(lost, memory.bank_cycles).unwrap_or(0.0);
            format!(
                "{cycles}; conflicts of banks take {} of them",
                percent(part)
            )
        }
    }
}

/// Returns the atomics, and how many of their lanes collide.
pub(super) fn atomics(figures: &Figures) -> Option<String> {
    let all = figures
        .memory
        .iter()
        .filter(|((_, kind), _)| *kind == Kind::Atomic);
    let sum = |f: fn(&Memory) -> u64| all.clone().map(|(_, memory)| f(memory)).sum::<u64>();
    let (accesses, lanes, collisions) =
        (sum(|m| m.accesses), sum(|m| m.lanes), sum(|m| m.collisions));
    (accesses > 0).then(|| {
        let part = share(collisions, lanes).map_or("0 %".to_owned(), percent);
        format!(
            "{} of {} lanes; {part} of the lanes collide",
            grouped(accesses),
            grouped(lanes)
        )
    })
}

/// Returns how long after their accesses waits are.
pub(super) fn waits(kernel: &Kernel) -> Option<String> {
    let waits = || {
        kernel
            .instructions
            .iter()
            .filter_map(|i| i.wait.as_ref())
            .filter(|w| w.needed > 0)
    };
    let needed: u64 = waits().map(|wait| wait.needed).sum();
    let least = waits().map(|wait| wait.least_ahead).min()?;
    let ahead = waits().map(|wait| wait.ahead).sum();
    Some(format!(
        "{} for accesses, with {} in between, at least {least}",
        grouped(needed),
        counted(ahead, needed, "instruction")
    ))
}

/// Returns the waves of a SIMD, and the resources that limit them.
pub(super) fn occupancy(kernel: &Kernel) -> String {
    let (occupancy, resources) = (&kernel.occupancy, &kernel.resources);
    let limit = match occupancy.limit.as_str() {
        "vgprs" => "VGPRs",
        "sgprs" => "SGPRs",
        "lds" => "LDS",
        "groups" => "the number of work-groups",
        _ => "the number of waves",
    };
    format!(
        "{} of {} waves of a SIMD, limited by {limit}: {} VGPRs, {} SGPRs, {} bytes of LDS, {} of scratch",
        occupancy.waves_per_simd,
        occupancy.most_waves_per_simd,
        resources.vgprs,
        resources.sgprs,
        grouped(resources.lds_bytes.into()),
        grouped(resources.scratch_bytes.into())
    )
}

/// Returns the operations by type, and those of floats for each byte.
pub(super) fn operations(figures: &Figures) -> Option<String> {
    let mut types: Vec<(&String, &u64)> = figures.operations.iter().collect();
    types.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    let list = types
        .iter()
        .map(|(operands, n)| format!("{} {}", grouped(**n), plain(operands)));
    let list: Vec<String> = list.take(6).collect();
    let intensity = match figures.intensity() {
        Some(intensity) => format!("; {intensity:.3} on floats for each byte of memory"),
        None => String::new(),
    };
    (!list.is_empty()).then(|| list.join(", ") + &intensity)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::advice::all;
    use crate::sample::{copy, profile, strided};

    const SOURCE: &str = "\
__global__ void strided(float* a) {
    int i = threadIdx.x;
    float v = a[i * 16] + 1;
    a[i] = v;
}
";

    /// Returns a folder with the source of the samples.
    fn folder(test: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("wavetank-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("k.hip"), SOURCE).unwrap();
        folder
    }

    #[test]
    fn advice_is_shown_at_its_line() {
        let folder = folder("advice");
        let profile = profile(vec![strided()]);
        let advice = all(&profile);
        let text = advice_text(
            &advice[0],
            &profile.kernels[0],
            &Sources::beside(&folder),
            Look::default(),
        );
        let expected = "\
advice[coalescing]: each wave touches 64 lines where 4 would do
 --> k.hip:3:5
  |
3 |     float v = a[i * 16] + 1;
  |     ^^^^^ 94 % of the kernel's lines are touched here
  |
  = note: found in `strided(float*)` on gfx900
  = note: lanes asked for 4,096 bytes, and the lines of 64 bytes that they touched have 65,536
  = help: let neighbouring work-items access neighbouring elements: index by threadIdx.x last
";
        assert_eq!(text, expected);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn without_a_source_the_instruction_is_named() {
        let mut kernel = strided();
        kernel.name = "a\x1b[2Jb".into();
        let sources = Sources::beside(Path::new("/absent"));
        let text = |kernel: &Kernel| {
            let advice = all(&profile(vec![kernel.clone()]));
            advice_text(&advice[0], kernel, &sources, Look::default())
        };
        let shown = text(&kernel);
        for part in [
            "--> k.hip:3\n",
            "0x1004: global_load_dword v2, v[0:1], off: 94 %",
            "`a\\u{1b}[2Jb`",
        ] {
            assert!(shown.contains(part), "{shown}");
        }
        kernel.instructions[1].frames.clear();
        let shown = text(&kernel);
        assert!(
            shown.contains("0x1004: global") && !shown.contains("--> k"),
            "{shown}"
        );
    }

    #[test]
    fn details_have_the_figures() {
        let text = details(&strided());
        for part in [
            "1 on gfx900, mostly a grid of 1024x1x1 in work-groups of 256x1x1: 4 work-groups, 16 waves",
            "96: vector 33 %, memory 33 %, wait 17 %, other 17 %",
            // Of 68 lines of a wave's accesses, 8 would do: 8192 bytes of 16 * 68 * 64, and of 16 * 34 * 128.
            "8,192 bytes in 32 accesses; of touched lines 12 % are used (64 bytes), 12 % (128 bytes)",
            "16 for accesses, with 9 instructions in between, at least 9",
            "10 of 10 waves of a SIMD, limited by the number of waves: 24 VGPRs",
            "1,024 f32; 0.125 on floats for each byte of memory",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("LDS  ") && details(&copy()).contains("100 % are used"));
    }
}
