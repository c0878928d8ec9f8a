//! Coefficients of the polynomials of single-precision functions, in double precision, the constant term first. All engines use
//! them, so that the bits are the same.

/// 2^f for |f| ≤ ½: Chebyshev fit, off by 2^-40.
pub const EXP2: [f64; 9] = [
    1.0,
    0.6931471805459335,
    0.2402265069581299,
    0.05550410941205933,
    0.009618129159402558,
    0.0013333450568000645,
    0.00015403455852453838,
    1.5310079402249296e-05,
    1.3255224878668817e-06,
];

/// log2((1 + s) / (1 − s)) / s by s², for |s| ≤ (√2 − 1) / (√2 + 1): Chebyshev fit, off by 2^-43.
pub const LOG2: [f64; 6] = [
    2.885390081777851,
    0.9617966941122649,
    0.5770779426603044,
    0.41220922406110433,
    0.31990680380701336,
    0.28288502340748234,
];

/// sin(2πr) / r by r², for |r| ≤ ¼: Chebyshev fit, off by 2^-41.
pub const SIN: [f64; 7] = [
    std::f64::consts::TAU,
    -41.341702239903675,
    81.60524914901583,
    -76.70584754377326,
    42.058134871372054,
    -15.081483206893,
    3.6658551595639612,
];

/// Coefficients for functions of half precision, in single precision.
pub mod half {
    /// 2^f for |f| ≤ ½: Chebyshev fit, off by 2^-23.
    pub const EXP2: [f32; 6] = [
        1.0,
        std::f32::consts::LN_2,
        0.240_221_07,
        0.055_503_57,
        0.009_676_032,
        0.001_339_086_3,
    ];

    /// log2(1 + a) / a for √½ ≤ 1 + a ≤ √2: Chebyshev fit, off by 2^-24.
    pub const LOG2: [f32; 9] = [
        std::f32::consts::LOG2_E,
        -0.721_347_45,
        0.480_910_75,
        -0.360_693_28,
        0.287_903_25,
        -0.239_169_88,
        0.216_078_22,
        -0.205_861_88,
        0.123_109_68,
    ];

    /// sin(2πr) / r by r², for |r| ≤ ¼: Chebyshev fit, off by 2^-25.
    pub const SIN: [f32; 5] = [6.283_185_5, -41.341_682, 81.602_48, -76.581_17, 39.759_827];
}
