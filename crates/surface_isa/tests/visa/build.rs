//! Containers written for tests, from the description of the format alone.

use wavetank_surface_isa::visa::Version;

/// What a container is made of.
pub(crate) struct Build {
    pub version: Version,
    /// Type and number of elements of the variables from V32 on.
    pub variables: Vec<(u8, u16)>,
    /// Elements of the predicates from P1 on.
    pub predicates: Vec<u16>,
    /// Name, type and number of elements of variables of the file.
    pub file_variables: Vec<(&'static str, u8, u16)>,
    /// How many surfaces there are from T6 on.
    pub surfaces: u8,
    pub code: Vec<u8>,
}

impl Build {
    /// A kernel `k` with eight variables of 16 dwords, the last two of them signed, P1, P2, T6 and T7.
    pub(crate) fn new(version: Version, code: Vec<u8>) -> Build {
        Build {
            version,
            variables: [[(0, 16); 6].as_slice(), &[(1, 16); 2]].concat(),
            predicates: vec![32, 16],
            file_variables: Vec::new(),
            surfaces: 2,
            code,
        }
    }

    fn id(&self, n: usize) -> Vec<u8> {
        if self.version >= Version::new(3, 4) {
            (n as u32).to_le_bytes().to_vec()
        } else {
            (n as u16).to_le_bytes().to_vec()
        }
    }

    fn name_length(&self, n: u16) -> Vec<u8> {
        if self.version >= Version::new(3, 7) {
            n.to_le_bytes().to_vec()
        } else {
            vec![n as u8]
        }
    }

    /// The bytes of a kernel or function, with the place of its code and of its inputs.
    fn body(&self, function: bool) -> (Vec<u8>, usize, usize) {
        let mut names = vec!["k".to_owned()];
        names.extend((0..self.variables.len()).map(|n| format!("V{}", 32 + n)));
        names.extend((0..self.predicates.len()).map(|n| format!("P{}", 1 + n)));
        names.extend((0..self.surfaces).map(|n| format!("T{}", 6 + n)));
        names.push("Target".to_owned());
        let mut out = self.id(names.len());
        names
            .iter()
            .for_each(|name| out.extend([name.as_bytes(), b"\0"].concat()));
        out.extend(self.id(0));
        let mut name = 0;
        let mut next = || {
            name += 1;
            name
        };
        out.extend(self.id(self.variables.len()));
        for (ty, elements) in &self.variables {
            out.extend(self.id(next()));
            out.push(ty | 5 << 4);
            out.extend(elements.to_le_bytes());
            out.extend(self.id(0));
            out.extend([0; 4]);
        }
        // No addresses.
        out.extend([0; 2]);
        out.extend((self.predicates.len() as u16).to_le_bytes());
        for elements in &self.predicates {
            out.extend(self.id(next()));
            out.extend(elements.to_le_bytes());
            out.push(0);
        }
        // No labels, no samplers.
        out.extend([0; 3]);
        out.push(self.surfaces);
        for _ in 0..self.surfaces {
            out.extend(self.id(next()));
            out.extend([1, 0, 0]);
        }
        // No VME.
        out.push(0);
        let inputs = out.len();
        if !function {
            let count: usize = if self.version >= Version::new(3, 5) {
                4
            } else {
                1
            };
            out.extend(&1u32.to_le_bytes()[..count]);
            out.push(2);
            out.extend(self.id(6));
            out.extend([32, 0, 4, 0]);
        }
        out.extend((self.code.len() as u32).to_le_bytes());
        let attribute = [self.id(next()), vec![1, 1]].concat();
        let entry = out.len() + 4 + if function { 2 } else { 0 } + 2 + attribute.len();
        out.extend((entry as u32).to_le_bytes());
        if function {
            out.extend([3, 1]);
        }
        out.extend([1, 0]);
        out.extend(attribute);
        assert_eq!(out.len(), entry);
        out.extend(&self.code);
        (out, entry, inputs)
    }

    /// The file, and where its kernel's code begins. It has a kernel, and a function of the same form where requested.
    pub(crate) fn file(&self, function: bool) -> (Vec<u8>, usize) {
        let (body, entry, inputs) = self.body(false);
        let called = function.then(|| self.body(true).0);
        // Everything but the header's own length is known.
        let header = |start: usize| {
            let mut out = b"CISA".to_vec();
            out.extend([self.version.major, self.version.minor, 1, 0]);
            out.extend(self.name_length(1));
            out.push(b'k');
            for number in [start, body.len(), start + inputs] {
                out.extend((number as u32).to_le_bytes());
            }
            out.extend([0; 5]);
            out.extend((self.file_variables.len() as u16).to_le_bytes());
            for (name, ty, elements) in &self.file_variables {
                out.push(1);
                out.extend(self.name_length(name.len() as u16));
                out.extend(name.as_bytes());
                out.push(ty | 3 << 4);
                out.extend(elements.to_le_bytes());
                out.push(1);
                out.extend([self.id(1), vec![2, 7, 7]].concat());
            }
            out.extend([u8::from(function), 0]);
            if let Some(called) = &called {
                out.push(2);
                out.extend(self.name_length(2));
                out.extend(b"fn");
                for number in [start + body.len(), called.len()] {
                    out.extend((number as u32).to_le_bytes());
                }
                out.extend([0; 4]);
            }
            out
        };
        let start = header(0).len();
        let mut out = header(start);
        out.extend(&body);
        out.extend(called.unwrap_or_default());
        (out, start + entry)
    }
}
