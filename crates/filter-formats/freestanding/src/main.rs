//! Builds and queries filters in a static buffer, without the standard library and without an allocator.
//!
//! See `README.md` for how to build and check it.
#![no_std]
#![no_main]

use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int};
use core::panic::PanicInfo;

use filter_formats::BloomFilter64Policy;
use filter_formats::Format;
use filter_formats::parquet::SplitBlockBloomPolicy;
use filter_formats::rocksdb::{FastLocalBloomPolicy, LegacyFullFilterPolicy};
use filter_formats::view::{FilterKind, FilterView};
use filter_policy::filter_block::FilterBlockReader;
use filter_policy::{BitsPerKey, BloomFilterPolicy, Error, FilterPolicy, HashedPolicy};

const TEN: BitsPerKey = BitsPerKey::whole(10);

/// The filter that LevelDB writes for these keys at 10 bits per key.
const GOLDEN_KEYS: [&[u8]; 3] = [b"", b"dup", b"dup"];
const GOLDEN_FILTER: [u8; 9] = [0x08, 0x80, 0x84, 0x00, 0x82, 0x80, 0x91, 0x80, 0x06];

/// The filter block of a table that LevelDB wrote, with the one key `only`.
const GOLDEN_BLOCK: [u8; 18] = [
    0x40, 0x00, 0x02, 0x80, 0x00, 0x24, 0x00, 0x01, 0x06, 0, 0, 0, 0, 9, 0, 0, 0, 11,
];

/// The length of a RocksDB filter with one line of 64 bytes, and the filter's tail.
const GOLDEN_LINE_LEN: usize = 69;
const GOLDEN_TAIL: [u8; 5] = [0xff, 0, 6, 0, 0];

const KEYS: u16 = 1000;

/// Memory for a filter; large enough for `KEYS` keys.
struct Buffer(UnsafeCell<[u8; 1300]>);

// SAFETY: the program has one thread.
unsafe impl Sync for Buffer {}

static BUFFER: Buffer = Buffer(UnsafeCell::new([0; 1300]));

// SAFETY: the block declares nothing; libc is linked for its start-up code and `mem*`.
#[link(name = "c")]
unsafe extern "C" {}

/// The entry point that libc's start-up code calls.
// SAFETY: the name is C's, and no other `main` is linked.
#[unsafe(no_mangle)]
extern "C" fn main(_: c_int, _: *const *const c_char) -> c_int {
    // SAFETY: `main` is called once, and nothing else touches the buffer.
    let buffer = unsafe { &mut *BUFFER.0.get() };
    checks(buffer).unwrap_or(100)
}

/// Returns 0, or the number of the first check that failed.
fn checks(buffer: &mut [u8]) -> Result<c_int, Error> {
    let leveldb = BloomFilterPolicy::with_leveldb_hash(TEN);
    if leveldb.build_in(GOLDEN_KEYS, buffer)? != GOLDEN_FILTER {
        return Ok(1);
    }

    let policy = BloomFilterPolicy::new(TEN);
    let filter = policy.build_in((0..KEYS).map(u16::to_le_bytes), buffer)?;
    if filter.len() as u64 != Format::LEVEL_DB.filter_len(u64::from(KEYS), TEN)? {
        return Ok(4);
    }
    let view = FilterView::new(Format::LEVEL_DB, &filter);
    if view.kind() != FilterKind::Filter(Format::LEVEL_DB)
        || view
            .estimated_len()
            .is_none_or(|keys| keys.abs_diff(u64::from(KEYS)) > 50)
    {
        return Ok(5);
    }
    if !(0..KEYS).all(|i| policy.key_may_match(&i.to_le_bytes(), &filter)) {
        return Ok(6);
    }
    let filters = FilterBlockReader::new(&GOLDEN_BLOCK);
    if !filters.key_may_match(&leveldb, 0, b"only")
        || filters.key_may_match(&leveldb, 0, b"other")
        || filters.damage().next().is_some()
    {
        return Ok(9);
    }
    newer_policies(buffer)
}

/// Checks the policies with 64-bit hashes and those of RocksDB, except Ribbon, which needs an allocator to build.
fn newer_policies(buffer: &mut [u8]) -> Result<c_int, Error> {
    let policies: [&dyn FilterPolicy; 4] = [
        &BloomFilter64Policy::new(TEN),
        &SplitBlockBloomPolicy::new(TEN),
        &FastLocalBloomPolicy::new(TEN),
        &LegacyFullFilterPolicy::new(TEN),
    ];
    for policy in policies {
        let filter = policy.create_filter(&GOLDEN_KEYS, buffer)?;
        if !GOLDEN_KEYS.iter().all(|key| policy.key_may_match(key, &filter))
            || policy.key_may_match(b"x", &filter)
        {
            return Ok(10);
        }
    }
    // RocksDB's filter of these two keys at 10 bits per key.
    let filter = FastLocalBloomPolicy::new(TEN).build_in(["0", "1"], buffer)?;
    if filter.len() != GOLDEN_LINE_LEN || filter.last_chunk() != Some(&GOLDEN_TAIL) {
        return Ok(11);
    }
    Ok(0)
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
