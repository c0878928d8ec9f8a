//! Whether the results of two engines agree.

/// How the results of two engines compare.
#[derive(Clone, Copy)]
pub(crate) enum Agreement {
    /// The same bits.
    Bits,
    /// Floats within this relative error: the compilers may contract and order sums differently.
    Relative(f32),
    /// Equal in all but this share of the elements: at the rim of the Mandelbrot set one rounding changes the count.
    Mostly(f64),
}

impl Agreement {
    /// Whether results agree, as a word for the table.
    pub(crate) fn check(self, ours: &[u32], theirs: &[u32]) -> String {
        let pairs = || ours.iter().zip(theirs);
        let different = pairs().filter(|(a, b)| a != b).count();
        if different == 0 && ours.len() == theirs.len() {
            return "same bits".to_owned();
        }
        let share = different as f64 / ours.len() as f64;
        let floats = pairs().map(|(a, b)| (f32::from_bits(*a), f32::from_bits(*b)));
        let largest = ours
            .iter()
            .fold(0f32, |m, a| m.max(f32::from_bits(*a).abs()));
        // NaN is the worst error.
        let error = floats
            .map(|(a, b)| (a - b).abs() / largest)
            .fold(0f32, |m, e| if e > m || e.is_nan() { e } else { m });
        match self {
            Agreement::Relative(most) if error <= most => format!("within {error:.0e}"),
            Agreement::Mostly(most) if share <= most => format!("{:.2}% differ", share * 100.0),
            _ => format!("WRONG: {different} of {} differ", ours.len()),
        }
    }
}
