//! Code objects: the parts of the ELF file joined to kernels.

use std::collections::{HashMap, HashSet};
use std::ops::Deref;

use crate::amdgpu_config;
use crate::bytes::{field, u32_at};
use crate::catalyst;
use crate::clover;
use crate::descriptor::{DESCRIPTOR_SIZE, KERNEL_CODE_SIZE, KernelDescriptor};
use crate::elf::{Driver, Elf, Note, Relocation, Segment};
use crate::error::{Error, Result};
use crate::extent::{Span, span};
use crate::metadata::{Format, KernelMetadata, Metadata};
use crate::note;
use crate::symbol::{Symbol, SymbolKind};
use crate::target::Target;

/// The alignment of a kernel's code in bytes (guide, `KERNEL_CODE_ENTRY_BYTE_OFFSET`).
const ENTRY_ALIGN: u64 = 256;

/// A kernel: its metadata, its descriptor, and the addresses of descriptor and code.
///
/// The metadata's fields are reachable directly: `kernel.name`, `kernel.args`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// The metadata note's entry for the kernel.
    pub metadata: KernelMetadata,
    /// The decoded descriptor of the kernel.
    pub descriptor: KernelDescriptor,
    /// The virtual address of the descriptor (before loading), which is the `kernel_object` of a dispatch packet.
    pub descriptor_address: u64,
    /// The virtual address of the first instruction (before loading).
    pub entry: u64,
}

impl Kernel {
    /// Marks the kernel as one whose arguments are not listed.
    fn without_list(mut self) -> Self {
        self.metadata.unlisted_args = Some(0);
        self
    }
}

impl Deref for Kernel {
    type Target = KernelMetadata;

    fn deref(&self) -> &KernelMetadata {
        &self.metadata
    }
}

/// A linked code object for an AMD GPU, versions 2 to 6.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeObject {
    bytes: Vec<u8>,
    version: u8,
    target: Target,
    kernels: Vec<Kernel>,
    /// Indices of the kernels, in the order of their names.
    kernels_by_name: Vec<u32>,
    printf: Vec<String>,
    symbols: Vec<Symbol>,
    /// Indices of the symbols, in the order of their names; global symbols precede local ones.
    symbols_by_name: Vec<u32>,
    pub(crate) segments: Vec<Segment>,
    pub(crate) relocations: Vec<Relocation>,
    pub(crate) span: Span,
}

impl CodeObject {
    /// Reads a code object: an ELF file for an AMD GPU. [`open`](crate::open) also reads bundles and host programs.
    ///
    /// # Errors
    /// Any of [`Error`] except those of bundles. The bytes are untrusted: no input causes a panic, or takes more memory than a
    /// small multiple of its length.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        Self::parse_for(bytes, None)
    }

    /// Reads as [`parse`](Self::parse) does, but also accepts compilers' output for graphics drivers (PAL, Mesa). Shaders are
    /// functions in it, and there are no kernels.
    ///
    /// # Errors
    /// The errors of [`parse`](Self::parse).
    pub fn parse_shaders(bytes: &[u8]) -> Result<Self> {
        Self::read_elf(bytes, true, None)
    }

    /// Reads as [`parse`](Self::parse) does, for a given chip: files of old compilers for Mesa do not name theirs.
    pub(crate) fn parse_for(bytes: &[u8], chip: Option<&Target>) -> Result<Self> {
        if catalyst::is_program(bytes) {
            return Self::of_catalyst(bytes);
        }
        if !clover::is_program(bytes) {
            return Self::read_elf(bytes, false, chip);
        }
        let program = clover::Program::read(bytes)?;
        let mut object = Self::read_elf(program.object, false, chip)?;
        for listed in &program.kernels {
            object.list_args(listed)?;
        }
        Ok(object)
    }

    /// Returns an empty code object for a target.
    fn bare(target: Target) -> Result<Self> {
        Ok(Self {
            version: 0,
            target,
            kernels: Vec::new(),
            kernels_by_name: Vec::new(),
            printf: Vec::new(),
            symbols: Vec::new(),
            symbols_by_name: Vec::new(),
            relocations: Vec::new(),
            span: span(&[], 0)?,
            segments: Vec::new(),
            bytes: Vec::new(),
        })
    }

    /// Converts a program for AMD's Catalyst: its constants, then the code of each kernel.
    fn of_catalyst(bytes: &[u8]) -> Result<Self> {
        let program = catalyst::Program::read(bytes)?;
        let target: Target = catalyst::PRODUCTS[program.product].chip.parse()?;
        let mut object = Self::bare(target)?;
        let constants = program.constants.as_ref();
        let constants = constants.map(|part| object.add_segment(part, false));
        for kernel in &program.kernels {
            let entry = object.add_segment(&kernel.code, true);
            object
                .check_entry(entry)
                .map_err(|wrong| Error::BadKernel {
                    kernel: kernel.name.clone(),
                    problem: format!("its code starts at {entry:#x}, {wrong}"),
                })?;
            let (metadata, descriptor) = catalyst::kernel(kernel, &object.target, constants)?;
            object.symbols.push(Symbol {
                name: kernel.name.clone(),
                address: entry,
                size: kernel.code.len() as u64,
                kind: SymbolKind::Kernel,
                global: true,
            });
            object.kernels.push(Kernel {
                metadata,
                descriptor,
                descriptor_address: entry,
                entry,
            });
        }
        object.span = span(&object.segments, object.bytes.len() as u64)?;
        object.sort_names();
        Ok(object)
    }

    /// Adds a segment after all others; returns its address.
    fn add_segment(&mut self, contents: &[u8], executable: bool) -> u64 {
        let address = (self.bytes.len() as u64).next_multiple_of(ENTRY_ALIGN);
        self.bytes.resize(address as usize, 0);
        self.bytes.extend(contents);
        self.segments.push(Segment {
            address,
            file_offset: address,
            file_size: contents.len() as u64,
            memory_size: contents.len() as u64,
            align: ENTRY_ALIGN,
            readable: true,
            writable: false,
            executable,
        });
        address
    }

    /// Adds the arguments of a kernel, which a list beside the file contains.
    fn list_args(&mut self, listed: &clover::Listed) -> Result<()> {
        let index = self.kernel_index(&listed.name);
        let Some(kernel) = index.map(|index| &mut self.kernels[index].metadata) else {
            return Err(Error::BadKernel {
                kernel: listed.name.clone(),
                problem: "the program's code object does not have it".to_owned(),
            });
        };
        let (args, size) = listed.args(kernel.unlisted_args.take().unwrap_or(0))?;
        kernel.args.extend(args);
        kernel.kernarg_segment_size = kernel.kernarg_segment_size.max(size);
        Ok(())
    }

    fn read_elf(bytes: &[u8], graphics: bool, chip: Option<&Target>) -> Result<Self> {
        let elf = Elf::parse(bytes)?;
        let driver = elf.driver(graphics)?;
        let notes = elf.notes()?;
        let (version, target) = match driver {
            Driver::Hsa(version) => (version, read_target(version, elf.flags(), &notes)?),
            // Flags have the meaning of version 3, kernels of Mesa that of version 2.
            Driver::Graphics => (3, Target::from_flags(3, elf.flags())?),
            Driver::Mesa3d => (2, mesa_target(elf.flags(), chip)?),
            Driver::Clover => (0, mesa_target(elf.flags(), chip)?),
        };
        let metadata = read_metadata(&notes)?;
        let segments = elf.segments()?;
        let mut object = Self {
            version,
            target,
            kernels: Vec::new(),
            kernels_by_name: Vec::new(),
            printf: metadata.printf,
            symbols: elf.symbols()?,
            symbols_by_name: Vec::new(),
            relocations: elf.relocations()?,
            span: span(&segments, bytes.len() as u64)?,
            segments,
            bytes: bytes.to_vec(),
        };
        let joined = object.join_kernels(metadata.kernels)?;
        object.kernels = match driver {
            Driver::Hsa(_) | Driver::Graphics => joined,
            Driver::Mesa3d => joined.into_iter().map(Kernel::without_list).collect(),
            Driver::Clover => object.kernels_of_registers(&elf.registers()?)?,
        };
        object.name_kernel_symbols();
        object.sort_names();
        Ok(object)
    }

    /// Wraps plain code without a file, as assemblers write it: a segment at address 0 that begins with the function `main`. It
    /// contains no kernels.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if the code exceeds [`MAX_IMAGE_SIZE`](crate::MAX_IMAGE_SIZE).
    ///
    /// ```
    /// let end = 0xbf81_0000u32.to_le_bytes();
    /// let object = wavetank_object::CodeObject::of_code(&end, "gfx900".parse()?)?;
    /// assert_eq!(object.symbol("main").unwrap().size, 4);
    /// # Ok::<(), wavetank_object::Error>(())
    /// ```
    pub fn of_code(code: &[u8], target: Target) -> Result<Self> {
        let size = code.len() as u64;
        let segments = vec![Segment {
            address: 0,
            file_offset: 0,
            file_size: size,
            memory_size: size,
            align: ENTRY_ALIGN,
            readable: true,
            writable: false,
            executable: true,
        }];
        let main = Symbol {
            name: "main".to_owned(),
            address: 0,
            size,
            kind: SymbolKind::Function,
            global: true,
        };
        let mut object = Self {
            symbols: vec![main],
            span: span(&segments, size)?,
            segments,
            bytes: code.to_vec(),
            ..Self::bare(target)?
        };
        object.sort_names();
        Ok(object)
    }

    /// Returns the code object version, 2 to 6; 0 for plain code, and for kernels of Mesa that have registers in place of
    /// descriptors.
    pub fn version(&self) -> u8 {
        self.version
    }

    /// Returns the chip and features that the code is made for.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Returns the kernels in the order of the metadata, followed by those that have only a descriptor.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// Returns the kernel of this name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        Some(&self.kernels[self.kernel_index(name)?])
    }

    /// Returns the index of the kernel of this name in [`kernels`](Self::kernels).
    pub fn kernel_index(&self, name: &str) -> Option<usize> {
        let by_name = &self.kernels_by_name;
        find(by_name, |n| self.kernels[n].name.as_str(), name)
    }

    /// Returns the OpenCL `printf` formats in the form of the metadata: `ID:ARGUMENTS:SIZE:...:FORMAT`.
    pub fn printf(&self) -> &[String] {
        &self.printf
    }

    /// Returns the symbols defined here, by address.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// Returns the symbol of this name; a global one is preferred to a local one.
    pub fn symbol(&self, name: &str) -> Option<&Symbol> {
        let by_name = &self.symbols_by_name;
        let found = find(by_name, |n| self.symbols[n].name.as_str(), name)?;
        Some(&self.symbols[found])
    }

    /// Returns the function, kernel or variable at a virtual address, and the distance from its start.
    ///
    /// A symbol without a size extends to the next one.
    pub fn symbol_at(&self, address: u64) -> Option<(&Symbol, u64)> {
        let end = self.symbols.partition_point(|s| s.address <= address);
        let nearest = self.symbols[..end].last()?.address;
        let same = self.symbols[..end].iter().rev();
        let same = same.take_while(|symbol| symbol.address == nearest);
        let holds = |symbol: &&Symbol| symbol.size == 0 || address - nearest < symbol.size;
        let best = same
            .filter(holds)
            .max_by_key(|symbol| (symbol.size, symbol.global))?;
        Some((best, address - nearest))
    }

    /// Returns the loadable segments, in file order.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Returns the bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes of a segment that are in the file.
    pub(crate) fn segment_bytes(&self, segment: &Segment) -> &[u8] {
        // The reader of segments has checked that the range is in the file.
        let start = segment.file_offset as usize;
        &self.bytes[start..start + segment.file_size as usize]
    }

    /// Reads `N` bytes at a virtual address, if the file has them.
    fn read<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let segment = self.segment_at(address)?;
        let at = usize::try_from(address - segment.address).ok()?;
        let bytes = self.segment_bytes(segment).get(at..)?;
        (bytes.len() >= N).then(|| field(bytes, 0))
    }

    /// Returns the segment that contains a virtual address, or that begins last before it.
    fn segment_at(&self, address: u64) -> Option<&Segment> {
        let next = self.segments.partition_point(|s| s.address <= address);
        self.segments[..next].last()
    }

    /// Joins metadata with descriptors, and adds kernels that have only a descriptor.
    fn join_kernels(&self, metadata: Vec<KernelMetadata>) -> Result<Vec<Kernel>> {
        let named: HashMap<&str, u64> = self
            .symbols
            .iter()
            .map(|symbol| (symbol.name.as_str(), symbol.address))
            .collect();
        let mut kernels = Vec::new();
        let mut joined = HashSet::new();
        for metadata in metadata {
            let kernel = self.join_kernel(metadata, &named)?;
            joined.insert(kernel.descriptor_address);
            kernels.push(kernel);
        }
        for symbol in &self.symbols {
            let name = match (self.version, symbol.kind) {
                (2, SymbolKind::Kernel) => Some(symbol.name.as_str()),
                (3.., SymbolKind::Object) if symbol.size == DESCRIPTOR_SIZE as u64 => {
                    symbol.name.strip_suffix(".kd")
                }
                _ => None,
            };
            if let Some(name) = name.filter(|_| joined.insert(symbol.address)) {
                let metadata = KernelMetadata {
                    name: name.to_owned(),
                    symbol: symbol.name.clone(),
                    kernarg_segment_align: 8,
                    ..KernelMetadata::default()
                };
                kernels.push(self.join_kernel(metadata, &named)?);
            }
        }
        Ok(kernels)
    }

    /// Makes the kernels that have registers in place of descriptors.
    fn kernels_of_registers(&self, pairs: &[[u32; 2]]) -> Result<Vec<Kernel>> {
        let kernels = amdgpu_config::kernels(pairs, &self.symbols, &self.target)?;
        let kernels = kernels.into_iter().map(|(entry, metadata, descriptor)| {
            self.check_entry(entry).map_err(|wrong| Error::BadKernel {
                kernel: metadata.name.clone(),
                problem: format!("its code starts at {entry:#x}, {wrong}"),
            })?;
            Ok(Kernel {
                metadata,
                descriptor,
                descriptor_address: entry,
                entry,
            })
        });
        kernels.collect()
    }

    /// Checks that waves can begin at an address.
    fn check_entry(&self, entry: u64) -> std::result::Result<(), &'static str> {
        let holds = |segment: &Segment| segment.executable && segment.contains(entry, 4);
        match self.segment_at(entry).is_some_and(holds) {
            _ if !entry.is_multiple_of(ENTRY_ALIGN) => Err("which is not a multiple of 256"),
            false if !self.is_emptied(entry) => Err("where the file has no code"),
            _ => Ok(()),
        }
    }

    /// Whether a function without code begins at an address. Compilers leave such kernels where their source has undefined behaviour;
    /// the others of the file can run.
    fn is_emptied(&self, entry: u64) -> bool {
        let is_empty = |symbol: &&Symbol| symbol.address == entry && symbol.size == 0;
        let mut symbols = self.symbols.iter().filter(is_empty);
        symbols.any(|symbol| symbol.kind == SymbolKind::Function)
    }

    fn join_kernel(
        &self,
        mut metadata: KernelMetadata,
        named: &HashMap<&str, u64>,
    ) -> Result<Kernel> {
        let bad = |problem: String| Error::BadKernel {
            kernel: metadata.name.clone(),
            problem,
        };
        // In version 2 the metadata has `vecadd@kd` for the symbol `vecadd`.
        let symbol = match self.version {
            2 => metadata
                .symbol
                .trim_end_matches("@kd")
                .trim_end_matches(".kd"),
            _ => &metadata.symbol,
        };
        let descriptor_address = *named
            .get(symbol)
            .ok_or_else(|| bad(format!("there is no symbol `{symbol}` for its descriptor")))?;
        let descriptor = match self.version {
            2 => self
                .read::<KERNEL_CODE_SIZE>(descriptor_address)
                .map(|bytes| KernelDescriptor::decode_v2(&bytes, &self.target)),
            _ => self
                .read::<DESCRIPTOR_SIZE>(descriptor_address)
                .map(|bytes| KernelDescriptor::decode(&bytes, &self.target)),
        };
        let descriptor = descriptor.ok_or_else(|| {
            bad(format!(
                "its descriptor at {descriptor_address:#x} is outside every segment"
            ))
        })?;
        let entry = descriptor_address.wrapping_add_signed(descriptor.entry_byte_offset);
        self.check_entry(entry).map_err(|wrong| {
            bad(format!(
                "its descriptor says that the code starts at {entry:#x}, {wrong}"
            ))
        })?;
        if metadata.kernarg_segment_size == 0 {
            let size = u32::try_from(descriptor.kernarg_size).ok();
            metadata.kernarg_segment_size = size.ok_or_else(|| {
                let size = descriptor.kernarg_size;
                bad(format!("its descriptor requests {size} bytes of arguments"))
            })?;
        }
        Ok(Kernel {
            metadata,
            descriptor,
            descriptor_address,
            entry,
        })
    }

    /// Makes the indices for look-ups by name.
    fn sort_names(&mut self) {
        let (kernels, symbols) = (&self.kernels, &self.symbols);
        // Indices fit into 32 bits: each kernel and symbol takes some bytes of a file that is in memory.
        self.kernels_by_name = (0..kernels.len() as u32).collect();
        self.kernels_by_name
            .sort_by_key(|n| kernels[*n as usize].name.as_str());
        let key = |n: &u32| {
            (
                symbols[*n as usize].name.as_str(),
                !symbols[*n as usize].global,
            )
        };
        self.symbols_by_name = (0..symbols.len() as u32).collect();
        self.symbols_by_name.sort_by(|a, b| key(a).cmp(&key(b)));
    }

    /// Marks the symbols of kernels and descriptors, which are functions and objects in versions 3 and later.
    fn name_kernel_symbols(&mut self) {
        if self.version == 2 {
            return;
        }
        let entries: HashSet<u64> = self.kernels.iter().map(|k| k.entry).collect();
        let descriptors = self.kernels.iter().map(|k| k.descriptor_address);
        let descriptors: HashSet<u64> = descriptors.collect();
        for symbol in &mut self.symbols {
            match symbol.kind {
                SymbolKind::Function if entries.contains(&symbol.address) => {
                    symbol.kind = SymbolKind::Kernel;
                }
                SymbolKind::Object if descriptors.contains(&symbol.address) => {
                    symbol.kind = SymbolKind::Descriptor;
                }
                _ => {}
            }
        }
    }
}

/// Returns the first entry with a name, from an index that is sorted by name.
fn find<'a>(by_name: &[u32], name_of: impl Fn(usize) -> &'a str, name: &str) -> Option<usize> {
    let first = by_name.partition_point(|n| name_of(*n as usize) < name);
    let found = *by_name.get(first)? as usize;
    (name_of(found) == name).then_some(found)
}

/// Returns the target of a Mesa file: compilers before LLVM 6 wrote no flags, so the requested chip is taken then.
fn mesa_target(flags: u32, chip: Option<&Target>) -> Result<Target> {
    match chip {
        Some(chip) if flags == 0 => Ok(chip.clone()),
        _ => Target::from_flags(3, flags),
    }
}

/// Returns the target, which version 2 has in notes, and version 3 and later in `e_flags`.
fn read_target(version: u8, flags: u32, notes: &[Note]) -> Result<Target> {
    let find = |kind| notes.iter().find(|n| n.owner == b"AMD" && n.kind == kind);
    if version > 2 {
        return Target::from_flags(version, flags);
    }
    if let Some(note) = find(note::CODE_OBJECT_VERSION) {
        let major = note.contents.get(..8).map(|note| u32_at(note, 0));
        // The first compilers for HSA, and CLRX, write 1 for the same version.
        if !matches!(major, Some(1 | 2)) {
            let found = major.map_or("unknown".to_owned(), |major| major.to_string());
            return Err(Error::Version { found });
        }
    }
    match find(note::ISA_VERSION) {
        None => Target::from_flags(version, flags),
        Some(note) => {
            // Sizes of the vendor and architecture names (16 bits each), then major, minor, stepping, then the names.
            let note = note.contents.get(..16).ok_or_else(|| Error::BadElf {
                problem: "the ISA version note has fewer than 16 bytes".to_owned(),
            })?;
            Target::from_isa_version(u32_at(note, 4), u32_at(note, 8), u32_at(note, 12))
        }
    }
}

/// Reads the metadata notes of any version; an object may have none. Linkers keep the note of each input file: the object of a
/// library with five thousand kernels has five thousand notes.
fn read_metadata(notes: &[Note]) -> Result<Metadata> {
    let mut all = Metadata::default();
    for note in notes {
        let format = match (note.owner, note.kind) {
            (b"AMDGPU", note::METADATA) => Format::MessagePack,
            (b"AMD", note::METADATA_V2) => Format::Yaml,
            _ => continue,
        };
        let mut metadata = Metadata::read(note.contents, format)?;
        all.kernels.append(&mut metadata.kernels);
        all.printf.append(&mut metadata.printf);
    }
    Ok(all)
}
