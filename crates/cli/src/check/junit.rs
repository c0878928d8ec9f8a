//! Cases of a JUnit report for kernels and functions.

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus};
use wavetank_check::report::{Look, Scene, text};
use wavetank_check::{Finding, Tool, Tools};
use wavetank_quote::readable;

use crate::exit::shown;

/// Returns the case of a kernel or function that some tools have checked.
pub(super) fn case(name: &str, tools: Tools, findings: &[&Finding], scene: &Scene<'_>) -> TestCase {
    let tools: Vec<&str> = tools.iter().map(Tool::name).collect();
    let (name, file, tools) = (readable(name), shown(scene.file), tools.join(", "));
    let mut case = TestCase::new(
        format!("{name} in {file} ({tools})"),
        status(findings, scene),
    );
    case.set_classname(scene.target);
    case
}

fn status(findings: &[&Finding], scene: &Scene<'_>) -> TestCaseStatus {
    let Some(first) = findings.first() else {
        return TestCaseStatus::success();
    };
    let message = match findings.len() {
        1 => first.message.clone(),
        n => format!("{}, and {} more", first.message, n - 1),
    };
    let texts = findings.iter();
    let texts: Vec<String> = texts.map(|f| text(f, scene, Look::default())).collect();
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status
        .set_type(format!("{}/{}", first.tool, first.rule))
        .set_message(message)
        .set_description(texts.join("\n"));
    status
}
