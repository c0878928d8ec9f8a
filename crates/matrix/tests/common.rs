//! The shared reference data, or a visible line that a test is skipped; instructions and random registers.

use std::path::PathBuf;

use proptest::prelude::Rng;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use wavetank_matrix::{ElementType, Matrix, Model, Shape};

pub(crate) const MODELS: [Model; 3] = [Model::Gfx908, Model::Gfx90a, Model::Gfx942];

/// Returns the text of a file of the shared data, by its path there.
///
/// `None`, after one visible line, when the data is absent; a failure when `CI=true`, where it must be present.
pub(crate) fn shared(path: &str) -> Option<String> {
    let root = std::env::var_os("WAVETANK_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    match std::fs::read_to_string(root.join(path)) {
        Ok(text) => Some(text),
        Err(error) => {
            assert!(
                std::env::var("CI").as_deref() != Ok("true"),
                "CI needs the shared data: {path}: {error}"
            );
            eprintln!("SKIP {path}: {error}; set WAVETANK_SHARED to the shared data");
            None
        }
    }
}

pub(crate) fn model(name: &str) -> Model {
    match name {
        "gfx908" => Model::Gfx908,
        "gfx90a" => Model::Gfx90a,
        "gfx942" => Model::Gfx942,
        _ => panic!("{name} is not a chip with matrix instructions"),
    }
}

/// Every instruction of every chip, without modifiers.
pub(crate) fn instructions() -> impl Iterator<Item = Matrix> {
    MODELS.into_iter().flat_map(|model| {
        let matrix = move |shape: Shape| Matrix::new(model, shape).expect("a shape of the chip");
        Shape::all(model).map(matrix)
    })
}

/// Random words, the same in each run.
pub(crate) struct Random(TestRng);

impl Random {
    pub(crate) fn new() -> Random {
        Random(TestRng::deterministic_rng(RngAlgorithm::ChaCha))
    }

    pub(crate) fn word(&mut self) -> u32 {
        self.0.next_u32()
    }

    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        self.word() % limit
    }

    /// Registers with random elements, made by a function of random words.
    pub(crate) fn registers(
        &mut self,
        count: usize,
        element: ElementType,
        mut make: impl FnMut(&mut Random) -> u64,
    ) -> Vec<[u32; 64]> {
        let bits = element.bits() as usize;
        let mut registers = vec![[0; 64]; count];
        let bits_of_all = count * 32;
        for (lane, bit) in (0..64).flat_map(|lane| {
            let bits_of_a_lane = (0..bits_of_all).step_by(bits);
            bits_of_a_lane.map(move |bit| (lane, bit))
        }) {
            let value = make(self);
            registers[bit / 32][lane] |= (value as u32) << (bit % 32);
            if bits == 64 {
                registers[bit / 32 + 1][lane] = (value >> 32) as u32;
            }
        }
        registers
    }
}

/// A runner of properties whose cases are the same in each run.
pub(crate) fn runner(cases: u32) -> TestRunner {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}
