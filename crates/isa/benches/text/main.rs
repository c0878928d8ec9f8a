//! Prints how fast a million instructions are disassembled and assembled.
//!
//! `cargo bench -p wavetank-isa --bench text`.

mod corpus;
mod measure;

use corpus::Corpus;
use wavetank_isa::Chip;

fn main() {
    let chip = Chip::Gfx900;
    let rows = corpus::rows(chip);
    let code = corpus::kernels(chip, &["gfx900"]);
    println!(
        "{} rows, {} instructions of real code",
        rows.len(),
        code.len()
    );
    let shuffled = Corpus::shuffled(chip, &rows);
    let real = Corpus::in_order(chip, &code);
    let mixed = Corpus::mixed(&shuffled, &real);
    for (name, corpus) in [("rows", &shuffled), ("code", &real), ("mixed", &mixed)] {
        if std::env::args()
            .nth(1)
            .is_some_and(|a| a != name && a != "--bench")
        {
            continue;
        }
        for m in measure::all(corpus) {
            println!(
                "{name:8} {:24} {:8.2} M/s {:6.1} MB",
                m.what,
                m.rate(),
                m.memory
            );
        }
    }
}
