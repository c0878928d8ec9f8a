//! `wavetank info`: the contents of a code object.

use std::fmt::Write;
use std::path::PathBuf;

use serde::Serialize;
use wavetank::capture::is_capture;
use wavetank::numbers::waves_per_unit;
use wavetank::object::{Arg, CodeObject, Kernel, open_every};
use wavetank::{Chip, Occupancy, OccupancyLimit};
use wavetank_quote::{plain, readable};

use crate::captured;
use crate::code_file::{CodeFile, emulated, target_named};
use crate::columns::Columns;
use crate::exit::{Failure, Result, print, print_json, shown};
use crate::fold::folded;
use crate::paint::title;
use crate::surface_isa::visa;

const EXAMPLES: &str = "\
Examples:
  wavetank info vecadd.hsaco
  wavetank info --gpu gfx906 a.out    the gfx906 part of a HIP program
  wavetank info kernel.o              an object file
  wavetank info caps/0003-reduce.wtc  a captured launch: its size and memory
  wavetank info kernel.isa            kernels, variables and surfaces of vISA
  wavetank info --json vecadd.hsaco | jq '.code_objects[].kernels[].name'";

/// Shows what is in a code object: target, kernels, arguments, registers
///
/// FILE is a code object, an object file, an offload bundle, a host program with offload bundles inside, a captured launch, or a container of Intel's vISA.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Info {
    /// The file to look into, or `-` for stdin
    file: PathBuf,
    /// Only the code for this chip, e.g. gfx906 or gfx906:xnack-; for all chips otherwise
    #[arg(long, value_name = "CHIP")]
    gpu: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Info {
    pub(crate) fn run(self) -> Result {
        let file = CodeFile::read_described(&self.file, self.gpu.as_deref())?;
        if visa::is_container(&file.bytes) && self.gpu.is_none() {
            return visa::info(&self.file, file.bytes, self.json);
        }
        if is_capture(&file.bytes) {
            return captured::info(&self.file, &file.bytes, self.json);
        }
        let target = self.gpu.as_deref().map(target_named);
        let objects = open_every(&file.bytes, target.as_deref());
        let objects = objects.map_err(|error| Failure::from(error).of(&self.file))?;
        let report = Report {
            file: shown(&self.file),
            code_objects: objects.iter().map(ObjectInfo::new).collect(),
        };
        if self.json {
            print_json(&report)
        } else {
            print(&report.text())
        }
    }
}

#[derive(Serialize)]
struct Report {
    file: String,
    code_objects: Vec<ObjectInfo>,
}

#[derive(Serialize)]
struct ObjectInfo {
    target: String,
    version: u8,
    kernels: Vec<KernelInfo>,
}

/// A kernel of a code object. Sizes are in bytes; registers are those used by the compiler, and those allocated by the hardware.
#[derive(Serialize)]
struct KernelInfo {
    name: String,
    /// The name in C++ source form, or the same name if it is not mangled.
    readable: String,
    vgprs: u32,
    vgprs_allocated: u32,
    sgprs: u32,
    sgprs_allocated: u32,
    lds: u32,
    scratch: u32,
    dynamic_stack: bool,
    required_group_size: Option<[u32; 3]>,
    max_group_size: Option<u32>,
    argument_bytes: u32,
    /// The waves that a compute unit holds; absent for a chip that is not emulated, and without the size of work-groups.
    occupancy: Option<OccupancyInfo>,
    arguments: Vec<ArgumentInfo>,
    /// The offset of arguments that are not listed.
    unlisted_arguments: Option<u32>,
}

#[derive(Serialize)]
struct ArgumentInfo {
    name: Option<String>,
    #[serde(rename = "type")]
    type_name: Option<String>,
    kind: &'static str,
    size: u32,
    offset: u32,
    hidden: bool,
}

/// The waves of a kernel that a compute unit holds at once. Dynamic LDS is not counted.
#[derive(Serialize)]
struct OccupancyInfo {
    waves_per_unit: u32,
    max_waves_per_unit: u32,
    /// The size of the work-groups, which is the largest that the kernel may have.
    group_size: u32,
    limit: &'static str,
}

impl OccupancyInfo {
    fn new(kernel: &Kernel, chip: Chip) -> Option<Self> {
        let descriptor = &kernel.descriptor;
        let required = kernel.reqd_workgroup_size.map(|size| size.iter().product());
        let group_size: u32 = required.or(kernel.max_flat_workgroup_size)?;
        let occupancy = Occupancy {
            chip,
            vgprs: descriptor.vgpr_count,
            sgprs: descriptor.sgpr_count,
            lds_bytes: descriptor.group_segment_fixed_size,
            waves_per_group: group_size.div_ceil(64),
        };
        Some(OccupancyInfo {
            waves_per_unit: occupancy.groups_per_unit() * occupancy.waves_per_group,
            max_waves_per_unit: waves_per_unit(chip),
            group_size,
            limit: match occupancy.limit() {
                OccupancyLimit::Waves => "waves",
                OccupancyLimit::Vgprs => "VGPRs",
                OccupancyLimit::Sgprs => "SGPRs",
                OccupancyLimit::Lds => "LDS",
                OccupancyLimit::Groups => "work-groups",
            },
        })
    }

    fn text(&self) -> String {
        let OccupancyInfo {
            waves_per_unit,
            max_waves_per_unit,
            group_size,
            limit,
        } = self;
        let limited = match *limit {
            "waves" => String::new(),
            limit => format!(", limited by {limit}"),
        };
        format!(
            "  occupancy: {waves_per_unit} of {max_waves_per_unit} waves a compute unit, in work-groups of {group_size}{limited}\n"
        )
    }
}

impl ObjectInfo {
    fn new(object: &CodeObject) -> Self {
        let chip = emulated(object.target());
        let kernel = |kernel| KernelInfo::new(kernel, chip);
        ObjectInfo {
            target: object.target().to_string(),
            version: object.version(),
            kernels: object.kernels().iter().map(kernel).collect(),
        }
    }
}

impl KernelInfo {
    fn new(kernel: &Kernel, chip: Option<Chip>) -> Self {
        let descriptor = &kernel.descriptor;
        KernelInfo {
            name: kernel.name.clone(),
            readable: readable(&kernel.name),
            vgprs: kernel.vgpr_count.unwrap_or(descriptor.vgpr_count),
            vgprs_allocated: descriptor.vgpr_count,
            sgprs: kernel.sgpr_count.unwrap_or(descriptor.sgpr_count),
            sgprs_allocated: descriptor.sgpr_count,
            lds: descriptor.group_segment_fixed_size,
            scratch: descriptor.private_segment_fixed_size,
            dynamic_stack: kernel.uses_dynamic_stack || descriptor.uses_dynamic_stack,
            required_group_size: kernel.reqd_workgroup_size,
            max_group_size: kernel.max_flat_workgroup_size,
            argument_bytes: kernel.kernarg_segment_size,
            occupancy: chip.and_then(|chip| OccupancyInfo::new(kernel, chip)),
            arguments: kernel.args.iter().map(ArgumentInfo::new).collect(),
            unlisted_arguments: kernel.unlisted_args,
        }
    }
}

impl ArgumentInfo {
    fn new(arg: &Arg) -> Self {
        ArgumentInfo {
            name: arg.name.clone(),
            type_name: arg.type_name.clone(),
            kind: arg.kind.as_str(),
            size: arg.size,
            offset: arg.offset,
            hidden: arg.hidden(),
        }
    }
}

impl Report {
    fn text(&self) -> String {
        let objects: Vec<_> = self.code_objects.iter().map(ObjectInfo::text).collect();
        objects.join("\n")
    }
}

impl ObjectInfo {
    fn text(&self) -> String {
        let ObjectInfo {
            target,
            version,
            kernels,
        } = self;
        let plural = if kernels.len() == 1 { "" } else { "s" };
        let count = kernels.len();
        let mut text = format!("{target}, code object version {version}, {count} kernel{plural}\n");
        for kernel in kernels {
            text += "\n";
            text += &kernel.text();
        }
        text
    }
}

impl KernelInfo {
    fn text(&self) -> String {
        let KernelInfo {
            name,
            readable,
            vgprs,
            vgprs_allocated,
            sgprs,
            sgprs_allocated,
            lds,
            scratch,
            ..
        } = self;
        let name = plain(name).to_string();
        let symbol = if *readable == name {
            String::new()
        } else {
            format!("  symbol {name}\n")
        };
        let mut text = format!(
            "{}\n{symbol}  {vgprs} VGPRs ({vgprs_allocated} allocated), {sgprs} SGPRs ({sgprs_allocated} allocated)\n  {lds} bytes of LDS, {scratch} bytes of scratch a work-item",
            title(&format!("kernel {readable}"))
        );
        if self.dynamic_stack {
            text += " and a dynamic stack";
        }
        text += "\n";
        // Writing to a string does not fail.
        let _ = match (self.required_group_size, self.max_group_size) {
            (Some([x, y, z]), _) => writeln!(text, "  work-groups of {x}x{y}x{z} work-items"),
            (None, Some(most)) => writeln!(text, "  work-groups of at most {most} work-items"),
            (None, None) => Ok(()),
        };
        if let Some(occupancy) = &self.occupancy {
            text += &occupancy.text();
        }
        match (self.arguments.is_empty(), self.unlisted_arguments) {
            (true, None) => return text + "  no arguments\n",
            (true, Some(_)) => return text + "  arguments that nothing lists\n",
            (false, None) => {}
            (false, Some(at)) => {
                let _ = writeln!(
                    text,
                    "  from {at} on arguments that nothing lists, behind these"
                );
            }
        }
        if self.arguments.iter().any(|arg| !arg.hidden) {
            for line in self.table().lines() {
                text += "  ";
                text += line.trim_end();
                text += "\n";
            }
        }
        text + &self.hidden()
    }

    /// Returns the names of the hidden arguments, which the runtime fills in.
    fn hidden(&self) -> String {
        let hidden = self.arguments.iter().filter(|arg| arg.hidden);
        let used = hidden.filter(|arg| arg.kind != "hidden_none");
        let names: Vec<&str> = used
            .clone()
            .map(|arg| arg.kind.trim_start_matches("hidden_"))
            .collect();
        match used.map(|arg| arg.offset).min() {
            Some(first) => folded(
                &names.join(", "),
                &format!("  hidden, from {first} on: "),
                4,
            ),
            None => String::new(),
        }
    }

    fn table(&self) -> String {
        let mut table = Columns::new(&["offset", "size", "type", "name"], &[0, 1], &[0]);
        for arg in self.arguments.iter().filter(|arg| !arg.hidden) {
            table.add(vec![
                arg.offset.to_string(),
                arg.size.to_string(),
                plain(arg.type_name.as_deref().unwrap_or(arg.kind)).to_string(),
                plain(arg.name.as_deref().unwrap_or_default()).to_string(),
            ]);
        }
        table.text()
    }
}
