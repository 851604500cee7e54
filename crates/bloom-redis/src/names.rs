//! Keys: prefixes, hash tags, and the companions of a filter.
//!
//! Redis Cluster places a key by the CRC16 of its hash tag, the text between the first `{` and the first `}` after it,
//! if there is such a text and it is not empty; otherwise by the whole key (Redis Cluster specification, "Hash tags").

/// What a key of ours begins with, where the published designs have none.
const OURS: &str = "bloom-redis:";

/// The part of a key that Redis Cluster places it by, if that is not the whole key.
///
/// ```
/// use bloom_redis::hash_tag;
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

/// The key beside `key` for this purpose, in the same slot of a cluster: a key with a hash tag keeps it, any other
/// becomes the hash tag as a whole.
///
/// Only keys that hold a brace and yet have no hash tag get companions in another slot; a cluster then refuses commands
/// on both.
pub(crate) fn companion(purpose: &str, key: &[u8]) -> Vec<u8> {
    let mut name = [OURS.as_bytes(), purpose.as_bytes(), b":"].concat();
    if hash_tag(key).is_some() || key.iter().any(|byte| b"{}".contains(byte)) {
        name.extend_from_slice(key);
    } else {
        name.push(b'{');
        name.extend_from_slice(key);
        name.push(b'}');
    }
    name
}

/// A key as error messages show it: bytes that are not printable ASCII are escaped.
pub(crate) fn display(key: &[u8]) -> String {
    key.escape_ascii().to_string()
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
            let name = companion("next", key);
            assert_eq!(hash_tag(&name), Some(placed_by), "{}", display(key));
            assert_ne!(name, companion("record", key));
        }
    }

    #[test]
    fn braces_without_a_tag_are_left_alone() {
        assert_eq!(companion("next", b"a}b"), b"bloom-redis:next:a}b");
        assert_eq!(companion("next", b""), b"bloom-redis:next:{}");
        assert_eq!(display(b"a\xff\n"), "a\\xff\\n");
    }
}
