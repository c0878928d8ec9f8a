//! Sentences of MIMG, composed from the parts of the name.

use super::memory::vector_atomic;

const SENTENCES: &[(&str, &str)] = &[
    (
        "load",
        "Loads a texel by whole-number coordinates, converted by its format.",
    ),
    (
        "load_mip",
        "Loads a texel of a level by whole-number coordinates, converted by its format.",
    ),
    ("load_pck", "Loads the bits of a texel as they are."),
    ("load_pck_sgn", "Loads the bits of a texel with its sign."),
    (
        "load_mip_pck",
        "Loads the bits of a texel of a level as they are.",
    ),
    (
        "load_mip_pck_sgn",
        "Loads the bits of a texel of a level with its sign.",
    ),
    (
        "store",
        "Stores a texel by whole-number coordinates, converted to its format.",
    ),
    (
        "store_mip",
        "Stores a texel of a level by whole-number coordinates, converted to its format.",
    ),
    ("store_pck", "Stores the bits of a texel as they are."),
    (
        "store_mip_pck",
        "Stores the bits of a texel of a level as they are.",
    ),
    (
        "get_resinfo",
        "Loads an image's width, height, depth and number of levels.",
    ),
    (
        "get_lod",
        "Loads the level of detail that a sample would use, clamped and not.",
    ),
    ("gather4h", "Loads one component of a row of four texels."),
    ("gather4h_pck", "Loads the bits of a row of four texels."),
    ("gather8h_pck", "Loads the bits of a row of eight texels."),
];

/// Returns the sentence of an image instruction by its name.
pub(super) fn sentence(name: &str) -> Option<String> {
    let rest = name.strip_prefix("image_")?;
    if let Some((_, sentence)) = SENTENCES.iter().find(|(name, _)| *name == rest) {
        return Some((*sentence).to_owned());
    }
    if let Some(atomic) = rest.strip_prefix("atomic_") {
        return Some(vector_atomic(atomic, "a texel of an image")? + ".");
    }
    let mut parts = rest.split('_');
    let (verb, compared) = match parts.next()? {
        "sample" => ("Samples an image", "compared with a reference"),
        "gather4" => (
            "Gathers one component of four texels",
            "compared with a reference",
        ),
        _ => return None,
    };
    let mut with = Vec::new();
    for part in parts {
        with.push(match part {
            "c" => compared,
            "d" => "by derivatives",
            "cd" => "by coarse derivatives",
            "l" => "of a level",
            "lz" => "of level 0",
            "b" => "with a bias of the level",
            "cl" => "with a greatest level",
            "o" => "with offsets in texels",
            _ => return None,
        });
    }
    Some(if with.is_empty() {
        format!("{verb} by the level that neighboring lanes ask for.")
    } else {
        format!("{verb}, {}.", with.join(", "))
    })
}
