//! Tests policies that misbehave.

use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use filter_policy::{Error, FilterBytes, FilterPolicy};

use super::{Called, OPEN};
use crate::ffi::Callbacks;

/// A kind of misbehaviour.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    None,
    NulInName,
    PanicInLength,
    PanicInCreate,
    PanicInMatch,
    PanicInDrop,
    PanicThatPanics,
    HugeLength,
    FailedCreate,
    EmptyFilter,
    FilterElsewhere,
}

/// A policy whose filter holds the keys' lengths, and which may misbehave.
struct Odd {
    fault: Fault,
    drops: Arc<AtomicUsize>,
}

impl Odd {
    /// Returns a policy with this fault, called like from C, and the number of its drops.
    fn called(fault: Fault) -> (Called, Arc<AtomicUsize>) {
        let drops = Arc::default();
        let odd = Self {
            fault,
            drops: Arc::clone(&drops),
        };
        (Called::new(odd), drops)
    }
}

/// A panic payload that panics when it is dropped.
struct Payload;

impl Drop for Payload {
    fn drop(&mut self) {
        panic!("a payload was dropped");
    }
}

impl FilterPolicy for Odd {
    fn name(&self) -> &str {
        if self.fault == Fault::NulInName {
            "a\0b"
        } else {
            "Odd"
        }
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        match self.fault {
            Fault::PanicInLength => panic!("no length"),
            Fault::HugeLength => Ok(usize::MAX),
            _ => Ok(keys),
        }
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        match self.fault {
            Fault::PanicInCreate => panic!("no filter"),
            Fault::PanicThatPanics => panic::panic_any(Payload),
            Fault::FailedCreate => Err(Error::AllocationFailed { bytes: 1 }),
            Fault::EmptyFilter => Ok(FilterBytes::from(&mut [][..])),
            Fault::FilterElsewhere => Ok(FilterBytes::from(&mut Box::leak(Box::new([1; 100]))[..])),
            _ => {
                for (place, key) in out.iter_mut().zip(keys) {
                    *place = u8::try_from(key.len()).unwrap();
                }
                Ok(out.into())
            }
        }
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        assert_ne!(self.fault, Fault::PanicInMatch);
        assert_ne!(filter, OPEN, "not a filter of this policy");
        filter.iter().any(|&length| usize::from(length) == key.len())
    }
}

impl Drop for Odd {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::Relaxed);
        assert_ne!(self.fault, Fault::PanicInDrop);
    }
}

#[test]
fn no_policy_can_hide_keys_by_failing() {
    let keys: [&[u8]; 3] = [b"a", b"bc", b"def"];
    for fault in [
        Fault::PanicInLength,
        Fault::PanicInCreate,
        Fault::PanicThatPanics,
        Fault::HugeLength,
        Fault::FailedCreate,
        Fault::EmptyFilter,
        Fault::FilterElsewhere,
    ] {
        let (called, drops) = Odd::called(fault);
        let filter = called.create(&keys);
        assert_eq!(filter, OPEN, "{fault:?}");
        assert!(keys.iter().all(|key| called.may_match(key, &filter)), "{fault:?}");
        drop(called);
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    }
}

#[test]
fn panics_in_questions_and_in_drop_stay_inside() {
    for fault in [Fault::None, Fault::PanicInMatch, Fault::PanicInDrop] {
        let (called, drops) = Odd::called(fault);
        assert_eq!(called.name(), "Odd");
        let filter = called.create(&[b"a", b"bc"]);
        assert_eq!(filter, [1, 2]);
        assert!(called.may_match(b"zz", &filter));
        assert_eq!(called.may_match(b"absent", &filter), fault == Fault::PanicInMatch);
        drop(called);
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    }
}

#[test]
fn a_name_that_c_would_cut_is_refused() {
    let (fault, drops) = (Fault::NulInName, Arc::default());
    let error = Callbacks::new(Odd { fault, drops }).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"policy name must have no NUL, got "a\0b" with one at byte 1"#
    );
}
