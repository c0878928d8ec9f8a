//! `wavetank demo`.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use crate::common::{directory, wavetank_in};
use serde_json::Value;

struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Picture {
    fn open(path: &Path) -> Picture {
        let decoder = png::Decoder::new(BufReader::new(File::open(path).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut pixels).unwrap();
        assert_eq!(frame.color_type, png::ColorType::Rgb);
        Picture {
            width: frame.width as usize,
            height: frame.height as usize,
            pixels,
        }
    }

    /// Whether the pixel nearest to a point of the plane is black; the picture is 3.5 wide around -0.75.
    fn inside(&self, re: f64, im: f64) -> bool {
        let step = 3.5 / self.width as f64;
        let x = ((re + 0.75) / step + self.width as f64 / 2.0) as usize;
        let y = (im / step + self.height as f64 / 2.0) as usize;
        let at = 3 * (y * self.width + x);
        self.pixels[at..at + 3] == [0; 3]
    }
}

#[test]
fn the_picture_is_the_mandelbrot_set() {
    let dir = directory("demo");
    let text = wavetank_in(&dir, "demo --size 203x101 --threads 2").success();
    assert!(text.contains("waves of gfx900 machine code"), "{text}");
    assert!(text.ends_with("wrote mandelbrot.png\n"), "{text}");
    let picture = Picture::open(&dir.join("mandelbrot.png"));
    assert_eq!((picture.width, picture.height), (203, 101));
    // In the cardioid, the disc of period 2 and those of period 3.
    for (re, im) in [
        (0.0, 0.0),
        (-0.5, 0.3),
        (0.25, -0.3),
        (-1.0, 0.0),
        (-1.0, 0.2),
        (-0.12, 0.74),
        (-0.12, -0.74),
    ] {
        assert!(picture.inside(re, im), "{re} {im}");
    }
    for (re, im) in [
        (0.5, 0.0),
        (-2.2, 0.0),
        (0.3, 0.6),
        (-1.0, 0.5),
        (-0.75, 0.4),
        (0.9, -0.8),
    ] {
        assert!(!picture.inside(re, im), "{re} {im}");
    }
}

#[test]
fn what_ran_is_told() {
    let dir = directory("demo_json");
    let text = wavetank_in(&dir, "demo --size 64x32 --output m.png --json").success();
    let summary: Value = serde_json::from_str(&text).unwrap();
    // Eight work-groups of 16 by 16, four waves each.
    assert_eq!(summary["waves"], 32);
    assert!(summary["wave_instructions"].as_u64().unwrap() > 32 * 10);
    assert!(dir.join("m.png").is_file());
    wavetank_in(&dir, "demo --output nowhere/m.png").refused(&["cannot write nowhere/m.png"]);
    wavetank_in(&dir, "demo --size 0x5").failure(2, &["--size"]);
}
