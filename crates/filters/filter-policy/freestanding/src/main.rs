//! Builds filters in a static buffer and queries them, without the standard library and without an allocator: returns 0
//! if every answer is right, else 1.
//!
//! The program is outside the main workspace, where other crates would enable features. It declares no allocator, so it
//! does not build with a crate that wants one:
//!
//! ```text
//! cargo run --release --manifest-path crates/filters/filter-policy/freestanding/Cargo.toml
//! ```
#![no_std]
#![no_main]

use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int};
use core::ops::Bound::{Excluded, Included};
use core::panic::PanicInfo;

use filter_policy::AnyFormat;
use filter_policy::BloomFilter64Policy;
use filter_policy::filter_block::FilterBlockReader;
use filter_policy::formats;
use filter_policy::parquet::ParquetPolicy;
use filter_policy::range::RangePolicy;
use filter_policy::rocksdb::{FastLocalBloomPolicy, LegacyBloomPolicy};
use filter_policy::view::{FilterKind, FilterView};
use filter_policy::{BitsPerKey, BloomFilterPolicy, Error, FilterPolicy};

const TEN: BitsPerKey = BitsPerKey::whole(10);

/// The filter that LevelDB writes for these keys at 10 bits per key.
const GOLDEN_KEYS: [&[u8]; 3] = [b"", b"dup", b"dup"];
const GOLDEN_FILTER: [u8; 9] = [0x08, 0x80, 0x84, 0x00, 0x82, 0x80, 0x91, 0x80, 0x06];

/// The filter block of a table that LevelDB wrote, with the one key `only`.
const GOLDEN_BLOCK: [u8; 18] = [
    0x40, 0x00, 0x02, 0x80, 0x00, 0x24, 0x00, 0x01, 0x06, 0, 0, 0, 0, 9, 0, 0, 0, 11,
];

/// The range filter of two keys, `041030` and `580328`: the example of FORMAT.md.
const GOLDEN_RANGES: [u8; 14] = [
    0x01, 0x3c, 0x00, 0x18, 0x02, 0x00, 0x14, 0xc1, 0xa1, 0x89, 0x89, 0xc1, 0x81, 0x80,
];

/// Memory for a filter of a few keys.
struct Buffer(UnsafeCell<[u8; 100]>);

// SAFETY: the program has one thread.
unsafe impl Sync for Buffer {}

static BUFFER: Buffer = Buffer(UnsafeCell::new([0; 100]));

// SAFETY: the block declares nothing; libc is linked for its start-up code and `mem*`.
#[link(name = "c")]
unsafe extern "C" {}

/// The entry point that libc's start-up code calls.
// SAFETY: the name is C's, and no other `main` is linked.
#[unsafe(no_mangle)]
extern "C" fn main(_: c_int, _: *const *const c_char) -> c_int {
    // SAFETY: `main` is called once, and nothing else touches the buffer.
    let buffer = unsafe { &mut *BUFFER.0.get() };
    c_int::from(!is_right(buffer).unwrap_or(false))
}

/// Checks every policy but those that need an allocator to build, a view, a filter block and queries of a range filter.
fn is_right(buffer: &mut [u8]) -> Result<bool, Error> {
    let leveldb = BloomFilterPolicy::with_leveldb_hash(TEN);
    let mut is_right = leveldb.create_filter(&GOLDEN_KEYS, buffer)? == GOLDEN_FILTER;
    let policies: [(&dyn FilterPolicy, &'static dyn AnyFormat); 5] = [
        (&leveldb, formats::LEVEL_DB),
        (&BloomFilter64Policy::new(TEN), formats::BLOOM64),
        (&ParquetPolicy::new(TEN), formats::SPLIT_BLOCK),
        (&FastLocalBloomPolicy::new(TEN), formats::FAST_LOCAL_BLOOM),
        (&LegacyBloomPolicy::new(TEN), formats::LEGACY_BLOOM),
    ];
    for (policy, format) in policies {
        let filter = policy.create_filter(&GOLDEN_KEYS, buffer)?;
        is_right &= filter.len() as u64 == format.filter_len(GOLDEN_KEYS.len() as u64, TEN)?
            && FilterView::new(format, &filter).kind() == FilterKind::Filter(format.kind())
            && GOLDEN_KEYS.iter().all(|key| policy.key_may_match(key, &filter))
            && !policy.key_may_match(b"x", &filter);
    }
    let ranges = RangePolicy::new(TEN);
    let filters = FilterBlockReader::new(&leveldb, &GOLDEN_BLOCK);
    Ok(is_right
        && ranges.key_may_match(b"041030", &GOLDEN_RANGES)
        && ranges.prefix_may_match(b"58", &GOLDEN_RANGES)
        && ranges.range_may_match(Excluded(b"0410"), Excluded(b"1"), &GOLDEN_RANGES)
        && !ranges.range_may_match(Included(b"1"), Included(b"2"), &GOLDEN_RANGES)
        && filters.may_match(0, b"only")
        && !filters.may_match(0, b"other")
        && filters.damage().next().is_none())
}

/// Stops the program with a signal, because there is no output to report to.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: an undefined instruction ends the process and has no other effect.
    unsafe {
        core::arch::asm!("ud2", options(noreturn, nomem, nostack));
    }
    #[cfg(not(target_arch = "x86_64"))]
    loop {
        core::hint::spin_loop();
    }
}

/// The prebuilt `core` was compiled for unwinding and names this function; nothing calls it, because panics abort.
// SAFETY: the compiler uses this name for it, and the standard library, which would define another, is not linked.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}
