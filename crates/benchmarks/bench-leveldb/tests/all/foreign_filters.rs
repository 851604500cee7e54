//! LevelDB's own policy answers "may match" to filters of the newer formats, which it reads only under a wrong name, so
//! no key is lost. `FORMAT.md` of `filter-policy` promises this for these formats.

use engine_tests::leveldb::Policy;
use filter_policy::formats;
use filter_policy::{BitsPerKey, FilterPolicy as _};

use crate::may_match;

fn key(number: u32) -> Vec<u8> {
    format!("key{number:08}").into_bytes()
}

#[test]
fn filters_of_other_formats_are_let_pass() {
    let leveldb = Policy::builtin(10);
    let open = [formats::BLOOM64, formats::FAST_LOCAL_BLOOM];
    for policy in open {
        for bits_per_key in [1, 4, 10, 17, 50, 100] {
            let built = policy.policy(BitsPerKey::whole(bits_per_key));
            for count in [1, 2, 5, 17, 100, 1_000, 20_000] {
                let keys: Vec<Vec<u8>> = (0..count).map(key).collect();
                let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
                let mut filter = Vec::new();
                built.append_filter(&slices, &mut filter).unwrap();
                let odd = [Vec::new(), vec![0], vec![0xff; 300]];
                let absent = (1_000_000..1_000_200).map(key);
                for key in keys.into_iter().chain(absent).chain(odd) {
                    assert!(
                        may_match(&leveldb, &key, &filter),
                        "{}, {count} keys, {bits_per_key} bits: {key:x?} is denied",
                        policy.name()
                    );
                }
            }
        }
    }
}
