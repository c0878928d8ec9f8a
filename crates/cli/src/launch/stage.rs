//! `wavetank launch --stage`: waves of a shader stage, and their exports.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use half::f16;
use serde::Serialize;
use serde_json::{Map, Value, json};
use wavetank::ir::LANES;
use wavetank::stage::{ExportTarget, Outcome, Shader, Stage};
use wavetank::{Arg, Buffer, Device, Dims, Exported, Message, Module};
use wavetank_quote::plain;

use super::argument::{Arguments, filled};
use super::check::{CheckOptions, print_notes, shown};
use super::element::integer;
use super::size::Size;
use super::spec::Spec;
use super::trace::Tracer;
use super::trace_filter::Filter;
use crate::code_file::CodeFile;
use crate::exit::{Failure, Result, print};
use crate::running::{Running, print_seed};

/// Waves of a stage instead of a kernel
#[derive(clap::Args)]
pub(super) struct StageOptions {
    /// Run waves of a stage (ls, hs, es, gs, vs, ps, cs) that begin at the function KERNEL (`main` without it), and print
    /// what they send out as JSON
    #[arg(
        long,
        value_name = "STAGE",
        requires = "size",
        conflicts_with = "stats"
    )]
    pub stage: Option<Stage>,
    /// The file is plain code, as `wavetank asm --raw -o` writes it; --gpu says for which chip
    #[arg(long, requires = "stage", requires = "gpu")]
    raw: bool,
    /// The next SGPR after the user data (--arg), with a value for each wave
    #[arg(long, value_name = "N,N,…", requires = "stage")]
    wave_data: Vec<String>,
    /// The next VGPR, from v0 on: a number for all items, or an element of 32 bits for each
    #[arg(
        long = "vgpr",
        value_name = "SPEC",
        requires = "stage",
        allow_hyphen_values = true
    )]
    vgprs: Vec<OsString>,
    /// M0 at the start
    #[arg(long, value_name = "N", requires = "stage", value_parser = dword)]
    m0: Option<u32>,
    /// The initial contents of each work-group's LDS
    #[arg(long = "lds", value_name = "SPEC", requires = "stage")]
    lds: Option<OsString>,
    /// Bytes of scratch of an item, for flat and scratch accesses
    #[arg(long, value_name = "BYTES", requires = "stage", default_value_t = 0)]
    scratch: u32,
    /// The colors of borders that image samplers name by number, four dwords each
    #[arg(long, value_name = "SPEC", requires = "stage")]
    border_colors: Option<OsString>,
    /// Print floats (of 16 bits where an export is compressed) instead of bits
    #[arg(long, requires = "stage")]
    floats: bool,
}

/// The options of a launch that are not about the stage.
pub(super) struct Call<'a> {
    pub file: &'a Path,
    pub function: Option<&'a str>,
    pub size: Option<Size>,
    pub args: &'a [OsString],
    pub gpu: Option<&'a str>,
    pub running: &'a Running,
    pub timeout: Option<Duration>,
    pub filter: Option<Filter>,
    /// Whether the trace is JSON.
    pub trace_json: bool,
}

impl StageOptions {
    /// Runs waves of a stage, and prints their exports.
    pub(super) fn run(&self, stage: Stage, call: Call<'_>, check: &CheckOptions) -> Result {
        let file = CodeFile::read(call.file)?;
        let device = call.running.device(file.chip_of_shaders(call.gpu)?)?;
        let arguments = Arguments::prepare(call.args, &device, Some(&[]))?;
        let colors = self.border_colors(&device)?;
        let module = if self.raw {
            device.load_code(&file.bytes)
        } else {
            device.load_shaders(&file.bytes)
        };
        let module = module.map_err(|error| Failure::from(error).of(call.file))?;
        let mut shader = self.shader(stage, &call, &module)?;
        shader = shader.check(check.tools()).keep_going(check.keep_going());
        for value in arguments.values() {
            shader = shader.arg(value);
        }
        shader = shader.lds_bytes(arguments.dynamic_lds());
        shader = shader.scratch(self.scratch);
        if let Some(colors) = &colors {
            shader = shader.border_colors(colors.address());
        }
        let tracer = call
            .filter
            .map(|filter| Tracer::new(filter, device.chip(), call.trace_json));
        let outcome = watched(shader, tracer.as_ref()).map_err(|error| {
            // The failure itself is printed as one.
            let _ = check.report(call.file, &module, error.findings());
            Failure::from(error)
        });
        let traced = tracer.map_or(Ok(()), Tracer::end);
        if !matches!(outcome, Err(Failure::Usage(_))) {
            print_seed(device.schedule());
        }
        let outcome = outcome?;
        if let Some(overrun) = &outcome.report.lds_overruns {
            eprintln!("wavetank: {overrun}");
        }
        for complaint in outcome.complaints() {
            eprintln!("wavetank: {complaint}");
        }
        print_notes(outcome.report.uncompared.as_ref());
        arguments.deliver()?;
        traced?;
        let found = &outcome.report.findings;
        let checked = !check.tools().is_empty();
        let printed = StageReport {
            findings: checked.then(|| shown(call.file, &module, found)),
            ..StageReport::new(&outcome, device.chip().name(), self.floats)
        };
        let line = serde_json::to_string(&printed);
        let line = line.map_err(|error| Failure::usage(format!("cannot write JSON: {error}")))?;
        print(&(line + "\n"))?;
        check.report(call.file, &module, found)
    }

    /// Returns the shader with its items, registers and LDS.
    fn shader(&self, stage: Stage, call: &Call<'_>, module: &Module) -> Result<Shader<'static>> {
        let function = call.function.unwrap_or("main");
        let shader = Shader::new(module, stage, function);
        let shader = shader.map_err(|error| Failure::from(error).of(call.file))?;
        let grid = one(call.size.map(|size| size.grid), "--grid")?;
        let group = one(call.size.map(|size| size.block), "--block")?;
        let shader = self.given(shader.items(grid).group(group), module.device())?;
        Ok(match call.timeout {
            Some(timeout) => shader.timeout(timeout),
            None => shader,
        })
    }

    /// Sets the requested registers and LDS of a shader.
    fn given<'a>(&self, mut shader: Shader<'a>, device: &Device) -> Result<Shader<'a>> {
        for values in &self.wave_data {
            let values: std::result::Result<Vec<u32>, String> =
                values.split(',').map(dword).collect();
            let wrong = |problem| Failure::usage(format!("--wave-data: {problem}"));
            shader = shader.own(&values.map_err(wrong)?);
        }
        for text in &self.vgprs {
            shader = shader.input(&dwords(text, "--vgpr", device)?);
        }
        if let Some(text) = &self.lds {
            shader = shader.lds(&dwords(text, "--lds", device)?);
        }
        Ok(shader.m0(self.m0.unwrap_or(0)))
    }

    /// Returns the table of border colors, which must live while the waves run.
    fn border_colors(&self, device: &Device) -> Result<Option<Buffer>> {
        let Some(text) = &self.border_colors else {
            return Ok(None);
        };
        let colors = dwords(text, "--border-colors", device)?;
        Ok(Some(device.buffer_from(&colors)?))
    }
}

/// Runs a shader, and traces the selected waves.
fn watched(shader: Shader<'_>, tracer: Option<&Tracer>) -> wavetank::Result<Outcome> {
    let Some(tracer) = tracer else {
        return shader.run();
    };
    let watches = |group: &_, wave| tracer.watches(group, wave);
    let sink = |step| tracer.trace(step);
    shader.trace(&watches, &sink).run()
}

/// Returns the dwords of a spec.
fn dwords(text: &OsString, option: &str, device: &Device) -> Result<Vec<u32>> {
    let shown = plain(&text.to_string_lossy()).to_string();
    let wrong = |problem: String| Failure::usage(format!("{option} {shown}: {problem}"));
    match Spec::parse(text).map_err(wrong)? {
        Spec::Scalar(Arg::U32(value)) => Ok(vec![value]),
        Spec::Scalar(Arg::I32(value)) => Ok(vec![value as u32]),
        Spec::Scalar(Arg::F32(value)) => Ok(vec![value.to_bits()]),
        Spec::Scalar(_) => Err(wrong(
            "a number has 32 bits here: u32, i32 or f32".to_owned(),
        )),
        Spec::From(source) => Ok(filled(&source, device)?.read()?),
        _ => Err(wrong("write in, iota, rand, zero or a number".to_owned())),
    }
}

/// Parses a 32-bit number.
fn dword(text: &str) -> std::result::Result<u32, String> {
    let value = integer(text)?;
    let signed = || i32::try_from(value).map(|value| value as u32);
    let dword = u32::try_from(value).or_else(|_| signed());
    dword.map_err(|_| format!("{} does not fit 32 bits", plain(text)))
}

/// Returns a size in one dimension.
fn one(dims: Option<Dims>, option: &str) -> Result<u32> {
    match dims.map(|dims| dims.size()) {
        Some([x, 1, 1]) => Ok(x),
        _ => Err(Failure::usage(format!(
            "{option}: items of a stage are counted in one dimension, as in {option} 256"
        ))),
    }
}

/// The printed JSON object.
#[derive(Serialize)]
struct StageReport {
    stage: &'static str,
    gpu: &'static str,
    waves: u64,
    exports: Vec<Map<String, Value>>,
    messages: Vec<Value>,
    /// The findings, if the launch was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<Value>>,
}

impl StageReport {
    fn new(outcome: &Outcome, gpu: &'static str, floats: bool) -> StageReport {
        StageReport {
            stage: outcome.stage.name(),
            gpu,
            waves: outcome.report.waves,
            exports: outcome.exports.iter().map(|e| export(e, floats)).collect(),
            messages: outcome.messages.iter().map(message).collect(),
            findings: None,
        }
    }
}

fn message(message: &Message) -> Value {
    json!({
        "group": message.group.index,
        "wave": message.wave,
        "code": message.code,
        "m0": message.m0,
    })
}

/// Returns an export as JSON, with a list for each component that is sent. A list has a value for each item of the wave, null for
/// items that send none.
fn export(exported: &Exported, floats: bool) -> Map<String, Value> {
    let sent = &exported.export;
    let lanes = LANES - exported.group.exec(exported.wave).leading_zeros() as usize;
    let mut fields = Map::new();
    let mut set = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    set("group", exported.group.index.into());
    set("wave", exported.wave.into());
    set("target", ExportTarget(sent.target).to_string().into());
    set("done", sent.done.into());
    set("vm", sent.valid_mask.into());
    set("compr", sent.compressed.into());
    for (n, name) in ["x", "y", "z", "w"].into_iter().enumerate() {
        if sent.data[n].is_none() {
            continue;
        }
        let value = |lane: usize| match sent.component(n, lane) {
            Some(bits) if sent.lanes >> lane & 1 == 1 => number(bits, sent.compressed, floats),
            _ => Value::Null,
        };
        set(name, (0..lanes).map(value).collect());
    }
    fields
}

/// Returns the bits of a value, or the float in them. Infinities and NaNs are strings, because JSON has no numbers for them.
fn number(bits: u32, half: bool, floats: bool) -> Value {
    if !floats {
        return bits.into();
    }
    // The shortest decimal number that gives the float.
    let text = if half {
        f16::from_bits(bits as u16).to_string()
    } else {
        f32::from_bits(bits).to_string()
    };
    let value: f64 = text.parse().unwrap_or(f64::NAN);
    serde_json::Number::from_f64(value).map_or(Value::String(text), Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_short_and_special_ones_words() {
        assert_eq!(number(0x3dcc_cccd, false, true), json!(0.1));
        assert_eq!(number(0x3c00, true, true), json!(1.0));
        assert_eq!(number(0x7f80_0000, false, true), json!("inf"));
        assert_eq!(number(0x7fc0_0000, false, true), json!("NaN"));
        assert_eq!(number(5, false, false), json!(5));
    }

    #[test]
    fn dwords_have_a_sign_or_none() {
        assert_eq!(dword("0xffffffff"), Ok(u32::MAX));
        assert_eq!(dword("-1"), Ok(u32::MAX));
        for bad in ["", "x", "4294967296", "-2147483649"] {
            assert!(dword(bad).is_err(), "{bad:?}");
        }
    }
}
