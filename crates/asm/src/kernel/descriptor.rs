//! The fields of a kernel descriptor that `.amdhsa_…` directives set.
//!
//! Source: LLVM's "User Guide for AMDGPU Backend", tables "AMDHSA Kernel Assembler Directives" and "Kernel Descriptor".

use wavetank_object::{DESCRIPTOR_SIZE, Feature, Target};

/// The place of a field's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Slot {
    /// Bits of a dword: byte offset, first bit, bit count.
    Bits(usize, u32, u32),
    /// A value from which other fields are computed.
    Input(Input),
}

/// Values that are not bits of the descriptor themselves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Input {
    NextFreeVgpr,
    NextFreeSgpr,
    ReserveVcc,
    ReserveFlatScratch,
    ReserveXnackMask,
    UserSgprCount,
    AccumOffset,
}

/// A field of a descriptor.
pub(crate) struct Field {
    /// The name of the field's directive, without `.amdhsa_`.
    pub name: &'static str,
    pub slot: Slot,
    /// User SGPRs that the field takes if it is 1.
    pub sgprs: u32,
    /// The generations that have the field.
    pub generations: std::ops::RangeInclusive<u32>,
    /// Those of their chips that have it.
    pub chips: Chips,
}

/// The chips of a generation that have a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Chips {
    All,
    /// The chips whose VGPRs and AGPRs are one file: CDNA from gfx90a on.
    OneFile,
    /// The chips whose hardware sets scratch up: CDNA from gfx942 on.
    ArchitectedScratch,
    /// The other chips.
    OwnScratch,
}

impl Field {
    /// Whether the chip of a target has the field.
    pub(crate) fn exists_on(&self, target: &Target) -> bool {
        let chip = match self.chips {
            Chips::All => true,
            Chips::OneFile => target.has_one_vector_file(),
            Chips::ArchitectedScratch => target.has_architected_scratch(),
            Chips::OwnScratch => !target.has_architected_scratch(),
        };
        chip && self.generations.contains(&target.major())
    }

    const fn on(mut self, chips: Chips) -> Field {
        self.chips = chips;
        self
    }
}

const RSRC3: usize = 44;
const RSRC1: usize = 48;
const RSRC2: usize = 52;
const PROPERTIES: usize = 56;
const ALL: std::ops::RangeInclusive<u32> = 6..=9;

const fn bits(name: &'static str, byte: usize, first: u32, count: u32) -> Field {
    Field {
        name,
        slot: Slot::Bits(byte, first, count),
        sgprs: 0,
        generations: ALL,
        chips: Chips::All,
    }
}

const fn user(name: &'static str, bit: u32, sgprs: u32) -> Field {
    Field {
        name,
        slot: Slot::Bits(PROPERTIES, bit, 1),
        sgprs,
        generations: ALL,
        chips: Chips::All,
    }
}

const fn input(name: &'static str, input: Input) -> Field {
    Field {
        name,
        slot: Slot::Input(input),
        sgprs: 0,
        generations: ALL,
        chips: Chips::All,
    }
}

#[rustfmt::skip]
pub(crate) const FIELDS: &[Field] = &[
    bits("group_segment_fixed_size", 0, 0, 32),
    bits("private_segment_fixed_size", 4, 0, 32),
    bits("kernarg_size", 8, 0, 32),
    user("user_sgpr_private_segment_buffer", 0, 4).on(Chips::OwnScratch),
    user("user_sgpr_dispatch_ptr", 1, 2),
    user("user_sgpr_queue_ptr", 2, 2),
    user("user_sgpr_kernarg_segment_ptr", 3, 2),
    user("user_sgpr_dispatch_id", 4, 2),
    user("user_sgpr_flat_scratch_init", 5, 2).on(Chips::OwnScratch),
    user("user_sgpr_private_segment_size", 6, 1),
    bits("uses_dynamic_stack", PROPERTIES, 11, 1),
    input("user_sgpr_count", Input::UserSgprCount),
    Field { sgprs: 1, ..bits("user_sgpr_kernarg_preload_length", PROPERTIES, 16, 7).on(Chips::OneFile) },
    bits("user_sgpr_kernarg_preload_offset", PROPERTIES, 23, 9).on(Chips::OneFile),
    bits("system_sgpr_private_segment_wavefront_offset", RSRC2, 0, 1).on(Chips::OwnScratch),
    bits("enable_private_segment", RSRC2, 0, 1).on(Chips::ArchitectedScratch),
    bits("system_sgpr_workgroup_id_x", RSRC2, 7, 1),
    bits("system_sgpr_workgroup_id_y", RSRC2, 8, 1),
    bits("system_sgpr_workgroup_id_z", RSRC2, 9, 1),
    bits("system_sgpr_workgroup_info", RSRC2, 10, 1),
    bits("system_vgpr_workitem_id", RSRC2, 11, 2),
    input("next_free_vgpr", Input::NextFreeVgpr),
    input("next_free_sgpr", Input::NextFreeSgpr),
    input("reserve_vcc", Input::ReserveVcc),
    Field { generations: 7..=9, ..input("reserve_flat_scratch", Input::ReserveFlatScratch).on(Chips::OwnScratch) },
    input("accum_offset", Input::AccumOffset).on(Chips::OneFile),
    bits("tg_split", RSRC3, 16, 1).on(Chips::OneFile),
    Field { generations: 8..=9, ..input("reserve_xnack_mask", Input::ReserveXnackMask) },
    bits("float_round_mode_32", RSRC1, 12, 2),
    bits("float_round_mode_16_64", RSRC1, 14, 2),
    bits("float_denorm_mode_32", RSRC1, 16, 2),
    bits("float_denorm_mode_16_64", RSRC1, 18, 2),
    bits("dx10_clamp", RSRC1, 21, 1),
    bits("ieee_mode", RSRC1, 23, 1),
    Field { generations: 9..=9, ..bits("fp16_overflow", RSRC1, 26, 1) },
    bits("exception_fp_ieee_invalid_op", RSRC2, 24, 1),
    bits("exception_fp_denorm_src", RSRC2, 25, 1),
    bits("exception_fp_ieee_div_zero", RSRC2, 26, 1),
    bits("exception_fp_ieee_overflow", RSRC2, 27, 1),
    bits("exception_fp_ieee_underflow", RSRC2, 28, 1),
    bits("exception_fp_ieee_inexact", RSRC2, 29, 1),
    bits("exception_int_div_zero", RSRC2, 30, 1),
];

/// Fields of later chips; a source that sets them is not for these chips.
pub(crate) const LATER: &[&str] = &[
    "wavefront_size32",
    "workgroup_processor_mode",
    "memory_ordered",
    "forward_progress",
    "shared_vgpr_count",
    "inst_pref_size",
    "round_robin_scheduling",
    "named_barrier_count",
];

/// The values from which a descriptor is made.
pub(crate) struct Descriptor {
    bytes: [u8; DESCRIPTOR_SIZE],
    user_sgprs: u32,
    user_sgpr_count: Option<u32>,
    vgprs: Option<i64>,
    sgprs: Option<i64>,
    accum_offset: Option<i64>,
    vcc: bool,
    flat_scratch: bool,
    xnack_mask: bool,
}

impl Descriptor {
    /// Returns a descriptor with the default values of all fields.
    pub(crate) fn new(target: &Target) -> Self {
        let major = target.major();
        let mut descriptor = Descriptor {
            bytes: [0; DESCRIPTOR_SIZE],
            user_sgprs: 0,
            user_sgpr_count: None,
            vgprs: None,
            sgprs: None,
            accum_offset: None,
            vcc: true,
            // Counted on gfx6 as well, which has no flat accesses, as LLVM does.
            flat_scratch: true,
            xnack_mask: major >= 8 && target.has_xnack() && target.xnack != Feature::Off,
        };
        for (name, value) in [
            ("float_denorm_mode_16_64", 3),
            ("dx10_clamp", 1),
            ("ieee_mode", 1),
            ("system_sgpr_workgroup_id_x", 1),
        ] {
            let field = FIELDS.iter().find(|f| f.name == name);
            if let Some(Slot::Bits(byte, first, count)) = field.map(|f| f.slot) {
                descriptor.put(byte, first, count, value);
            }
        }
        descriptor
    }

    fn put(&mut self, byte: usize, first: u32, count: u32, value: u32) {
        let mask = (u64::MAX >> (64 - count)) as u32;
        let place = &mut self.bytes[byte..byte + 4];
        let old = place
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u32::from(*byte));
        let new = old & !(mask << first) | (value & mask) << first;
        place.copy_from_slice(&new.to_le_bytes());
    }

    /// Sets a field to a value.
    ///
    /// # Errors
    /// A sentence about a value that does not fit into the field.
    pub(crate) fn set(&mut self, field: &Field, value: i64) -> Result<(), String> {
        let flag = || match value {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(format!("this field is 0 or 1, not {value}")),
        };
        match field.slot {
            Slot::Bits(byte, first, count) => {
                let most = u64::MAX >> (64 - count);
                let number = u64::try_from(value).ok().filter(|n| *n <= most);
                let number =
                    number.ok_or_else(|| format!("this field is 0 to {most}, not {value}"))?;
                self.put(byte, first, count, number as u32);
                self.user_sgprs += field.sgprs * number as u32;
            }
            Slot::Input(Input::NextFreeVgpr) => self.vgprs = Some(value),
            Slot::Input(Input::NextFreeSgpr) => self.sgprs = Some(value),
            Slot::Input(Input::AccumOffset) => {
                if !(4..=256).contains(&value) || value % 4 != 0 {
                    return Err(format!(
                        "AGPRs begin at a multiple of 4 up to 256, not at {value}"
                    ));
                }
                self.accum_offset = Some(value);
            }
            Slot::Input(Input::ReserveVcc) => self.vcc = flag()?,
            Slot::Input(Input::ReserveFlatScratch) => self.flat_scratch = flag()?,
            Slot::Input(Input::ReserveXnackMask) => self.xnack_mask = flag()?,
            Slot::Input(Input::UserSgprCount) => {
                let count = u32::try_from(value).ok().filter(|n| *n <= 16);
                self.user_sgpr_count = Some(
                    count
                        .ok_or_else(|| format!("a wave has 16 user SGPRs at most, not {value}"))?,
                );
            }
        }
        Ok(())
    }

    /// Returns the bytes of the descriptor. The offset of the code is left to a relocation.
    ///
    /// # Errors
    /// A sentence about a missing field or a value that is too large.
    pub(crate) fn finish(mut self, target: &Target) -> Result<[u8; DESCRIPTOR_SIZE], String> {
        let missing = |name| format!("the kernel has no `.amdhsa_{name}`");
        let vgprs = self.vgprs.ok_or_else(|| missing("next_free_vgpr"))?;
        let sgprs = self.sgprs.ok_or_else(|| missing("next_free_sgpr"))?;
        let (most, granule) = vgpr_file(target);
        if !(0..=most).contains(&vgprs) {
            return Err(format!("a wave has {most} VGPRs at most, not {vgprs}"));
        }
        if target.has_one_vector_file() {
            let offset = self.accum_offset.ok_or_else(|| missing("accum_offset"))?;
            let counted = (vgprs.max(1) + 3) / 4 * 4;
            if offset > counted {
                return Err(format!(
                    "AGPRs begin at {offset}, and the wave has {counted} registers"
                ));
            }
            self.put(RSRC3, 0, 6, (offset / 4 - 1) as u32);
        }
        let sgprs = self.all_sgprs(sgprs, target)?;
        self.put(RSRC1, 0, 6, granules(vgprs, granule));
        self.put(RSRC1, 6, 4, granules(sgprs, 8));
        let users = match self.user_sgpr_count {
            Some(count) if count < self.user_sgprs => {
                let needed = self.user_sgprs;
                return Err(format!(
                    "{needed} user SGPRs are requested, but `.amdhsa_user_sgpr_count` is {count}"
                ));
            }
            count => count.unwrap_or(self.user_sgprs),
        };
        if users > 16 {
            return Err(format!(
                "a wave has at most 16 user SGPRs, and {users} are requested"
            ));
        }
        self.put(RSRC2, 1, 5, users);
        Ok(self.bytes)
    }

    /// Returns the number of SGPRs with the special ones after them: VCC, FLAT_SCRATCH, XNACK_MASK. Chips with the SGPR
    /// initialization bug always have 96.
    fn all_sgprs(&self, named: i64, target: &Target) -> Result<i64, String> {
        let major = target.major();
        let fixed = target.chip == "gfx802";
        let most = match major {
            _ if fixed => 96,
            6 | 7 => 104,
            _ => 102,
        };
        let scratch = self.flat_scratch || target.has_architected_scratch();
        let extra = extra_sgprs(major, self.vcc, scratch, self.xnack_mask);
        let all = named.saturating_add(extra);
        let counted = if major >= 8 && !fixed { named } else { all };
        match counted {
            n if !(0..=most).contains(&n) => Err(format!(
                "a wave of {} has {most} SGPRs at most, not {n}",
                target.chip
            )),
            _ if fixed => Ok(96),
            _ => Ok(all),
        }
    }
}

/// Returns the number of SGPRs reserved after the others (the guide, "Kernel Descriptor", `GRANULATED_WAVEFRONT_SGPR_COUNT`).
pub(crate) fn extra_sgprs(major: u32, vcc: bool, flat_scratch: bool, xnack_mask: bool) -> i64 {
    match (major, flat_scratch, xnack_mask, vcc) {
        (8.., true, _, _) => 6,
        (8.., _, true, _) | (..=7, true, _, _) => 4,
        (_, _, _, true) => 2,
        _ => 0,
    }
}

/// Returns the most vector registers of a wave, and their granule (the guide, "Kernel Descriptor",
/// `GRANULATED_WORKITEM_VGPR_COUNT`).
fn vgpr_file(target: &Target) -> (i64, i64) {
    if target.has_one_vector_file() {
        (512, 8)
    } else {
        (256, 4)
    }
}

/// Converts a register count to granules, less one; at least one granule counts.
fn granules(registers: i64, granule: i64) -> u32 {
    ((registers.max(1) - 1) / granule) as u32
}

/// Returns the fields that differ from their defaults, with the values that reproduce a descriptor; `None` if no fields do. The
/// offset of the code is not a field.
pub(crate) fn descriptor_fields(
    bytes: &[u8; DESCRIPTOR_SIZE],
    target: &Target,
) -> Option<Vec<(&'static str, i64)>> {
    let word = |byte: usize| {
        u32::from_le_bytes([
            bytes[byte],
            bytes[byte + 1],
            bytes[byte + 2],
            bytes[byte + 3],
        ])
    };
    let bits = |byte: usize, first: u32, count: u32| {
        word(byte) >> first & (u64::MAX >> (64 - count)) as u32
    };
    let (_, granule) = vgpr_file(target);
    let accum_offset = 4 * (i64::from(bits(RSRC3, 0, 6)) + 1);
    // In granules of 4 VGPRs and 8 SGPRs. Above the SGPRs that a wave of gfx8 and gfx9 can name, VCC and the others are the rest.
    let sgprs = 8 * (i64::from(bits(RSRC1, 6, 4)) + 1);
    let most = if target.major() >= 8 { 98 } else { 104 };
    // Descriptors of gfx6 always count four SGPRs for flat accesses, which it does not have.
    let sgprs = if target.major() == 6 {
        sgprs - 4
    } else {
        sgprs
    };
    let named = if sgprs > most {
        (sgprs - 6).min(102)
    } else {
        sgprs
    };
    let mut values = vec![
        (
            "next_free_vgpr",
            granule * (i64::from(bits(RSRC1, 0, 6)) + 1),
        ),
        (
            "next_free_sgpr",
            if target.chip == "gfx802" { 0 } else { named },
        ),
        ("user_sgpr_count", bits(RSRC2, 1, 5).into()),
        ("reserve_vcc", 0),
        ("reserve_flat_scratch", i64::from(named < sgprs)),
        ("reserve_xnack_mask", 0),
        ("accum_offset", accum_offset),
    ];
    let plain = Descriptor::new(target);
    for field in FIELDS {
        if let (Slot::Bits(byte, first, count), true) = (field.slot, field.exists_on(target)) {
            let value = bits(byte, first, count);
            let usual = u32::from_le_bytes([0, 1, 2, 3].map(|n| plain.bytes[byte + n]));
            let usual = usual >> first & (u64::MAX >> (64 - count)) as u32;
            if value != usual {
                values.push((field.name, value.into()));
            }
        }
    }
    let mut made = Descriptor::new(target);
    values.retain(|(name, _)| field_of(name).is_some_and(|field| field.exists_on(target)));
    for (name, value) in &values {
        made.set(field_of(name)?, *value).ok()?;
    }
    (made.finish(target).ok()? == *bytes).then_some(values)
}

fn field_of(name: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.name == name)
}
