//! The formats of storage engines, which `filter_policy::formats` lists.

use std::io::{self, Write};
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
use crate::format::{
    AnyFilling, AnyOpened, Fill, Filling, FormatOperations, GoOn, Hasher, Hashes, NO_BITS, Opened, Plan,
    Result, Size, Sizing, StoredFormat, like,
};

/// The seed of the second hash of a key, which no format and no shard function uses.
const IDENTITY_SEED: u64 = 0x6b65_7973;

/// Returns the format of a policy whose name is derived from that of another: with another seed, or over prefixes.
pub(super) fn derived(name: &str) -> Option<StoredFormat> {
    policies::reader(name).ok()?;
    let listed = policies::listed(name)?;
    let format = formats::ALL
        .iter()
        .find(|format| format.name() == listed.name())?;
    Some(StoredFormat::derived(format, name))
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
        Size::Bits(_) => return Err(Error::argument(NO_BITS)),
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

impl FormatOperations for &'static dyn AnyFormat {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn short_names(&self) -> &'static [&'static str] {
        (**self).short_names()
    }

    fn is_known_by_bytes(&self) -> bool {
        false
    }

    fn takes_keys(&self) -> bool {
        false
    }

    fn owns(&self, bytes: &[u8]) -> bool {
        (**self).owns(bytes)
    }

    fn check_bare(&self, bytes: &[u8]) -> Result<()> {
        let view = FilterView::new(*self, bytes);
        let (name, len) = ((**self).name(), bytes.len());
        // Other writers may have shorter filters than this crate, but none of fewer than 64 bits.
        let least = self
            .filter_len(1, BitsPerKey::whole(1))
            .map_err(Error::argument)?;
        let reason = match view.kind() {
            // Written where a filter could not be built.
            FilterKind::Reserved if bytes == MATCHES_EVERYTHING => return Ok(()),
            FilterKind::Reserved => format!("no filter of {name}: {}", self.damage(bytes)),
            FilterKind::Filter(_) if view.bits() >= 64 || len as u64 >= least => return Ok(()),
            _ => format!("no filter of {name} has the length of {len} bytes"),
        };
        Err(Error::argument(reason))
    }

    fn hasher(&self, format: &StoredFormat) -> Result<Hasher> {
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

    fn plan(&self, format: &StoredFormat, keys: u64, capacity: Option<u64>, size: Size) -> Result<Plan> {
        let plan = planned(*self, format, keys, capacity, size)?;
        let Planned {
            bits_per_key,
            function,
            ..
        } = plan;
        let (sizes, format) = (*self, format.clone());
        let memory = |bytes| {
            (plan.len as u64).saturating_add(keys.saturating_mul(bytes + self.building_bytes_per_key()))
        };
        Ok(Plan {
            memory: memory(u64::from(function.bits() / 8)),
            // Only hash values of 32 bits are copied.
            memory_at_once: memory(if function.bits() == 32 { 4 } else { 0 }),
            make: Box::new(move || {
                let policy = policy(&format, bits_per_key)?;
                match function.bits() {
                    32 => Filled::<u32>::start(sizes, policy, &plan, keys),
                    _ => Filled::<u64>::start(sizes, policy, &plan, keys),
                }
            }),
            rate: Some(Box::new(move || {
                sizes.expected_rate(keys, bits_per_key).map_err(Error::argument)
            })),
        })
    }

    fn sizing(&self, format: &StoredFormat, keys: u64, capacity: Option<u64>, size: Size) -> Result<Sizing> {
        let plan = planned(*self, format, keys, capacity, size)?;
        let (sizes, bits_per_key) = (*self, plan.bits_per_key);
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

    fn open(&'static self, format: &StoredFormat, bytes: FilterData) -> Result<AnyOpened> {
        let (listed, filter) = (*self, OwnedFilter::new(Arc::new(reader(format)?), bytes));
        Ok(Box::new(OpenedFilter { listed, filter }))
    }
}

/// A policy's hash value, which is the high part, or all, of the 64 bits that identify a key.
trait Identified: HashValue {
    fn add(identities: &[u64], hashes: &mut Vec<Self>);

    /// Returns identities that are hash values.
    fn whole(_identities: &[u64]) -> Option<&[Self]> {
        None
    }
}

impl Identified for u32 {
    fn add(identities: &[u64], hashes: &mut Vec<Self>) {
        hashes.extend(identities.iter().map(|identity| (identity >> 32) as Self));
    }
}

impl Identified for u64 {
    fn add(identities: &[u64], hashes: &mut Vec<Self>) {
        hashes.extend_from_slice(identities);
    }

    fn whole(identities: &[u64]) -> Option<&[Self]> {
        Some(identities)
    }
}

/// The filter of a policy, which is built from all hash values at once.
struct Filled<H> {
    sizes: &'static dyn AnyFormat,
    policy: AnyPolicy,
    function: HashFunctionId,
    is_exact: bool,
    /// The number of keys.
    keys: usize,
    hashes: Vec<H>,
    filter: Vec<u8>,
}

impl<H: Identified + 'static> Filled<H> {
    /// Makes room for the filter of this many keys.
    fn start(
        sizes: &'static dyn AnyFormat,
        policy: AnyPolicy,
        &Planned {
            function,
            len,
            is_exact,
            ..
        }: &Planned,
        keys: u64,
    ) -> Result<AnyFilling> {
        let keys = usize::try_from(keys).map_err(Error::argument)?;
        let mut filter = reserved(len, keys)?;
        filter.resize(len, 0);
        Ok(Box::new(Self {
            sizes,
            policy,
            function,
            is_exact,
            keys,
            hashes: Vec::new(),
            filter,
        }))
    }
}

/// Returns a vector with room for so many values: one that grows would take twice the memory.
fn reserved<T>(len: usize, keys: usize) -> Result<Vec<T>> {
    let mut values = Vec::new();
    let refused = |_| Error::out_of_memory(format_args!("no memory for a filter of {keys} keys"));
    values.try_reserve_exact(len).map_err(refused)?;
    Ok(values)
}

impl<H: Identified> Filled<H> {
    fn build(&mut self, hashes: &[H]) -> Result<()> {
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
}

impl<H: Identified> Filling for Filled<H> {
    fn add(&mut self, hashes: Hashes<'_>) -> Result<()> {
        if self.hashes.is_empty() {
            self.hashes = reserved(self.keys, self.keys)?;
        }
        match hashes {
            Hashes::Narrow(identities) => H::add(identities, &mut self.hashes),
            // Other bits would make a filter that denies keys.
            Hashes::Wide(_) => return Err(Error::argument("64 bits must identify a key, got 128")),
        }
        Ok(())
    }

    fn fill(&mut self, all: Hashes<'_>, _memory: u64, go_on: GoOn<'_>) -> Result<()> {
        go_on(all.len() as u64)?;
        if let Hashes::Narrow(identities) = all
            && let Some(hashes) = H::whole(identities)
        {
            return self.build(hashes);
        }
        self.add(all)?;
        self.finish()
    }

    fn finish(&mut self) -> Result<()> {
        let hashes = std::mem::take(&mut self.hashes);
        self.build(&hashes)
    }

    fn write(&self, writer: &mut dyn Write) -> io::Result<()> {
        writer.write_all(&self.filter)
    }

    fn rate(&self) -> f64 {
        FilterView::new(self.sizes, &self.filter).expected_rate()
    }

    fn into_opened(self: Box<Self>, format: &StoredFormat) -> Result<AnyOpened> {
        format.operations.open(format, FilterData::new(self.filter))
    }
}

/// A policy's filter, opened for queries.
#[derive(Clone)]
struct OpenedFilter {
    listed: &'static dyn AnyFormat,
    filter: OwnedFilter<Arc<AnyPolicy>, FilterData>,
}

impl Opened for OpenedFilter {
    fn contains(&self, key: &[u8]) -> bool {
        self.filter.may_match(key)
    }

    fn contains_many(&self, keys: &[&[u8]]) -> Vec<bool> {
        let mut words = vec![0; Answers::words_for(keys.len())];
        let mut answers = Answers::new(&mut words);
        // There are enough words.
        let _ = self.filter.may_match_slices(keys, &mut answers);
        answers.iter().collect()
    }

    fn rate(&self) -> f64 {
        FilterView::new(self.listed, self.filter.bytes()).expected_rate()
    }

    fn fill(&self) -> Option<Fill> {
        let view = FilterView::new(self.listed, self.filter.bytes());
        Some(Fill {
            bits: view.bits(),
            ones: view.ones()?,
            probe_count: view.probe_count(),
            estimated_len: view.estimated_len(),
            has_chosen_probes: false,
        })
    }

    fn bits(&self) -> u64 {
        FilterView::new(self.listed, self.filter.bytes()).bits()
    }

    /// Sets the bits of a Bloom filter that are set in another.
    fn merge(&mut self, other: &dyn Opened) -> Result<()> {
        let stored = self.listed;
        let (mut bits, other) = (self.filter.bytes().to_vec(), like::<Self>(other)?.filter.bytes());
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

    fn write(&self, writer: &mut dyn Write) -> io::Result<()> {
        writer.write_all(self.filter.bytes())
    }

    fn cloned(&self) -> AnyOpened {
        Box::new(self.clone())
    }
}
