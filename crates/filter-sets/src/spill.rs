//! Sorts any number of hash values in bounded memory: sorted runs in files without names, which vanish with the process.

use std::cmp::Reverse;
use std::collections::binary_heap::{BinaryHeap, PeekMut};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Take, Write};
use std::path::{Path, PathBuf};

use rayon::slice::ParallelSliceMut as _;

use crate::error::Error;

/// The number of values in a batch.
const BATCH: usize = 4096;

/// The length in bytes of the longest buffer through which a run is written or read.
const LONGEST_PIECE: usize = 1 << 20;

/// All that is known of a key: 8 bytes if a hash of 64 bits is all of it, otherwise 16.
pub(crate) trait Record: Copy + Ord + Send {
    /// Takes the low bits.
    fn of(value: u128) -> Self;

    /// Returns the value.
    fn value(self) -> u128;

    fn write(self, writer: &mut impl Write) -> io::Result<()>;

    /// Reads a value; `None` at the end.
    fn next(reader: &mut impl BufRead) -> io::Result<Option<Self>>;
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

            #[inline]
            fn write(self, writer: &mut impl Write) -> io::Result<()> {
                writer.write_all(&self.to_le_bytes())
            }

            #[inline]
            fn next(reader: &mut impl BufRead) -> io::Result<Option<Self>> {
                if reader.fill_buf()?.is_empty() {
                    return Ok(None);
                }
                let mut bytes = [0; size_of::<Self>()];
                reader.read_exact(&mut bytes)?;
                Ok(Some(Self::from_le_bytes(bytes)))
            }
        }
    };
}

record!(u64);
record!(u128);

/// Values of all shards: first taken in any order, then passed in order, each once.
pub(crate) trait Values: Send {
    fn push(&mut self, shard: u32, value: u128) -> Result<(), Error>;

    /// Ends the input.
    fn finish(&mut self) -> Result<(), Error>;

    /// Passes the values of a shard in batches.
    fn each(&self, shard: u32, take: &mut dyn FnMut(&[u128]) -> Result<(), Error>) -> Result<(), Error>;
}

/// Values that take half of the memory; more of them are in files.
pub(crate) struct Spilled<R> {
    buffer: Vec<(u32, R)>,
    /// The number of values that the memory holds.
    capacity: usize,
    memory: u64,
    shards: u32,
    /// The folder of the files.
    folder: PathBuf,
    runs: Vec<Run>,
}

/// Sorted values in a file.
struct Run {
    file: File,
    /// For each shard, the number of values up to its end.
    ends: Vec<u64>,
}

/// Reads the values of a shard in a run.
type Reader<'a> = BufReader<Take<&'a File>>;

impl Run {
    fn reader(&self, shard: u32, piece: usize, len: u64) -> io::Result<Reader<'_>> {
        let end_of = |shard: u32| self.ends.get(shard as usize).copied().unwrap_or(0) * len;
        let start = shard.checked_sub(1).map_or(0, end_of);
        let mut file = &self.file;
        file.seek(SeekFrom::Start(start))?;
        Ok(BufReader::with_capacity(piece, file.take(end_of(shard) - start)))
    }
}

impl<R: Record> Spilled<R> {
    pub(crate) fn new(memory: u64, shards: u32, folder: &Path) -> Self {
        let values = memory / 2 / size_of::<(u32, R)>() as u64;
        Self {
            buffer: Vec::new(),
            capacity: usize::try_from(values).unwrap_or(usize::MAX).max(BATCH),
            memory,
            shards,
            folder: folder.to_path_buf(),
            runs: Vec::new(),
        }
    }

    #[cold]
    fn make_room(&mut self) -> Result<(), Error> {
        let len = self.buffer.len();
        if len >= self.capacity {
            // Some keys come so often that the buffer lasts without their repeats.
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
        let run = self.write().map_err(Error::writing(&self.folder))?;
        self.runs.push(run);
        self.buffer.clear();
        Ok(())
    }

    fn write(&self) -> io::Result<Run> {
        let file = tempfile::tempfile_in(&self.folder)?;
        let mut file = BufWriter::with_capacity(LONGEST_PIECE, file);
        let (mut ends, mut shard) = (Vec::with_capacity(self.shards as usize), 0);
        for (written, &(of, value)) in (0..).zip(&self.buffer) {
            // Shards without values end where the one before does.
            while shard < of {
                ends.push(written);
                shard += 1;
            }
            value.write(&mut file)?;
        }
        ends.resize(self.shards as usize, self.buffer.len() as u64);
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Run { file, ends })
    }

    /// Passes the values of all runs in order, repeats included.
    fn merge(&self, shard: u32, mut take: impl FnMut(R) -> Result<(), Error>) -> Result<(), Error> {
        let reading = |error| Error::writing(&self.folder)(error);
        let piece = (self.memory / 16 / self.runs.len() as u64) as usize;
        let piece = piece.clamp(BATCH, LONGEST_PIECE);
        let readers = self
            .runs
            .iter()
            .map(|run| run.reader(shard, piece, size_of::<R>() as u64));
        let mut readers = readers.collect::<io::Result<Vec<_>>>().map_err(reading)?;
        let mut heap = BinaryHeap::new();
        for (index, reader) in readers.iter_mut().enumerate() {
            heap.extend(
                R::next(reader)
                    .map_err(reading)?
                    .map(|value| Reverse((value, index))),
            );
        }
        while let Some(mut top) = heap.peek_mut() {
            let Reverse((value, index)) = *top;
            match R::next(&mut readers[index]).map_err(reading)? {
                Some(next) => *top = Reverse((next, index)),
                None => {
                    PeekMut::pop(top);
                }
            }
            take(value)?;
        }
        Ok(())
    }
}

impl<R: Record> Values for Spilled<R> {
    #[inline]
    fn push(&mut self, shard: u32, value: u128) -> Result<(), Error> {
        if self.buffer.len() == self.buffer.capacity() {
            self.make_room()?;
        }
        self.buffer.push((shard, R::of(value)));
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.sort();
        if !self.runs.is_empty() {
            self.spill()?;
            self.buffer = Vec::new();
        }
        Ok(())
    }

    fn each(&self, shard: u32, take: &mut dyn FnMut(&[u128]) -> Result<(), Error>) -> Result<(), Error> {
        let mut batch = Vec::with_capacity(BATCH);
        if self.runs.is_empty() {
            let start = self.buffer.partition_point(|value| value.0 < shard);
            let rest = &self.buffer[start..];
            let of_shard = &rest[..rest.partition_point(|value| value.0 == shard)];
            for values in of_shard.chunks(BATCH) {
                batch.clear();
                batch.extend(values.iter().map(|(_, value)| value.value()));
                take(&batch)?;
            }
            return Ok(());
        }
        let mut last = None;
        self.merge(shard, |value| {
            if last.replace(value) != Some(value) {
                batch.push(value.value());
                if batch.len() == BATCH {
                    take(&batch)?;
                    batch.clear();
                }
            }
            Ok(())
        })?;
        take(&batch)
    }
}
