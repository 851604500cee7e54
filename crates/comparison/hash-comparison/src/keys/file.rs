//! The user's own keys, one per line.

use std::fs::File;
use std::io::{self, ErrorKind as Io, Read as _};
use std::path::Path;

use super::key_set::{KeySet, MAX_BYTES, too_large};
use super::{Dataset, embedded_names};
use crate::record::DatasetSummary;
use records::error::Error;
use terminal::lines::{encoding, note};
use terminal::progress::Progress;
use terminal::system;

/// Returns the names of the datasets that these key files would give, in order.
///
/// # Errors
///
/// Returns an error if a path is a folder or has no usable stem, or if a stem is the name of an embedded dataset or of
/// another file. Names are compared without regard to ASCII case, since files are named after them.
pub fn file_names<P: AsRef<Path>>(paths: &[P]) -> Result<Vec<String>, Error> {
    let mut names: Vec<String> = Vec::with_capacity(paths.len());
    for (index, path) in paths.iter().map(AsRef::as_ref).enumerate() {
        let name = name_of(path)?;
        if let Some(first) = names.iter().position(|other| other.eq_ignore_ascii_case(&name)) {
            let [first, second] = [first, index].map(|index| paths[index].as_ref());
            return Err(if first == second {
                Error::input("is given twice").about(first)
            } else {
                Error::input(format!(
                    "{} and {} would both be the dataset {name}; rename or copy one of them",
                    first.display(),
                    second.display()
                ))
            });
        }
        names.push(name);
    }
    Ok(names)
}

/// Loads the keys in the file `path` as [`KeySet::from_lines`] reads them; `seed` is for shuffles and samples.
///
/// # Errors
///
/// Returns an error if the file is missing, unreadable, a folder, empty or too large, if its name gives no dataset
/// ([`file_names`]), or if `progress` requests a stop.
pub fn load_file(path: &Path, seed: u64, progress: &dyn Progress) -> Result<Dataset, Error> {
    let name = name_of(path)?;
    let data = read(path)?;
    let encoding = encoding(&data);
    let lines = KeySet::from_lines(data, progress);
    let lines = lines.map_err(|error| error.about(path))?;
    if lines.keys.is_empty() {
        return Err(Error::input("no keys: the file is empty; give one key per line").about(path));
    }
    let source = path.display().to_string();
    let marked = encoding.map(|found| format!("{source}: {found}"));
    for note in [marked, note(&source, lines.carriage_returns)]
        .into_iter()
        .flatten()
    {
        progress.note(&note);
    }
    let mut dataset = Dataset::of(&name, lines.keys);
    dataset.seed = seed;
    dataset.summary = DatasetSummary {
        source,
        encoding: encoding.map(str::to_owned),
        duplicates_dropped: lines.duplicates,
        ..dataset.summary
    };
    Ok(dataset)
}

fn name_of(path: &Path) -> Result<String, Error> {
    // Checked before the name, since `.` and `..` have no name.
    if path.is_dir() {
        return Err(Error::input("is a folder; give a file with one key per line").about(path));
    }
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let Some(name) = stem.filter(|stem| !stem.contains(char::is_control)) else {
        let reason = "the dataset is named after the file's name without its extension; it needs one, without control \
                      characters: rename or copy the file";
        return Err(Error::input(reason).about(path));
    };
    if embedded_names().any(|embedded| embedded.eq_ignore_ascii_case(&name)) {
        let reason = format!("{name} is the name of an embedded dataset; rename or copy the file");
        return Err(Error::input(reason).about(path));
    }
    Ok(name)
}

/// Reads the whole file into one buffer of its size.
fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let unreadable = |error: io::Error| {
        let advice = match error.kind() {
            Io::NotFound | Io::NotADirectory => "check the path",
            Io::PermissionDenied => "allow reading it, or give another file",
            Io::OutOfMemory => "split the file",
            _ => "give another file, or a copy of it",
        };
        let reason = system::text(&error);
        Error::input(format!("cannot read the keys: {reason}; {advice}")).about(path)
    };
    let file = File::open(path).map_err(unreadable)?;
    let bytes = file.metadata().map_err(unreadable)?.len();
    if bytes > MAX_BYTES {
        return Err(too_large(bytes).about(path));
    }
    let mut data = Vec::new();
    data.try_reserve_exact(bytes as usize)
        .map_err(|_| unreadable(Io::OutOfMemory.into()))?;
    // A pipe has no length to check beforehand; one byte too many is enough to refuse it.
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut data)
        .map_err(unreadable)?;
    Ok(data)
}
