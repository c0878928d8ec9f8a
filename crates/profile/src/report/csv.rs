//! CSV: a row for each kernel. Columns have the names of rocprof where they mean the same (AMD, "MI200 performance counters and
//! metrics"; rocprof's `metrics.xml`); docs/reference/profile.md lists them.

use wavetank_quote::plain;

use crate::figures::Figures;
use crate::model::{Class, Instruction, Kernel, Kind, Memory, Profile, Space};

/// A column: its name, and its value for a kernel.
type Column = (&'static str, fn(&Row<'_>) -> String);

/// A kernel with its sums.
struct Row<'k> {
    kernel: &'k Kernel,
    figures: Figures,
}

/// The columns, those that rocprof has first.
const COLUMNS: &[Column] = &[
    ("KernelName", |row| plain(&row.kernel.name).to_string()),
    ("Calls", |row| row.kernel.launches.to_string()),
    ("grd", |row| row.shape(|shape| product(shape.grid))),
    ("wgr", |row| row.shape(|shape| product(shape.block))),
    ("lds", |row| row.kernel.resources.lds_bytes.to_string()),
    ("scr", |row| row.kernel.resources.scratch_bytes.to_string()),
    ("vgpr", |row| row.kernel.resources.vgprs.to_string()),
    ("sgpr", |row| row.kernel.resources.sgprs.to_string()),
    ("SQ_WAVES", |row| row.kernel.waves.to_string()),
    ("SQ_INSTS_VALU", |row| {
        row.of(&[Class::Vector, Class::SlowVector, Class::Matrix])
    }),
    ("SQ_INSTS_SALU", |row| row.of(&[Class::Scalar])),
    ("SQ_INSTS_SMEM", |row| row.of(&[Class::ScalarMemory])),
    ("SQ_INSTS_BRANCH", |row| row.of(&[Class::Branch])),
    ("SQ_INSTS_VMEM_RD", |row| row.memory(Way::Read)),
    ("SQ_INSTS_VMEM_WR", |row| row.memory(Way::Write)),
    ("SQ_LDS_BANK_CONFLICT", |row| {
        row.figures
            .of_space(Space::Lds)
            .conflict_cycles()
            .to_string()
    }),
    ("chip", |row| plain(&row.kernel.chip).to_string()),
    ("instructions", |row| row.figures.executions.to_string()),
    ("matrix", |row| row.of(&[Class::Matrix])),
    ("lds_instructions", |row| row.of(&[Class::Lds])),
    ("atomics", |row| row.memory(Way::Atomic)),
    ("waits", |row| row.of(&[Class::Wait])),
    ("barriers", |row| row.of(&[Class::Barrier])),
    ("active_lanes_percent", |row| {
        number(row.figures.active_share().map(|share| share * 100.0))
    }),
    ("parting_branches", |row| row.figures.parts.to_string()),
    ("global_bytes", |row| row.global().bytes.to_string()),
    ("global_lines_64", |row| row.global().lines_64.to_string()),
    ("global_lines_128", |row| row.global().lines_128.to_string()),
    ("global_least_lines_64", |row| {
        row.global().least_lines_64.to_string()
    }),
    ("lds_cycles", |row| {
        row.figures.of_space(Space::Lds).bank_cycles.to_string()
    }),
    ("scratch_bytes", |row| {
        row.figures.of_space(Space::Scratch).bytes.to_string()
    }),
    ("float_operations", |row| {
        row.figures.float_operations().to_string()
    }),
    ("operations_per_byte", |row| number(row.figures.intensity())),
    ("waves_per_simd", |row| {
        row.kernel.occupancy.waves_per_simd.to_string()
    }),
    ("limit", |row| {
        plain(&row.kernel.occupancy.limit).to_string()
    }),
];

/// Returns a table of the kernels as CSV (RFC 4180, with line feeds), the names of the columns first.
pub fn csv(profile: &Profile) -> String {
    let names = COLUMNS.iter().map(|(name, _)| (*name).to_owned());
    let mut text = line(names);
    for kernel in &profile.kernels {
        let row = Row {
            kernel,
            figures: Figures::of(kernel),
        };
        text += &line(COLUMNS.iter().map(|(_, value)| quoted(&value(&row))));
    }
    text
}

fn line(cells: impl Iterator<Item = String>) -> String {
    cells.collect::<Vec<_>>().join(",") + "\n"
}

/// Quotes a text with commas or quotes, as names of C++ have.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', ' ']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!("{value:.3}"))
}

fn product(size: [u32; 3]) -> u64 {
    size.into_iter().map(u64::from).fold(1, u64::saturating_mul)
}

/// The direction of an instruction of vector memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Read,
    Write,
    Atomic,
}

impl Way {
    /// Returns the direction by the mnemonic: instructions that no lane executed have no accesses.
    fn of(instruction: &Instruction) -> Way {
        let mnemonic = instruction.text.split(' ').next().unwrap_or_default();
        if mnemonic.contains("_atomic") {
            Way::Atomic
        } else if mnemonic.contains("_store") {
            Way::Write
        } else {
            match instruction.memory.first().map(|memory| memory.kind) {
                Some(Kind::Store) => Way::Write,
                Some(Kind::Atomic) => Way::Atomic,
                Some(Kind::Load) | None => Way::Read,
            }
        }
    }
}

impl Row<'_> {
    /// Returns the executions of some classes.
    fn of(&self, classes: &[Class]) -> String {
        let mix = &self.figures.mix;
        let counts = classes.iter().filter_map(|class| mix.get(class));
        counts.sum::<u64>().to_string()
    }

    /// Returns the executions of instructions of vector memory.
    fn memory(&self, way: Way) -> String {
        let own = self.kernel.instructions.iter();
        let own = own.filter(|i| i.class == Class::Memory && Way::of(i) == way);
        own.map(|i| i.executions).sum::<u64>().to_string()
    }

    fn global(&self) -> Memory {
        self.figures.of_space(Space::Global)
    }

    /// Returns a number of the most frequent size of launches.
    fn shape(&self, number: impl Fn(&crate::model::Shape) -> u64) -> String {
        let shape = self.kernel.shapes.first();
        shape.map_or(String::new(), |shape| number(shape).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{copy, profile, strided};

    #[test]
    fn a_kernel_is_a_row() {
        let mut named = strided();
        named.name = "f<\"a\", 1>(float*)".into();
        let text = csv(&profile(vec![copy(), named]));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("KernelName,Calls,grd,wgr,lds,scr,vgpr,sgpr,SQ_WAVES,"));
        // 1,024 work-items in groups of 256; 2 vector instructions, a load and a store of 16 waves.
        assert!(
            lines[1].starts_with("copy,1,1024,256,0,0,24,16,16,32,0,0,0,16,16,0,gfx900,96,"),
            "{}",
            lines[1]
        );
        assert!(
            lines[2].starts_with("\"f<\"\"a\"\", 1>(float*)\",1,"),
            "{}",
            lines[2]
        );
        assert_eq!(lines[1].split(',').count(), lines[0].split(',').count());
    }

    /// The page has a table of the columns, whose rows begin with the names.
    #[test]
    fn the_page_on_profiles_has_the_columns() {
        let page = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../docs/reference/profile.md"
        );
        let page = std::fs::read_to_string(page).expect("a page");
        let (_, section) = page.split_once("\n## CSV\n").expect("a section");
        let section = section.split("\n## ").next().expect("it ends");
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
        let names: Vec<&str> = rows
            .filter_map(|row| row.split(" | ").next())
            .flat_map(|cell| cell.split(", "))
            .map(|name| name.trim_matches('`'))
            .collect();
        let columns: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, columns);
    }
}
