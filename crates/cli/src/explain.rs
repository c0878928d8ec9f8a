//! `wavetank explain`: the explanation of one instruction.

mod page;

use wavetank::Chip;
use wavetank_facts::{Facts, Subject, chip_with, named};
use wavetank_gcn::{Inst, decode, text::parse_at};
use wavetank_surface_isa::maxwell::Generation::Sm52;

use self::page::Page;
use crate::exit::{Failure, Result, print, print_json};
use crate::surface_isa::{self, maxwell, visa};
use crate::target::{Syntax, Target};

const EXAMPLES: &str = "\
The pseudo-code is made of what runs when the instruction is executed. Each
active lane does for itself what is done with vector registers. `.f32`, `.u16`
and so on say how bits are read, `.f16x2` that both halves are.

With --ir comes what it is made of, the program in wave IR: `%n` are values,
lane vectors, masks or uniform ones. `v`, `s` and `m` are vector registers,
scalar registers and masks in scalar registers.

Examples:
  wavetank explain 'v_add_co_u32 v0, vcc, s1, v2'
  wavetank explain --gpu tahiti s_and_saveexec_b64   a name alone
  wavetank explain 0xD1FF0000 0x04080501             words, as in a listing
  wavetank explain suatom                            NVIDIA's, as a page
  wavetank explain 'SUATOM.D.2D.ADD R10, [R2], R4, R1'
  wavetank explain typed_atomic                      Intel's, as a page
  wavetank explain --json 'ds_wrap_rtn_b32 v0, v1, v2, v3'";

/// Explains one instruction: what it does, encoding, operands, what else it reads and writes
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Explain {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    syntax: Syntax,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Show the wave IR of an instruction of GCN as well
    #[arg(long)]
    ir: bool,
    /// An instruction, a name, or hexadecimal words
    #[arg(required = true, value_name = "INSTRUCTION")]
    what: Vec<String>,
}

impl Explain {
    pub(crate) fn run(self) -> Result {
        let text = self.what.join(" ");
        let meant = self.target.is_open() && maxwell::is_suatom(&text);
        if let Some(generation) = self.target.maxwell()?.or(meant.then_some(Sm52)) {
            self.syntax.refuse_for(generation)?;
            return surface_isa::explain(generation, &text, self.json);
        }
        let visa = self.target.visa()?;
        if visa.is_some() || self.target.is_open() && visa::is_typed_atomic(&text) {
            return surface_isa::explain(visa.unwrap_or_default(), &text, self.json);
        }
        let chip = self.target.chip_or_default()?;
        let dialect = self.syntax.dialect;
        let all = match self.asked(&text, chip)? {
            Asked::Inst(inst) => vec![Facts::of(&inst, dialect)],
            Asked::Names(all) => all.iter().map(|s| Facts::row(*s, chip)).collect(),
        };
        if self.json {
            return print_json(&all);
        }
        let texts: Vec<String> = all.iter().map(|facts| Page(facts).text(self.ir)).collect();
        print(&texts.join("\n"))
    }

    fn asked(&self, text: &str, chip: Chip) -> Result<Asked> {
        if let Some(bytes) = words(text) {
            let inst = decode(&bytes, chip);
            let inst = inst.map_err(|e| Failure::usage(format!("{text}: {e}")))?;
            return Ok(Asked::Inst(inst));
        }
        let found = named(text, chip);
        match parse_at(text, chip, self.syntax.dialect, 0) {
            Ok(inst) => Ok(Asked::Inst(inst)),
            Err(_) if !found.is_empty() => Ok(Asked::Names(found)),
            Err(e) => {
                let column = 1 + text.get(..e.span.start).unwrap_or(text).chars().count();
                let mut sentence = format!("column {column}: {e}\n{}", e.snippet(text));
                if let Some(other) = chip_with(text, chip) {
                    sentence += &format!("\nhelp: `--gpu {other}` names a chip that has it");
                }
                Err(Failure::usage(sentence))
            }
        }
    }
}

/// The instructions that are asked for.
enum Asked {
    Inst(Inst),
    /// The instructions with a name.
    Names(Vec<Subject>),
}

/// Parses hexadecimal words to bytes.
fn words(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for word in text.split_whitespace() {
        let digits = word.strip_prefix("0x").unwrap_or(word);
        let exact = digits.len() == 8 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        let word = u32::from_str_radix(digits, 16).ok().filter(|_| exact)?;
        bytes.extend(word.to_le_bytes());
    }
    Some(bytes).filter(|bytes| !bytes.is_empty())
}
