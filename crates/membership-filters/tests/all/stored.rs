//! The stored forms: the bytes of the first release, and reading them back.

use membership_filters::{
    BlockedBloomFilter, CountingBloomFilter, CuckooFilter, GrowingBloomFilter, GrowthRule, Utf8, Xxph3,
};

use super::support::samples::{blocked, blocked_xxph3, counting, cuckoo, growing, read, samples};

#[test]
fn the_bytes_are_those_of_the_first_release() {
    let golden = [
        include_str!("../data/bloom.hex"),
        include_str!("../data/counting.hex"),
        include_str!("../data/cuckoo.hex"),
        include_str!("../data/cuckoo_full.hex"),
        include_str!("../data/growing_tightening.hex"),
        include_str!("../data/growing_same_size.hex"),
        include_str!("../data/blocked.hex"),
    ];
    for (golden, bytes) in golden.into_iter().zip(samples()) {
        assert_eq!(hex::encode(&bytes), golden.split_whitespace().collect::<String>());
        assert_eq!(read(&bytes).unwrap(), bytes);
    }
    let golden = include_str!("../data/blocked_xxph3.hex");
    let bytes = blocked_xxph3().to_bytes();
    assert_eq!(hex::encode(&bytes), golden.split_whitespace().collect::<String>());
    assert!(BlockedBloomFilter::from_bytes(&bytes, Xxph3).unwrap() == blocked_xxph3());
}

#[cfg(feature = "std")]
mod streams {
    use std::io;

    use super::*;

    #[test]
    fn filters_follow_each_other_in_a_stream() {
        let mut stream = Vec::new();
        blocked().write_to(&mut stream).unwrap();
        counting().write_to(&mut stream).unwrap();
        cuckoo().write_to(&mut stream).unwrap();
        growing(GrowthRule::default()).write_to(&mut stream).unwrap();
        stream.extend_from_slice(b"more");
        let mut rest = stream.as_slice();
        assert!(BlockedBloomFilter::read_from(&mut rest, Utf8).unwrap() == blocked());
        assert!(CountingBloomFilter::read_from(&mut rest, Utf8).unwrap() == counting());
        assert!(CuckooFilter::read_from(&mut rest, Utf8).unwrap() == cuckoo());
        assert!(GrowingBloomFilter::read_from(&mut rest, Utf8).unwrap() == growing(GrowthRule::default()));
        assert_eq!(rest, b"more");
    }

    /// Fails after it has taken some bytes.
    struct Full(usize);

    impl io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_writer_that_fails_is_an_error() {
        for room in [0, 9, 30, 50] {
            assert!(blocked().write_to(Full(room)).is_err());
            assert!(counting().write_to(Full(room)).is_err());
            assert!(cuckoo().write_to(Full(room)).is_err());
            assert!(growing(GrowthRule::SameSize).write_to(Full(room)).is_err());
        }
    }
}
