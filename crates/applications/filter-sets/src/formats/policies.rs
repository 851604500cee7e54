//! The formats of storage engines, which `filter_policy::formats` lists.

use std::sync::Arc;

use filter_policy::parquet::SplitBlockFilterMut;
use filter_policy::policies::{self, AnyPolicy};
use filter_policy::sizing::Textbook;
use filter_policy::view::{FilterKind, FilterView};
use filter_policy::{
    Answers, BitsPerKey, FilterPolicy, HashFunctionId, HashValue, KeyHash, KeyHashes, MATCHES_EVERYTHING,
    OwnedFilter,
};
use filter_policy::{AnyFormat, formats};
use hashzoo::xxh3_64;

use crate::bytes::FilterData;
use crate::error::Error;
use crate::format::{Fill, GoOn, Hasher, Hashes, Plan, Result, Size, Sizing, StoredFormat, World};

/// The seed of the second hash of a key, which no format and no shard function uses.
const IDENTITY_SEED: u64 = 0x6b65_7973;

/// Returns the format of a policy whose name is derived from that of another: with another seed, or over prefixes.
pub(super) fn derived(name: &str) -> Option<StoredFormat> {
    policies::reader(name).ok()?;
    let listed = policies::listed(name)?;
    let format = formats::ALL
        .iter()
        .find(|format| format.name() == listed.name())?;
    Some(StoredFormat::derived(World::Policy(*format), name))
}

/// Returns the policy that reads filters of a format.
fn reader(format: &StoredFormat) -> Result<AnyPolicy> {
    policies::reader(format.name()).map_err(Error::argument)
}

fn policy(format: &StoredFormat, bits_per_key: BitsPerKey) -> Result<AnyPolicy> {
    policies::by_name(format.name(), bits_per_key).map_err(Error::argument)
}

/// Returns the function of a policy's hash values.
fn function(policy: &AnyPolicy) -> Result<HashFunctionId> {
    let function = policy.key_hash(b"").map(KeyHash::function);
    function.ok_or_else(|| Error::argument("can be queried, but not built: it has no hash values"))
}

/// A filter that a policy writes.
struct Planned {
    bits_per_key: BitsPerKey,
    function: HashFunctionId,
    /// The most bytes that the filter has.
    len: usize,
    /// Set if it is a split-block filter of this length, whatever the number of keys, as many as fit into the bytes given.
    is_exact: bool,
}

/// Plans the filter of a size.
fn planned(
    sizes: &dyn AnyFormat,
    format: &StoredFormat,
    keys: u64,
    capacity: Option<u64>,
    size: Size,
) -> Result<Planned> {
    if capacity.is_some() {
        return Err(Error::argument(
            "is sized by its keys alone: no capacity can be given",
        ));
    }
    let bits_per_key = match size {
        Size::BitsPerKey(bits) => BitsPerKey::fractional(bits),
        Size::Rate(rate) => sizes.bits_per_key_for_rate(keys.max(1), rate),
        Size::Bytes(bytes) => sizes.bits_per_key_for_len(keys.max(1), bytes),
        Size::Bits(_) => return Err(Error::argument("give bits per key, not bits")),
    };
    let bits_per_key = bits_per_key.map_err(Error::argument)?;
    let policy = policy(format, bits_per_key)?;
    let function = function(&policy)?;
    let is_exact = matches!(size, Size::Bytes(_)) && sizes.kind() == formats::SPLIT_BLOCK.kind();
    let len = match size {
        // Bits per key have a limit, which keeps filters of fewer keys smaller.
        Size::Bytes(bytes) if is_exact => {
            let many = keys.max(8);
            let bits = sizes.bits_per_key_for_len(many, bytes);
            let len = bits.and_then(|bits| sizes.filter_len(many, bits));
            usize::try_from(len.map_err(Error::argument)?).map_err(Error::argument)?
        }
        _ => {
            let count = usize::try_from(keys).unwrap_or(usize::MAX);
            policy.max_filter_len(count).map_err(Error::argument)?
        }
    };
    Ok(Planned {
        bits_per_key,
        function,
        len,
        is_exact,
    })
}

/// Returns an error for bytes without a header that are no filter of the format.
pub(super) fn check_bare(listed: &dyn AnyFormat, bytes: &[u8]) -> Result<()> {
    let view = FilterView::new(listed, bytes);
    let (name, len) = (listed.name(), bytes.len());
    // Other writers may have shorter filters than this crate, but none of fewer than 64 bits.
    let least = listed
        .filter_len(1, BitsPerKey::whole(1))
        .map_err(Error::argument)?;
    let reason = match view.kind() {
        // Written where a filter could not be built.
        FilterKind::Reserved if bytes == MATCHES_EVERYTHING => return Ok(()),
        FilterKind::Reserved => format!("no filter of {name}: {}", listed.damage(bytes)),
        FilterKind::Filter(_) if view.bits() >= 64 || len as u64 >= least => return Ok(()),
        _ => format!("no filter of {name} has the length of {len} bytes"),
    };
    Err(Error::argument(reason))
}

pub(super) fn hasher(format: &StoredFormat) -> Result<Hasher> {
    let policy = reader(format)?;
    let bits = function(&policy)?.bits();
    Ok(Hasher {
        is_narrow: true,
        hash: Box::new(move |key| {
            let hash = policy.key_hash(key)?.value();
            // Keys are counted, and two of 100,000 keys share 32 bits as often as not.
            Some(
                match bits {
                    64 => hash,
                    _ => hash << 32 | xxh3_64(key, IDENTITY_SEED) >> 32,
                }
                .into(),
            )
        }),
    })
}

pub(super) fn plan(
    sizes: &'static dyn AnyFormat,
    format: &StoredFormat,
    keys: u64,
    capacity: Option<u64>,
    size: Size,
) -> Result<Plan<Filled>> {
    let plan = planned(sizes, format, keys, capacity, size)?;
    let Planned {
        bits_per_key,
        function,
        ..
    } = plan;
    let format = format.clone();
    let memory =
        |bytes| (plan.len as u64).saturating_add(keys.saturating_mul(bytes + sizes.building_bytes_per_key()));
    Ok(Plan {
        memory: memory(u64::from(function.bits() / 8)),
        // Only hash values of 32 bits are copied.
        memory_at_once: memory(if function.bits() == 32 { 4 } else { 0 }),
        make: Box::new(move || {
            let policy = policy(&format, bits_per_key)?;
            Filled::start(sizes, policy, &plan, keys)
        }),
        rate: Some(Box::new(move || {
            sizes.expected_rate(keys, bits_per_key).map_err(Error::argument)
        })),
    })
}

pub(super) fn sizing(
    sizes: &dyn AnyFormat,
    format: &StoredFormat,
    keys: u64,
    capacity: Option<u64>,
    size: Size,
) -> Result<Sizing> {
    let plan = planned(sizes, format, keys, capacity, size)?;
    let bits_per_key = plan.bits_per_key;
    let bytes = match plan.is_exact {
        true => plan.len as u64,
        false => sizes.filter_len(keys, bits_per_key).map_err(Error::argument)?,
    };
    let probe_count = sizes.probe_count(keys, bits_per_key).map_err(Error::argument)?;
    let rate = sizes.expected_rate(keys, bits_per_key).map_err(Error::argument)?;
    let wanted = bits_per_key.get();
    let is_wanted = matches!(size, Size::BitsPerKey(_));
    let is_small = is_wanted && bytes as f64 * 8.0 < 0.9 * wanted * keys as f64;
    let has_high_rate = Textbook::BEST.rate_at(wanted).is_ok_and(|best| rate > 1.5 * best);
    let mut more = (1..=200)
        // Without the digits of a sum.
        .map(|tenths| ((wanted + f64::from(tenths) / 10.0) * 1e6).round() / 1e6)
        .take_while(|_| is_small && has_high_rate);
    let next_bits_per_key = more.find(|&bits| {
        let bits = BitsPerKey::fractional(bits).and_then(|bits| sizes.filter_len(keys, bits));
        bits.is_ok_and(|larger| larger > bytes)
    });
    Ok(Sizing {
        bytes,
        bits_per_key: Some(bits_per_key.get()),
        next_bits_per_key,
        probe_count,
        rate,
    })
}

/// Hash values of a policy, which are the high part, or all, of the 64 bits that identify a key.
enum Values {
    Of32(Vec<u32>),
    Of64(Vec<u64>),
}

/// The filter of a policy, which is built from all hash values at once.
pub(crate) struct Filled {
    sizes: &'static dyn AnyFormat,
    policy: AnyPolicy,
    function: HashFunctionId,
    is_exact: bool,
    /// The number of keys.
    keys: usize,
    values: Values,
    filter: Vec<u8>,
}

/// Returns a vector with room for so many values: one that grows would take twice the memory.
fn reserved<T>(len: usize, keys: usize) -> Result<Vec<T>> {
    let mut values = Vec::new();
    let refused = |_| Error::out_of_memory(format_args!("no memory for a filter of {keys} keys"));
    values.try_reserve_exact(len).map_err(refused)?;
    Ok(values)
}

impl Filled {
    /// Makes room for the filter of this many keys.
    fn start(sizes: &'static dyn AnyFormat, policy: AnyPolicy, plan: &Planned, keys: u64) -> Result<Self> {
        let keys = usize::try_from(keys).map_err(Error::argument)?;
        let mut filter = reserved(plan.len, keys)?;
        filter.resize(plan.len, 0);
        Ok(Self {
            sizes,
            policy,
            function: plan.function,
            is_exact: plan.is_exact,
            keys,
            values: match plan.function.bits() {
                32 => Values::Of32(Vec::new()),
                _ => Values::Of64(Vec::new()),
            },
            filter,
        })
    }

    fn build<H: HashValue>(&mut self, hashes: &[H]) -> Result<()> {
        if self.is_exact {
            // The policy makes it shorter for few keys.
            let filter = SplitBlockFilterMut::new(&mut self.filter).map_err(Error::argument);
            filter?.insert_raw_hashes(hashes.iter().map(|&hash| hash.into()));
            return Ok(());
        }
        let hashes = KeyHashes::new(self.function, hashes);
        let filter = self.policy.create_from_hashes(hashes, &mut self.filter);
        let filter = filter.map_err(|error| match error {
            filter_policy::Error::AllocationFailed { .. } => Error::out_of_memory(error),
            _ => Error::argument(error),
        })?;
        let len = filter.len();
        self.filter.truncate(len);
        Ok(())
    }

    pub(crate) fn add(&mut self, hashes: Hashes<'_>) -> Result<()> {
        let Hashes::Narrow(identities) = hashes else {
            // Other bits would make a filter that denies keys.
            return Err(Error::argument("64 bits must identify a key, got 128"));
        };
        match &mut self.values {
            Values::Of32(values) => {
                make_room(values, self.keys)?;
                values.extend(identities.iter().map(|identity| (identity >> 32) as u32));
            }
            Values::Of64(values) => {
                make_room(values, self.keys)?;
                values.extend_from_slice(identities);
            }
        }
        Ok(())
    }

    /// Builds the filter of all its hash values. `go_on` gets their number.
    pub(crate) fn fill(&mut self, all: Hashes<'_>, go_on: GoOn<'_>) -> Result<()> {
        go_on(all.len() as u64)?;
        match (all, &self.values) {
            (Hashes::Narrow(hashes), Values::Of64(_)) => self.build(hashes),
            _ => {
                self.add(all)?;
                self.finish()
            }
        }
    }

    /// Builds the filter of the hash values that were added.
    pub(crate) fn finish(&mut self) -> Result<()> {
        match std::mem::replace(&mut self.values, Values::Of64(Vec::new())) {
            Values::Of32(values) => self.build(&values),
            Values::Of64(values) => self.build(&values),
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.filter
    }

    pub(crate) fn rate(&self) -> f64 {
        FilterView::new(self.sizes, &self.filter).expected_rate()
    }

    pub(crate) fn open(self, format: &StoredFormat) -> Result<OpenedFilter> {
        OpenedFilter::open(self.sizes, format, FilterData::new(self.filter))
    }
}

/// Makes room for the hash values of so many keys before the first.
fn make_room<T>(values: &mut Vec<T>, keys: usize) -> Result<()> {
    if values.is_empty() {
        *values = reserved(keys, keys)?;
    }
    Ok(())
}

/// A policy's filter, opened for queries.
#[derive(Clone)]
pub(crate) struct OpenedFilter {
    listed: &'static dyn AnyFormat,
    filter: OwnedFilter<Arc<AnyPolicy>, FilterData>,
}

impl OpenedFilter {
    pub(super) fn open(
        listed: &'static dyn AnyFormat,
        format: &StoredFormat,
        bytes: FilterData,
    ) -> Result<Self> {
        let filter = OwnedFilter::new(Arc::new(reader(format)?), bytes);
        Ok(Self { listed, filter })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.filter.bytes()
    }

    pub(crate) fn view(&self) -> FilterView<'_> {
        FilterView::new(self.listed, self.filter.bytes())
    }

    pub(crate) fn contains(&self, key: &[u8]) -> bool {
        self.filter.may_match(key)
    }

    pub(crate) fn contains_many(&self, keys: &[&[u8]]) -> Vec<bool> {
        let mut words = vec![0; Answers::words_for(keys.len())];
        let mut answers = Answers::new(&mut words);
        // There are enough words.
        let _ = self.filter.may_match_slices(keys, &mut answers);
        answers.iter().collect()
    }

    pub(crate) fn fill(&self) -> Option<Fill> {
        let view = self.view();
        Some(Fill {
            bits: view.bits(),
            ones: view.ones()?,
            probe_count: view.probe_count(),
            estimated_len: view.estimated_len(),
            has_chosen_probes: false,
        })
    }

    /// Sets the bits of a Bloom filter that are set in another.
    pub(crate) fn merge(&mut self, other: &Self) -> Result<()> {
        let stored = self.listed;
        let (mut bits, other) = (self.filter.bytes().to_vec(), other.filter.bytes());
        let (one, another) = (FilterView::new(stored, &bits), FilterView::new(stored, other));
        let probes = |view: FilterView<'_>| view.probe_count().filter(|&probes| probes > 0);
        let Some((probes, others)) = probes(one).zip(probes(another)) else {
            let name = self.listed.name();
            return Err(Error::argument(format_args!(
                "only Bloom filters can be merged, and this is none ({name})"
            )));
        };
        let len = one.bit_array().len();
        // The other bytes contain the probe count.
        if bits.len() != other.len() || bits.get(len..) != other.get(another.bit_array().len()..) {
            return Err(Error::argument(format_args!(
                "filters that are merged must have equal sizes and probe counts, got {} and {} bytes with {probes} and \
                 {others} probes",
                bits.len(),
                other.len(),
            )));
        }
        for (bits, other) in bits[..len].iter_mut().zip(other) {
            *bits |= other;
        }
        self.filter = OwnedFilter::new(Arc::clone(self.filter.policy()), FilterData::new(bits));
        Ok(())
    }
}
