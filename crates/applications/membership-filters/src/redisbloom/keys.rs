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
/// A purpose is a word, or a word, a colon and what distinguishes several of its kind, such as `next:5`. No two purposes and
/// keys have the same name, as long as no word is a purpose both alone and before a colon. Further colons of a purpose are
/// written as `%3a`, and percent signs as `%25`.
///
/// ```
/// assert_eq!(membership_filters::redisbloom::companion_key("loaded", b"users"), b"bloom-redis:loaded:{users}");
/// ```
#[must_use]
pub fn companion_key(purpose: &str, key: &[u8]) -> Vec<u8> {
    let purpose = purpose.replace('%', "%25");
    let (word, rest) = purpose.split_at(purpose.find(':').map_or(purpose.len(), |colon| colon + 1));
    let rest = rest.replace(':', "%3a");
    let mut name = [OURS, word, &rest, ":"].concat().into_bytes();
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
    use alloc::collections::BTreeSet;

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
        let more = [
            "chunks:{a}",
            "5:{a}",
            "5:chunks:{a}",
            "%3achunks:{a}",
            "chunks:{a}b",
            "5:a}",
        ];
        let purposes = [
            "loaded",
            "next:5",
            "loading:5",
            "loading:5:chunks",
            "loading:5%3achunks",
            "loading:5:chunks:",
        ];
        let mut names = BTreeSet::new();
        for purpose in purposes {
            for key in keys.iter().chain(&more) {
                let name = companion_key(purpose, key.as_bytes());
                assert!(names.insert(name), "{purpose} {key}");
            }
        }
        assert_eq!(companion_key("next", b"{a}"), b"bloom-redis:next::{a}");
        assert_eq!(companion_key("next:5", b"bf:{a}"), b"bloom-redis:next:5:bf:{a}");
        assert_eq!(
            companion_key("loading:5:chunks", b"a"),
            b"bloom-redis:loading:5%3achunks:{a}"
        );
    }

    #[test]
    fn braces_without_a_tag_are_left_alone() {
        assert_eq!(companion_key("next", b"a}b"), b"bloom-redis:next:a}b");
        assert_eq!(companion_key("next", b""), b"bloom-redis:next:{}");
    }
}
