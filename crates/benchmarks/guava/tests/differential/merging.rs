//! `isCompatible` and `putAll`.

use crate::elements::{Element, LONGS};
use crate::filters::put;
use crate::oracle::Guava;
use crate::{STRATEGIES, cases, filter, source};

const SLOTS: [i32; 2] = [0, 1];

#[test]
fn merging_is_guavas() {
    let mut random = source("merging_is_guavas");
    let mut guava = Guava::start();
    let (mut merged, mut refused) = (0, 0);
    for _ in 0..cases(300) {
        // The parameters are few, so that they often agree; with the two similar rates filters differ only in size.
        let (insertions, fpp, strategy) = (
            [10, 10, 11, 1_000],
            [0.01, 0.01, 0.010_1, 0.03],
            [STRATEGIES[0], STRATEGIES[0], STRATEGIES[1]],
        );
        let mut made = Vec::new();
        for slot in SLOTS {
            let (insertions, fpp) = (*random.pick(&insertions), *random.pick(&fpp));
            let strategy = *random.pick(&strategy);
            guava
                .create(slot, strategy.ordinal(), LONGS, insertions, fpp)
                .unwrap();
            let elements = Element::several(10, LONGS, &mut random);
            let mut ours = filter(insertions, fpp, strategy);
            assert_eq!(put(&mut ours, &elements), guava.put(slot, &elements));
            made.push((ours, format!("{insertions} at {fpp}, {strategy:?}")));
        }
        let [(ours, first), (other, second)] = &mut made[..] else {
            panic!("two filters")
        };
        let case = format!("{first} and {second}");
        let from = SLOTS[1].to_be_bytes();
        let compatible = guava.ask(b'I', SLOTS[0], &[&from]).unwrap()[0] != 0;
        assert_eq!(ours.check_compatible(other).is_ok(), compatible, "{case}");
        match guava.ask(b'A', SLOTS[0], &[&from]) {
            Ok(_) => {
                ours.merge(other).unwrap();
                merged += 1;
            }
            Err(thrown) => {
                assert!(thrown.starts_with("IllegalArgumentException"), "{thrown}, {case}");
                ours.merge(other).unwrap_err();
                refused += 1;
            }
        }
        assert_eq!(ours.to_bytes(), guava.write(SLOTS[0]), "{case}");
    }
    assert!(merged > 20 && refused > 20, "{merged} merged, {refused} refused");
}
