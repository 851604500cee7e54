//! A service with a filter before its database: rebuilt each night while threads use it, saved, and loaded at the start.
//!
//! ```text
//! cargo run --release --package membership-filters --features slot --example rebuild -- FOLDER
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use std::{env, fs, thread};

use membership_filters::{ConcurrentBlockedBloomFilter, Slot, Xxph3};

struct Service {
    /// The names that may be in the database: "no" is certain.
    known: Slot<ConcurrentBlockedBloomFilter>,
    folder: PathBuf,
}

impl Service {
    /// Loads last night's filter, and inserts the rows that were added since. Without one, builds it.
    fn start(database: &Database, folder: &Path) -> Result<Self, Box<dyn Error>> {
        let folder = folder.to_owned();
        let stored = ConcurrentBlockedBloomFilter::open(folder.join("known.bloom"), Xxph3);
        let since = fs::read_to_string(folder.join("since"));
        let since = since.ok().and_then(|number| number.parse::<u64>().ok());
        let (Ok(filter), Some(since)) = (stored, since) else {
            let known = Slot::new(ConcurrentBlockedBloomFilter::with_capacity(1, 0.001)?);
            let service = Self { known, folder };
            service.rebuild(database)?;
            return Ok(service);
        };
        filter.insert_many(database.rows().range(since..).map(|(_, name)| name));
        let known = Slot::new(filter);
        Ok(Self { known, folder })
    }

    /// Replaces the filter by one of all rows, while other threads call the other functions.
    fn rebuild(&self, database: &Database) -> Result<(), Box<dyn Error>> {
        // Rows from this number on are inserted again at the next start. If transactions overlap, take the first number
        // of the oldest that is open.
        let since = database
            .rows()
            .last_key_value()
            .map_or(0, |(number, _)| number + 1);
        let rows = database.rows().len();
        // Room for the rows of the next day, too.
        let capacity = (rows + rows / 10).next_multiple_of(50_000) as u64;
        // First begin, so that what others insert from now on goes into both filters, then read the database.
        let rebuild = self
            .known
            .rebuild(ConcurrentBlockedBloomFilter::with_capacity(capacity, 0.001)?)?;
        for name in database.rows().values() {
            rebuild.filter().insert(name);
        }
        rebuild.commit();

        // The number last: with an older one, more rows than necessary are inserted again; with a newer one, too few.
        self.known.load().save(self.folder.join("known.bloom"))?;
        fs::write(self.folder.join("since"), since.to_string())?;
        Ok(())
    }

    /// Adds a row: first to the database, then to the filter, so that a rebuild finds it in one of them.
    fn add(&self, database: &Database, name: &str) {
        database.add(name);
        self.known.insert(name);
    }

    fn has(&self, database: &Database, name: &str) -> bool {
        self.known.contains(name) && database.has(name)
    }
}

/// A stand-in for a database of rows with ascending numbers. Counts its lookups.
#[derive(Default)]
struct Database {
    rows: RwLock<BTreeMap<u64, String>>,
    lookups: AtomicU64,
}

impl Database {
    fn rows(&self) -> RwLockReadGuard<'_, BTreeMap<u64, String>> {
        self.rows.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, name: &str) {
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        let number = rows.last_key_value().map_or(0, |(number, _)| number + 1);
        rows.insert(number, name.to_owned());
    }

    /// Looks a name up, which is `user-` and its number.
    fn has(&self, name: &str) -> bool {
        self.lookups.fetch_add(1, Ordering::Relaxed);
        let number = name.strip_prefix("user-").and_then(|number| number.parse().ok());
        number.is_some_and(|number| self.rows().contains_key(&number))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args_os().nth(1).ok_or("usage: rebuild FOLDER")?;
    let folder = Path::new(&folder);
    let database = &Database::default();
    for id in 0..100_000 {
        database.add(&format!("user-{id}"));
    }

    let service = Service::start(database, folder)?;
    thread::scope(|threads| {
        let adding = threads.spawn(|| {
            for id in 100_000..110_000 {
                service.add(database, &format!("user-{id}"));
            }
        });
        service.rebuild(database)?;
        adding.join().map_err(|_| "the thread that adds rows panicked")?;
        Ok::<_, Box<dyn Error>>(())
    })?;

    // The next start, by the filter of the night.
    let service = Service::start(database, folder)?;
    for id in 0..110_000 {
        assert!(service.has(database, &format!("user-{id}")));
    }
    database.lookups.store(0, Ordering::Relaxed);
    for id in 0..100_000 {
        assert!(!service.has(database, &format!("guest-{id}")));
    }
    println!(
        "{} lookups for 100000 absent names",
        database.lookups.load(Ordering::Relaxed)
    );
    Ok(())
}
