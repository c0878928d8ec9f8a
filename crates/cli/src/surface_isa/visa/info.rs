//! `wavetank info` for Intel's vISA files: routines with their surfaces and variables.

use std::fmt::Write;
use std::path::Path;

use serde::Serialize;
use wavetank_quote::plain;
use wavetank_surface_isa::visa::container::{Content, Kind, Routine};
use wavetank_surface_isa::visa::{Container, FIRST_SURFACE, FIRST_VARIABLE};

use crate::columns::Columns;
use crate::exit::{Failure, Result, print, print_json, shown};
use crate::paint::title;

/// Shows what is in a container.
pub(crate) fn info(file: &Path, bytes: Vec<u8>, json: bool) -> Result {
    let container = Container::read(bytes);
    let container = container.map_err(|e| Failure::usage(e.to_string()).of(file))?;
    let report = Report::new(file, &container);
    if json {
        print_json(&report)
    } else {
        print(&report.text())
    }
}

#[derive(Serialize)]
struct Report {
    file: String,
    version: String,
    /// Variables of the file as a whole.
    variables: Vec<FileVariableInfo>,
    routines: Vec<RoutineInfo>,
}

#[derive(Serialize)]
struct FileVariableInfo {
    name: String,
    #[serde(rename = "type")]
    ty: &'static str,
    elements: u16,
}

#[derive(Serialize)]
struct RoutineInfo {
    name: String,
    kind: &'static str,
    /// The offset of the code in the file.
    code_offset: usize,
    code_bytes: usize,
    typed_atomics: usize,
    labels: u16,
    surfaces: Vec<StateInfo>,
    samplers: usize,
    predicates: Vec<StateInfo>,
    addresses: usize,
    variables: Vec<VariableInfo>,
    inputs: Vec<InputInfo>,
    binaries: Vec<BinaryInfo>,
}

#[derive(Serialize)]
struct StateInfo {
    number: String,
    name: String,
    elements: u16,
}

#[derive(Serialize)]
struct VariableInfo {
    number: String,
    name: String,
    #[serde(rename = "type")]
    ty: &'static str,
    elements: u16,
    /// The variable whose bytes it shares.
    alias: Option<String>,
}

#[derive(Serialize)]
struct InputInfo {
    variable: String,
    offset: u16,
    size: u16,
}

#[derive(Serialize)]
struct BinaryInfo {
    platform: u8,
    size: u32,
}

impl Report {
    fn new(file: &Path, container: &Container) -> Report {
        let routines = container.routines.iter();
        let variables = container.variables.iter().map(|v| FileVariableInfo {
            name: plain(&v.name).to_string(),
            ty: v.ty.name(),
            elements: v.elements,
        });
        Report {
            variables: variables.collect(),
            file: shown(file),
            version: container.version.to_string(),
            routines: routines
                .map(|routine| RoutineInfo::new(container, routine))
                .collect(),
        }
    }

    fn text(&self) -> String {
        let count = self.routines.len();
        let plural = if count == 1 { "" } else { "s" };
        let mut text = format!("vISA {}, {count} routine{plural}\n", self.version);
        if !self.variables.is_empty() {
            let _ = writeln!(text, "\n{}", title("variables of the file"));
            let mut table = Columns::new(&["name", "type", "elements"], &[2], &[]);
            for FileVariableInfo { name, ty, elements } in &self.variables {
                table.add(vec![name.clone(), (*ty).to_owned(), elements.to_string()]);
            }
            for line in table.text().lines() {
                let _ = writeln!(text, "  {}", line.trim_end());
            }
        }
        for routine in &self.routines {
            text += "\n";
            text += &routine.text();
        }
        text
    }
}

impl RoutineInfo {
    fn new(container: &Container, routine: &Routine) -> RoutineInfo {
        let declared = &routine.declarations;
        let name = |number| plain(&container.string(routine, number)).to_string();
        let state = |letter: char, first: usize, states: &[wavetank_surface_isa::visa::State]| {
            let states = states.iter().enumerate();
            let state = |(n, state): (usize, &wavetank_surface_isa::visa::State)| StateInfo {
                number: format!("{letter}{}", first + n),
                name: name(state.name),
                elements: state.elements,
            };
            states.map(state).collect::<Vec<_>>()
        };
        let variables = declared
            .variables
            .iter()
            .enumerate()
            .map(|(n, v)| VariableInfo {
                number: format!("V{}", FIRST_VARIABLE as usize + n),
                name: name(v.name),
                ty: v.ty.name(),
                elements: v.elements,
                alias: v
                    .alias
                    .map(|(variable, offset)| format!("V{variable}.{offset}")),
            });
        let inputs = routine.inputs.iter().map(|input| InputInfo {
            variable: format!("{}{}", input.class, input.number),
            offset: input.offset,
            size: input.size,
        });
        let binaries = routine.binaries.iter().map(|binary| BinaryInfo {
            platform: binary.platform,
            size: binary.size,
        });
        let atomics = container.items(routine);
        RoutineInfo {
            name: plain(&routine.name).to_string(),
            kind: match routine.kind {
                Kind::Kernel => "kernel",
                Kind::Function => "function",
            },
            code_offset: routine.code.start,
            code_bytes: routine.code.len(),
            typed_atomics: atomics
                .filter(|i| matches!(i.content, Content::Atomic(_)))
                .count(),
            labels: routine.labels,
            surfaces: state('T', FIRST_SURFACE.into(), &declared.surfaces),
            samplers: declared.samplers.len(),
            predicates: state('P', 1, &declared.predicates),
            addresses: declared.addresses.len(),
            variables: variables.collect(),
            inputs: inputs.collect(),
            binaries: binaries.collect(),
        }
    }

    fn text(&self) -> String {
        let head = title(&format!("{} {}", self.kind, self.name));
        let mut text = format!(
            "{head}\n  {} bytes of code at {:#x}, with {} TYPED_ATOMICs\n",
            self.code_bytes, self.code_offset, self.typed_atomics
        );
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "  {} labels, {} samplers, {} address variables",
            self.labels, self.samplers, self.addresses
        );
        for BinaryInfo { platform, size } in &self.binaries {
            let _ = writeln!(text, "  machine code of platform {platform}, {size} bytes");
        }
        for line in self.table().lines() {
            text += "  ";
            text += line.trim_end();
            text += "\n";
        }
        text
    }

    fn table(&self) -> String {
        let mut table = Columns::new(&["", "type", "elements", "input", "name"], &[2], &[4, 3]);
        let input = |number: &str| {
            let input = self.inputs.iter().find(|input| input.variable == number);
            input.map_or(String::new(), |i| {
                format!("{} bytes at {}", i.size, i.offset)
            })
        };
        for (states, ty) in [(&self.surfaces, "surface"), (&self.predicates, "predicate")] {
            for state in states {
                let elements = state.elements.to_string();
                let input = input(&state.number);
                table.add(vec![
                    state.number.clone(),
                    ty.to_owned(),
                    elements,
                    input,
                    state.name.clone(),
                ]);
            }
        }
        for v in &self.variables {
            let ty = match &v.alias {
                Some(alias) => format!("{} in {alias}", v.ty),
                None => v.ty.to_owned(),
            };
            table.add(vec![
                v.number.clone(),
                ty,
                v.elements.to_string(),
                input(&v.number),
                v.name.clone(),
            ]);
        }
        table.text()
    }
}
