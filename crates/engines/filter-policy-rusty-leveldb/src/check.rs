//! Checks the tables of a database for filters with which the engine would lose keys. Reads through the engine's
//! environment and writes nothing.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use filter_policy::FilterPolicy;
use filter_policy::filter_block::FilterBlockReader;
use filter_tables::{
    BlockHandle, BlockRole, Damage, DatabaseManifest, MetaindexEntry, ReadAt, StoredBlock, Table,
    manifest_name,
};
use rusty_leveldb::env::RandomAccess;
use rusty_leveldb::{DB, Options, Status, StatusCode};

use crate::error::Error;
use crate::metaindex::{self, Found};
use crate::policy::RustyLevelDbPolicy;

/// The largest number of bytes read from `CURRENT`, more than any has.
const MAX_CURRENT_LEN: u64 = 64;

/// Opens a database with this policy, unless keys would be lost. Creates it like `DB::open`.
///
/// Replaces `options.filter_policy` and calls [`check`]. New tables have filters under the policy's name.
///
/// ```
/// use filter_policy::{BitsPerKey, BloomFilterPolicy};
/// use filter_policy_rusty_leveldb::{Error, checked_open};
///
/// let options = rusty_leveldb::in_memory();
/// let policy = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(10));
/// let mut db = checked_open("database", options.clone(), policy)?;
/// db.put(b"key", b"value")?;
/// db.compact_range(b"a", b"z")?;
/// drop(db);
///
/// let other = BloomFilterPolicy::new(BitsPerKey::whole(10));
/// let refused = checked_open("database", options, other).err().expect("the key would be lost");
/// assert!(matches!(
///     refused,
///     Error::ForeignFilters { found, ours, .. }
///         if found == "leveldb.BuiltinBloomFilter2" && ours == "BloomFilter2"
/// ));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// The errors of [`check`], before the engine is called, and [`Error::Engine`].
pub fn checked_open<P>(path: impl AsRef<Path>, mut options: Options, policy: P) -> Result<DB, Error>
where
    P: FilterPolicy + Send + 'static,
{
    let path = path.as_ref();
    let policy = RustyLevelDbPolicy::new(policy)?;
    check(path, &options, policy.policy())?;
    options.filter_policy = Rc::new(Box::new(policy));
    Ok(DB::open(path, options)?)
}

/// Checks that the engine loses no key when it opens this database with this policy.
///
/// Examines every table in the manifest; the engine deletes other tables, which an interrupted writer left. A table
/// passes if the engine would
///
/// * find filters under exactly the policy's name, uncompressed, with the right checksum, with offsets in order, and with
///   a non-empty filter for every data block; or
/// * find no filters: there are none, or those of other names come before ours in the engine's order.
///
/// The footer, metaindex and index must be undamaged too: if the engine cannot read a table's metadata, it reports
/// every key as absent, or panics. They may be uncompressed or compressed with Snappy; tables that need other entries
/// of `options.compressor_list` are refused.
///
/// Does not check data blocks, or the bits of a filter beyond its checksum: a table that another encoding wrote under
/// this name passes. Does not hold the database's lock either: no other program may write to the database until it is
/// open.
///
/// # Errors
///
/// The first [`Error`], of any kind, with tables in the order of their numbers.
pub fn check(
    path: impl AsRef<Path>,
    options: &Options,
    policy: &(impl FilterPolicy + ?Sized),
) -> Result<(), Error> {
    let policy_name = policy.name();
    if policy_name.is_empty() {
        return Err(Error::EmptyName);
    }
    let path = path.as_ref();
    let Some(manifest) = manifest_of(path, options)? else {
        return Ok(());
    };
    let mut log = Vec::new();
    let file = options.env.open_sequential_file(&manifest)?;
    read_to_end(file, &mut log)?;
    let listed = DatabaseManifest::parse(&log).map_err(|error| Error::Manifest {
        manifest,
        reason: error.rule(),
    })?;
    for number in listed.tables() {
        let table = path.join(format!("{number:06}.ldb"));
        if options.env.exists(&table)? {
            check_table(&table, options, policy_name)?;
            continue;
        }
        let old = table.with_extension("sst");
        if options.env.exists(&old)? {
            return Err(Error::OldTableName { table: old });
        }
        // The engine itself reports a missing table.
    }
    Ok(())
}

/// Returns the path of the database's manifest; `None` if there is no database yet.
fn manifest_of(path: &Path, options: &Options) -> Result<Option<PathBuf>, Error> {
    let current = path.join("CURRENT");
    if !options.env.exists(&current)? {
        return Ok(None);
    }
    let mut line = Vec::new();
    let file = options.env.open_sequential_file(&current)?;
    read_to_end(file.take(MAX_CURRENT_LEN), &mut line)?;
    let name = manifest_name(&line).ok_or(Error::Manifest {
        manifest: current,
        reason: "contents must be a line with `MANIFEST-` and a number",
    })?;
    Ok(Some(path.join(name)))
}

fn read_to_end(mut file: impl Read, bytes: &mut Vec<u8>) -> Result<(), Status> {
    file.read_to_end(bytes)?;
    Ok(())
}

fn check_table(path: &Path, options: &Options, policy_name: &str) -> Result<(), Error> {
    let unreadable = |source| Error::Table {
        table: path.to_owned(),
        source,
    };
    let unusable = |reason| Error::Filters {
        table: path.to_owned(),
        reason,
    };
    let table = Table::open(EnvFile {
        size: options.env.size_of(path)? as u64,
        file: options.env.open_random_access_file(path)?,
    })
    .map_err(unreadable)?;
    let data_blocks = table.data_blocks().map_err(unreadable)?;

    let keys: Vec<&[u8]> = table.metaindex().iter().map(MetaindexEntry::key).collect();
    let sought = format!("filter.{policy_name}");
    match metaindex::seek(&**options.cmp, &keys, sought.as_bytes()) {
        Found::Nothing => Ok(()),
        Found::TooShort(entry) => Err(unusable(format!(
            "metaindex entry must be at least 8 bytes, got {}, on which rusty-leveldb panics",
            keys[entry].len()
        ))),
        Found::Foreign(entry) => {
            let entry = &table.metaindex()[entry];
            // The engine ignores an empty filter block.
            if entry.handle().is_some_and(|handle| handle.size == 0) {
                return Ok(());
            }
            let name = entry.policy_name().unwrap_or(entry.key());
            Err(Error::ForeignFilters {
                table: path.to_owned(),
                found: String::from_utf8_lossy(name).into_owned(),
                ours: policy_name.to_owned(),
            })
        }
        Found::Own => {
            let defect = filter_defect(&table, &data_blocks, policy_name).map_err(unreadable)?;
            defect.map_or(Ok(()), |reason| Err(unusable(reason)))
        }
    }
}

/// Returns the defect that keeps the engine from using the filters of this name, which the table has.
fn filter_defect<R: ReadAt>(
    table: &Table<R>,
    data_blocks: &[BlockHandle],
    policy_name: &str,
) -> Result<Option<String>, filter_tables::Error<R::Error>> {
    let role = BlockRole::Filter;
    let entry = table
        .metaindex()
        .iter()
        .find(|entry| entry.policy_name() == Some(policy_name.as_bytes()));
    let handle = entry
        .and_then(MetaindexEntry::handle)
        .ok_or(Damage::Handle { block: role })?;
    if handle.size == 0 {
        // The engine ignores an empty block.
        return Ok(None);
    }
    let stored = table.stored_block(role, handle)?;
    let compression =
        StoredBlock::new(&stored).map_or(StoredBlock::UNCOMPRESSED, |block| block.compression());
    let block = table.block(role, handle)?;
    if compression != StoredBlock::UNCOMPRESSED {
        return Ok(Some(format!(
            "compression of the filter block must be 0, because rusty-leveldb does not decompress it, got {compression}"
        )));
    }
    let filters = FilterBlockReader::new((), block.contents());
    if let Some(damage) = filters.damage().next() {
        return Ok(Some(damage.to_string()));
    }
    // No LevelDB writes another, and the engine would look in other filters than a changed one was written for.
    if filters.base_lg() != 11 {
        return Ok(Some(format!(
            "base exponent must be 11, got {}",
            filters.base_lg()
        )));
    }
    let without = data_blocks
        .iter()
        .find(|block| filters.filter_of(block.offset).is_none_or(<[u8]>::is_empty));
    // The engine panics on an empty filter and on the number after the last filter. For later numbers it answers "may match",
    // but no writer leaves data blocks there, so such a table is refused too.
    Ok(without.map(|block| {
        format!(
            "data block at offset {} must have a filter, because rusty-leveldb can panic without one",
            block.offset
        )
    }))
}

/// A file of the engine's environment.
struct EnvFile {
    file: Box<dyn RandomAccess>,
    size: u64,
}

impl ReadAt for EnvFile {
    type Error = Status;

    fn size(&self) -> Result<u64, Status> {
        Ok(self.size)
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), Status> {
        let too_far = || Status::new(StatusCode::IOError, "the file has become shorter");
        let mut offset = usize::try_from(offset).map_err(|_| too_far())?;
        let mut rest = buffer;
        while !rest.is_empty() {
            let read = self.file.read_at(offset, rest)?;
            if read == 0 {
                return Err(too_far());
            }
            offset = offset.checked_add(read).ok_or_else(too_far)?;
            rest = rest.get_mut(read..).ok_or_else(too_far)?;
        }
        Ok(())
    }
}
