//! A filter with its kind of key: how the kind is decided, read, stated and merged.

use filter_sets::{Header, StoredFilter, StoredFormat};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use terminal::number::{grouped, percent};

use crate::error;
use crate::keys::{Family, Kind};

pub(crate) const UNDECIDED: &str = Header::UNDECIDED;
const UNSTATED: &str = Header::UNSTATED;

/// Returns the name of a format that users type.
pub(crate) fn name_of(format: &StoredFormat) -> &str {
    let is_own = StoredFormat::all().any(|own| own.name() == format.name());
    // A name that is derived from another one has no short one.
    let short = format.short_names().first().filter(|_| is_own);
    short.map_or(format.name(), |short| short)
}

/// Returns the kind of keys of a new filter, if it is known before the first key.
pub(crate) fn kind_of(name: &str, given: Option<&str>) -> PyResult<Option<Kind>> {
    let kind = given.map(Kind::named).transpose()?;
    for_redis(&StoredFormat::named(name).map_err(error)?, kind)
}

/// Returns the kind that is given for a filter of a format, which is text if it is one for Redis: `BF.ADD f 7` adds "7".
fn for_redis(format: &StoredFormat, given: Option<Kind>) -> PyResult<Option<Kind>> {
    match given {
        Some(other) if other != Kind::Text && format.has_commands() => Err(not_for_redis(other.name())),
        None if format.has_commands() => Ok(Some(Kind::Text)),
        given => Ok(given),
    }
}

fn not_for_redis(got: &str) -> PyErr {
    PyTypeError::new_err(format!(
        "keys of a filter for Redis must be text, got {got}: pass str(key), as Redis has it"
    ))
}

/// Returns the format for reading bytes: the given one, or the one that the bytes state. Its encoding is that of the given
/// kind of key.
pub(crate) fn reading_format(
    given: Option<&str>,
    kind: Option<Kind>,
    stated: Option<StoredFormat>,
) -> PyResult<Option<StoredFormat>> {
    let given = given.map(StoredFormat::named).transpose().map_err(error)?;
    // The stated format contains the seed and the encoding.
    let is_stated = |given: &StoredFormat| {
        stated
            .as_ref()
            .is_some_and(|stated| stated.name() == given.name())
    };
    let format = given.filter(|given| !is_stated(given)).or(stated);
    Ok(match kind {
        Some(kind) => format.map(|format| format.encoding(kind.encoding())),
        None => format,
    })
}

/// A filter, and its kind of key once that is decided. A filter without a kind has no keys.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) filter: StoredFilter,
    pub(crate) kind: Option<Kind>,
    /// Set if the keys were in bytes that do not tell their kind, and nobody did.
    is_guessed: bool,
    /// The number of keys, as the header counts them, from which on the filter may be too full: then its bits are looked at.
    check_at: u64,
}

/// The factor between the stated rate and the one of a filter that is too full: 2, and what a sample may err.
const TOO_FULL: f64 = 2.1;

/// The most bits of a filter whose rate differs from that of most filters of as many keys.
const SMALL: u64 = 1 << 18;

/// Returns the name of a kind in headers.
fn stated_name(kind: Option<Kind>, is_guessed: bool) -> &'static str {
    match kind {
        Some(_) if is_guessed => UNSTATED,
        Some(kind) => kind.stated(),
        None => UNDECIDED,
    }
}

impl State {
    pub(crate) const fn of(filter: StoredFilter, kind: Option<Kind>) -> Self {
        let (is_guessed, check_at) = (false, 0);
        Self {
            filter,
            kind,
            is_guessed,
            check_at,
        }
    }

    /// Takes a filter that was read with this kind, if it was given. The number of keys is estimated if `counts_keys` is
    /// true and it is not stated.
    pub(crate) fn read(mut filter: StoredFilter, given: Option<Kind>, counts_keys: bool) -> PyResult<Self> {
        let Some(stated) = filter.key_kind() else {
            return Self::read_bare(filter, given, counts_keys);
        };
        if stated == UNDECIDED && filter.is_empty() {
            let given = for_redis(filter.format(), given)?;
            if filter.format().takes_keys() {
                filter.state_keys(stated_name(given, false), 0).map_err(error)?;
            }
            return Ok(Self::of(filter, given));
        }
        if stated == UNDECIDED || stated == UNSTATED {
            // The header is of no help, but the filter may state an encoding.
            let stated = filter.format().clone();
            let format = match given {
                Some(kind) => stated.encoding(kind.encoding()),
                None => stated,
            };
            let bare = StoredFilter::from_bytes(Some(&format), filter.stored_bytes()).map_err(error)?;
            let mut read = Self::read_bare(bare, given, counts_keys)?;
            read.filter.state_made_for(&filter);
            return Ok(read);
        }
        // Other programs choose names of their own, which do not state the encoding.
        let kind = kind_in(&filter)?;
        match given.filter(|given| *given != kind) {
            None => Ok(Self::of(filter, Some(kind))),
            Some(given) => Err(PyValueError::new_err(format!(
                "keys must be {:?} as the file states, got {:?}: leave keys out",
                kind.name(),
                given.name()
            ))),
        }
    }

    /// Takes a filter without a header.
    fn read_bare(mut filter: StoredFilter, given: Option<Kind>, counts_keys: bool) -> PyResult<Self> {
        let given = for_redis(filter.format(), given)?;
        let kind = kind_in(&filter)?;
        let is_guessed = given.is_none() && kind == Kind::Text;
        // Under a wrong kind of text, too, every key would be denied.
        if is_guessed && name_of(filter.format()) == "guava" {
            return Err(PyValueError::new_err(
                "Guava's stream does not say what its keys are, so keys must be given: \"text\" for stringFunnel(UTF_8) and \
                 byteArrayFunnel, \"int64\" for longFunnel, \"int32\" for integerFunnel, \"utf16\" for unencodedCharsFunnel",
            ));
        }
        let kind = Some(kind);
        let fill = counts_keys.then(|| filter.fill()).flatten();
        let keys = fill.and_then(|fill| fill.estimated_len).unwrap_or(0);
        filter
            .state_keys(stated_name(kind, is_guessed), keys)
            .map_err(error)?;
        Ok(Self {
            is_guessed,
            ..Self::of(filter, kind)
        })
    }

    /// Returns the text of a warning the first time that the filter has too many more keys than it was made for. It is `None`
    /// at once unless the number of insertions allows that.
    #[inline]
    pub(crate) fn overfilled(&mut self) -> Option<String> {
        let keys = self.filter.key_count().filter(|&keys| keys >= self.check_at)?;
        self.check(keys)
    }

    #[cold]
    fn check(&mut self, keys: u64) -> Option<String> {
        // Never again, unless something else follows.
        self.check_at = u64::MAX;
        let filter = &self.filter;
        let capacity = filter.capacity()?;
        // So few more do not double the rate.
        let least = capacity + capacity / 16;
        if keys <= least {
            self.check_at = least + 1;
            return None;
        }
        let full = filter.rate_at(capacity);
        let stated = filter.wanted_rate().unwrap_or(0.0).max(full);
        let limit = TOO_FULL * stated;
        let grows_or_refuses = filter.format().takes_keys() && full == 0.0;
        if grows_or_refuses || limit == 0.0 || limit >= 1.0 {
            return None;
        }
        // Only if so many different keys would be too many.
        let is_possible = full == 0.0 || filter.rate_at(keys) > limit;
        let (len, rate) = match is_possible.then(|| filter.load()) {
            None => (None, 0.0),
            Some(Some(load)) if load.rate <= limit || filter.bits() > SMALL => (load.len, load.rate),
            Some(Some(load)) => (load.len, filter.expected_rate()),
            // A filter of an engine, which was merged.
            Some(None) => (
                filter.fill().and_then(|fill| fill.estimated_len),
                filter.expected_rate(),
            ),
        };
        if rate <= limit {
            let len = len.unwrap_or(keys).min(keys);
            // A key may be in several generations.
            let wait = match self.counts_repeated() {
                true => capacity / 4,
                false => least.saturating_sub(len).max(len / 32),
            };
            self.check_at = keys.saturating_add(wait.max(1));
            return None;
        }
        let advice = match name_of(filter.format()) {
            "rotating" => "call rotate() earlier, or use a filter with a larger capacity",
            _ => "add all keys to a filter with a larger capacity, or use format=\"redisbloom\", which grows",
        };
        Some(format!(
            "the filter contains about {} keys and was made for {}: its false-positive rate is now {}, more than twice the \
             intended {}; {advice}",
            grouped(len.unwrap_or(keys).min(keys)),
            grouped(capacity),
            percent(rate),
            percent(stated),
        ))
    }

    /// Returns true if a key that is there changes bits.
    fn counts_repeated(&self) -> bool {
        self.filter.format().name() == "rotating"
    }

    /// Moves the next check if the last key was not new, or if one was removed: the header counts such keys, too.
    pub(crate) fn shift(&mut self, is_repeated: bool, is_removed: bool) {
        if is_removed && self.check_at < u64::MAX {
            self.check_at = self.check_at.saturating_sub(1);
        } else if is_repeated && !self.counts_repeated() {
            self.check_at = self.check_at.saturating_add(1);
        }
    }

    /// Inserts encoded keys.
    pub(crate) fn insert_many(&mut self, keys: &[&[u8]]) -> Result<(), filter_sets::Error> {
        let before = self.filter.key_count().unwrap_or(0);
        if before.saturating_add(keys.len() as u64) >= self.check_at && !self.counts_repeated() {
            // The check is put off by as many keys as are repeated. A few tell, because each takes long in large filters.
            let (len, capacity) = (keys.len() as u64, self.filter.capacity().unwrap_or(1));
            let step = keys.len() / (4 + (len * 32 / capacity).min(12) as usize);
            let sample: Vec<_> = keys.iter().step_by(step.max(64)).copied().collect();
            let found = self.filter.contains_encoded(&sample);
            let found = found.into_iter().filter(|&found| found).count();
            let repeated = len.max(capacity / 64) * found as u64 / sample.len().max(1) as u64;
            self.check_at = self.check_at.saturating_add(repeated);
        }
        self.filter.insert_encoded(keys)
    }

    /// Forgets how many keys there were.
    pub(crate) fn clear(&mut self) -> PyResult<()> {
        self.filter.clear().map_err(error)?;
        if self.check_at < u64::MAX {
            self.check_at = 0;
        }
        Ok(())
    }

    /// Returns the number of keys, unless only a whole mapped file tells it.
    pub(crate) fn quick_len(&self) -> Option<u64> {
        let filter = &self.filter;
        if let Some(load) = filter.load() {
            return load.len;
        }
        let counted = filter.key_count().filter(|_| !filter.format().takes_keys());
        match counted {
            Some(0) if filter.stated_rate().is_none() => None,
            Some(keys) if filter.stated_rate().is_some() => Some(keys),
            _ => filter.fill()?.estimated_len,
        }
    }

    /// Returns the kind of keys of this family that are queried.
    pub(crate) fn queried(&self, family: Family) -> PyResult<Kind> {
        if family == Family::Integers && self.filter.format().has_commands() {
            return Err(not_for_redis("int"));
        }
        let hint = match self.is_guessed {
            true => "; if its keys are integers, read it with keys=\"int64\"",
            false => "",
        };
        match self.kind {
            Some(kind) => kind.check(family, hint).map(|()| kind),
            None => Ok(family.kind()),
        }
    }

    /// Returns the kind of keys of this family that are inserted. The first ones decide it.
    pub(crate) fn inserted(&mut self, family: Family) -> PyResult<Kind> {
        let kind = self.queried(family)?;
        // Inserting into other filters fails.
        if self.kind.is_none() && self.filter.format().takes_keys() {
            self.filter.state_keys(kind.stated(), 0).map_err(error)?;
            self.kind = Some(kind);
        }
        Ok(kind)
    }

    /// Adds the keys of another filter. An error leaves this one as it was.
    pub(crate) fn merge(&mut self, other: &Self) -> PyResult<()> {
        if let (Some(one), Some(another)) = (self.kind, other.kind)
            && one != another
        {
            return Err(PyTypeError::new_err(format!(
                "filters that are merged must have one kind of key, {:?}, got {:?}",
                one.name(),
                another.name()
            )));
        }
        let (kind, is_guessed) = (self.kind.or(other.kind), self.is_guessed || other.is_guessed);
        let before = self.filter.key_kind().unwrap_or(UNDECIDED).to_owned();
        let name = match (kind, is_guessed) == (self.kind, self.is_guessed) {
            true => before.clone(),
            false => stated_name(kind, is_guessed).to_owned(),
        };
        let rename = |filter: &mut StoredFilter, name: &str| {
            let keys = filter.key_count().unwrap_or(0);
            filter.state_keys(name, keys)
        };
        let mut merge = || {
            rename(&mut self.filter, &name)?;
            if other.filter.key_kind() == Some(&name) {
                return self.filter.merge(&other.filter);
            }
            let mut theirs = other.filter.clone();
            rename(&mut theirs, &name)?;
            self.filter.merge(&theirs)
        };
        if let Err(reason) = merge() {
            rename(&mut self.filter, &before).map_err(error)?;
            return Err(error(reason));
        }
        (self.kind, self.is_guessed) = (kind, is_guessed);
        Ok(())
    }
}

/// Returns the kind of keys by their encoding, as far as header and bytes tell it.
pub(crate) fn kind_in(filter: &StoredFilter) -> PyResult<Kind> {
    let encoding = filter.format().key_encoding();
    Kind::of_encoding(encoding).ok_or_else(|| {
        PyValueError::new_err(format!(
            "the filter's keys must be text or integers, got {encoding}"
        ))
    })
}
