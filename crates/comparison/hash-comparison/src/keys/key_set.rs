//! A set of keys, packed into one buffer.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use xxhash_rust::xxh3::xxh3_64;

use records::error::Error;
use terminal::lines;
use terminal::progress::{Progress, go_on};

/// Keys back to back in one buffer, in a fixed order.
///
/// [`from_lines`](Self::from_lines) drops duplicates; [`push`](Self::push) keeps them.
///
/// ```
/// use hash_comparison::keys::KeySet;
/// use terminal::progress::Silent;
///
/// let lines = KeySet::from_lines(b"one\ntwo\r\n\none".to_vec(), &Silent)?;
/// assert_eq!(lines.keys.iter().collect::<Vec<_>>(), [&b"one"[..], b"two", b""]);
/// assert_eq!((lines.duplicates, lines.carriage_returns), (1, 1));
/// # Ok::<(), records::error::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeySet {
    bytes: Vec<u8>,
    /// The end of each key, which is the start of the next key.
    ends: Vec<u32>,
}

/// The result of [`KeySet::from_lines`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// The distinct lines.
    pub keys: KeySet,
    /// The number of duplicates dropped.
    pub duplicates: u64,
    /// The number of CRs that belonged to ends of lines.
    pub carriage_returns: u64,
}

/// The maximum size of a [`KeySet`] in bytes: positions are 32 bits wide.
pub const MAX_BYTES: u64 = u32::MAX as u64;

/// Returns the error for more than [`MAX_BYTES`] bytes.
pub(super) fn too_large(bytes: u64) -> Error {
    Error::input(format!(
        "the keys must have at most {MAX_BYTES} bytes (4 GiB), got {bytes}: split the file"
    ))
}

/// Lines read between two checks for a stop.
const LINES_UNWATCHED: u32 = 1 << 16;

impl KeySet {
    /// Returns the distinct lines of `data` in their order.
    ///
    /// Lines end as [`lines::key`] describes. An empty line is the empty key. An LF at the end of the data begins no
    /// further line. The first of equal lines stays.
    ///
    /// The keys stay in the buffer of `data`, so the bytes are held once. `progress` is checked for a stop every few
    /// milliseconds.
    ///
    /// # Errors
    ///
    /// Returns an error if `data` is longer than [`MAX_BYTES`], or `progress` requests a stop.
    pub fn from_lines(mut data: Vec<u8>, progress: &dyn Progress) -> Result<Lines, Error> {
        if data.len() as u64 > MAX_BYTES {
            return Err(too_large(data.len() as u64));
        }
        let most = most_distinct_lines(&data);
        let mut ends: Vec<u32> = Vec::with_capacity(most);
        // Indices into `ends`, one for each key kept. Room for all keys avoids rehashing.
        let mut seen: HashTable<u32> = HashTable::with_capacity(most);
        let (mut duplicates, mut carriage_returns) = (0, 0);
        let mut kept_bytes = 0;
        let mut next = 0;
        let mut unwatched = LINES_UNWATCHED;
        while next < data.len() {
            unwatched -= 1;
            if unwatched == 0 {
                go_on(progress)?;
                unwatched = LINES_UNWATCHED;
            }
            let start = next;
            let line_feed = data[start..].iter().position(|&byte| byte == b'\n');
            next = line_feed.map_or(data.len(), |length| start + length + 1);
            let key = lines::key(&data[start..next], &mut carriage_returns);
            let end = start + key.len();
            let same = |&index: &u32| get(&data, &ends, index as usize) == key;
            let rehash = |&index: &u32| xxh3_64(get(&data, &ends, index as usize));
            match seen.entry(xxh3_64(key), same, rehash) {
                Entry::Occupied(_) => duplicates += 1,
                Entry::Vacant(slot) => {
                    slot.insert(ends.len() as u32);
                    data.copy_within(start..end, kept_bytes);
                    kept_bytes += end - start;
                    ends.push(kept_bytes as u32);
                }
            }
        }
        data.truncate(kept_bytes);
        Ok(Lines {
            keys: Self { bytes: data, ends },
            duplicates,
            carriage_returns,
        })
    }

    /// Appends a key.
    ///
    /// # Panics
    ///
    /// Panics if the set would be larger than [`MAX_BYTES`].
    pub fn push(&mut self, key: &[u8]) {
        self.bytes.extend_from_slice(key);
        let end = u32::try_from(self.bytes.len()).expect("a key set holds at most 4 GiB");
        self.ends.push(end);
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there are no keys.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the total number of bytes of all keys.
    pub fn total_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the key at `index`.
    ///
    /// # Panics
    ///
    /// Panics if `index` is not below [`len`](Self::len).
    pub fn get(&self, index: usize) -> &[u8] {
        get(&self.bytes, &self.ends, index)
    }

    /// Returns the keys in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.len()).map(|index| self.get(index))
    }
}

impl<K: AsRef<[u8]>> FromIterator<K> for KeySet {
    /// Collects all keys in order, including equal keys.
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> Self {
        let mut set = Self::default();
        for key in keys {
            set.push(key.as_ref());
        }
        set
    }
}

/// Returns the key at `index` of a packed buffer.
fn get<'a>(bytes: &'a [u8], ends: &[u32], index: usize) -> &'a [u8] {
    let start = if index == 0 { 0 } else { ends[index - 1] as usize };
    &bytes[start..ends[index] as usize]
}

/// Returns an upper bound of the number of distinct lines: at most the number of lines. Only 65,793 keys have fewer
/// than three bytes, and the others take at least four with their line feed, so a file of empty lines does not cause
/// allocations much larger than itself.
fn most_distinct_lines(data: &[u8]) -> usize {
    let line_feeds = data.iter().filter(|&&byte| byte == b'\n').count();
    (line_feeds + 1).min(data.len() / 4 + 65_794)
}
