//! Options as a text: `threads=1; schedule=random:7`.

use crate::failure::{Failure, Result};

/// The options of a call, in their order.
pub(crate) struct Options<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Options<'a> {
    /// Reads options with these names. No text is no options.
    ///
    /// # Errors
    /// A part that is not an option, and an unknown name.
    pub(crate) fn read(text: Option<&'a str>, known: &[&str]) -> Result<Options<'a>> {
        let mut all = Vec::new();
        let parts = text.unwrap_or_default().split(';').map(str::trim);
        for part in parts.filter(|part| !part.is_empty()) {
            let Some((name, value)) = part.split_once('=') else {
                let sentence = format!("the option `{part}` has no value: write `{part}=VALUE`");
                return Err(Failure::argument(sentence));
            };
            let name = name.trim_end();
            if !known.contains(&name) {
                let known = known.join(", ");
                let sentence = format!("there is no option `{name}` here; there are {known}");
                return Err(Failure::argument(sentence));
            }
            all.push((name, value.trim_start()));
        }
        Ok(Options(all))
    }

    /// The values of an option that may be given several times.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &'a str> {
        let named = self.0.iter().filter(move |(known, _)| *known == name);
        named.map(|(_, value)| *value)
    }

    /// The value of an option: the last one.
    pub(crate) fn last(&self, name: &str) -> Option<&'a str> {
        self.all(name).last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_names_and_values() {
        let known = ["threads", "kernel"];
        let options = "threads=1; kernel=f(global f32* x, u32 n);;kernel = g() ;";
        let options = Options::read(Some(options), &known).unwrap();
        assert_eq!(options.last("threads"), Some("1"));
        let kernels: Vec<&str> = options.all("kernel").collect();
        assert_eq!(kernels, ["f(global f32* x, u32 n)", "g()"]);
        assert_eq!(options.last("engine"), None);
        for (text, sentence) in [
            (
                "threads",
                "the option `threads` has no value: write `threads=VALUE`",
            ),
            (
                "engine=jit",
                "there is no option `engine` here; there are threads, kernel",
            ),
        ] {
            let wrong = Options::read(Some(text), &known).err().unwrap();
            assert_eq!(wrong.sentence, sentence);
        }
    }
}
