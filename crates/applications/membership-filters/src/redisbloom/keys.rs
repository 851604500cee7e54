//! The names of keys in Redis that belong to a filter.
//!
//! Redis Cluster places a key by the CRC16 of its hash tag, the text between the first `{` and the first `}` after it,
//! if there is such a text and it is not empty; otherwise by the whole key (Redis Cluster specification, "Hash tags").

use alloc::vec::Vec;

/// The prefix of keys beside those of filters.
const OURS: &str = "bloom-redis:";

/// Returns the hash tag of a key, by which Redis Cluster places it, or `None` if the whole key decides.
///
/// ```
/// use membership_filters::redisbloom::hash_tag;
///
/// assert_eq!(hash_tag(b"bf:{user:7}:seen"), Some(&b"user:7"[..]));
/// assert_eq!(hash_tag(b"bf:user:7"), None);
/// assert_eq!(hash_tag(b"{}bf"), None);
/// ```
#[must_use]
pub fn hash_tag(key: &[u8]) -> Option<&[u8]> {
    let open = key.iter().position(|&byte| byte == b'{')?;
    let rest = &key[open + 1..];
    let close = rest.iter().position(|&byte| byte == b'}')?;
    (close > 0).then(|| &rest[..close])
}

/// Returns the key that this project uses for a purpose beside the filter of `key`, in the same slot of a cluster: a key with
/// a hash tag keeps it, and a key without braces becomes the hash tag. A key like `{a}` gets a colon in front, so that `{a}`
/// and `a` have two.
///
/// Only for a key with a brace but no hash tag it is in another slot. A cluster then refuses commands on both.
///
/// ```
/// assert_eq!(membership_filters::redisbloom::companion_key("loaded", b"users"), b"bloom-redis:loaded:{users}");
/// ```
#[must_use]
pub fn companion_key(purpose: &str, key: &[u8]) -> Vec<u8> {
    let mut name = [OURS.as_bytes(), purpose.as_bytes(), b":"].concat();
    let is_brace = |byte: &u8| b"{}".contains(byte);
    if key.iter().any(is_brace) {
        let colons = key.iter().take_while(|&&byte| byte == b':').count();
        let held = key[colons..]
            .strip_prefix(b"{")
            .and_then(|rest| rest.strip_suffix(b"}"));
        if held.is_some_and(|held| !held.iter().any(is_brace)) {
            name.push(b':');
        }
        name.extend_from_slice(key);
    } else {
        name.push(b'{');
        name.extend_from_slice(key);
        name.push(b'}');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn companions_share_the_slot() {
        for (key, placed_by) in [
            (&b"bf:orders"[..], &b"bf:orders"[..]),
            (b"bf:{orders}:1", b"orders"),
            (b"{orders}:", b"orders"),
            (b"\xff\x00", b"\xff\x00"),
        ] {
            let name = companion_key("next", key);
            assert_eq!(hash_tag(&name), Some(placed_by), "{key:?}");
            assert_ne!(name, companion_key("record", key));
        }
    }

    #[test]
    fn no_two_keys_share_a_companion_key() {
        let keys = [
            "a", "{a}", ":{a}", ":a", "{:a}", "", "{}", ":{}", "{a}b", "a}b", "{a}}", "{{a}",
        ];
        let names: alloc::collections::BTreeSet<Vec<u8>> = keys
            .iter()
            .map(|key| companion_key("next", key.as_bytes()))
            .collect();
        assert_eq!(names.len(), keys.len());
        assert_eq!(companion_key("next", b"{a}"), b"bloom-redis:next::{a}");
    }

    #[test]
    fn braces_without_a_tag_are_left_alone() {
        assert_eq!(companion_key("next", b"a}b"), b"bloom-redis:next:a}b");
        assert_eq!(companion_key("next", b""), b"bloom-redis:next:{}");
    }
}
