//! Tests the callbacks in error and edge cases. All calls go through [`Called`], which calls them like C.

mod faults;

use core::ffi::{CStr, c_char, c_int};
use core::{ptr, slice};

use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};

use super::callbacks::ON_STACK;
use super::policy::{MAX_BITS_PER_KEY, POLICY_BINARY_FUSE, POLICY_BLOOM_FILTER2, POLICY_LEVELDB};
use super::{Callbacks, filter_policy_new};

const OPEN: [u8; 2] = [0x00, 0xff];

/// Callbacks, called like from C.
struct Called(Callbacks);

impl Called {
    fn new(policy: impl FilterPolicy + Send + Sync + 'static) -> Self {
        Self(Callbacks::new(policy).unwrap())
    }

    /// Returns the functions of the C library as callbacks.
    fn c_api(bits_per_key: c_int, policy: c_int) -> Self {
        Self(Callbacks {
            state: filter_policy_new(bits_per_key, policy),
            destructor: super::filter_policy_destroy,
            create_filter: super::filter_policy_create_filter,
            key_may_match: super::filter_policy_key_may_match,
            name: super::filter_policy_name,
        })
    }

    fn create(&self, keys: &[&[u8]]) -> Vec<u8> {
        let pointers: Vec<*const c_char> = keys.iter().map(|key| key.as_ptr().cast()).collect();
        let lengths: Vec<usize> = keys.iter().map(|key| key.len()).collect();
        let count = c_int::try_from(keys.len()).unwrap();
        self.create_raw(pointers.as_ptr(), lengths.as_ptr(), count)
    }

    fn create_raw(&self, keys: *const *const c_char, lengths: *const usize, count: c_int) -> Vec<u8> {
        let mut length = usize::MAX;
        // SAFETY: the tests pass arrays of `count` elements, or pointers and counts that must be refused.
        let filter = unsafe { (self.0.create_filter)(self.0.state, keys, lengths, count, &raw mut length) };
        taken(filter, length)
    }

    fn may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        self.may_match_raw(
            key.as_ptr().cast(),
            key.len(),
            filter.as_ptr().cast(),
            filter.len(),
        )
    }

    fn may_match_raw(
        &self,
        key: *const c_char,
        length: usize,
        filter: *const c_char,
        filter_length: usize,
    ) -> bool {
        // SAFETY: the tests pass slices, or pointers and lengths that must be refused.
        match unsafe { (self.0.key_may_match)(self.0.state, key, length, filter, filter_length) } {
            0 => false,
            1 => true,
            other => panic!("the answer is {other}"),
        }
    }

    fn name(&self) -> String {
        // SAFETY: the state is alive, and the name is copied.
        unsafe { CStr::from_ptr((self.0.name)(self.0.state)) }
            .to_str()
            .unwrap()
            .to_owned()
    }
}

impl Drop for Called {
    fn drop(&mut self) {
        // SAFETY: nothing uses the state any more.
        unsafe { (self.0.destructor)(self.0.state) }
    }
}

/// Copies the bytes of a filter and frees it.
fn taken(filter: *mut c_char, length: usize) -> Vec<u8> {
    assert!(!filter.is_null());
    // SAFETY: the callback returned this length.
    let bytes = unsafe { slice::from_raw_parts(filter.cast::<u8>(), length) }.to_vec();
    // SAFETY: the callback allocated them for the caller.
    unsafe { libc::free(filter.cast()) };
    bytes
}

/// Returns every policy for C programs.
fn policies() -> impl Iterator<Item = Called> {
    (POLICY_BLOOM_FILTER2..=POLICY_BINARY_FUSE).map(|number| Called::c_api(10, number))
}

#[test]
fn a_null_pointer_of_length_0_is_no_bytes() {
    for called in policies() {
        let (key, length) = (ptr::null(), 0);
        let filter = called.create_raw(&raw const key, &raw const length, 1);
        assert_eq!(filter, called.create(&[b""]));
        let bytes = filter.as_ptr().cast();
        assert!(called.may_match_raw(ptr::null(), 0, bytes, filter.len()));
        assert!(!called.may_match_raw(ptr::null(), 0, ptr::null(), 0));
        assert_eq!(called.create_raw(ptr::null(), ptr::null(), 0), called.create(&[]));
    }
}

/// Few keys lie on the stack, and many on the heap.
#[test]
fn any_number_of_keys_makes_the_policys_own_filter() {
    let policy = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(10));
    let called = Called::c_api(10, POLICY_LEVELDB);
    let texts: Vec<String> = (0..ON_STACK + 9).map(|number| "k".repeat(number % 40)).collect();
    for count in [1, 2, 3, 31, ON_STACK - 1, ON_STACK, ON_STACK + 1, ON_STACK + 9] {
        let keys: Vec<&[u8]> = texts.iter().take(count).map(String::as_bytes).collect();
        let filter = policy.build(&keys).unwrap();
        assert_eq!(called.create(&keys), filter, "{count} keys");
        // The first key has no bytes: null then makes the same filter, and with a length none.
        let mut pointers: Vec<*const c_char> = keys.iter().map(|key| key.as_ptr().cast()).collect();
        let mut lengths: Vec<usize> = keys.iter().map(|key| key.len()).collect();
        *pointers.first_mut().unwrap() = ptr::null();
        let number = c_int::try_from(count).unwrap();
        let create = |lengths: &[usize]| called.create_raw(pointers.as_ptr(), lengths.as_ptr(), number);
        assert_eq!(create(&lengths), filter, "{count} keys");
        *lengths.first_mut().unwrap() = 1;
        assert_eq!(create(&lengths), OPEN, "{count} keys");
    }
}

#[test]
fn filters_that_cannot_be_made_let_every_key_pass() {
    let key: *const c_char = c"key".as_ptr();
    let keys = [key, ptr::null(), key];
    let lengths = [3, 3, 3];
    let (present, absent) = (keys.as_ptr(), ptr::null());
    for called in policies() {
        for count in [-1, c_int::MIN, c_int::MAX, (1 << 30) + 1] {
            assert_eq!(
                called.create_raw(present, lengths.as_ptr(), count),
                OPEN,
                "{count} keys"
            );
        }
        assert_eq!(called.create_raw(absent, lengths.as_ptr(), 1), OPEN);
        assert_eq!(called.create_raw(present, ptr::null(), 1), OPEN);
        // The key in the middle has no bytes but a length.
        assert_eq!(called.create_raw(present, lengths.as_ptr(), 3), OPEN);
        assert_eq!(called.create_raw(present, [3, usize::MAX].as_ptr(), 2), OPEN);
        assert_eq!(called.create_raw(present, [usize::MAX].as_ptr(), 1), OPEN);
        assert!(called.may_match(b"any", &OPEN));

        // SAFETY: the arrays have one element each.
        let filter = unsafe {
            (called.0.create_filter)(called.0.state, present, lengths.as_ptr(), 1, ptr::null_mut())
        };
        assert_eq!(taken(filter, 2), OPEN);
    }
    // Many such filters in a table take more than LevelDB can address, and the second alone does.
    for bits in [2_500_000, c_int::MAX.cast_unsigned()] {
        let wide = Called::new(BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(bits)));
        assert_eq!(wide.create(&[b"key".as_slice(); 17]), OPEN);
    }
}

#[test]
fn queries_without_a_filter_or_a_key_may_match() {
    for called in policies() {
        let filter = called.create(&[b"stored"]);
        let bytes = filter.as_ptr().cast();
        assert!(!called.may_match(b"key", &filter));
        assert!(called.may_match_raw(ptr::null(), 3, bytes, filter.len()));
        assert!(called.may_match_raw(bytes, usize::MAX, bytes, filter.len()));
        assert!(called.may_match_raw(bytes, 3, ptr::null(), 9));
        assert!(called.may_match_raw(bytes, 3, bytes, usize::MAX));
    }
}

#[test]
fn a_null_state_loses_no_key() {
    for (bits, hash) in [
        (0, POLICY_LEVELDB),
        (MAX_BITS_PER_KEY + 1, POLICY_LEVELDB),
        (10, -1),
    ] {
        let called = Called::c_api(bits, hash);
        assert!(called.0.state.is_null(), "{bits} bits per key, hash {hash}");
        assert_eq!(called.create(&[b"key"]), OPEN);
        assert!(called.may_match(b"key", &[0, 6]));
        assert!(called.may_match(b"key", &[]));
        assert_eq!(called.name(), "filter_policy_leveldb.NoPolicy");
    }
}

#[test]
fn threads_share_a_state() {
    /// A state that other threads use.
    struct Shared(Called);
    // SAFETY: policies are `Send` and `Sync`, and so is the rest of a state.
    unsafe impl Sync for Shared {}

    let shared = &Shared(Called::new(BloomFilterPolicy::new(BitsPerKey::whole(10))));
    let expected = shared.0.create(&[b"key"]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let Shared(called) = shared;
                for _ in 0..500 {
                    let filter = called.create(&[b"key"]);
                    assert_eq!(filter, expected);
                    assert!(called.may_match(b"key", &filter));
                }
            });
        }
    });
}
