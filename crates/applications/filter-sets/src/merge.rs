//! Merges the filters of files, and sets shard by shard.

use std::path::{Path, PathBuf};

use crate::bytes::Opening;
use crate::error::Error;
use crate::file::StoredFile;
use crate::filter::StoredFilter;
use crate::folder::Lock;
use crate::format::StoredFormat;
use crate::manifest::Manifest;

/// Merges the filters of files into one that contains the keys of all, and writes it to a file, which appears when it
/// is complete. An existing file is replaced if `replace` is true. The filters must have equal formats, kinds of keys,
/// sizes, probe counts, and so on; `FORMAT.md` lists the formats that can be merged. A format is given as to
/// [`StoredFilter::open`]; stored filters without headers make one without a header.
///
/// The result counts a key once for each filter that has it.
///
/// # Errors
///
/// [`Incompatible`](Error::Incompatible) names the first file that does not fit,
/// [`InvalidArgument`](Error::InvalidArgument) the one that is there; the errors of [`StoredFilter::open`] and of
/// writing.
pub fn merge(
    format: Option<&StoredFormat>,
    paths: &[impl AsRef<Path>],
    out: impl AsRef<Path>,
    replace: bool,
) -> Result<(), Error> {
    let open = |path: &Path| {
        // No key is queried, so the bytes may state any encoding of keys.
        let file = StoredFile::open(path)?;
        let format = format.or(file.format()).cloned();
        let filter = file.filter(format.as_ref(), Opening::default())?;
        Ok((path.to_path_buf(), filter))
    };
    let merged = join(paths.iter().map(|path| open(path.as_ref())))?;
    merged.save(out, replace)
}

/// Merges filters into the first.
fn join(
    mut filters: impl Iterator<Item = Result<(PathBuf, StoredFilter), Error>>,
) -> Result<StoredFilter, Error> {
    let nothing = || Error::argument("there is nothing to merge");
    let (_, mut first) = filters.next().ok_or_else(nothing)??;
    for filter in filters {
        let (path, filter) = filter?;
        first
            .merge(&filter)
            .map_err(|error| Error::incompatible(&path, error))?;
    }
    Ok(first)
}

/// Merges sets into one that contains the keys of all, and writes it to a folder, as
/// [`SetBuilding::finish`](crate::SetBuilding::finish) does. They must have equal formats, kinds of keys, numbers of shards,
/// and sizes of each shard. For the formats that are no policies, the same [`capacity`](crate::Builder::capacity) makes the
/// sizes equal. Filters of policies are sized by their keys alone, so that two sets of them have equal sizes by chance only:
/// build one set of all keys instead. Memory holds three shards at a time.
///
/// The manifest of the result counts a key once for each set that has it.
///
/// # Errors
///
/// [`Incompatible`](Error::Incompatible) names the first set or shard that does not fit, [`Damaged`](Error::Damaged) one that is
/// not what its manifest says; the errors of writing a set.
pub fn merge_sets(folders: &[impl AsRef<Path>], out: impl AsRef<Path>) -> Result<Manifest, Error> {
    let folders: Vec<&Path> = folders.iter().map(AsRef::as_ref).collect();
    let manifests = folders.iter().map(Manifest::read);
    let manifests = manifests.collect::<Result<Vec<_>, _>>()?;
    let first = manifests
        .first()
        .ok_or_else(|| Error::argument("there is nothing to merge"))?;
    let describe = |manifest: &Manifest| {
        let Manifest { format, key_kind, .. } = manifest;
        let (shards, seed) = (manifest.shards.len(), manifest.shard_function.seed());
        format!("{shards} shards by seed {seed} of {format}, keys as {key_kind}")
    };
    for (manifest, folder) in manifests.iter().zip(&folders) {
        let [expected, got] = [first, manifest].map(describe);
        if got != expected {
            let reason = format_args!("sets that are merged must be alike, {expected}, got {got}");
            return Err(Error::incompatible(folder, reason));
        }
    }
    let mut keys = manifests.iter().map(Manifest::len);
    if keys.try_fold(0_u64, u64::checked_add).is_none() {
        return Err(Error::argument(
            "sets that are merged must have fewer than 2^64 keys in all",
        ));
    }
    let lock = Lock::take(out.as_ref(), false)?;
    let mut shards = Vec::new();
    for number in 0..first.shards.len() {
        let of_each = manifests.iter().zip(&folders).map(|(manifest, folder)| {
            let filter = manifest.open_shard(number, folder, Opening::default())?;
            Ok((folder.join(&manifest.shards[number].file), filter))
        });
        let merged = join(of_each)?;
        // Shards have headers.
        let header = merged.header().ok_or_else(|| Error::argument("no header"))?;
        let shard = header.entry();
        lock.write(&shard, Some(header), &|file| merged.write_stored(file))?;
        shards.push(shard);
    }
    let manifest = Manifest::new(&first.header(0), shards);
    lock.publish(&manifest)?;
    Ok(manifest)
}
