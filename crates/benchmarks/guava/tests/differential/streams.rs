//! Damaged streams: both sides refuse, or both read the same filter.

use bench_kit::source::Source;
use membership_filters::{BloomFilter, Bytes};

use crate::elements::{BYTES, Element};
use crate::filters::{might_contain, put};
use crate::oracle::Guava;
use crate::{STRATEGIES, cases, filter, source};

const SLOT: i32 = 0;

/// Creates a stream and damages it in one or two places.
fn broken(random: &mut Source) -> Vec<u8> {
    let strategy = *random.pick(&STRATEGIES);
    let mut ours = filter(1 + random.index(40) as i64, random.power(-12.0, -1.0), strategy);
    put(&mut ours, &Element::several(random.index(30), BYTES, random));
    let mut stream = ours.to_bytes();
    for _ in 0..=random.index(2) {
        match random.index(6) {
            0 => stream.truncate(random.index(stream.len() + 1)),
            1 => stream.extend((0..random.index(20)).map(|_| random.u64() as u8)),
            2 => set(&mut stream, 0, &[random.u64() as u8]),
            3 => set(&mut stream, 1, &[*random.pick(&[0, 1, 127, 128, 255])]),
            4 => {
                let length = match random.index(3) {
                    0 => -1 - (random.u64() >> 34) as i32,
                    1 => random.index(3) as i32,
                    _ => random.index(1 << 20) as i32,
                };
                set(&mut stream, 2, &length.to_be_bytes());
            }
            _ => {
                let at = random.index(stream.len() + 1);
                set(&mut stream, at.max(6), &[random.u64() as u8]);
            }
        }
    }
    // Guava allocates the words before it finds them missing, so their number is limited to its heap.
    if stream.get(2).is_some_and(|byte| *byte < 0x80) {
        set(&mut stream, 2, &[0]);
        let high = stream.get(3).map_or(0, |byte| byte & 0x0f);
        set(&mut stream, 3, &[high]);
    }
    stream
}

/// Overwrites bytes from `at` on, up to the end of the stream.
fn set(stream: &mut [u8], at: usize, bytes: &[u8]) {
    for (to, from) in stream.iter_mut().skip(at).zip(bytes) {
        *to = *from;
    }
}

#[test]
fn broken_streams_are_refused_alike() {
    let mut random = source("broken_streams_are_refused_alike");
    let mut guava = Guava::start();
    let (mut read, mut refused) = (0, 0);
    for _ in 0..cases(2_000) {
        let stream = broken(&mut random);
        let case = || format!("{stream:02x?}");
        let ours = BloomFilter::from_bytes_prefix(&stream, Bytes);
        let mut rest = &stream[..];
        let ours_read = BloomFilter::read_from(&mut rest, Bytes);
        match guava.read(SLOT, BYTES, &stream) {
            Ok(left) => {
                let (ours, used) = ours.unwrap_or_else(|error| panic!("{error}: {}", case()));
                assert_eq!((used, rest.len()), (stream.len() - left, left), "{}", case());
                assert_eq!(ours.to_bytes(), guava.write(SLOT), "{}", case());
                assert_eq!(ours_read.unwrap().to_bytes(), ours.to_bytes(), "{}", case());
                let asked = Element::several(20, BYTES, &mut random);
                let theirs = guava.might_contain(SLOT, &asked);
                assert_eq!(might_contain(&ours, &asked), theirs, "{}", case());
                read += 1;
            }
            Err(thrown) => {
                assert!(
                    thrown.starts_with("IOException") || thrown.starts_with("EOFException"),
                    "{thrown}: {}",
                    case()
                );
                assert!(ours.is_err() && ours_read.is_err(), "{thrown}: {}", case());
                refused += 1;
            }
        }
    }
    assert!(read > 300 && refused > 300, "{read} read, {refused} refused");
}
