//! `FORMAT.md` implemented a second time, as slow and plain as the text: the stored forms equal those of the filters.

use guava_bloom::{Hash128, Parameters, Strategy};
use hashzoo::murmur3_x64_128;
use membership_filters::{
    BlockedBloomFilter, BlockedParameters, CounterWidth, CountingBloomFilter, CuckooFilter, CuckooParameters,
    GrowingBloomFilter, GrowingParameters, GrowthRule,
};

use super::support::hashes::Hashes;

fn header(start: &[u8; 8]) -> Vec<u8> {
    [start.as_slice(), &[1, 1, 0, 0], &[0; 4]].concat()
}

fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let (h1, _) = murmur3_x64_128(&bytes, 0);
    bytes.extend(h1.to_le_bytes());
    bytes
}

/// Packs numbers of this many bits without gaps, the low bits first, in whole words.
fn packed(numbers: &[u64], width: u32) -> Vec<u8> {
    let bits: Vec<bool> = numbers
        .iter()
        .flat_map(|number| (0..width).map(move |bit| number >> bit & 1 == 1))
        .collect();
    let mut bytes = vec![0; bits.len().div_ceil(64) * 8];
    for (i, _) in bits.iter().enumerate().filter(|(_, bit)| **bit) {
        bytes[i / 8] |= 1 << (i % 8);
    }
    bytes
}

/// Returns the positions of MURMUR128_MITZ_64 or MURMUR128_MITZ_32, each position once.
fn positions(ordinal: u8, hash: Hash128, k: u8, m: u64) -> Vec<u64> {
    let mut positions: Vec<u64> = (0..u64::from(k))
        .map(|i| match ordinal {
            1 => (hash.h1.wrapping_add(i.wrapping_mul(hash.h2)) & i64::MAX as u64) % m,
            _ => {
                let (a, b) = (hash.h1 as u32 as i32, (hash.h1 >> 32) as u32 as i32);
                let x = a.wrapping_add(b.wrapping_mul(i as i32 + 1));
                u64::from(if x < 0 { !x } else { x } as u32) % m
            }
        })
        .collect();
    positions.sort_unstable();
    positions.dedup();
    positions
}

#[test]
fn blocked() {
    const SALTS: [u32; 8] = [
        0x47b6_137b,
        0x4497_4d91,
        0x8824_ad5b,
        0xa2b7_289d,
        0x7054_95c7,
        0x2df1_424b,
        0x9efc_4947,
        0x5c6b_fb31,
    ];
    for b in [1_u32, 2, 7, 1000] {
        let parameters = BlockedParameters::with_blocks(b).unwrap();
        let mut filter = BlockedBloomFilter::new((), &parameters).unwrap();
        let mut words = vec![0_u32; b as usize * 8];
        for hash in Hashes::from_seed(b.into()).take(40) {
            filter.insert_hash(hash);
            let block = (u128::from(hash.h1 >> 32) * u128::from(b)) >> 32;
            for (j, salt) in SALTS.iter().enumerate() {
                words[block as usize * 8 + j] |= 1 << ((hash.h1 as u32).wrapping_mul(*salt) >> 27);
            }
        }
        let mut bytes = header(b"MFblocks");
        bytes.extend(u64::from(b).to_le_bytes());
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        assert_eq!(filter.to_bytes(), with_checksum(bytes));
    }
}

#[test]
fn counting() {
    for (strategy, bits) in [
        (Strategy::Murmur128Mitz64, 3),
        (Strategy::Murmur128Mitz64, 4),
        (Strategy::Murmur128Mitz32, 11),
    ] {
        let parameters = Parameters::new(30, 0.02).unwrap().with_strategy(strategy);
        let (m, k) = (parameters.bits(), parameters.probe_count());
        let width = CounterWidth::new(bits).unwrap();
        let mut filter = CountingBloomFilter::new((), &parameters, width).unwrap();
        let mut counters = vec![0_u64; m as usize];
        let largest = (1 << bits) - 1;
        let ordinal = strategy.ordinal();
        for (i, hash) in Hashes::from_seed(1).take(60).enumerate() {
            filter.insert_hash(hash);
            for position in positions(ordinal, hash, k, m) {
                let counter = &mut counters[position as usize];
                *counter = (*counter + 1).min(largest);
            }
            // Every third element is removed again.
            if i % 3 == 0 {
                filter.remove_hash(hash);
                for position in positions(ordinal, hash, k, m) {
                    let counter = &mut counters[position as usize];
                    *counter -= u64::from(*counter < largest);
                }
            }
        }
        let bytes = [
            header(b"MFcounts"),
            vec![ordinal, k, bits, 0, 0, 0, 0, 0],
            m.to_le_bytes().to_vec(),
            40_u64.to_le_bytes().to_vec(),
            packed(&counters, bits.into()),
        ];
        assert_eq!(filter.to_bytes(), with_checksum(bytes.concat()));
    }
}

fn scale(x: u64, n: u64) -> u64 {
    ((u128::from(x) * u128::from(n)) >> 64) as u64
}

fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The cuckoo filter of `FORMAT.md`.
struct Cuckoo {
    b: u64,
    f: u32,
    seed: u64,
    slots: Vec<u64>,
}

impl Cuckoo {
    fn place(&self, hash: Hash128) -> (u64, [u64; 2]) {
        let fingerprint = 1 + scale(hash.h2, (1 << self.f) - 1);
        let first = scale(hash.h1, self.b);
        (fingerprint, [first, self.other(first, fingerprint)])
    }

    fn other(&self, bucket: u64, fingerprint: u64) -> u64 {
        (2 * scale(mix(fingerprint), self.b / 2) + 1 + self.b - bucket) % self.b
    }

    fn first_of(&self, buckets: &[u64], value: u64) -> Option<usize> {
        buckets
            .iter()
            .flat_map(|bucket| 4 * bucket..4 * bucket + 4)
            .map(|slot| slot as usize)
            .find(|&slot| self.slots[slot] == value)
    }

    fn insert(&mut self, hash: Hash128) -> bool {
        let (mut fingerprint, buckets) = self.place(hash);
        if let Some(slot) = self.first_of(&buckets, 0) {
            self.slots[slot] = fingerprint;
            return true;
        }
        let before = self.slots.clone();
        let mut state = self.seed ^ hash.h1;
        let mut next = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            mix(state)
        };
        let mut bucket = buckets[(next() >> 63) as usize];
        for _ in 0..2000 {
            let slot = (4 * bucket + (next() >> 62)) as usize;
            core::mem::swap(&mut self.slots[slot], &mut fingerprint);
            bucket = self.other(bucket, fingerprint);
            if let Some(slot) = self.first_of(&[bucket], 0) {
                self.slots[slot] = fingerprint;
                return true;
            }
        }
        self.slots = before;
        false
    }

    fn remove(&mut self, hash: Hash128) -> bool {
        let (fingerprint, buckets) = self.place(hash);
        let found = self.first_of(&buckets, fingerprint);
        if let Some(slot) = found {
            self.slots[slot] = 0;
        }
        found.is_some()
    }

    fn to_bytes(&self) -> Vec<u8> {
        let items = self.slots.iter().filter(|slot| **slot > 0).count() as u64;
        let bytes = [
            header(b"MFcuckoo"),
            vec![self.f as u8, 4, 0, 0, 0, 0, 0, 0],
            self.seed.to_le_bytes().to_vec(),
            self.b.to_le_bytes().to_vec(),
            items.to_le_bytes().to_vec(),
            packed(&self.slots, self.f),
        ];
        with_checksum(bytes.concat())
    }
}

#[test]
fn cuckoo() {
    for (buckets, bits, seed) in [(2, 4, 0), (10, 5, 1), (14, 13, u64::MAX), (100, 32, 77)] {
        let parameters = CuckooParameters::with_buckets(buckets, bits)
            .unwrap()
            .with_seed(seed);
        let mut filter = CuckooFilter::new((), &parameters).unwrap();
        let mut naive = Cuckoo {
            b: buckets,
            f: bits.into(),
            seed,
            slots: vec![0; 4 * buckets as usize],
        };
        // More elements than fit, with removals in between, and some elements twice.
        let hashes: Vec<Hash128> = Hashes::from_seed(seed).take(6 * buckets as usize).collect();
        for (i, &hash) in hashes.iter().enumerate() {
            assert_eq!(
                filter.insert_hash(hash).is_ok(),
                naive.insert(hash),
                "{buckets} buckets"
            );
            if i % 5 == 0 {
                let earlier = hashes[i / 2];
                assert_eq!(filter.remove_hash(earlier), naive.remove(earlier));
                assert_eq!(filter.insert_hash(hash).is_ok(), naive.insert(hash));
            }
            assert_eq!(filter.to_bytes(), naive.to_bytes());
        }
    }
}

/// A link of the growing filter of `FORMAT.md`.
struct Link {
    k: u8,
    bits: Vec<bool>,
    limit: u64,
    elements: u64,
}

impl Link {
    fn new(rule: GrowthRule, capacity: u64, p: f64, place: i32) -> Self {
        let (insertions, fpp) = match rule {
            GrowthRule::Tightening { growth, ratio } => {
                let fpp = p * (1.0 - ratio) * ratio.powi(place);
                let c = capacity.max(8) * u64::from(growth).pow(place as u32);
                // Guava's formula for the bits, solved for the insertions.
                let least = (1.5 / (0.75 * fpp) * 2_f64.ln().powi(2) / -fpp.ln()).ceil() as u64;
                ((c + c / 32).max(least), fpp)
            }
            _ => (capacity, p),
        };
        let parameters = Parameters::new(insertions, fpp).unwrap();
        let (bits, k) = (parameters.bits(), parameters.probe_count());
        let limit = match rule {
            GrowthRule::SameSize => bits / 2,
            _ => {
                let fill = (fpp - 1.5 / bits as f64).powf(1.0 / f64::from(k));
                ((bits as f64 * fill) as u64).saturating_sub(k.into())
            }
        };
        Self {
            k,
            bits: vec![false; bits as usize],
            limit,
            elements: 0,
        }
    }

    fn positions(&self, hash: Hash128) -> Vec<u64> {
        positions(1, hash, self.k, self.bits.len() as u64)
    }

    fn contains(&self, hash: Hash128) -> bool {
        self.positions(hash)
            .iter()
            .all(|&position| self.bits[position as usize])
    }

    fn ones(&self) -> u64 {
        self.bits.iter().filter(|bit| **bit).count() as u64
    }
}

#[test]
fn growing() {
    let tightening = GrowthRule::Tightening {
        growth: 3,
        ratio: 0.5,
    };
    for (capacity, fpp, rule) in [
        (20, 0.1, tightening),
        (1, 0.01, tightening),
        (500, 0.05, GrowthRule::default()),
        (20, 0.02, GrowthRule::SameSize),
    ] {
        let parameters = GrowingParameters::with_rule(capacity, fpp, rule).unwrap();
        let mut filter = GrowingBloomFilter::new((), &parameters).unwrap();
        let mut links = vec![Link::new(rule, capacity, fpp, 0)];
        for hash in Hashes::from_seed(capacity).take(2_000) {
            filter.insert_hash(hash).unwrap();
            if links.iter().any(|link| link.contains(hash)) {
                continue;
            }
            let last = links.last_mut().unwrap();
            for position in last.positions(hash) {
                last.bits[position as usize] = true;
            }
            last.elements += 1;
            if last.ones() > last.limit {
                links.push(Link::new(rule, capacity, fpp, links.len() as i32));
            }
        }
        assert!(links.len() > 2);
        let (number, growth, ratio) = match rule {
            GrowthRule::Tightening { growth, ratio } => (0, growth, ratio),
            _ => (1, 1, 1.0),
        };
        let mut bytes = header(b"MFgrowth");
        bytes.extend([number, 0, 0, 0]);
        bytes.extend(growth.to_le_bytes());
        bytes.extend(capacity.to_le_bytes());
        bytes.extend(fpp.to_le_bytes());
        bytes.extend(ratio.to_le_bytes());
        bytes.extend((links.len() as u64).to_le_bytes());
        for link in &links {
            let bits: Vec<u64> = link.bits.iter().map(|&bit| bit.into()).collect();
            bytes.extend([link.k, 0, 0, 0, 0, 0, 0, 0]);
            bytes.extend((bits.len() as u64 / 64).to_le_bytes());
            bytes.extend(link.limit.to_le_bytes());
            bytes.extend(link.elements.to_le_bytes());
            bytes.extend(packed(&bits, 1));
        }
        assert_eq!(filter.to_bytes(), with_checksum(bytes));
    }
}
