//! Lookup of functions. The tables are in `functions.rs`, next to the `mod` lines.

use crate::{HashInfo, OTHERS, PUBLISHED, VARIANTS};

/// Returns all functions of the crate: [`PUBLISHED`] in its order, then [`VARIANTS`], then [`OTHERS`].
pub fn all() -> impl Iterator<Item = &'static HashInfo> + Clone {
    PUBLISHED.iter().chain(VARIANTS).chain(OTHERS).copied()
}

/// Returns the function with this name, identifier or alias, ignoring ASCII case.
///
/// ```
/// use hashzoo::find;
///
/// assert_eq!(find("murmurhash2").unwrap().ident, "murmur2");
/// // Beware: "DJB2Hash" is Bernstein's xor form; everybody else calls the sum "djb2".
/// assert_eq!(find("DJB2Hash").unwrap().ident, "djb2a");
/// assert_eq!(find("djb2").unwrap().ident, "djb2");
/// assert!(find("md5").is_none());
/// ```
pub fn find(name: &str) -> Option<&'static HashInfo> {
    all().find(|info| info.names().any(|known| known.eq_ignore_ascii_case(name)))
}
