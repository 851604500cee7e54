//! The 17 functions of the published comparison, from `hashzoo`.

use hashzoo::HashInfo;

use super::Function;
use super::verify::{WrongAnswer, check, check_answers};
use crate::record::FunctionGroup;

/// The 17, in the published order.
pub(super) fn all() -> impl Iterator<Item = Function> {
    hashzoo::PUBLISHED.into_iter().map(function)
}

fn function(info: &HashInfo) -> Function {
    Function {
        name: info.name,
        ident: info.ident,
        group: FunctionGroup::Published,
        output_bits: info.output_bits,
        hash: info.hash,
        origin: "hashzoo 0.1.0",
        year: info.year,
        author: info.author,
        source: info.source,
        weaknesses: info.weaknesses,
        aliases: info.aliases,
        stable: true,
        verify,
    }
}

/// The known answers of the function itself, then the verification value that `hashzoo` has on record, which for
/// functions with a seed is that of their seeded form.
fn verify(function: &Function) -> Result<(), WrongAnswer> {
    let (_, values) = ANSWERS
        .iter()
        .find(|(name, _)| *name == function.name)
        .ok_or_else(|| WrongAnswer {
            question: "the number of its known answers".to_owned(),
            expected: KEYS.len() as u64,
            got: 0,
        })?;
    for (key, value) in KEYS.into_iter().zip(values) {
        check_answers(function, &[(key, u64::from(*value))])?;
    }
    let info = hashzoo::PUBLISHED
        .into_iter()
        .find(|info| info.name == function.name);
    info.map_or(Ok(()), |info| {
        check(
            || "SMHasher's verification value".to_owned(),
            u64::from(info.verification),
            u64::from(info.computed_verification()),
        )
    })
}

/// Keys of known answers.
const KEYS: [&[u8]; 6] = [
    b"",
    b"hello world",
    b"HELLO world",
    b"The quick brown fox jumps over the lazy dog",
    b"\x00\xff\x80",
    b"18446744073709551615",
];

/// What each function gives for [`KEYS`]: some of `hashzoo`'s golden data, whose README says how they were computed
/// independently (`crates/hashzoo/tests/data/README.md`).
#[rustfmt::skip]
const ANSWERS: [(&str, [u32; 6]); 17] = [
    ("SDBMHash", [0x0000_0000, 0x19ae_84c4, 0x90f0_c4a4, 0x8ca7_7173, 0x00ff_3f41, 0xcc4d_01e5]),
    ("SimMurMurHash", [0xbc9f_1d34, 0x008d_fddb, 0x98e1_eaa2, 0x7e36_fe57, 0x3765_a9c0, 0xd67f_38a9]),
    ("JSHash", [0x4e67_c6a7, 0x3c6b_e306, 0x6454_e179, 0x5fef_fe38, 0x1a9a_a85d, 0x642a_0344]),
    ("PJW", [0x0000_0000, 0x0114_ac14, 0x0132_ca34, 0x0428_0c57, 0x0000_1070, 0x00c5_ba45]),
    ("MurMurHash2", [0x0342_ce6c, 0x0dd8_a7f9, 0x936a_7314, 0x45ca_1618, 0x6080_330e, 0x1df5_ea13]),
    ("ELFHash", [0x0000_0000, 0x0114_ac14, 0x0132_ca34, 0x0428_0c57, 0x0000_1070, 0x00c5_ba45]),
    ("BKDRHash", [0x0000_0000, 0x4e19_5644, 0x537e_4424, 0x4518_1667, 0x0000_82fd, 0x5f0e_8611]),
    ("CalcNrHash", [0x0000_0001, 0x60a7_36ad, 0x9371_3a2d, 0xea27_43c4, 0x010b_1379, 0x6ece_3f59]),
    ("APHash", [0x0000_0000, 0x53a3_3c09, 0x547e_939a, 0x45de_b1cf, 0x1fff_8060, 0x0a24_b4c0]),
    ("BPHash", [0x0000_0000, 0x7dfc_b664, 0x7dfc_b664, 0x1419_37e7, 0x0060_7f00, 0x562d_98b5]),
    ("FNVHash", [0x811c_9dc5, 0x548d_a96f, 0x47c1_820f, 0xe9c8_6c6e, 0xafb0_0336, 0x2f63_ed12]),
    ("RSHash", [0x0000_0000, 0x418e_10d4, 0x4711_29f4, 0x29a4_500b, 0x1f04_3767, 0x768e_fab3]),
    ("DJB", [0x0000_1505, 0x3551_c8c1, 0x3551_c8c1, 0x77fb_60fe, 0x0b86_d444, 0x02ac_1ffc]),
    ("DJB2Hash", [0x0000_1505, 0xf8c6_5345, 0x590a_2c65, 0xb679_b80a, 0x0b86_c17a, 0xe0e8_a2a4]),
    ("DEKHash", [0x4e67_c6a7, 0xd54d_b97c, 0xd5c9_9874, 0xac29_55bb, 0xe353_b853, 0xf15b_df5c]),
    ("SipHashNoCase", [0x9cae_6be8, 0xdae0_f000, 0xdae0_f000, 0xe58d_f332, 0xe2a0_3064, 0x4548_ab78]),
    ("SipHash", [0x9cae_6be8, 0xdae0_f000, 0xe850_55dc, 0x01ed_8033, 0xe2a0_3064, 0x4548_ab78]),
];
