//! What fuzzing begins with: lines and words of the corpus, after a byte that
//! names the chip.

use std::path::Path;

use wavetank_gcn::Chip;

/// One line in so many is a seed.
const STEP: usize = 16;

/// Writes seeds for each target in a folder of its name.
pub(crate) fn write(folder: &str) -> Result<(), String> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    for generation in 6..=9 {
        let path = corpus.join(format!("asm-gfx{generation}.tsv"));
        let text =
            std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        for (n, line) in text.lines().enumerate().step_by(STEP) {
            let columns: Vec<&str> = line.split('\t').collect();
            let chip = Chip::from_name(columns[0]).ok_or("a chip")? as u8;
            let byte = |i: usize| u8::from_str_radix(&columns[1][i..i + 2], 16);
            let bytes: Result<Vec<u8>, _> = (0..columns[1].len()).step_by(2).map(byte).collect();
            let bytes = bytes.map_err(|e| e.to_string())?;
            for (target, data) in [
                ("decode", &bytes[..]),
                ("round_trip", &bytes[..]),
                ("parse", columns[3].as_bytes()),
            ] {
                let folder = Path::new(folder).join(target);
                std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
                let seed = [&[chip], data].concat();
                std::fs::write(folder.join(format!("gfx{generation}-{n}")), seed)
                    .map_err(|e| e.to_string())?;
            }
        }
    }
    Ok(())
}
