//! The keys of the test databases.

use std::collections::BTreeSet;

use engine_tests::leveldb::Database;

use crate::source::Source;

const KEYS: usize = 20_000;

/// Stored, deleted and absent keys, without overlap.
pub(crate) struct Keys {
    pub(crate) stored: Vec<Vec<u8>>,
    deleted: Vec<Vec<u8>>,
    pub(crate) absent: Vec<Vec<u8>>,
}

impl Keys {
    pub(crate) fn new() -> Self {
        let mut source = Source::new(7);
        let mut known = BTreeSet::new();
        let mut take = |count: usize| -> Vec<Vec<u8>> {
            // 8 to 24 bytes of any value, including NUL and bytes above 0x7f.
            let key = || {
                let len = 8 + source.below(17);
                source.bytes(len)
            };
            let new = std::iter::repeat_with(key).filter(|key| known.insert(key.clone()));
            new.take(count).collect()
        };
        let mut keys = Self {
            stored: take(KEYS),
            deleted: take(1_000),
            absent: take(KEYS),
        };
        keys.stored.extend([
            Vec::new(),
            b"\0".to_vec(),
            b"a\0b".to_vec(),
            vec![0xff; 300],
            vec![0xff; 299],
        ]);
        keys
    }

    pub(crate) fn write(&self, engine: &Database) {
        let value = [b'v'; 100];
        for key in self.stored.iter().chain(&self.deleted) {
            engine.put(key, &value).unwrap();
        }
        // Some keys get a second version with an empty value.
        for key in self.stored.iter().step_by(10) {
            engine.put(key, b"").unwrap();
        }
        for key in &self.deleted {
            engine.remove(key).unwrap();
        }
        engine.compact();
    }

    /// Checks that no key is lost, and returns the reads per Get of an absent key.
    pub(crate) fn check(&self, engine: &Database) -> f64 {
        assert_eq!(engine.count().unwrap(), self.stored.len() as u64);
        let lost = self.stored.iter().filter(|key| !engine.has(key).unwrap()).count();
        assert_eq!(lost, 0, "of {} stored keys", self.stored.len());
        let returned = self.deleted.iter().filter(|key| engine.has(key).unwrap()).count();
        assert_eq!(returned, 0, "deleted keys");
        // All tables are open by now, so only data blocks are read.
        let before = engine.reads();
        let found = self.absent.iter().filter(|key| engine.has(key).unwrap()).count();
        assert_eq!(found, 0, "absent keys");
        (engine.reads() - before) as f64 / self.absent.len() as f64
    }
}
