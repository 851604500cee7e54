//! The keys of the golden data.

/// Returns key number `i` under one of the rules in `tests/data/README.md`.
pub(crate) fn key(rule: &str, i: u32) -> Vec<u8> {
    match rule {
        "decimal" => i.to_string().into_bytes(),
        "key08" => format!("key{i:08}").into_bytes(),
        "u32le" => i.to_le_bytes().to_vec(),
        "highbit" => {
            let [low, middle, high] =
                [i & 0x3f, i >> 6 & 0x3f, i >> 12].map(|bits| u8::try_from(bits).unwrap());
            vec![0xe4, 0xb8, 0xad, 0x80 | low, 0xc0 | middle, 0x80 | high]
        }
        "highbit6" => {
            let [low, seven] = [i & 0x7f, (7 * i) & 0x7f].map(|bits| u8::try_from(bits).unwrap());
            let [third, ..] = (i >> 7).to_le_bytes();
            let [fourth, ..] = (i >> 15).to_le_bytes();
            vec![0xff, 0x80 | low, third, fourth, 0x9a, 0x80 | seven]
        }
        _ => panic!("no rule is called {rule:?}"),
    }
}
