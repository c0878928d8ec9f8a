//! Findings of checks: of a launch, and of machine code that does not run.

use std::ffi::{CString, c_char, c_void};

use wavetank::{ShownFinding, Tools};

use crate::failure::{Failure, Result};
use crate::handle::{self, Handled, Kind};
use crate::last_error::guarded;
use crate::pointer::{Out, bytes, c_string, shown_or_null, text_or_none};
use crate::record::Record;
use crate::status::wavetank_status;

/// Findings of a check. They do not change: any thread may read them at any time.
pub struct wavetank_findings {
    _private: [u8; 0],
}

pub(crate) struct Findings(Vec<Shown>);

/// A finding with texts that C can read.
struct Shown {
    tool: CString,
    rule: CString,
    message: CString,
    kernel: CString,
    instruction: Option<CString>,
    file: Option<CString>,
    help: Option<CString>,
    text: CString,
    json: CString,
    pc: u64,
    times: u64,
    line: u32,
}

impl Handled for Findings {
    type Opaque = wavetank_findings;
    const KIND: Kind = Kind::Findings;
}

impl Findings {
    pub(crate) fn new(findings: Vec<ShownFinding>) -> Findings {
        Findings(findings.iter().map(Shown::of).collect())
    }
}

impl Shown {
    fn of(shown: &ShownFinding) -> Shown {
        let finding = &shown.finding;
        let place = &finding.at.place;
        let frame = place.source.own();
        let tool = finding.tool.name();
        Shown {
            tool: c_string(tool),
            rule: c_string(&format!("{tool}/{}", finding.rule)),
            message: c_string(&finding.message),
            kernel: c_string(&finding.kernel),
            instruction: place.instruction.as_deref().map(c_string),
            file: frame.map(|frame| c_string(&frame.file)),
            help: finding.help.as_deref().map(c_string),
            text: c_string(shown.text.trim_end()),
            json: c_string(&shown.json),
            pc: place.pc,
            times: finding.times,
            line: frame.and_then(|frame| frame.line).unwrap_or(0),
        }
    }
}

/// Returns the tools of a text.
///
/// # Errors
/// An unknown name.
pub(crate) fn tools_named(names: Option<&str>, default: Tools) -> Result<Tools> {
    let tools = names.map_or(Ok(default), str::parse);
    tools.map_err(Failure::argument)
}

/// Reads the machine code of a code object, bundle or host program of `size` bytes without running it, and returns the findings of
/// tools. Code for chips that are not executed is left out.
///
/// `tools` are names with commas among wait, hazard and limits; null is all of them. `*findings` is null after an error. Free it by
/// wavetank_findings_free.
///
/// WAVETANK_ERROR_CODE: bytes that are not code. WAVETANK_ERROR_ARGUMENT: an unknown tool, or one that watches a kernel that runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_check_code(
    code: *const c_void,
    size: usize,
    tools: *const c_char,
    findings: *mut *mut wavetank_findings,
) -> wavetank_status {
    // SAFETY: by the caller's promise.
    unsafe {
        handle::create::<Findings>(findings, "findings", || {
            let code = bytes(code, size, "code")?;
            let tools = tools_named(text_or_none(tools, "tools")?, Tools::STATIC)?;
            if let Some(tool) = tools.without(Tools::STATIC).iter().next() {
                let sentence = format!(
                    "the tool `{tool}` watches a kernel that runs: take wavetank_launch_check"
                );
                return Err(Failure::argument(sentence));
            }
            let shown = ShownFinding::of_code(code, "the bytes".as_ref(), tools)?;
            Ok(Findings::new(shown))
        })
    }
}

/// Frees findings, with their texts; null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_findings_free(
    findings: *mut wavetank_findings,
) -> wavetank_status {
    handle::free::<Findings>(findings, "findings")
}

/// Writes the number of findings: 0 if no mistake was found.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_findings_count(
    findings: *const wavetank_findings,
    count: *mut usize,
) -> wavetank_status {
    guarded(|| {
        let findings = handle::get::<Findings>(findings, "findings")?;
        // SAFETY: by the caller's promise.
        unsafe { Out::of(count, "count") }?.set(findings.0.len());
        Ok(())
    })
}

/// A mistake that a tool found. Texts are valid until the findings are freed.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct wavetank_finding {
    /// The tool, such as "race".
    pub tool: *const c_char,
    /// The rule with its tool, such as "race/read-write". `wavetank check --explain` describes it.
    pub rule: *const c_char,
    /// The mistake in a sentence.
    pub message: *const c_char,
    /// The kernel or function.
    pub kernel: *const c_char,
    /// The text of the instruction, or null.
    pub instruction: *const c_char,
    /// The file of the line of source, or null.
    pub file: *const c_char,
    /// A way to correct the mistake, or null.
    pub help: *const c_char,
    /// The report of `wavetank check`, several lines.
    pub text: *const c_char,
    /// The finding as JSON.
    pub json: *const c_char,
    /// The address of the instruction in the code object.
    pub pc: u64,
    /// The number of occurrences.
    pub times: u64,
    /// The line of source, or 0.
    pub line: u32,
}

// SAFETY: it is plain data, and all of its bits may be 0.
unsafe impl Record for wavetank_finding {
    const FIRST_SIZE: usize = 96;
}

/// Writes a finding by its number, from 0. `size` is sizeof(wavetank_finding).
///
/// WAVETANK_ERROR_NOT_FOUND: there are not so many findings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_findings_get(
    findings: *const wavetank_findings,
    index: usize,
    finding: *mut wavetank_finding,
    size: usize,
) -> wavetank_status {
    guarded(|| {
        let findings = handle::get::<Findings>(findings, "findings")?;
        let shown = findings.0.get(index).ok_or_else(|| {
            let count = findings.0.len();
            Failure::not_found(format!("there is no finding {index}: there are {count}"))
        })?;
        let record = wavetank_finding {
            tool: shown.tool.as_ptr(),
            rule: shown.rule.as_ptr(),
            message: shown.message.as_ptr(),
            kernel: shown.kernel.as_ptr(),
            instruction: shown_or_null(shown.instruction.as_deref()),
            file: shown_or_null(shown.file.as_deref()),
            help: shown_or_null(shown.help.as_deref()),
            text: shown.text.as_ptr(),
            json: shown.json.as_ptr(),
            pc: shown.pc,
            times: shown.times,
            line: shown.line,
        };
        // SAFETY: by the caller's promise.
        unsafe { record.write(finding, size, "finding") }
    })
}
