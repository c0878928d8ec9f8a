//! Kernels of CLRX's formats: where their code and their settings stand.

use std::collections::HashMap;
use std::rc::Rc;

use wavetank_isa::{Dialect, Inst};
use wavetank_link::elf::*;
use wavetank_link::reloc;
use wavetank_object::clover::Argument;
use wavetank_object::{KERNEL_CODE_SIZE, note};

use super::super::{Handler, each_operand, row};
use super::catalyst::{Settings, Waiting};
use super::config::Config;
use super::gallium::Found;
use super::metadata::{KernelMetadata, Metadata, text_of};
use super::target::Format;
use crate::assemble::Container;
use crate::assembler::{Assembler, Counts};
use crate::errors::LineError;
use crate::source::{Cursor, Wrong, first_word, wrong};
use crate::state::{Definition, Key, Layout, Place, SectionId, Spot, SymbolId};

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".kernel", kernel),
    row(".config", config),
    row(".text", text),
    row(".main", |a, c| { a.program.leave(); text(a, c) }),
    row(".inner", |a, c| { a.program.leave(); text(a, c) }),
    row(".globaldata", |a, c| data(a, c, ".rodata")),
    row(".rwdata", |a, c| data(a, c, ".data")),
    row(".bssdata", |a, c| data(a, c, ".bss")),
    row(".setup", |a, c| part(a, c, Part::Setup)),
    row(".control_directive", |a, c| part(a, c, Part::Control)),
    row(".metadata", |a, c| part(a, c, Part::Metadata)),
    row(".isametadata", |a, c| part(a, c, Part::Dropped)),
    row(".stub", |a, c| part(a, c, Part::Dropped)),
    row(".header", |a, c| part(a, c, Part::Header)),
    row(".data", |a, c| match a.program.format == Format::Amd && a.program.current.is_some() {
        true => part(a, c, Part::Data),
        false => data(a, c, ".data"),
    }),
    row(".args", |a, c| { a.program.configures = true; c.end() }),
    row(".globals", |a, c| { a.program.configures = true; c.end() }),
    row(".fkernel", function),
    row(".kcode", code_of),
    row(".kcodeend", code_ends),
];

/// The alignment of a kernel's code with its settings.
const ALIGN: u64 = 256;

/// Kernels that a source has at most.
const MOST: usize = 1000;

/// How deep `.kcode` stands within another at most.
const DEEPEST: usize = 100;

/// The mark of sections that are no part of the object.
pub(crate) const HIDDEN: char = '\u{1}';

/// What CLRX knows of a source besides its sections.
#[derive(Debug)]
pub(crate) struct Program {
    pub format: Format,
    /// Whether addresses have 64 bits.
    pub wide: bool,
    /// The versions of the driver and of LLVM that it is for, as CLRX counts them.
    pub driver: i64,
    pub llvm: Option<i64>,
    /// Whether the case of letters counts in names of macros.
    pub cased: bool,
    pub(super) metadata: Metadata,
    kernels: Vec<Kernel>,
    by_name: HashMap<Rc<str>, usize>,
    /// The one whose settings are read.
    current: Option<usize>,
    pub(super) configures: bool,
    /// Whether a setting is for what stands before the code of a kernel for Mesa alone.
    pub(super) for_hsa: bool,
    /// The kernels of a program for Mesa.
    pub(super) found: Vec<Found>,
    /// The name of the chip as the source says it.
    pub(super) product: Option<String>,
    /// A program for AMD's Catalyst.
    pub(super) catalyst: Option<Waiting>,
    /// The kernels that the code belongs to, and what `.kcode` has put aside.
    owners: Vec<usize>,
    aside: Vec<Vec<usize>>,
}

/// A kernel.
#[derive(Debug)]
pub(super) struct Kernel {
    pub name: Rc<str>,
    pub place: Place,
    pub config: Option<Config>,
    pub metadata: KernelMetadata,
    /// Arguments, and values of registers, for Mesa.
    pub listed: Vec<Argument>,
    pub registers: Option<Vec<[u32; 2]>>,
    /// Notes for AMD's Catalyst: a type, and the section with the bytes.
    pub notes: Vec<(u32, SectionId)>,
    /// What only AMD's Catalyst knows.
    pub catalyst: Settings,
    pub counts: Counts,
    function: bool,
    /// Where its settings stand in the code, if that is no matter of its label.
    pub spot: Option<Spot>,
    /// Sections with bytes of its settings.
    parts: Vec<(Part, SectionId)>,
}

/// What a hidden section of a kernel is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// All of the settings.
    Setup,
    /// The last 128 bytes of them.
    Control,
    Metadata,
    /// What only a driver reads.
    Dropped,
    /// What AMD's Catalyst wants beside the text of a kernel.
    Header,
    Data,
}

impl Program {
    pub fn new() -> Self {
        Program {
            format: Format::Amd,
            wide: true,
            driver: 191_205,
            llvm: None,
            cased: false,
            metadata: Metadata::default(),
            kernels: Vec::new(),
            by_name: HashMap::new(),
            current: None,
            configures: false,
            for_hsa: false,
            found: Vec::new(),
            product: None,
            catalyst: None,
            owners: Vec::new(),
            aside: Vec::new(),
        }
    }

    /// Leaves the kernel, for the whole of the binary.
    fn leave(&mut self) {
        self.current = None;
        self.configures = false;
    }

    /// Counts the registers of an instruction for the kernels that it belongs to.
    pub fn count(&mut self, inst: &Inst) {
        for owner in &self.owners {
            self.kernels[*owner].counts.add(inst);
        }
    }

    /// A label has been defined: the code of a kernel begins with its name.
    pub fn labelled(&mut self, name: &str) {
        let kernel = self.by_name.get(name).filter(|_| self.aside.is_empty());
        if let Some(kernel) = kernel {
            self.owners = vec![*kernel];
        }
    }

    /// The kernel whose settings are read.
    pub(super) fn kernel(&mut self, cursor: &Cursor<'_>) -> Result<&mut Kernel, Wrong> {
        let kernel = self.current.and_then(|at| self.kernels.get_mut(at));
        kernel.ok_or_else(|| {
            let word = first_word(cursor.text());
            wrong(
                0..word.len(),
                format_args!("no `.kernel` stands before `{word}`"),
            )
        })
    }

    /// The settings that are read.
    pub(super) fn config(&mut self, cursor: &Cursor<'_>) -> Result<&mut Config, Wrong> {
        let (configures, for_hsa) = (self.configures, self.for_hsa);
        let kernel = self.kernel(cursor)?;
        let config = kernel.config.as_mut().filter(|_| configures);
        let config = config.map(|config| match for_hsa {
            true => config.for_hsa(),
            false => config,
        });
        config.ok_or_else(|| {
            let word = first_word(cursor.text());
            let message = format!("`{word}` stands in the `.config` of a kernel");
            wrong(0..word.len(), message)
        })
    }
}

/// `.kernel NAME`
fn kernel(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    let place = cursor.span();
    let name = cursor.name()?;
    cursor.end()?;
    let there = a.program.by_name.get(&*name).copied();
    a.program.configures = false;
    if there.is_some() {
        a.program.current = there;
        return Ok(());
    }
    if a.program.kernels.len() >= MOST {
        return Err(wrong(
            place,
            format_args!("there are {MOST} kernels already"),
        ));
    }
    let Some(at) = a.place(place) else {
        return Ok(());
    };
    let number = a.program.kernels.len();
    a.program.current = Some(number);
    a.program.by_name.insert((*name).into(), number);
    a.program.kernels.push(Kernel {
        name: (*name).into(),
        place: at,
        config: None,
        metadata: KernelMetadata::default(),
        listed: Vec::new(),
        registers: None,
        notes: Vec::new(),
        catalyst: Settings::default(),
        counts: Counts::default(),
        function: false,
        spot: None,
        parts: Vec::new(),
    });
    Ok(())
}

fn config(a: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), Wrong> {
    let kernel = a.program.kernel(&cursor)?;
    kernel.config.get_or_insert_with(Config::default);
    a.program.configures = true;
    cursor.end()
}

/// `.text`: in AMD Catalyst's formats each kernel has one of its own, which begins with the kernel.
fn text(a: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), Wrong> {
    cursor.end()?;
    a.program.configures = false;
    // Kernels of OpenCL 1.2 share no code.
    let own = a
        .program
        .current
        .filter(|_| a.program.format == Format::Amd);
    let key = Key {
        name: ".text".into(),
        group: None,
        unique: own.map(|kernel| kernel as u64),
        subsection: 0,
    };
    let (id, _) = a
        .sections
        .get(&key, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0);
    a.sections.switch(id);
    let headed = match a.program.format {
        Format::AmdCl2 => true,
        Format::Amd => false,
        _ => return Ok(()),
    };
    let Some(kernel) = a.program.current else {
        return Ok(());
    };
    if a.program.kernels[kernel].spot.is_some() {
        return Ok(());
    }
    super::super::space::align_to(a, ALIGN, crate::state::NOP, u64::MAX)?;
    let spot = a.sections.spot();
    let name = a.program.kernels[kernel].name.clone();
    a.define(
        &name,
        0..cursor.text().len(),
        Definition::Label(spot),
        false,
    )?;
    a.program.kernels[kernel].spot = Some(spot);
    a.program.labelled(&name);
    match headed {
        true => a.append(&[0; KERNEL_CODE_SIZE]),
        false => Ok(()),
    }
}

/// `.globaldata`, and its like, with `align=N`.
fn data(a: &mut Assembler<'_>, mut cursor: Cursor<'_>, name: &str) -> Result<(), Wrong> {
    a.program.leave();
    super::super::section::named(a, name);
    super::super::section::aligned(a, &mut cursor)?;
    cursor.end()
}

/// A section of a kernel that is no part of the object.
fn part(a: &mut Assembler<'_>, cursor: Cursor<'_>, part: Part) -> Result<(), Wrong> {
    // The metadata of ROCm's format belong to all of it.
    let name = match a.program.kernel(&cursor) {
        Ok(kernel) => kernel.name.clone(),
        Err(_) if part == Part::Metadata => "".into(),
        Err(error) => return Err(error),
    };
    cursor.end()?;
    let key = Key {
        name: format!("{HIDDEN}{part:?} {name}").into(),
        group: None,
        unique: None,
        subsection: 0,
    };
    let (id, new) = a.sections.get(&key, SHT_PROGBITS, 0, 0);
    a.sections.switch(id);
    if part == Part::Metadata && a.program.format != Format::Amd {
        a.program.metadata.section = Some(id);
    } else if new && let Ok(kernel) = a.program.kernel(&cursor) {
        kernel.parts.push((part, id));
    }
    Ok(())
}

/// `.fkernel`: the kernel is a function for ROCm's loader.
fn function(a: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), Wrong> {
    a.program.kernel(&cursor)?.function = true;
    cursor.end()
}

/// `.kcode KERNEL, -KERNEL` or `.kcode +`: the kernels whose registers the code counts for.
fn code_of(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    if a.program.aside.len() >= DEEPEST {
        let message = "`.kcode` stands too deep within another";
        return Err(wrong(0..cursor.text().len(), message));
    }
    let mut owners = match a.program.aside.is_empty() {
        true => Vec::new(),
        false => a.program.owners.clone(),
    };
    let all = a.program.kernels.len();
    each_operand(&mut cursor, |cursor| {
        let place = cursor.span();
        let less = cursor.eat(b'-');
        let more = !less && cursor.eat(b'+');
        if more && (cursor.is_at_end() || cursor.peek() == b',') {
            owners = (0..all).collect();
            return Ok(());
        }
        let name = cursor.name()?;
        let kernel = a.program.by_name.get(&*name).copied();
        let kernel =
            kernel.ok_or_else(|| wrong(place, format_args!("there is no kernel `{name}`")))?;
        owners.retain(|owner| *owner != kernel);
        if !less {
            owners.push(kernel);
        }
        Ok(())
    })?;
    let before = std::mem::replace(&mut a.program.owners, owners);
    a.program.aside.push(before);
    Ok(())
}

fn code_ends(a: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), Wrong> {
    match a.program.aside.pop() {
        Some(owners) => a.program.owners = owners,
        None => return super::super::macros::alone(cursor, ".kcode"),
    }
    cursor.end()
}

/// The end of a source.
impl Assembler<'_> {
    /// Writes settings and metadata of all kernels.
    pub(crate) fn finish_program(&mut self) {
        let kernels = std::mem::take(&mut self.program.kernels);
        if kernels.is_empty() {
            return;
        }
        match self.program.format {
            Format::Raw => {}
            Format::Amd => self.finish_catalyst(kernels),
            Format::Gallium => self.finish_clover(kernels),
            Format::Rocm | Format::AmdCl2 => self.finish_code_object(&kernels),
        }
    }

    /// Writes what settings have in the code itself: nothing in the programs of AMD Catalyst.
    pub(crate) fn finish_code(&mut self) {
        if self.program.format != Format::Amd {
            self.finish_program();
        }
    }

    /// Lets the loader find a symbol of which code has a half of the address: a linker leaves that to it.
    pub(crate) fn export_for(&mut self, kind: u32, id: SymbolId) {
        let linked = matches!(self.program.format, Format::Rocm | Format::AmdCl2);
        let half = matches!(kind, reloc::ABS32_LO | reloc::ABS32_HI);
        if linked && half && self.dialect == Dialect::Clrx && self.symbols[id].is_defined() {
            self.symbols[id].binding.get_or_insert(STB_GLOBAL);
        }
    }

    /// What a driver wants around the object of a source, which is complete if no linker has to fill in anything.
    pub(crate) fn container(&mut self, layout: &Layout, complete: bool) -> Option<Container> {
        match self.program.format {
            Format::Gallium => self.clover(layout),
            Format::Amd => self.catalyst(layout, complete),
            _ => None,
        }
    }

    /// Writes settings and metadata of a code object's kernels.
    fn finish_code_object(&mut self, kernels: &[Kernel]) {
        for kernel in kernels {
            if let Err(error) = self.finish_kernel(kernel) {
                self.report(*error);
            }
        }
        let numbers: [u32; 3] = crate::isa_version(self.chip).into();
        self.notes.version = 2;
        let version = note::code_object_version(1, 0);
        self.notes.entries.extend(version);
        let isa = note::isa_version(numbers, "AMD", "AMDGPU");
        self.notes.entries.extend(isa);
        let written = self.program.metadata.section;
        let text = match written.and_then(|id| self.hidden_bytes(id)) {
            Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            None => text_of(&self.program.metadata, kernels, self.chip),
        };
        match note::metadata_v2(&text) {
            Ok(note) => self.notes.entries.extend(note),
            Err(why) => self.report(kernels[0].place.wrong(why)),
        }
    }

    /// Finds the code of a kernel, and makes its label a symbol of some kind.
    pub(super) fn code_of_kernel(
        &mut self,
        kernel: &Kernel,
        kind: u8,
    ) -> Result<Spot, Box<LineError>> {
        let name = &kernel.name;
        let id = self.symbols.id(name);
        let symbol = &mut self.symbols[id];
        let Definition::Label(spot) = symbol.definition else {
            let message = format!("the kernel has no code: there is no label `{name}`");
            return Err(Box::new(kernel.place.wrong(message)));
        };
        symbol.binding = Some(STB_GLOBAL);
        symbol.kind = kind;
        self.sections.align_section_at_least(spot.section, ALIGN);
        Ok(spot)
    }

    /// Writes the settings of a kernel in front of its code, which it gives.
    pub(super) fn finish_kernel(&mut self, kernel: &Kernel) -> Result<Spot, Box<LineError>> {
        let told = |message: String| Box::new(kernel.place.wrong(message));
        let name = &kernel.name;
        let kind = match kernel.function {
            true => STT_FUNC,
            false => STT_AMDGPU_HSA_KERNEL,
        };
        let spot = self.code_of_kernel(kernel, kind)?;
        let setup = self.part_of(kernel, Part::Setup);
        let bytes = match (&kernel.config, setup) {
            (_, Some(bytes)) => bytes,
            (Some(config), None) => {
                let mut bytes = config
                    .bytes(&kernel.counts, self.chip)
                    .map_err(told)?
                    .to_vec();
                if let Some(control) = self.part_of(kernel, Part::Control) {
                    let end = control.len().min(128);
                    bytes[128..128 + end].copy_from_slice(&control[..end]);
                }
                bytes
            }
            // They stand in the code.
            (None, None) => return Ok(spot),
        };
        match self.sections.bytes_at(spot, KERNEL_CODE_SIZE) {
            Some(place) if bytes.len() == KERNEL_CODE_SIZE => place.copy_from_slice(&bytes),
            Some(_) => return Err(told("`.setup` has 256 bytes".to_owned())),
            None => {
                let message = format!("`.skip 256` has to follow the label `{name}`");
                return Err(told(message));
            }
        }
        Ok(spot)
    }

    pub(super) fn part_of(&self, kernel: &Kernel, part: Part) -> Option<Vec<u8>> {
        let (_, id) = kernel.parts.iter().find(|(kind, _)| *kind == part)?;
        self.hidden_bytes(*id)
    }

    fn hidden_bytes(&self, id: SectionId) -> Option<Vec<u8>> {
        let bytes = self.sections.section(id).known_bytes();
        Some(bytes.to_vec()).filter(|bytes| !bytes.is_empty())
    }
}
