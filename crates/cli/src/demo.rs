//! `wavetank demo`: the Mandelbrot set, computed by Vega machine code.

use std::path::{Path, PathBuf};

use serde::Serialize;
use wavetank::{Buffer, Chip, Device, Report};

use crate::exit::{Failure, Result, print, print_json};
use crate::progress::with_progress;
use crate::running::{Running, print_seed};
use crate::whole;

/// `examples/mandelbrot.cl`, compiled for gfx900 by clang 19.
const CODE: &[u8] = include_bytes!("../data/mandelbrot-gfx900.hsaco");

/// The number of iterations after which a point counts as inside the set.
const ITERATIONS: u32 = 1000;

/// The centre of the picture, and the width of the visible part of the plane.
const CENTRE: [f32; 2] = [-0.75, 0.0];
const WIDTH: f32 = 3.5;

const EXAMPLES: &str = "\
Examples:
  wavetank demo
  wavetank demo --size 3840x2160 --output large.png";

/// Draws the Mandelbrot set with a shipped gfx900 kernel (examples/mandelbrot.cl)
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Demo {
    /// The file for the picture
    #[arg(long, short, value_name = "FILE", default_value = "mandelbrot.png")]
    output: PathBuf,
    /// The size of the picture in pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1024x768", value_parser = size)]
    size: [u32; 2],
    #[command(flatten)]
    running: Running,
    /// Print the statistics of the run as JSON
    #[arg(long)]
    json: bool,
}

/// The summary of the run, for `--json`.
#[derive(Serialize)]
struct Summary<'a> {
    gpu: &'static str,
    threads: usize,
    output: &'a Path,
    size: [u32; 2],
    waves: u64,
    wave_instructions: u64,
    lane_instructions: u64,
    wall_seconds: f64,
    wave_instructions_per_second: f64,
}

impl Demo {
    pub(crate) fn run(self) -> Result {
        let device = self.running.device(Chip::Gfx900)?;
        let [width, height] = self.size;
        let counts = device.buffer_zeroed(u64::from(width) * u64::from(height) * 4)?;
        let report = self.compute(&device, &counts);
        print_seed(device.schedule());
        let report = report?;
        let pixels: Vec<u8> = counts.read::<u32>()?.into_iter().flat_map(colour).collect();
        write_png(&self.output, self.size, &pixels)?;
        let instructions = report.instructions.unwrap_or_default();
        let summary = Summary {
            gpu: device.chip().name(),
            threads: report.threads,
            output: &self.output,
            size: self.size,
            waves: report.waves,
            wave_instructions: instructions.waves(),
            lane_instructions: instructions.lanes,
            wall_seconds: report.wall.as_secs_f64(),
            wave_instructions_per_second: report.wave_instructions_per_second().unwrap_or(0.0),
        };
        if self.json {
            print_json(&summary)
        } else {
            print(&summary.text())
        }
    }

    /// Fills a buffer with the number of iterations of each pixel.
    fn compute(&self, device: &Device, counts: &Buffer) -> Result<Report> {
        let [width, height] = self.size;
        let step = WIDTH / width as f32;
        let first = |centre: f32, pixels: u32| centre - step * pixels as f32 / 2.0;
        let (grid, block) = ([width, height].into(), [16, 16].into());
        let kernel = device.load(CODE)?.kernel("mandel")?;
        let dispatch = kernel
            .dispatch()
            .grid(grid)
            .block(block)
            .count(true)
            .arg(counts)
            .arg(width)
            .arg(height)
            .arg(first(CENTRE[0], width))
            .arg(first(CENTRE[1], height))
            .arg(step)
            .arg(step)
            .arg(ITERATIONS);
        Ok(with_progress(grid, block, |progress| {
            dispatch.progress(progress).run()
        })?)
    }
}

impl Summary<'_> {
    fn text(&self) -> String {
        let million = |n: u64| n as f64 / 1e6;
        let plural = if self.threads == 1 { "" } else { "s" };
        format!(
            "{} waves of gfx900 machine code ran on {} thread{plural}: {:.1} million wave instructions ({:.0} million \
             lane instructions) in {:.3} s, {:.1} million wave instructions a second\nwrote {}\n",
            self.waves,
            self.threads,
            million(self.wave_instructions),
            million(self.lane_instructions),
            self.wall_seconds,
            self.wave_instructions_per_second / 1e6,
            self.output.display()
        )
    }
}

/// Parses a size such as `1024x768`.
fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once('x');
    let sides = sides.and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    let sides = sides.ok_or("write width and height as 1024x768")?;
    if sides.iter().all(|side| (1..=16384).contains(side)) {
        Ok(sides)
    } else {
        Err("width and height are 1 to 16384 pixels".to_owned())
    }
}

/// Returns the colour of a point that escaped after `iterations`: black inside the set, and outside bands of colour that widen as
/// escape gets slow.
fn colour(iterations: u32) -> [u8; 3] {
    if iterations >= ITERATIONS {
        return [0; 3];
    }
    // The first bands, which only show that a point is far away, are merged.
    let t = f32::ln(iterations.max(3) as f32 + 1.0) * 1.1;
    // Cosines of one period, shifted for red, green and blue: dark blue first, then white, gold and brown.
    [2.9, 2.3, 1.5].map(|shift: f32| (127.5 - 127.5 * f32::cos(t - shift + 1.2)) as u8)
}

fn write_png(path: &Path, [width, height]: [u32; 2], pixels: &[u8]) -> Result {
    let written = whole::write_by(path, |file| {
        let mut encoder = png::Encoder::new(file, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(pixels)?;
        Ok(writer.finish()?)
    });
    written.map_err(|error| Failure::file("write", path, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(size("640x480"), Ok([640, 480]));
        for bad in [
            "",
            "640",
            "640x",
            "x480",
            "0x480",
            "640x480x3",
            "99999x1",
            "-1x5",
        ] {
            assert!(size(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn only_the_inside_is_black() {
        assert_eq!(colour(ITERATIONS), [0; 3]);
        assert!((0..ITERATIONS).all(|n| colour(n) != [0; 3]));
    }
}
