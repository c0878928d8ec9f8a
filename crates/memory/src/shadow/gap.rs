//! Gaps of structures.
//!
//! C and C++ leave bytes free between the members of a structure where the next one needs an aligned address, and behind the last.
//! Programs write the members, and copy the structure as a whole. So what is undefined in such a place is no mistake when it is
//! copied; what else it may be, an element that is smaller than a dword or the half of a vector, cannot be told from it.

/// Whether all that is undefined of what a lane accesses may lie in gaps: bytes of a dword with others that are defined, and in
/// accesses of at least 16 bytes the dword that fills up another one to 8 bytes. `undefined` are its dwords, in the order of
/// their addresses, of which `first` is the first.
pub fn is_all(undefined: &[u32], bytes: u32, first: Option<u64>) -> bool {
    let may_be = |n: usize| {
        let bytes_of = undefined[n].to_le_bytes();
        let bytes_of = &bytes_of[..bytes.min(4) as usize];
        if bytes_of.contains(&0) && bytes_of.iter().all(|byte| matches!(byte, 0 | 0xff)) {
            return true;
        }
        let upper = first.is_some_and(|first| (first + 4 * n as u64) % 8 == 4);
        bytes >= 16 && upper && n > 0 && undefined[n] == u32::MAX && undefined[n - 1] != u32::MAX
    };
    (0..undefined.len()).all(may_be)
}

#[cfg(test)]
mod tests {
    use super::is_all;

    const U: u32 = u32::MAX;

    /// The members are those of a structure, by the layout that C gives it; what lies between them is undefined.
    fn structure(members: &[(usize, usize)]) -> Vec<u32> {
        let size = members.iter().map(|(at, bytes)| at + bytes).max().unwrap();
        let align = members.iter().map(|member| member.1).max().unwrap();
        let mut all = vec![0xff; size.next_multiple_of(align)];
        for &(at, bytes) in members {
            all[at..at + bytes].fill(0);
        }
        all.resize(all.len().next_multiple_of(4), 0);
        let dwords = all.chunks(4).map(|dword| dword.try_into().unwrap());
        dwords.map(u32::from_le_bytes).collect()
    }

    #[test]
    fn structures_have_gaps() {
        for members in [
            [(0, 1), (4, 4)].as_slice(),
            &[(0, 4), (4, 1)],
            &[(0, 2), (2, 1)],
            &[(0, 4), (8, 8)],
            &[(0, 8), (8, 4)],
            &[(0, 1), (8, 8)],
        ] {
            let undefined = structure(members);
            let bytes = 4 * undefined.len() as u32;
            assert!(is_all(&undefined, bytes, Some(0x1000)), "{members:?}");
        }
    }

    #[test]
    fn elements_are_no_gaps() {
        for undefined in [
            [U].as_slice(),
            &[U, U],
            &[0, U],
            &[U, 0],
            &[0, U, U, 0],
            &[U, U, 0, 0],
        ] {
            let bytes = 4 * undefined.len() as u32;
            assert!(!is_all(undefined, bytes, Some(0x1000)), "{undefined:x?}");
        }
        assert!(!is_all(&[0xff], 1, Some(0x1000)), "a byte");
        assert!(!is_all(&[0xffff], 2, Some(0x1000)), "a half");
        assert!(
            !is_all(&[0, U, 0, 0], 16, Some(0x1004)),
            "the lower half of 8 bytes"
        );
        assert!(!is_all(&[0xfffffff0], 4, Some(0x1000)), "bits of a sum");
    }
}
