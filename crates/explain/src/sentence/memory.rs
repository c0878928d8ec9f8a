//! Sentences of SMEM, DS, MUBUF, MTBUF and FLAT, composed from the parts of the name.

use super::types::Noun;

/// Instructions with a sentence of their own.
pub(super) const SENTENCES: &[(&str, &str)] = &[
    ("s_dcache_inv", "Drops what the scalar data cache holds."),
    (
        "s_dcache_wb",
        "Writes what the scalar data cache holds back to memory.",
    ),
    (
        "s_dcache_inv_vol",
        "Drops what the scalar data cache holds of volatile memory.",
    ),
    (
        "s_dcache_wb_vol",
        "Writes what the scalar data cache holds of volatile memory back.",
    ),
    (
        "s_dcache_discard",
        "Drops a line of 64 bytes of the scalar data cache, written or not.",
    ),
    (
        "s_dcache_discard_x2",
        "Drops two lines of 64 bytes of the scalar data cache, written or not.",
    ),
    ("s_memtime", "Reads the counter of shader clocks."),
    (
        "s_memrealtime",
        "Reads the counter that runs at a constant 100 MHz.",
    ),
    (
        "s_atc_probe",
        "Asks for the translation of an address, ahead of its use.",
    ),
    (
        "s_atc_probe_buffer",
        "Asks for the translation of a buffer's address, ahead of its use.",
    ),
    (
        "buffer_wbinvl1",
        "Writes back and drops what the vector L1 cache holds.",
    ),
    (
        "buffer_wbinvl1_vol",
        "Writes back and drops what the vector L1 cache holds of volatile memory.",
    ),
    (
        "buffer_wbinvl1_sc",
        "Writes back and drops what the vector L1 cache holds for the system.",
    ),
    (
        "buffer_store_lds_dword",
        "Stores 4 bytes of LDS for each lane to a buffer.",
    ),
    ("ds_nop", "Does nothing."),
    (
        "ds_swizzle_b32",
        "Lets lanes take each other's values by a fixed pattern, without memory.",
    ),
    (
        "ds_permute_b32",
        "Each lane sends its value to the lane that it chooses, without memory.",
    ),
    (
        "ds_bpermute_b32",
        "Each lane takes the value of the lane that it chooses, without memory.",
    ),
    (
        "ds_consume",
        "Takes the number of active lanes from a counter in LDS or GDS; all get it as it was.",
    ),
    (
        "ds_append",
        "Adds the number of active lanes to a counter in LDS or GDS; all get it as it was.",
    ),
    (
        "ds_ordered_count",
        "Adds to a counter in GDS in the order in which waves were started.",
    ),
    (
        "ds_gws_init",
        "Sets a counter that all waves of the device share.",
    ),
    (
        "ds_gws_sema_v",
        "Adds 1 to a semaphore that all waves of the device share.",
    ),
    (
        "ds_gws_sema_br",
        "Adds a number to a semaphore that all waves of the device share.",
    ),
    (
        "ds_gws_sema_p",
        "Waits for a semaphore that all waves of the device share, and takes 1 from it.",
    ),
    (
        "ds_gws_sema_release_all",
        "Lets all waves go on that wait for a semaphore of the device.",
    ),
    (
        "ds_gws_barrier",
        "Waits at a barrier of waves of the whole device.",
    ),
    (
        "ds_write_addtid_b32",
        "Stores a 32-bit word to LDS at M0 and four times the lane's number.",
    ),
    (
        "ds_read_addtid_b32",
        "Loads a 32-bit word from LDS at M0 and four times the lane's number.",
    ),
    (
        "ds_condxchg32_rtn_b64",
        "Replaces two words in LDS where the top bit of each new one is set; returns those before.",
    ),
    (
        "ds_condxchg32_rtn_b128",
        "Replaces four words in LDS where the top bit of each new one is set; returns those before.",
    ),
];

/// Prefixes of names, with the memory that their instructions access.
const PLACES: [(&str, &str); 10] = [
    ("s_scratch_", "scratch by a scalar offset"),
    ("s_buffer_", "a buffer by a scalar offset"),
    ("s_", "memory by a scalar address"),
    ("buffer_", "a buffer"),
    ("tbuffer_", "a buffer with the format in the instruction"),
    ("flat_", "memory by a flat address"),
    ("global_", "global memory"),
    ("scratch_", "scratch memory"),
    ("ds_", "LDS"),
    ("image_", "a texel of an image"),
];

/// Atomics, with their action on the value in memory and the lane's value.
const ATOMICS: [(&str, &str); 24] = [
    ("swap", "Exchanges {a} in {at}"),
    ("wrxchg", "Exchanges {a} in {at}"),
    ("cmpswap", "Replaces {a} in {at} if it equals a comparand"),
    ("cmpst", "Replaces {a} in {at} if it equals a comparand"),
    (
        "fcmpswap",
        "Replaces a float in {at} if it equals a comparand, {a}",
    ),
    ("add", "Adds to {a} in {at}"),
    ("sub", "Subtracts from {a} in {at}"),
    ("rsub", "Subtracts {a} in {at} from the operand"),
    (
        "smin",
        "Keeps the smaller of {a} in {at} and the operand, with signs",
    ),
    (
        "umin",
        "Keeps the smaller of {a} in {at} and the operand, without signs",
    ),
    (
        "smax",
        "Keeps the larger of {a} in {at} and the operand, with signs",
    ),
    (
        "umax",
        "Keeps the larger of {a} in {at} and the operand, without signs",
    ),
    ("min", "Keeps the smaller of {a} in {at} and the operand"),
    ("max", "Keeps the larger of {a} in {at} and the operand"),
    (
        "fmin",
        "Keeps the smaller of a float in {at} and the operand, {a}",
    ),
    (
        "fmax",
        "Keeps the larger of a float in {at} and the operand, {a}",
    ),
    ("and", "Bitwise and of {a} in {at} with the operand"),
    ("or", "Bitwise or of {a} in {at} with the operand"),
    (
        "xor",
        "Bitwise exclusive or of {a} in {at} with the operand",
    ),
    (
        "inc",
        "Adds 1 to {a} in {at}; a value at or above the operand becomes 0",
    ),
    (
        "dec",
        "Subtracts 1 from {a} in {at}; 0 or a value above the operand becomes the operand",
    ),
    ("mskor", "Clears bits of {a} in {at} and sets others"),
    (
        "wrap",
        "Subtracts from {a} in {at} where it is enough, and else adds a second operand",
    ),
    ("write", "Replaces {a} in {at}"),
];

/// Returns the sentence of an access by its name.
pub(super) fn sentence(name: &str) -> Option<String> {
    let (rest, place) = PLACES
        .iter()
        .find_map(|(prefix, place)| Some((name.strip_prefix(prefix)?, *place)))?;
    let text = match rest.strip_prefix("atomic_") {
        Some(atomic) => vector_atomic(atomic, place)?,
        None if name.starts_with("ds_") => lds(rest)?,
        None => moved(rest, place)?,
    };
    Some(text + ".")
}

fn atomic(operation: &str, place: &str, noun: Noun) -> Option<String> {
    let (_, text) = ATOMICS.iter().find(|(name, _)| *name == operation)?;
    Some(text.replace("{a}", &noun.one()).replace("{at}", place))
}

/// Returns the sentence of `add`, `add_x2` and their like. With GLC, the instruction returns the old value.
pub(super) fn vector_atomic(rest: &str, place: &str) -> Option<String> {
    let text = match rest.rsplit_once('_') {
        Some(("pk_add", ty)) => pair_sum(ty, place)?,
        Some((operation, ty @ ("f32" | "f64"))) => atomic(operation, place, Noun::of(ty)?)?,
        Some((operation, "x2")) => atomic(operation, place, Noun::of("b64")?)?,
        _ => atomic(rest, place, Noun::of("b32")?)?,
    };
    Some(format!("{text}; with GLC returns it as it was"))
}

/// Returns the sum of two floats of 16 bits and those in memory.
fn pair_sum(ty: &str, place: &str) -> Option<String> {
    let floats = match ty {
        "f16" => "half-precision floats",
        "bf16" => "floats of 16 bits, 8 of them exponent,",
        _ => return None,
    };
    Some(format!("Adds two {floats} to those in {place}"))
}

/// Returns the sentence of `load_dwordx2`, `store_byte_d16_hi`, `load_format_d16_xy` and their like.
fn moved(rest: &str, place: &str) -> Option<String> {
    let (verb, what) = rest.split_once('_')?;
    let half = if what.contains("_d16_hi") {
        ", in the high half of the register"
    } else {
        ""
    };
    let half = if what.ends_with("_d16") {
        ", in the low half of the register"
    } else {
        half
    };
    let (verb, to) = match verb {
        "load" => ("Loads", "from"),
        "store" => ("Stores", "to"),
        _ => return None,
    };
    let what = what.trim_end_matches("_hi").trim_end_matches("_d16");
    if let Some(format) = what.strip_prefix("format_") {
        let d16 = format.starts_with("d16");
        let count = format.rsplit('_').next().map_or(1, str::len);
        let components = match count {
            1 => "one component",
            2 => "two components",
            3 => "three components",
            _ => "four components",
        };
        let width = if d16 { " of 16 bits" } else { "" };
        return Some(format!(
            "{verb} {components}{width} {to} {place}, converted{half}"
        ));
    }
    if let Some(what) = what.strip_prefix("lds_") {
        let to_lds = moved(&format!("load_{what}"), place)?;
        return Some(format!("{to_lds} to LDS, for each lane"));
    }
    let what = match what {
        "ubyte" => "a byte without a sign",
        "sbyte" => "a byte with its sign",
        "byte" => "a byte",
        "ushort" => "16 bits without a sign",
        "sshort" => "16 bits with their sign",
        "short" => "16 bits",
        "dword" => "4 bytes",
        "dwordx2" => "8 bytes",
        "dwordx3" => "12 bytes",
        "dwordx4" => "16 bytes",
        "dwordx8" => "32 bytes",
        "dwordx16" => "64 bytes",
        _ => return None,
    };
    Some(format!("{verb} {what} {to} {place}{half}"))
}

/// Returns the sentence of DS instructions: `read2st64_b32`, `add_rtn_u32`, `min_src2_f32`, `write_b8_d16_hi`.
fn lds(rest: &str) -> Option<String> {
    let half = match rest {
        rest if rest.ends_with("_d16_hi") => ", in the high half of the register",
        rest if rest.ends_with("_d16") => ", in the low half of the register",
        _ => "",
    };
    let rest = rest.trim_end_matches("_hi").trim_end_matches("_d16");
    let (operation, ty) = rest.rsplit_once('_')?;
    if let Some(returns) = operation.strip_prefix("pk_add") {
        let sum = pair_sum(ty, "LDS")?;
        return Some(match returns {
            "" => sum,
            _ => format!("{sum}; returns them as they were"),
        });
    }
    let noun = Noun::of(ty)?;
    let (operation, from_lds) = match operation.strip_suffix("_src2") {
        Some(operation) => (operation, "; the operand is in LDS too"),
        None => (operation, ""),
    };
    let (operation, returns) = match operation.strip_suffix("_rtn") {
        Some(operation) => (operation, "; returns it as it was"),
        None => (operation, ""),
    };
    let far = if operation.ends_with("st64") {
        "with offsets in 64 elements"
    } else {
        "each with an offset"
    };
    Some(match operation.trim_end_matches("st64") {
        "read" => format!("Loads {} from LDS{half}", noun.one()),
        "read2" => format!("Loads two {} from LDS, {far}", noun.several()),
        "write" if from_lds.is_empty() => format!("Stores {} to LDS{half}", noun.one()),
        "write2" => format!("Stores two {} to LDS, {far}", noun.several()),
        "wrxchg2" => format!(
            "Exchanges two {} in LDS, {far}; returns those before",
            noun.several()
        ),
        operation => format!("{}{returns}{from_lds}", atomic(operation, "LDS", noun)?),
    })
}
