//! Sorts any number of hash values in bounded memory: sorted runs in files without names, which vanish with the process.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use rayon::slice::ParallelSliceMut as _;

use crate::error::Error;

/// The number of values in a batch.
const BATCH: usize = 4096;

/// The length in bytes of the longest buffer through which a run is read.
const LONGEST_BUFFER: u64 = 1 << 20;

/// All that is known of a key: 8 bytes if a hash of 64 bits is all of it, otherwise 16.
pub(crate) trait Record: Copy + Ord + Send + Default {
    /// Takes the low bits.
    fn of(value: u128) -> Self;

    /// Returns the value.
    fn value(self) -> u128;

    fn put(self, bytes: &mut Vec<u8>);

    /// Takes the values of bytes that [`put`](Self::put) appended.
    fn take(bytes: &[u8], out: &mut Vec<Self>);
}

macro_rules! record {
    ($integer:ty) => {
        impl Record for $integer {
            fn of(value: u128) -> Self {
                value as Self
            }

            fn value(self) -> u128 {
                self.into()
            }

            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }

            fn take(bytes: &[u8], out: &mut Vec<Self>) {
                out.extend(
                    bytes
                        .as_chunks()
                        .0
                        .iter()
                        .map(|chunk| Self::from_le_bytes(*chunk)),
                );
            }
        }
    };
}

record!(u64);
record!(u128);

/// Takes values in any order.
pub(crate) struct Sorter<R> {
    buffer: Vec<(u32, R)>,
    /// The number of values that the memory holds.
    capacity: usize,
    shards: u32,
    folder: PathBuf,
    runs: Vec<Run>,
}

/// Sorted values in a file.
struct Run {
    file: File,
    /// For each shard, the number of values up to its end.
    ends: Vec<u64>,
}

/// The values of each shard, sorted, each once.
pub(crate) struct Sorted<R> {
    buffer: Vec<(u32, R)>,
    runs: Vec<Run>,
    /// The length in bytes of the buffer of a run.
    piece: usize,
}

impl<R: Record> Sorter<R> {
    /// Makes a sorter whose buffer takes half of the memory, and whose files are in this folder.
    pub(crate) fn new(memory: u64, shards: u32, folder: &Path) -> Self {
        let values = memory / 2 / size_of::<(u32, R)>() as u64;
        Self {
            buffer: Vec::new(),
            capacity: usize::try_from(values).unwrap_or(usize::MAX).max(BATCH),
            shards,
            folder: folder.to_path_buf(),
            runs: Vec::new(),
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, shard: u32, value: u128) -> Result<(), Error> {
        if self.buffer.len() == self.buffer.capacity() {
            self.make_room()?;
        }
        self.buffer.push((shard, R::of(value)));
        Ok(())
    }

    #[cold]
    fn make_room(&mut self) -> Result<(), Error> {
        let len = self.buffer.len();
        if len >= self.capacity {
            // Many values are repeats in some data, and then the buffer lasts.
            self.sort();
            if self.buffer.len() > self.capacity / 2 {
                self.spill()?;
            }
            return Ok(());
        }
        let more = len.max(BATCH).min(self.capacity - len);
        let refused = |_| Error::input(format_args!("no memory for {} keys", len + more));
        self.buffer.try_reserve_exact(more).map_err(refused)
    }

    fn sort(&mut self) {
        self.buffer.par_sort_unstable();
        self.buffer.dedup();
    }

    /// Writes the sorted buffer to a file and empties it.
    fn spill(&mut self) -> Result<(), Error> {
        let write = |buffer: &[(u32, R)], shards, folder: &Path| {
            let mut file = BufWriter::with_capacity(1 << 20, tempfile::tempfile_in(folder)?);
            let (mut ends, mut bytes) = (Vec::new(), Vec::new());
            let mut rest = buffer;
            for shard in 0..shards {
                let (of_shard, others) = rest.split_at(rest.partition_point(|value| value.0 == shard));
                for batch in of_shard.chunks(BATCH) {
                    bytes.clear();
                    batch.iter().for_each(|(_, value)| value.put(&mut bytes));
                    file.write_all(&bytes)?;
                }
                rest = others;
                ends.push((buffer.len() - rest.len()) as u64);
            }
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            Ok(Run { file, ends })
        };
        let run = write(&self.buffer, self.shards, &self.folder)
            .map_err(|error: io::Error| Error::writing(&self.folder)(error))?;
        self.runs.push(run);
        self.buffer.clear();
        Ok(())
    }

    /// Ends the input.
    pub(crate) fn finish(mut self, memory: u64) -> Result<Sorted<R>, Error> {
        self.sort();
        if !self.runs.is_empty() {
            self.spill()?;
            self.buffer = Vec::new();
        }
        let runs = self.runs.len().max(1) as u64;
        let piece = (memory / 8 / runs).clamp(BATCH as u64, LONGEST_BUFFER);
        Ok(Sorted {
            buffer: self.buffer,
            runs: self.runs,
            // A whole number of values of either length.
            piece: piece as usize / 16 * 16,
        })
    }
}

impl<R: Record> Sorted<R> {
    /// Passes the values of a shard in order, in batches.
    pub(crate) fn each(
        &self,
        shard: u32,
        folder: &Path,
        mut take: impl FnMut(&[R]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut batch = Vec::with_capacity(BATCH);
        if self.runs.is_empty() {
            let start = self.buffer.partition_point(|value| value.0 < shard);
            let rest = &self.buffer[start..];
            let of_shard = &rest[..rest.partition_point(|value| value.0 == shard)];
            for values in of_shard.chunks(BATCH) {
                batch.clear();
                batch.extend(values.iter().map(|(_, value)| *value));
                take(&batch)?;
            }
            return Ok(());
        }
        let reading = |error: io::Error| Error::writing(folder)(error);
        let mut cursors: Vec<_> = self
            .runs
            .iter()
            .map(|run| Cursor::new(run, shard, self.piece))
            .collect();
        let mut heap = BinaryHeap::new();
        for (index, cursor) in cursors.iter_mut().enumerate() {
            heap.extend(
                cursor
                    .next()
                    .map_err(reading)?
                    .map(|value| Reverse((value, index))),
            );
        }
        let mut last = None;
        while let Some(mut top) = heap.peek_mut() {
            let Reverse((value, index)) = *top;
            match cursors[index].next().map_err(reading)? {
                Some(next) => *top = Reverse((next, index)),
                None => {
                    std::collections::binary_heap::PeekMut::pop(top);
                }
            }
            if last.replace(value) != Some(value) {
                batch.push(value);
                if batch.len() == BATCH {
                    take(&batch)?;
                    batch.clear();
                }
            }
        }
        take(&batch)
    }

    /// Returns the number of different values of a shard.
    pub(crate) fn count(&self, shard: u32, folder: &Path) -> Result<u64, Error> {
        let mut count = 0;
        self.each(shard, folder, |values| {
            count += values.len() as u64;
            Ok(())
        })?;
        Ok(count)
    }
}

/// A place in a run.
struct Cursor<'a, R> {
    file: &'a File,
    /// The next byte to read, and the shard's last one.
    at: u64,
    end: u64,
    piece: usize,
    bytes: Vec<u8>,
    values: Vec<R>,
    next: usize,
}

impl<'a, R: Record> Cursor<'a, R> {
    fn new(run: &'a Run, shard: u32, piece: usize) -> Self {
        let end_of = |shard: u32| run.ends.get(shard as usize).copied().unwrap_or(0);
        let start = shard.checked_sub(1).map_or(0, end_of);
        Self {
            file: &run.file,
            at: start * size_of::<R>() as u64,
            end: end_of(shard) * size_of::<R>() as u64,
            piece,
            bytes: Vec::new(),
            values: Vec::new(),
            next: 0,
        }
    }

    #[inline]
    fn next(&mut self) -> io::Result<Option<R>> {
        if self.next == self.values.len() {
            self.fill()?;
        }
        let value = self.values.get(self.next).copied();
        self.next += 1;
        Ok(value)
    }

    fn fill(&mut self) -> io::Result<()> {
        self.values.clear();
        self.next = 0;
        let len = (self.end - self.at).min(self.piece as u64);
        if len > 0 {
            self.bytes.resize(len as usize, 0);
            self.file.seek(SeekFrom::Start(self.at))?;
            self.file.read_exact(&mut self.bytes)?;
            self.at += len;
            R::take(&self.bytes, &mut self.values);
        }
        Ok(())
    }
}
