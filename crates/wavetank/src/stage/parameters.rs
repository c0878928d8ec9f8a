//! Parameters of primitives as interpolation reads them.

/// Returns the contents of LDS for the pixels of some triangles, which `v_interp_*` reads from the address in `M0[15:0]` on.
///
/// `triangles[t][a][c]` are the values of channel `c` (x, y, z, w) of attribute `a` at the three vertices of triangle `t`,
/// of which each has as many attributes as the first. A pixel at barycentric coordinates `(i, j)` gets
/// `v0 + i * (v1 - v0) + j * (v2 - v0)`. A layout of 12 dwords an attribute and triangle, attribute by attribute (CLRX,
/// "GCN ISA VINTRP instructions"): P0 and P10 of x, y, z, w, then P20 of x, y, z, w.
///
/// `M0[30:16]` says which groups of four lanes begin another triangle; it is the caller's, with as many bits set as there are
/// triangles, less one.
///
/// # Panics
/// If a triangle has another number of attributes than the first.
///
/// ```
/// let [x, y, z, w] = [[1.0, 3.0, 2.0], [0.0; 3], [0.0; 3], [1.0; 3]];
/// let lds = wavetank::stage::parameters(&[vec![[x, y, z, w]]]);
/// assert_eq!(lds.len(), 12);
/// assert_eq!([lds[0], lds[1], lds[8]].map(f32::from_bits), [1.0, 2.0, 1.0]);
/// ```
pub fn parameters(triangles: &[Vec<[[f32; 3]; 4]>]) -> Vec<u32> {
    let attributes = triangles.first().map_or(0, Vec::len);
    let same = triangles.iter().all(|all| all.len() == attributes);
    assert!(same, "every triangle has {attributes} attributes");
    let by_attribute = (0..attributes).flat_map(|a| triangles.iter().map(move |all| &all[a]));
    let dwords = by_attribute.flat_map(|channels| {
        let first = channels.iter().flat_map(|[v0, v1, _]| [*v0, v1 - v0]);
        first.chain(channels.iter().map(|[v0, _, v2]| v2 - v0))
    });
    dwords.map(f32::to_bits).collect()
}
