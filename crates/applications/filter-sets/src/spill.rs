//! Sorts any number of hash values in bounded memory: sorted runs in files without names, which vanish with the
//! process.

use std::cmp::Reverse;
use std::collections::binary_heap::{BinaryHeap, PeekMut};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use rayon::slice::ParallelSliceMut as _;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Error;
use crate::format::{BATCH, Hashes};

/// The number of values from which on sorting is faster in threads that must be started.
const MANY: usize = 100_000;

/// The length in bytes of the longest buffer through which a run is written or read.
const LONGEST_PIECE: usize = 1 << 20;

/// The record of a key: a hash of 64 bits if that identifies the key, otherwise 16 bytes.
pub(crate) trait Record: Copy + Ord + Send + Sync + Into<u128> {
    /// Takes the low bits of a value.
    fn low(value: u128) -> Self;

    fn hashes(values: &[Self]) -> Hashes<'_>;
}

impl Record for u64 {
    fn low(value: u128) -> Self {
        value as Self
    }

    fn hashes(values: &[Self]) -> Hashes<'_> {
        Hashes::Narrow(values)
    }
}

impl Record for u128 {
    fn low(value: u128) -> Self {
        value
    }

    fn hashes(values: &[Self]) -> Hashes<'_> {
        Hashes::Wide(values)
    }
}

/// A value with the number of its shard, which is left out where there is one alone.
pub(crate) trait Numbered: Copy + Ord + Send + Sync {
    type Record: Record;

    fn of(shard: u32, value: Self::Record) -> Self;

    fn shard(self) -> u32;

    fn value(self) -> Self::Record;

    /// Returns the values of a slice that has nothing else.
    fn values(_values: &[Self]) -> Option<&[Self::Record]> {
        None
    }
}

impl<R: Record> Numbered for (u32, R) {
    type Record = R;

    fn of(shard: u32, value: R) -> Self {
        (shard, value)
    }

    fn shard(self) -> u32 {
        self.0
    }

    fn value(self) -> R {
        self.1
    }
}

impl<R: Record> Numbered for R {
    type Record = R;

    fn of(_: u32, value: R) -> Self {
        value
    }

    fn shard(self) -> u32 {
        0
    }

    fn value(self) -> R {
        self
    }

    fn values(values: &[R]) -> Option<&[R]> {
        Some(values)
    }
}

/// The values of all shards. They are added in any order, then passed in order, or in the order in which they came, each once.
pub(crate) trait Values: Send + Sync {
    fn push(&mut self, shard: u32, value: u128) -> Result<(), Error>;

    /// Ends the input.
    fn finish(&mut self) -> Result<(), Error>;

    /// Returns the values if they are of one shard and in memory.
    fn in_memory(&self) -> Option<Hashes<'_>>;

    /// Passes the values of so many shards in batches, in the order of the shards' numbers, and `None` at the end of
    /// each. One pass at a time.
    fn pass(&self, shards: u32, take: Take<'_>) -> Result<(), Error>;
}

type Take<'a> = &'a mut dyn FnMut(Option<Hashes<'_>>) -> Result<(), Error>;

/// An external-sort buffer: up to half the memory, then sorted runs on disk.
pub(crate) struct Spilled<V> {
    buffer: Vec<V>,
    /// The number of values that the memory holds.
    capacity: usize,
    memory: u64,
    /// The folder of the files.
    folder: PathBuf,
    /// Set if values in memory are passed in the order in which they came.
    keeps_order: bool,
    /// Files of sorted values. Those of a shard follow its number and their count.
    runs: Vec<File>,
}

impl<V: Numbered> Spilled<V> {
    pub(crate) fn new(memory: u64, folder: &Path, keeps_order: bool) -> Self {
        let values = memory / 2 / size_of::<V>() as u64;
        Self {
            buffer: Vec::new(),
            capacity: usize::try_from(values).unwrap_or(usize::MAX).max(BATCH),
            memory,
            folder: folder.to_path_buf(),
            keeps_order,
            runs: Vec::new(),
        }
    }

    #[cold]
    fn make_room(&mut self) -> Result<(), Error> {
        let len = self.buffer.len();
        if len >= self.capacity {
            // Some keys come so often that the buffer lasts without their repeats.
            self.keeps_order = false;
            self.sort();
            if self.buffer.len() > self.capacity / 2 {
                self.spill()?;
            }
            return Ok(());
        }
        let more = len.max(BATCH).min(self.capacity - len);
        let refused = |_| Error::out_of_memory(format_args!("no memory for {} keys", len + more));
        self.buffer.try_reserve_exact(more).map_err(refused)
    }

    fn sort(&mut self) {
        sort(&mut self.buffer);
        self.buffer.dedup();
    }

    /// Removes values that are there again, and keeps the order.
    fn remove_repeats(&mut self) -> Result<(), Error> {
        let mut sorted = reserved(self.buffer.len())?;
        sorted.extend_from_slice(&self.buffer);
        sort(&mut sorted);
        sorted.dedup();
        if sorted.len() < self.buffer.len() {
            let mut is_seen = reserved(sorted.len())?;
            is_seen.resize(sorted.len(), false);
            self.buffer.retain(|value| {
                let place = sorted.binary_search(value).map(|place| &mut is_seen[place]);
                place.is_ok_and(|is_seen| !std::mem::replace(is_seen, true))
            });
        }
        Ok(())
    }

    /// Writes the sorted buffer to a file and empties it.
    fn spill(&mut self) -> Result<(), Error> {
        let run = self.write().map_err(Error::writing(&self.folder))?;
        self.runs.push(run);
        self.buffer.clear();
        Ok(())
    }

    fn write(&self) -> io::Result<File> {
        let file = tempfile::tempfile_in(&self.folder)?;
        let mut file = BufWriter::with_capacity(LONGEST_PIECE, file);
        for values in self
            .buffer
            .chunk_by(|one, another| one.shard() == another.shard())
        {
            file.write_all(&values[0].shard().to_le_bytes())?;
            file.write_all(&(values.len() as u64).to_le_bytes())?;
            for value in values {
                let bytes: u128 = value.value().into();
                file.write_all(&bytes.to_le_bytes()[..size_of::<V::Record>()])?;
            }
        }
        file.into_inner().map_err(io::IntoInnerError::into_error)
    }

    fn open_runs<'a>(&'a self) -> io::Result<Vec<Run<'a>>> {
        let piece = (self.memory / 16 / self.runs.len().max(1) as u64) as usize;
        let open = |mut file: &'a File| {
            file.seek(SeekFrom::Start(0))?;
            let mut run = Run {
                reader: BufReader::with_capacity(piece.clamp(BATCH, LONGEST_PIECE), file),
                shard: None,
                left: 0,
            };
            run.begin()?;
            Ok(run)
        };
        self.runs.iter().map(open).collect()
    }
}

/// Returns a vector with room for this many values.
fn reserved<T>(len: usize) -> Result<Vec<T>, Error> {
    let mut values = Vec::new();
    let refused = |_| Error::out_of_memory(format_args!("no memory for {len} keys"));
    values.try_reserve_exact(len).map_err(refused)?;
    Ok(values)
}

fn sort<T: Ord + Send>(values: &mut [T]) {
    let threads = (values.len() > MANY).then(threads).flatten();
    match threads {
        Some(threads) => threads.install(|| values.par_sort_unstable()),
        None => values.sort_unstable(),
    }
}

/// Starts threads for one piece of work; `None` if the system refuses them. Those that `rayon` keeps are not there in a
/// process that was forked, which would wait for them for ever.
pub(crate) fn threads() -> Option<ThreadPool> {
    ThreadPoolBuilder::new().build().ok()
}

/// A run that is read from its beginning to its end.
struct Run<'a> {
    reader: BufReader<&'a File>,
    /// The shard of the next values; none at the end.
    shard: Option<u32>,
    /// The number of that shard's values that are not read yet.
    left: u64,
}

impl Run<'_> {
    /// Reads the number of the next shard.
    fn begin(&mut self) -> io::Result<()> {
        self.shard = None;
        if !self.reader.fill_buf()?.is_empty() {
            self.shard = Some(self.number(size_of::<u32>())? as u32);
            self.left = self.number(size_of::<u64>())? as u64;
        }
        Ok(())
    }

    /// Returns the next value of this shard.
    fn next<R: Record>(&mut self, shard: u32) -> io::Result<Option<R>> {
        if self.shard != Some(shard) {
            return Ok(None);
        }
        let value = R::low(self.number(size_of::<R>())?);
        self.left -= 1;
        if self.left == 0 {
            self.begin()?;
        }
        Ok(Some(value))
    }

    /// Reads a number of this many bytes.
    #[inline]
    fn number(&mut self, len: usize) -> io::Result<u128> {
        let mut bytes = [0; 16];
        self.reader.read_exact(&mut bytes[..len])?;
        Ok(u128::from_le_bytes(bytes))
    }
}

impl<V: Numbered> Values for Spilled<V> {
    #[inline]
    fn push(&mut self, shard: u32, value: u128) -> Result<(), Error> {
        if self.buffer.len() == self.buffer.capacity() {
            self.make_room()?;
        }
        self.buffer.push(V::of(shard, V::Record::low(value)));
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        if self.keeps_order {
            return self.remove_repeats();
        }
        self.sort();
        if !self.runs.is_empty() {
            self.spill()?;
            self.buffer = Vec::new();
        }
        Ok(())
    }

    fn in_memory(&self) -> Option<Hashes<'_>> {
        let values = V::values(&self.buffer).filter(|_| self.runs.is_empty());
        values.map(Record::hashes)
    }

    /// Passes the values in memory, or merges those of the runs.
    fn pass(&self, shards: u32, take: Take<'_>) -> Result<(), Error> {
        let reading = |error| Error::writing(&self.folder)(error);
        let mut runs = self.open_runs().map_err(reading)?;
        // The next value of each run that has one in the shard.
        let mut heap: BinaryHeap<Reverse<(V::Record, usize)>> = BinaryHeap::new();
        let (mut rest, mut batch) = (&self.buffer[..], Vec::with_capacity(BATCH));
        for shard in 0..shards {
            let (values, more) = rest.split_at(rest.partition_point(|value| value.shard() == shard));
            rest = more;
            for values in values.chunks(BATCH) {
                batch.clear();
                let values = V::values(values).unwrap_or_else(|| {
                    batch.extend(values.iter().map(|value| value.value()));
                    &batch
                });
                take(Some(Record::hashes(values)))?;
            }
            batch.clear();
            for (index, run) in runs.iter_mut().enumerate() {
                let value = run.next(shard).map_err(reading)?;
                heap.extend(value.map(|value| Reverse((value, index))));
            }
            let mut last = None;
            while let Some(mut top) = heap.peek_mut() {
                let Reverse((value, index)) = *top;
                match runs[index].next(shard).map_err(reading)? {
                    Some(next) => *top = Reverse((next, index)),
                    None => {
                        PeekMut::pop(top);
                    }
                }
                if last.replace(value) != Some(value) {
                    batch.push(value);
                }
                if batch.len() == BATCH {
                    take(Some(Record::hashes(&batch)))?;
                    batch.clear();
                }
            }
            take(Some(Record::hashes(&batch)))?;
            take(None)?;
        }
        Ok(())
    }
}
