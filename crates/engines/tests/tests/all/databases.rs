//! Laws of every engine with an adapter's policy: databases that are written, reopened, merged and read. Filters save reads
//! and hide no key.

use std::collections::BTreeSet;

use filter_policy::range::RangePolicy;
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy as _, formats};

use crate::adapters::policies;
use crate::engines::{Database, ENGINES, Open};
use crate::policies::{Counted, Failing, TEN};
use crate::source::Source;

/// Tables that the keys are written to, each over the whole range.
const TABLES: usize = 3;

/// Stored, deleted and absent keys, without overlap.
pub(crate) struct Keys {
    pub(crate) stored: Vec<Vec<u8>>,
    deleted: Vec<Vec<u8>>,
    pub(crate) absent: Vec<Vec<u8>>,
}

impl Keys {
    /// Draws the keys, with deleted ones if the engine has no fault in this.
    pub(crate) fn new(deletes: bool) -> Self {
        let mut source = Source::new(7);
        let mut known = BTreeSet::new();
        let mut take = |count: usize| -> Vec<Vec<u8>> {
            // 8 to 24 bytes of any value, including NUL and bytes above 0x7f, on which hash functions differ.
            let key = || {
                let len = 8 + source.below(17);
                source.bytes(len)
            };
            let new = std::iter::repeat_with(key).filter(|key| known.insert(key.clone()));
            new.take(count).collect()
        };
        let mut keys = Self {
            stored: take(1_500),
            deleted: take(if deletes { 75 } else { 0 }),
            absent: take(500),
        };
        keys.stored
            .extend([b"\0".to_vec(), b"a\0b".to_vec(), vec![0xff; 300], vec![0xff; 299]]);
        keys
    }

    /// Writes all keys, some of them twice, and deletes some.
    pub(crate) fn write(&self, db: &mut dyn Database) {
        let value = [b'v'; 100];
        for table in 0..TABLES {
            let part = |keys: &[Vec<u8>]| -> Vec<Vec<u8>> {
                keys.iter().skip(table).step_by(TABLES).cloned().collect()
            };
            for key in part(&self.stored).iter().chain(&part(&self.deleted)) {
                db.put(key, &value);
            }
            for key in part(&self.stored).iter().step_by(10) {
                db.put(key, b"");
            }
            if table + 1 == TABLES {
                self.deleted.iter().for_each(|key| db.delete(key));
            }
            db.flush();
        }
    }

    /// Checks that no key is lost and none returns.
    pub(crate) fn check(&self, db: &mut dyn Database, case: &str) {
        assert_eq!(db.count(), self.stored.len(), "{case}");
        let lost = self.stored.iter().filter(|key| !db.has(key)).count();
        assert_eq!(lost, 0, "{case}: lost keys");
        let returned = self.deleted.iter().filter(|key| db.has(key)).count();
        assert_eq!(returned, 0, "{case}: deleted keys");
    }

    /// Checks the database, and returns the policy's queries and denials and the engine's reads for absent keys.
    fn cost(&self, db: &mut dyn Database, policy: &Counted, case: &str) -> [u64; 3] {
        // All tables are open after this, so only blocks of data are read.
        self.check(db, case);
        let ([queries, denials], reads) = (policy.counts(), db.reads());
        let found = self.absent.iter().filter(|key| db.has(key)).count();
        assert_eq!(found, 0, "{case}: absent keys");
        let [all_queries, all_denials] = policy.counts();
        [all_queries - queries, all_denials - denials, db.reads() - reads]
    }
}

fn opened(open: &Open, policy: &Counted) -> Box<dyn Database> {
    open(Some(Box::new(policy.clone()))).unwrap()
}

#[test]
fn absent_keys_read_hardly_a_block() {
    for engine in ENGINES {
        let keys = Keys::new(engine.deletes);
        for policy in policies(engine.keeps_keys) {
            let policy = Counted::new(policy);
            let case = format!("{}, {}", engine.name, policy.name());
            let open = (engine.database)();
            keys.write(&mut *opened(&open, &policy));
            let mut db = opened(&open, &policy);
            loop {
                let [queries, denials, reads] = keys.cost(&mut *db, &policy, &case);
                assert!(queries >= keys.absent.len() as u64, "{case}: {queries} queries");
                let passes = queries - denials;
                // In small filters, fingerprints of the last format have four bits, and range filters the codes of bytes.
                let few = [formats::BINARY_FUSE.name(), RangePolicy::NAME];
                let percent = if few.contains(&policy.name()) { 9 } else { 3 };
                assert!(
                    passes * 100 <= queries * percent,
                    "{case}: {passes} of {queries} pass"
                );
                assert!(reads <= passes, "{case}: {reads} reads for {passes} passes");
                if !db.merge() {
                    break;
                }
            }
        }
    }
}

#[test]
fn filters_of_another_policy_are_ignored_or_refused() {
    for engine in ENGINES {
        let keys = Keys::new(engine.deletes);
        let open = (engine.database)();
        let writer = Counted::new(BloomFilterPolicy::with_leveldb_hash(TEN));
        keys.write(&mut *opened(&open, &writer));
        let mut refused = 0;
        for other in [formats::MURMUR2, formats::BLOOM64, formats::RIBBON] {
            let other = Counted::new(other.policy(TEN));
            let case = format!("{}, {}", engine.name, other.name());
            match open(Some(Box::new(other.clone()))) {
                Ok(mut db) => {
                    let [queries, _, reads] = keys.cost(&mut *db, &other, &case);
                    assert_eq!(queries, 0, "{case} read a filter of another");
                    assert!(
                        !engine.counts_reads || reads > keys.absent.len() as u64 * 95 / 100,
                        "{case}: {reads} reads"
                    );
                }
                Err(error) => {
                    let [found, ours] = [writer.name(), other.name()].map(|name| format!("{name:?}"));
                    assert!(error.contains(&found) && error.contains(&ours), "{case}: {error}");
                    refused += 1;
                }
            }
        }
        assert_eq!(
            refused > 0,
            !engine.compares_names,
            "{}: {refused} refused",
            engine.name
        );
        if engine.compares_names {
            keys.check(&mut *open(None).unwrap(), engine.name);
        }
        // The bits per key are not part of the encoding.
        let wider = Counted::new(BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(20)));
        let costs =
            [&writer, &wider].map(|policy| keys.cost(&mut *opened(&open, policy), policy, engine.name));
        assert!(
            costs[0] == costs[1] && costs[0][1] > 0,
            "{}: {costs:?}",
            engine.name
        );
    }
}

#[test]
fn filters_that_cannot_be_built_cost_reads_and_no_keys() {
    for engine in ENGINES {
        let keys = Keys::new(engine.deletes);
        let open = (engine.database)();
        let failing = Counted::new(Failing::named("Failing"));
        keys.write(&mut *opened(&open, &failing));
        let [_, denials, reads] = keys.cost(&mut *opened(&open, &failing), &failing, engine.name);
        assert_eq!(denials, 0, "{}", engine.name);
        assert!(
            !engine.counts_reads || reads > keys.absent.len() as u64 * 95 / 100,
            "{}: {reads} reads",
            engine.name
        );
    }
}
