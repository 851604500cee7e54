//! Numbers in groups of seven bits, lowest first; every byte except the last has its top bit set.

/// Takes a number of at most 64 bits off the front.
pub(super) fn take_u64(bytes: &mut &[u8]) -> Option<u64> {
    take(bytes, u64::BITS)
}

/// Takes a number of at most 32 bits off the front.
pub(super) fn take_u32(bytes: &mut &[u8]) -> Option<u32> {
    take(bytes, u32::BITS).and_then(|value| u32::try_from(value).ok())
}

/// Returns `None` if the bytes end within the number, or the number has more than `width` bits or more bytes than those
/// need.
fn take(bytes: &mut &[u8], width: u32) -> Option<u64> {
    let mut value = 0;
    for shift in (0..width).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let group = u64::from(byte & 0x7f);
        if group.checked_shr(width - shift).is_some_and(|beyond| beyond != 0) {
            return None;
        }
        value |= group << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_32_bits_take_at_most_five_bytes() {
        for mut encoded in [
            &[0xff, 0xff, 0xff, 0xff, 0x1f][..],
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0x00],
        ] {
            assert_eq!(take_u32(&mut encoded), None);
        }
    }
}
