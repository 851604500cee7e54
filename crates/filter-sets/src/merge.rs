//! Merges sets, shard by shard.

use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind};
use crate::filter::{Filter, merge};
use crate::folder::{Lock, name_of, save};
use crate::format::Format;
use crate::journal::Sum;
use crate::manifest::{Manifest, Shard};
use crate::set::Opening;

/// Merges sets into one that contains the keys of all, and writes it to a folder, as
/// [`Building::write_set`](crate::Building::write_set) does. They must have equal formats, numbers of shards and sizes of
/// shards: build them with the same [`items`](crate::Builder::items). Memory holds three shards at a time.
///
/// The manifest of the result counts a key once for each set that has it.
///
/// # Errors
///
/// [`Input`](ErrorKind::Input) names the first set or shard that does not fit, [`Damaged`](ErrorKind::Damaged) one that is
/// not what its manifest says; the errors of writing a set.
pub fn merge_sets(folders: &[&Path], out: &Path) -> Result<Manifest, Error> {
    let manifests = folders.iter().map(|folder| Manifest::read(folder));
    let manifests = manifests.collect::<Result<Vec<_>, _>>()?;
    let first = manifests
        .first()
        .ok_or_else(|| Error::input("there is nothing to merge"))?;
    let describe = |manifest: &Manifest| {
        let Manifest { format, items, .. } = manifest;
        let (shards, seed) = (manifest.shards.len(), manifest.shard_function.seed());
        format!("{shards} shards by seed {seed} of {format}, keys as {items}")
    };
    for (manifest, folder) in manifests.iter().zip(folders) {
        let [expected, got] = [first, manifest].map(describe);
        if got != expected {
            let reason = format_args!("sets that are merged must be alike, {expected}, got {got}");
            return Err(Error::about(ErrorKind::Input, folder, reason));
        }
    }
    let mut keys = manifests.iter().map(Manifest::keys);
    if keys.try_fold(0_u64, u64::checked_add).is_none() {
        return Err(Error::input(
            "sets that are merged must have fewer than 2^64 keys in all",
        ));
    }
    let format = Format::named(&first.format)?;
    let lock = Lock::take(out)?;
    let mut shards = Vec::new();
    for number in 0..first.shards.len() {
        let of_each = || manifests.iter().map(|manifest| &manifest.shards[number]);
        for ((shard, manifest), folder) in of_each().zip(&manifests).zip(folders) {
            manifest.open_shard(shard, folder, Opening::default())?;
        }
        let paths: Vec<PathBuf> = (of_each().zip(folders))
            .map(|(shard, folder)| folder.join(&shard.file))
            .collect();
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let merged = merge(Some(&format), &paths)?;
        let mut sum = Sum::default();
        sum.add(&merged);
        let (bytes, sha256) = (sum.bytes, sum.sha256());
        // At most 65,536 shards.
        let file = name_of(number as u32, &sha256);
        save(&out.join(&file), |file| file.write_all(&merged))?;
        shards.push(Shard {
            file,
            bytes,
            keys: of_each().map(|shard| shard.keys).sum(),
            sha256,
            rate: Some(Filter::from_bytes(Some(&format), merged)?.rate()),
        });
    }
    let manifest = Manifest {
        shard_function: first.shard_function.clone(),
        ..Manifest::new(&format, &first.items, shards)
    };
    lock.publish(&manifest)?;
    Ok(manifest)
}
