//! Kernels for AMD's Catalyst (OpenCL 1.2): what stands in `.config`, and the program that is made of it.
//!
//! Source: CLRX's documentation, "CLRadeonExtender Assembler AMD Catalyst handling"; what CLRX writes for drivers from 1348.5 on.

mod argument;
mod notes;
mod raw;
mod text;

use wavetank_object::catalyst::{self, PRODUCTS, Program, USER_CLASSES};

use super::super::{Handler, each_operand, row};
use super::config::Config;
use super::kernel::Kernel;
use crate::assemble::Container;
use crate::assembler::Assembler;
use crate::errors::LineError;
use crate::source::{Cursor, Wrong, wrong};
use crate::state::{Key, Layout, SectionId};

pub(super) use argument::{Argument, argument};
pub(super) use raw::ROWS as RAW;

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".uavid", |a, c| number(a, c, MOST_BUFFERS, |s| &mut s.uav)),
    row(".printfid", |a, c| number(a, c, MOST_BUFFERS, |s| &mut s.printf)),
    row(".privateid", |a, c| number(a, c, MOST_BUFFERS, |s| &mut s.private)),
    row(".uavprivate", |a, c| number(a, c, u32::MAX, |s| &mut s.uav_private)),
    row(".hwregion", |a, c| number(a, c, u32::MAX, |s| &mut s.region)),
    row(".useconstdata", |a, c| flag(a, c, |s| &mut s.uses_constants)),
    row(".useprintf", |a, c| flag(a, c, |s| &mut s.prints)),
    row(".userdata", user_data),
];

/// The first driver whose programs are written.
const OLDEST: i64 = 134_805;
/// Driver versions from which on text and header differ.
const PRINTF_ALWAYS: i64 = 152_603;
const STRUCTURES_ONLY: i64 = 159_805;
const PRIVATE_IN_HEADER: i64 = 164_205;
/// Numbers of buffers end here.
const MOST_BUFFERS: u32 = 1023;
/// Registers that a driver fills at most, and values that it fills them with.
const USER_SGPRS: u32 = 16;
/// Bytes of constants that kernels of other chips have.
const DATA: usize = 4736;
/// The LDS of a kernel with pointers to LDS.
const WHOLE_LDS: i64 = 32_768;
/// The identity of the first kernel.
const FIRST: usize = 1024;

/// What a kernel's `.config` says that other formats do not have.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub args: Vec<Argument>,
    uav: Option<u32>,
    constants: Option<u32>,
    printf: Option<u32>,
    private: Option<u32>,
    uav_private: Option<u32>,
    region: Option<u32>,
    cond_out: Option<u32>,
    early_exit: Option<u32>,
    uses_constants: bool,
    prints: bool,
    samplers: Vec<u32>,
    /// Class, slot, first register, number of registers.
    user: Vec<[u32; 4]>,
}

/// What is known of a kernel when its text and its notes are written.
struct Facts {
    name: String,
    product: usize,
    wide: bool,
    has_constants: bool,
    settings: Settings,
    /// The numbers of buffers, by argument.
    resources: Vec<u32>,
    driver: i64,
    identity: usize,
    local: u32,
    scratch: u32,
    group: Option<[u32; 3]>,
    vgprs: u32,
    sgprs: u32,
    most_sgprs: u32,
    float_mode: u32,
    ieee_mode: u32,
    rsrc2: u32,
}

impl Settings {
    fn uav(&self) -> u32 {
        self.uav.unwrap_or(11)
    }
}

/// A program whose code waits for addresses of labels.
#[derive(Debug)]
pub(super) struct Waiting {
    program: Program,
    /// The sections with the kernels' code.
    sections: Vec<SectionId>,
}

fn settings<'a>(a: &'a mut Assembler<'_>, cursor: &Cursor<'_>) -> Result<&'a mut Settings, Wrong> {
    a.program.config(cursor)?;
    Ok(&mut a.program.kernel(cursor)?.catalyst)
}

fn word(a: &mut Assembler<'_>, cursor: &mut Cursor<'_>) -> Result<u32, Wrong> {
    let place = cursor.span();
    let value = a.count(cursor)?;
    u32::try_from(value).map_err(|_| wrong(place, format_args!("{value} has more than 32 bits")))
}

fn number(
    a: &mut Assembler<'_>,
    mut cursor: Cursor<'_>,
    most: u32,
    field: fn(&mut Settings) -> &mut Option<u32>,
) -> Result<(), Wrong> {
    let place = cursor.span();
    let value = match cursor.is_at_end() {
        true => 0,
        false => word(a, &mut cursor)?,
    };
    cursor.end()?;
    if value > most {
        return Err(wrong(place, format_args!("{value} is more than {most}")));
    }
    *field(settings(a, &cursor)?) = Some(value);
    Ok(())
}

fn flag(
    a: &mut Assembler<'_>,
    cursor: Cursor<'_>,
    field: fn(&mut Settings) -> &mut bool,
) -> Result<(), Wrong> {
    cursor.end()?;
    *field(settings(a, &cursor)?) = true;
    Ok(())
}

/// `.sampler ID, …`
fn samplers(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    let mut all = Vec::new();
    each_operand(&mut cursor, |cursor| {
        all.push(word(a, cursor)?);
        Ok(())
    })?;
    settings(a, &cursor)?.samplers.extend(all);
    Ok(())
}

/// `.userdata CLASS, SLOT, FIRST, COUNT`
fn user_data(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    let place = cursor.span();
    let name = cursor.piece();
    let class = USER_CLASSES
        .iter()
        .position(|class| class.eq_ignore_ascii_case(name));
    let message = || format!("`{name}` is no class of user data, such as ptr_uav_table");
    let class = class.ok_or_else(|| wrong(place.clone(), message()))?;
    let mut values = [class as u32, 0, 0, 0];
    for value in &mut values[1..] {
        cursor.expect_comma()?;
        *value = word(a, &mut cursor)?;
    }
    cursor.end()?;
    let [.., first, count] = values;
    if first.saturating_add(count) > USER_SGPRS {
        let message = format!("user data have s0 to s15: {count} from s{first} on are too many");
        return Err(wrong(place.start..cursor.text().len(), message));
    }
    let all = &mut settings(a, &cursor)?.user;
    if all.len() as u32 >= USER_SGPRS {
        return Err(wrong(place, "a kernel has 16 user data at most"));
    }
    all.push(values);
    Ok(())
}

impl Assembler<'_> {
    /// Makes the program of all kernels, but for their code.
    pub(super) fn finish_catalyst(&mut self, kernels: Vec<Kernel>) {
        let place = kernels[0].place.clone();
        let chip = self.chip.name();
        let named = |name: &String| {
            PRODUCTS
                .iter()
                .position(|p| p.name == name && p.chip == chip)
        };
        let product = self.program.product.as_ref().and_then(named);
        let product = product.or_else(|| PRODUCTS.iter().position(|p| p.chip == chip));
        let Some(product) = product else {
            let message = format!(
                "AMD's Catalyst has no programs of OpenCL 1.2, which is CLRX's format where nothing is said, for {chip}: \
                 name a chip of gfx6 to gfx8, as `.gpu Fiji`, or say `.rocm`"
            );
            return self.report(place.wrong(message));
        };
        if self.program.driver < OLDEST {
            let message =
                "programs are written for drivers from 1348.5 on (`.driver_version 134805`)";
            return self.report(place.wrong(message));
        }
        let mut waiting = Waiting {
            program: Program {
                product,
                wide: self.program.wide,
                driver: self.driver_text().into_bytes(),
                ..Program::default()
            },
            sections: Vec::new(),
        };
        for (n, kernel) in kernels.into_iter().enumerate() {
            match self.finish_kernel_of(kernel, n, product) {
                Ok((kernel, section)) => {
                    waiting.program.kernels.push(kernel);
                    waiting.sections.push(section);
                }
                Err(error) => self.report(*error),
            }
        }
        self.program.catalyst = Some(waiting);
    }

    fn driver_text(&self) -> String {
        let (major, minor) = (self.program.driver / 100, self.program.driver % 100);
        let version = format!("{major}.{minor}");
        format!("@(#) OpenCL 1.2 AMD-APP ({version}).  Driver version: {version} (VM)")
    }

    /// Makes the text and the notes of a kernel; gives the section of its code.
    fn finish_kernel_of(
        &mut self,
        mut kernel: Kernel,
        number: usize,
        product: usize,
    ) -> Result<(catalyst::Kernel, SectionId), Box<LineError>> {
        let place = kernel.place.clone();
        let told = |message: String| Box::new(place.wrong(message));
        let name = kernel.name.to_string();
        let Some(spot) = kernel.spot else {
            return Err(told(format!(
                "the kernel has no code: say `.text` behind `{name}`"
            )));
        };
        let written = self.written(&kernel).map_err(told)?;
        let config = match (kernel.config.take(), written) {
            (Some(config), None) => config,
            (None, Some(made)) => return Ok((made, spot.section)),
            (None, None) => return Err(told(format!("`{name}` has no `.config`"))),
            (Some(_), Some(_)) => {
                let message = format!("`{name}` has `.config` and notes: one says it all");
                return Err(told(message));
            }
        };
        let facts = self.facts(kernel, config, number, product).map_err(told)?;
        let made = catalyst::Kernel {
            name,
            metadata: facts.text().into_bytes(),
            header: facts.header(),
            notes: facts.notes(),
            data: vec![0; DATA],
            code: Vec::new(),
        };
        Ok((made, spot.section))
    }

    /// What text and notes are made of.
    fn facts(
        &self,
        kernel: Kernel,
        mut config: Config,
        number: usize,
        product: usize,
    ) -> Result<Facts, String> {
        let settings = kernel.catalyst;
        let resources = settings.numbers()?;
        let local = config.value("workgroup_group_segment_byte_size");
        let filled = settings.user.iter().map(|[.., first, count]| first + count);
        let filled = filled.max().filter(|count| *count > 0);
        config.put("user_sgpr_count", filled.unwrap_or(2).into());
        if settings.args.iter().any(Argument::is_local) {
            config.put("workgroup_group_segment_byte_size", WHOLE_LDS);
        }
        let [rsrc1, rsrc2] = config.words(&kernel.counts, self.chip)?;
        let (sgprs, vgprs) = config.named(&kernel.counts);
        let (major, ..) = crate::isa_version(self.chip);
        Ok(Facts {
            name: kernel.name.to_string(),
            product,
            wide: self.program.wide,
            has_constants: self.constants().is_some(),
            settings,
            resources,
            driver: self.program.driver,
            identity: FIRST + number,
            local: local as u32,
            scratch: config.value("workitem_private_segment_byte_size") as u32,
            group: kernel.metadata.sizes("ReqdWorkGroupSize"),
            vgprs: vgprs as u32,
            sgprs: sgprs as u32,
            // VCC is not counted.
            most_sgprs: if major >= 8 { 100 } else { 102 },
            float_mode: rsrc1 >> 12 & 0xff,
            ieee_mode: rsrc1 >> 23 & 1,
            rsrc2,
        })
    }

    /// The section of constants.
    fn constants(&self) -> Option<SectionId> {
        let key = Key {
            name: ".rodata".into(),
            group: None,
            unique: None,
            subsection: 0,
        };
        let at = self.sections.iter().position(|section| section.key == key);
        at.map(|at| SectionId(at as u32))
    }

    /// The program of a source, whose sections have their bytes, unless a linker has to fill them in.
    pub(super) fn catalyst(&mut self, layout: &Layout, complete: bool) -> Option<Container> {
        let Waiting {
            mut program,
            sections,
        } = self.program.catalyst.take()?;
        if !complete {
            self.report(LineError::of_source(
                "the code or the constants have the address of a label, which programs of AMD's Catalyst give nobody: \
                 kernels find their constants by a buffer (`.useconstdata`)",
            ));
        }
        for (kernel, section) in program.kernels.iter_mut().zip(sections) {
            kernel.code = layout.bytes(&self.sections, section).0;
        }
        let constants = self.constants();
        program.constants = constants.map(|id| layout.bytes(&self.sections, id).0);
        Some(Container::Catalyst(Box::new(program)))
    }
}
