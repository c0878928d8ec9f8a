//! The syntax of a case's surfaces: `surface T6 2d 8x4 u32 iota`.

use wavetank::surfaces::{coordinates, places};
use wavetank_ir::Dimensions;
use wavetank_memory::{Element, Layout, Surface};

use crate::number::integer;
use crate::value::{Value, values};

/// A surface that a case declares.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub number: u32,
    pub surface: Surface,
    /// The initial elements: one value for all, or a value for each.
    pub fill: Vec<u64>,
    /// The line of the file, from 1.
    pub line: usize,
}

const FORM: &str = "write `surface T6 2d 8x4 u32 iota`: its number, dimensions (1d, 1d_buffer, 1d_array, 2d, 2d_array, \
                    3d), size, elements (u16 to s64, f16, f32, f16x2) and their values";

/// The maximum size of a case's surface in bytes.
const MAX_BYTES: u64 = 1 << 26;

/// The properties of a surface that may follow its elements.
const MORE: [&str; 5] = ["pitch", "blocks", "levels", "disabled", "absent"];

impl Declared {
    /// Reads the text after the word `surface`.
    pub(crate) fn parse(text: &str, line: usize) -> Result<Declared, String> {
        let mut words = text.split_whitespace();
        let mut word = |what: &str| {
            words
                .next()
                .ok_or_else(|| format!("{what} is missing: {FORM}"))
        };
        let number = number(word("the number of the surface")?)?;
        let dimensions = dimensions(word("what the surface is")?)?;
        let size = size(word("its size")?, dimensions)?;
        let element = element(word("what its elements are")?)?;
        let mut surface = Surface::new(0, dimensions, size, element);
        let words: Vec<&str> = words.collect();
        let more = words.iter().position(|word| MORE.contains(word));
        let (fill, more) = words.split_at(more.unwrap_or(words.len()));
        layout(&mut surface, more)?;
        surface.check()?;
        if surface.bytes() > MAX_BYTES {
            return Err(format!(
                "a surface of {} has {} bytes: a case has room for {MAX_BYTES}",
                surface.shape(),
                surface.bytes()
            ));
        }
        let fill = fill_of(&fill.join(" "), &surface)?;
        Ok(Declared {
            number,
            surface,
            fill,
            line,
        })
    }

    /// Returns the elements of the first level.
    pub(crate) fn elements(&self) -> Vec<u64> {
        match self.fill[..] {
            [one] => vec![one; coordinates(&self.surface, 0).count()],
            _ => self.fill.clone(),
        }
    }
}

/// Reads the number of a surface: `T6` or `6`.
pub(crate) fn number(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix('T').unwrap_or(text);
    let number = integer(digits).and_then(|n| u32::try_from(n).ok());
    let number = number.filter(|n| *n < 1 << 20);
    number.ok_or_else(|| format!("`{text}` is not a number of a surface, such as T6: {FORM}"))
}

fn dimensions(text: &str) -> Result<Dimensions, String> {
    let mut all = Dimensions::NAMES.iter();
    let found = all.find(|(_, name)| text.eq_ignore_ascii_case(name));
    let found = found.map(|(dimensions, _)| *dimensions);
    found.ok_or_else(|| format!("`{text}` is nothing that a surface is: {FORM}"))
}

fn size(text: &str, dimensions: Dimensions) -> Result<[u32; 3], String> {
    let sides: Option<Vec<u32>> = text.split('x').map(|side| side.parse().ok()).collect();
    let sides = sides.ok_or_else(|| format!("`{text}` is not a size, such as 8x4"))?;
    let (count, name) = (dimensions.coordinates(), dimensions.name());
    if sides.len() != count {
        let given = sides.len();
        return Err(format!(
            "`{text}`: a {name} surface has {count} sides, not {given}"
        ));
    }
    let mut size = [1; 3];
    size[..count].copy_from_slice(&sides);
    Ok(size)
}

fn element(text: &str) -> Result<Element, String> {
    let found = Element::from_name(text);
    found.ok_or_else(|| {
        let names = Element::NAMES.map(|(_, name)| name).join(", ");
        format!("`{text}` is not a kind of element: there are {names}")
    })
}

/// Reads `pitch 64`, `blocks 2x1`, `levels 3`, `disabled`, `absent 0..511`.
fn layout(surface: &mut Surface, words: &[&str]) -> Result<(), String> {
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        if word == "disabled" {
            surface.enabled = false;
            continue;
        }
        let value = words.next().copied().unwrap_or_default();
        let wrong = |example: &str| format!("`{word} {value}`: write it as in `{example}`");
        let pair = |by: &str| {
            let (a, b) = value.split_once(by)?;
            Some((a.parse::<u64>().ok()?, b.parse::<u64>().ok()?))
        };
        match word {
            "pitch" => {
                let bytes = value.parse().map_err(|_| wrong("pitch 64"))?;
                surface.layout = Layout::Pitch(bytes);
            }
            "blocks" => {
                let (height, depth) = pair("x").ok_or_else(|| wrong("blocks 2x1"))?;
                let [height, depth] = [height, depth].map(|n| n.min(u32::MAX.into()) as u32);
                surface.layout = Layout::Blocks { height, depth };
            }
            "levels" => surface.levels = value.parse().map_err(|_| wrong("levels 3"))?,
            "absent" => {
                let range = pair("..").filter(|(first, last)| first <= last);
                let (first, last) = range.ok_or_else(|| wrong("absent 0..511"))?;
                surface.absent.push(first..last.saturating_add(1));
            }
            _ => {
                return Err(format!(
                    "`{word}` says nothing of a surface: there are {}",
                    MORE.join(", ")
                ));
            }
        }
    }
    Ok(())
}

/// Returns the index of an element, or of the first one of a level, in its surface.
pub(crate) fn place_of(surface: &Surface, level: u32, at: Option<[u32; 3]>) -> Option<usize> {
    let is = |(of, place): &(u32, [u32; 3])| *of == level && at.is_none_or(|at| at == *place);
    places(surface).iter().position(is)
}

fn fill_of(text: &str, surface: &Surface) -> Result<Vec<u64>, String> {
    let count = coordinates(surface, 0).count();
    if text == "iota" {
        return Ok((0..count as u64).collect());
    }
    if text.is_empty() {
        return Ok(vec![0]);
    }
    let (values, _) = values(text, surface.element.bytes() == 8)?;
    if values.len() > count {
        let given = values.len();
        return Err(format!("{given} values for {count} elements"));
    }
    let unused = 64 - 8 * surface.element.bytes();
    // A negative number may have been read as 32 bits, so that its upper bits are clear.
    let fits = |bits: u64| {
        let signed = [bits as i64, i64::from(bits as u32 as i32)];
        let is_below_zero = signed.contains(&((bits << unused) as i64 >> unused));
        bits << unused >> unused == bits || is_below_zero
    };
    let bits = values.into_iter().map(|value| match value {
        Value::Bits(bits) if !fits(bits) => Err(format!(
            "{} does not fit in an element of {}",
            bits as i64,
            surface.element.name()
        )),
        Value::Bits(bits) => Ok(bits),
        Value::Address { .. } => Err("a surface holds no addresses of buffers".to_owned()),
    });
    bits.collect()
}
