//! A set of filters in shards: built from all keys at night, mapped by the programs that query it.
//!
//! ```text
//! cargo run --release --package filter-sets --example set -- FOLDER
//! ```

use std::error::Error;
use std::{env, thread};

use filter_sets::{Access, Builder, FilterSet, Opening, Size, StoredFormat};

/// Builds the set anew, in bounded memory, and replaces the one in the folder by it.
fn build(folder: &str, users: u32) -> Result<u64, filter_sets::Error> {
    let builder = Builder::new(StoredFormat::named("split-block-xxph3")?, Size::Rate(0.01));
    let mut building = builder.set(folder, 8)?;
    for id in 0..users {
        building.insert(&format!("user-{id}"))?;
    }
    // The function may end a long build by returning false.
    Ok(building.finish(&|_| true)?.len())
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("usage: set FOLDER")?;
    println!("{} keys", build(&folder, 100_000)?);

    // Processes share the memory of mapped files, which nobody may change in place. Checksums are compared at first.
    let opening = Opening {
        access: Access::Map,
        ..Opening::default()
    };
    let set = FilterSet::open(&folder, opening)?;
    assert!(set.contains("user-99999"));
    let absent: Vec<String> = (0..100_000).map(|id| format!("guest-{id}")).collect();
    // Many keys a call are faster.
    let answers = set.contains_many(absent.iter().map(String::as_str));
    let passed = answers.iter().filter(|&&may_be_in| may_be_in).count();
    println!("{passed} of 100000 absent keys may be in");

    // The next night. Queries go on meanwhile, and get the old set or the new one, each of them whole.
    thread::scope(|threads| {
        let building = threads.spawn(|| build(&folder, 200_000));
        assert!(set.contains("user-99999"));
        building.join().map_err(|_| "the thread that builds panicked")??;
        // Programs call this every minute, or when the job that builds notifies them.
        assert!(set.reload()?);
        Ok::<_, Box<dyn Error>>(())
    })?;
    assert!(set.contains("user-199999"));
    Ok(())
}
