//! A set of keys, packed into one buffer.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use xxhash_rust::xxh3::xxh3_64;

use super::KEYS_UNWATCHED;
use key_input::{KeyForm, Keys};
use records::error::Error;
use terminal::progress::{Progress, go_on};

/// Keys back to back in one buffer, in a fixed order.
///
/// [`read`](Self::read) drops duplicates; [`push`](Self::push) keeps them.
///
/// ```
/// use hash_comparison::keys::KeySet;
/// use terminal::progress::Silent;
///
/// let lines = KeySet::from_lines(b"one\ntwo\r\n\none", &Silent)?;
/// assert_eq!(lines.keys.iter().collect::<Vec<_>>(), [&b"one"[..], b"two", b""]);
/// assert_eq!(lines.duplicates, 1);
/// # Ok::<(), records::error::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeySet {
    bytes: Vec<u8>,
    /// The end of each key, which is the start of the next key.
    ends: Vec<u32>,
}

/// The result of [`KeySet::read`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distinct {
    /// The distinct keys.
    pub keys: KeySet,
    /// The number of duplicates dropped.
    pub duplicates: u64,
}

/// The maximum size of a [`KeySet`] in bytes: positions are 32 bits wide.
pub const MAX_BYTES: u64 = u32::MAX as u64;

/// Returns the error for more than [`MAX_BYTES`] bytes.
pub(super) fn too_large(bytes: u64) -> Error {
    Error::input(format!(
        "the keys must have at most {MAX_BYTES} bytes (4 GiB), got {bytes}: split the file"
    ))
}

/// The maximum size of a key in bytes.
pub const MAX_KEY_BYTES: u64 = 1 << 26;

/// A key in the table of those read: half of its hash, so that the table grows without looking at keys, and its index.
type Seen = (u32, u32);

impl KeySet {
    /// Returns the distinct lines of `data` in their order, as [`read`](Self::read) does.
    ///
    /// # Errors
    ///
    /// The errors of [`read`](Self::read).
    pub fn from_lines(data: &[u8], progress: &dyn Progress) -> Result<Distinct, Error> {
        let mut keys = Keys::of("the keys", data, &KeyForm::default(), MAX_KEY_BYTES, progress)?;
        Self::read(&mut keys, progress)
    }

    /// Reads all keys. The first of equal keys stays. `progress` is checked for a stop every few milliseconds.
    ///
    /// # Errors
    ///
    /// Returns an error if a key cannot be read, the distinct keys have more than [`MAX_BYTES`] bytes or do not fit into
    /// memory, or `progress` requests a stop.
    pub fn read(source: &mut Keys<'_>, progress: &dyn Progress) -> Result<Distinct, Error> {
        let mut keys = Self::default();
        let mut seen: HashTable<Seen> = HashTable::new();
        let mut duplicates = 0;
        // The table takes the place of a key from the low bits, and compares high ones first.
        let spread = |half: u32| u64::from(half) << 32 | u64::from(half);
        while let Some(key) = source.next_key()? {
            if (keys.len() + duplicates as usize).is_multiple_of(KEYS_UNWATCHED) {
                go_on(progress)?;
            }
            let half = xxh3_64(key) as u32;
            let same = |&(other, index): &Seen| other == half && keys.get(index as usize) == key;
            match seen.entry(spread(half), same, |&(half, _)| spread(half)) {
                Entry::Occupied(_) => duplicates += 1,
                Entry::Vacant(slot) => {
                    slot.insert((half, keys.len() as u32));
                    let bytes = (keys.bytes.len() + key.len()) as u64;
                    if bytes > MAX_BYTES {
                        return Err(too_large(bytes));
                    }
                    let room = keys.bytes.try_reserve(key.len());
                    room.map_err(|_| Error::input("the keys do not fit into memory: split the file"))?;
                    keys.push(key);
                }
            }
        }
        keys.bytes.shrink_to_fit();
        keys.ends.shrink_to_fit();
        Ok(Distinct { keys, duplicates })
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
