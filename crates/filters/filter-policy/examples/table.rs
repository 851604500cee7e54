//! A table in a file: sorted entries in data blocks of 2 KiB, with a filter for each, an index, a filter for scans, and a
//! footer.
//!
//! ```text
//! cargo run --release --package filter-policy --example table -- users.table
//! ```

use std::error::Error;
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::Bound;
use std::{env, iter};

use filter_policy::filter_block::{FilterBlockBuilder, FilterBlockReader};
use filter_policy::range::{RangeFilterBuilder, RangePolicy};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy, MATCHES_EVERYTHING, OwnedFilter};

const BLOCK_LEN: usize = 2048;
/// The policy of the filter for scans.
const RANGES: RangePolicy = RangePolicy::new(BitsPerKey::whole(10));
/// The starts of filters, policy name, index, filter for scans and its policy's name, the checksum of all after the data,
/// and `MAGIC`, in 8 bytes each.
const FOOTER_LEN: usize = 56;
const MAGIC: &[u8; 8] = b"toytabl2";
const DAMAGED: &str = "the table is damaged";

/// A table as it is written, from keys in ascending order.
struct TableWriter<P> {
    policy_name: String,
    filters: FilterBlockBuilder<P>,
    ranges: Option<RangeFilterBuilder>,
    file: Vec<u8>,
    data_block: Vec<u8>,
    last_key: Vec<u8>,
    index: Vec<u8>,
}

impl<P: FilterPolicy> TableWriter<P> {
    fn new(policy: P) -> Self {
        Self {
            policy_name: policy.name().to_owned(),
            filters: FilterBlockBuilder::new(policy),
            ranges: Some(RangeFilterBuilder::new(BitsPerKey::whole(10))),
            file: Vec::new(),
            data_block: Vec::new(),
            last_key: Vec::new(),
            index: Vec::new(),
        }
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), Box<dyn Error>> {
        if !(self.file.is_empty() && self.data_block.is_empty()) && key <= &self.last_key[..] {
            return Err("keys must ascend".into());
        }
        if self.data_block.is_empty() {
            // Once for each data block, before its first key, with the offset at which the block will start in the file.
            // A lookup passes the same offset. If blocks are compressed, the one before must have been written by now.
            self.filters.start_block(self.file.len() as u64)?;
        }
        self.filters.add_key(key)?;
        // One filter for the whole table, which keeps some bytes of each key. Without one, every scan reads blocks.
        if self
            .ranges
            .as_mut()
            .is_some_and(|ranges| ranges.insert(key).is_err())
        {
            self.ranges = None;
        }
        push_entry(&mut self.data_block, key, value)?;
        self.last_key = key.to_vec();
        if self.data_block.len() >= BLOCK_LEN {
            self.end_data_block()?;
        }
        Ok(())
    }

    /// Writes the data block with its checksum, and an entry of the index: the last key, and where the block is.
    fn end_data_block(&mut self) -> Result<(), Box<dyn Error>> {
        let start = self.file.len() as u64;
        self.file.extend(&self.data_block);
        self.file
            .extend(hashzoo::xxh64(&self.data_block, 0).to_le_bytes());
        self.data_block.clear();
        let place = [start, self.file.len() as u64].map(u64::to_le_bytes).concat();
        push_entry(&mut self.index, &self.last_key, &place)
    }

    /// Returns the bytes of the file.
    fn finish(mut self) -> Result<Vec<u8>, Box<dyn Error>> {
        if !self.data_block.is_empty() {
            self.end_data_block()?;
        }
        let mut file = self.file;
        let mut starts = Vec::new();
        let ranges = self.ranges.and_then(|ranges| ranges.finish().ok());
        let ranges = ranges.unwrap_or_else(|| MATCHES_EVERYTHING.to_vec());
        let their_name = RANGES.name().into();
        for part in [
            self.filters.finish()?,
            self.policy_name.into_bytes(),
            self.index,
            ranges,
            their_name,
        ] {
            starts.extend((file.len() as u64).to_le_bytes());
            file.extend(part);
        }
        let filters_start = read_u64(&starts, 0)? as usize;
        file.extend(starts);
        // A damaged filter may deny a stored key, so nothing is believed that does not fit this.
        file.extend(hashzoo::xxh64(&file[filters_start..], 0).to_le_bytes());
        file.extend(MAGIC);
        Ok(file)
    }
}

/// A table that is open for lookups. Filters and index are in memory, data blocks are read.
struct Table<P> {
    file: File,
    filters: FilterBlockReader<P, Vec<u8>>,
    ranges: OwnedFilter<RangePolicy, Vec<u8>>,
    /// The last key of each data block, and where the block is.
    index: Vec<(Vec<u8>, [u64; 2])>,
    blocks_read: u64,
}

impl<P: FilterPolicy> Table<P> {
    fn open(mut file: File, policy: P) -> Result<Self, Box<dyn Error>> {
        let len = file.metadata()?.len();
        let footer_start = len.checked_sub(FOOTER_LEN as u64).ok_or(DAMAGED)?;
        let filters_start = read_u64(&read(&mut file, [footer_start, len])?, 0)?;
        let tail = read(&mut file, [filters_start, len])?;
        let (checked, end) = tail
            .split_at_checked(tail.len().wrapping_sub(16))
            .ok_or(DAMAGED)?;
        if end != [hashzoo::xxh64(checked, 0).to_le_bytes(), *MAGIC].concat() {
            return Err(DAMAGED.into());
        }
        let footer = tail.len().checked_sub(FOOTER_LEN).ok_or(DAMAGED)?;
        let start_of = |part: usize| {
            let start = read_u64(&tail, footer + 8 * part)?.checked_sub(filters_start);
            Ok::<_, Box<dyn Error>>(start.ok_or(DAMAGED)? as usize)
        };
        let [name, index, ranges, their_name] = [start_of(1)?, start_of(2)?, start_of(3)?, start_of(4)?];
        let filter_block = tail.get(..name).ok_or(DAMAGED)?.to_vec();
        let policy_name = str::from_utf8(tail.get(name..index).ok_or(DAMAGED)?)?;
        let range_filter = tail.get(ranges..their_name).ok_or(DAMAGED)?.to_vec();
        let their_name = str::from_utf8(tail.get(their_name..footer).ok_or(DAMAGED)?)?;
        let index = entries(tail.get(index..ranges).ok_or(DAMAGED)?)
            .map(|(key, place)| Ok((key.to_vec(), [read_u64(place, 0)?, read_u64(place, 8)?])));
        Ok(Self {
            // Under another policy's name every key may match.
            filters: FilterBlockReader::stored_as(policy_name, policy, filter_block),
            ranges: OwnedFilter::stored_as(their_name, RANGES, range_filter),
            index: index.collect::<Result<_, Box<dyn Error>>>()?,
            file,
            blocks_read: 0,
        })
    }

    fn get(&mut self, key: &[u8]) -> Result<Option<Vec<u8>>, Box<dyn Error>> {
        let block = self.index.partition_point(|(last_key, _)| &last_key[..] < key);
        let Some(&(_, place)) = self.index.get(block) else {
            return Ok(None);
        };
        if !self.filters.may_match(place[0], key) {
            return Ok(None);
        }
        let block = self.read_block(place)?;
        let found = entries(&block).find(|(stored, _)| *stored == key);
        Ok(found.map(|(_, value)| value.to_vec()))
    }

    /// Returns the keys from `start` to before `end`.
    fn scan(&mut self, start: &[u8], end: &[u8]) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
        let (lower, upper) = (Bound::Included(start), Bound::Excluded(end));
        if !self.ranges.range_may_match(lower, upper) {
            return Ok(Vec::new());
        }
        let mut keys = Vec::new();
        for block in self.index.partition_point(|(last_key, _)| &last_key[..] < start)..self.index.len() {
            let bytes = self.read_block(self.index[block].1)?;
            let inside = entries(&bytes).filter(|(key, _)| (start..end).contains(key));
            keys.extend(inside.map(|(key, _)| key.to_vec()));
            if &self.index[block].0[..] >= end {
                break;
            }
        }
        Ok(keys)
    }

    fn read_block(&mut self, place: [u64; 2]) -> Result<Vec<u8>, Box<dyn Error>> {
        self.blocks_read += 1;
        let block = read(&mut self.file, place)?;
        let (block, checksum) = block.split_last_chunk::<8>().ok_or(DAMAGED)?;
        if *checksum != hashzoo::xxh64(block, 0).to_le_bytes() {
            return Err(DAMAGED.into());
        }
        Ok(block.to_vec())
    }
}

/// Appends a key and a value, each after its length.
fn push_entry(block: &mut Vec<u8>, key: &[u8], value: &[u8]) -> Result<(), Box<dyn Error>> {
    for part in [key, value] {
        block.extend(u32::try_from(part.len())?.to_le_bytes());
        block.extend(part);
    }
    Ok(())
}

fn entries(mut block: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut part = move || {
        let (len, rest) = block.split_first_chunk::<4>()?;
        let (part, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
        block = rest;
        Some(part)
    };
    iter::from_fn(move || Some((part()?, part()?)))
}

fn read(file: &mut File, [start, end]: [u64; 2]) -> Result<Vec<u8>, Box<dyn Error>> {
    // Checked first, so that a damaged length allocates nothing.
    if start > end || end > file.metadata()?.len() {
        return Err(DAMAGED.into());
    }
    let mut bytes = vec![0; usize::try_from(end - start)?];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn read_u64(bytes: &[u8], at: usize) -> Result<u64, Box<dyn Error>> {
    let number = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
    Ok(u64::from_le_bytes(*number.ok_or(DAMAGED)?))
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).ok_or("usage: table FILE")?;
    let policy = BloomFilterPolicy::with_leveldb_hash(10.into());
    let key = |n: u32| format!("user{n:06}");

    // Even numbers are stored, and odd ones, of the same blocks, are not.
    let mut writer = TableWriter::new(&policy);
    for n in 0..10_000 {
        writer.put(key(2 * n).as_bytes(), &n.to_le_bytes())?;
    }
    fs::write(&path, writer.finish()?)?;

    let mut table = Table::open(File::open(&path)?, &policy)?;
    for n in 0..10_000 {
        assert_eq!(table.get(key(2 * n).as_bytes())?, Some(n.to_le_bytes().to_vec()));
    }
    let blocks_read = table.blocks_read;
    for n in 0..10_000 {
        assert_eq!(table.get(key(2 * n + 1).as_bytes())?, None);
    }
    println!("{} data blocks", table.index.len());
    println!("{blocks_read} reads for 10000 stored keys");
    println!("{} reads for 10000 absent keys", table.blocks_read - blocks_read);

    // Without padding, this range has user 1240, too.
    assert!(("user:123:".."user:124:").contains(&"user:1240:"));
    assert!(!("user:123:".."user:123;").contains(&"user:1240:"));
    assert_eq!(table.scan(key(10).as_bytes(), key(20).as_bytes())?.len(), 5);
    let blocks_read = table.blocks_read;
    for n in 0..10_000 {
        assert!(
            table
                .scan(key(2 * n + 1).as_bytes(), key(2 * n + 2).as_bytes())?
                .is_empty()
        );
    }
    println!(
        "{} reads for 10000 scans that find nothing",
        table.blocks_read - blocks_read
    );
    Ok(())
}
