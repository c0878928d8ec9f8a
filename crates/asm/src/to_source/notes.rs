//! Output of notes: metadata as text.

use wavetank_object::note;

use super::Writer;
use super::parts::Part;

impl Writer<'_> {
    /// Writes the notes of a section; returns `false` if directives would not make the same bytes.
    pub(super) fn notes(&mut self, part: &Part<'_>) -> bool {
        let before = self.text.len();
        let mut made = Vec::new();
        let mut rest = part.bytes;
        self.text.push('\n');
        while let Some((owner, kind, contents, size)) = entry(rest) {
            let Some(note) = self.note(owner, kind, contents) else {
                break;
            };
            made.extend(note);
            rest = &rest[size..];
        }
        let same = made == part.bytes;
        if !same {
            self.text.truncate(before);
        }
        same
    }

    /// Writes a note; returns the bytes that its directive makes.
    fn note(&mut self, owner: &str, kind: u32, contents: &[u8]) -> Option<Vec<u8>> {
        let number = |at: usize| {
            Some(u32::from_le_bytes(
                contents.get(at..at + 4)?.try_into().ok()?,
            ))
        };
        match (owner, kind) {
            (note::OWNER, note::METADATA) => {
                let text = note::metadata_text(contents).ok()?;
                self.block(".amdgpu_metadata", &text);
                note::metadata(&text).ok()
            }
            (note::OWNER_V2, note::METADATA_V2) => {
                let text = std::str::from_utf8(contents).ok()?.to_owned();
                self.block(".amd_amdgpu_hsa_metadata", &text);
                note::metadata_v2(&text).ok()
            }
            (note::OWNER_V2, note::CODE_OBJECT_VERSION) => {
                let (major, minor) = (number(0)?, number(4)?);
                self.line(format_args!(".hsa_code_object_version {major},{minor}"));
                Some(note::code_object_version(major, minor))
            }
            (note::OWNER_V2, note::ISA_VERSION) => {
                let version = [number(4)?, number(8)?, number(12)?];
                let [major, minor, stepping] = version;
                self.line(format_args!(
                    ".hsa_code_object_isa {major},{minor},{stepping},\"AMD\",\"AMDGPU\""
                ));
                Some(note::isa_version(version, "AMD", "AMDGPU"))
            }
            _ => None,
        }
    }

    fn block(&mut self, name: &str, text: &str) {
        self.line(name);
        self.text.push_str(text);
        if !text.ends_with('\n') {
            self.text.push('\n');
        }
        self.line(format_args!(".end_{}", &name[1..]));
    }
}

/// Returns the first note: owner, type, contents, and total length in bytes.
fn entry(bytes: &[u8]) -> Option<(&str, u32, &[u8], usize)> {
    let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (owner_size, size, kind) = (number(0)? as usize, number(4)? as usize, number(8)?);
    let owner = bytes.get(12..12usize.checked_add(owner_size)?)?;
    let owner = std::str::from_utf8(owner.strip_suffix(&[0])?).ok()?;
    let start = 12 + owner_size.next_multiple_of(4);
    let contents = bytes.get(start..start.checked_add(size)?)?;
    let end = (start + size).next_multiple_of(4).min(bytes.len());
    Some((owner, kind, contents, end))
}
