//! Waves of any stage: shaders of the graphics pipeline, and of compute, with registers that the caller sets.
//!
//! The fixed-function hardware between vertices and pixels is not emulated. The caller provides the values that it would write to
//! registers and LDS before a wave starts, and gets the exports and messages of waves.
//!
//! ```
//! use wavetank::stage::{Shader, Stage, parameters};
//! use wavetank::{Chip, Device};
//!
//! // A pixel shader: s0 is a factor, s1 the mask of primitives for M0, v0 and v1 are barycentric coordinates.
//! let source = "
//!     s_mov_b32 m0, s1
//!     v_interp_p1_f32 v2, v0, attr0.x
//!     v_interp_p2_f32 v2, v1, attr0.x
//!     v_mul_f32 v2, s0, v2
//!     exp mrt0 v2, off, off, off done vm
//!     s_endpgm";
//! let device = Device::new(Chip::Gfx900)?;
//! # let words = [0xbefc_0001u32, 0xd408_0000, 0xd409_0001, 0x0a04_0400, 0xc400_1801, 2, 0xbf81_0000];
//! # let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
//! // `code` is the output of `wavetank asm --raw -o` for the source.
//! let module = device.load_code(&code)?;
//! let red = [[1.0, 3.0, 2.0], [0.0; 3], [0.0; 3], [0.0; 3]];
//! let outcome = Shader::new(&module, Stage::Pixel, "main")?
//!     .items(3)
//!     .user_data(&[2.0f32.to_bits()])
//!     .own(&[0])
//!     .input(&[0.0f32, 1.0, 0.5].map(f32::to_bits))
//!     .input(&[0.0f32, 0.0, 0.5].map(f32::to_bits))
//!     .lds(&parameters(&[vec![red]]))
//!     .run()?;
//! let values = outcome.values("mrt0".parse()?, 0);
//! let values: Vec<f32> = values.into_iter().flatten().map(f32::from_bits).collect();
//! // 1, 3 and 1 + 0.5 * 2 + 0.5 * 1, twice.
//! assert_eq!(values, [2.0, 6.0, 5.0]);
//! assert_eq!(outcome.complaints(), [""; 0]);
//! # let _ = source;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod outcome;
mod parameters;
mod shader;
mod target;

use std::fmt;
use std::str::FromStr;

pub use outcome::Outcome;
pub use parameters::parameters;
pub use shader::Shader;
pub use target::{ExportTarget, UnknownTarget};

/// A stage of the graphics pipeline, or compute.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// LS: vertices whose results a hull shader reads from LDS.
    Local,
    /// HS: a hull shader (tessellation control). From gfx9 on its wave runs the local shader first.
    Hull,
    /// ES: vertices whose results a geometry shader reads.
    Export,
    /// GS: a geometry shader. From gfx9 on its wave runs the export shader first.
    Geometry,
    /// VS: the stage that makes positions and parameters for the rasterizer: a vertex shader, a domain shader, or the shader that
    /// copies the output of a geometry shader.
    Vertex,
    /// PS: a pixel shader.
    Pixel,
    /// CS: compute.
    Compute,
}

impl Stage {
    /// All stages, in the order of the pipeline.
    pub const ALL: [Stage; 7] = [
        Stage::Local,
        Stage::Hull,
        Stage::Export,
        Stage::Geometry,
        Stage::Vertex,
        Stage::Pixel,
        Stage::Compute,
    ];

    /// Returns the name: `ls`, `hs`, `es`, `gs`, `vs`, `ps`, `cs`.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Local => "ls",
            Stage::Hull => "hs",
            Stage::Export => "es",
            Stage::Geometry => "gs",
            Stage::Vertex => "vs",
            Stage::Pixel => "ps",
            Stage::Compute => "cs",
        }
    }

    /// Returns whether the hardware accepts exports of the stage to a target (Vega ISA, 10 "Exporting Pixel and Vertex Data").
    pub fn exports_to(self, target: ExportTarget) -> bool {
        match self {
            Stage::Pixel => target.is_of_pixels(),
            Stage::Vertex => target.is_of_vertices(),
            _ => false,
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for a text that is not a stage.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not a stage; there are ls, hs, es, gs, vs, ps and cs")]
pub struct UnknownStage(String);

impl FromStr for Stage {
    type Err = UnknownStage;

    fn from_str(text: &str) -> Result<Self, UnknownStage> {
        let found = Stage::ALL.into_iter().find(|stage| stage.name() == text);
        found.ok_or_else(|| UnknownStage(wavetank_quote::plain(text).to_string()))
    }
}
