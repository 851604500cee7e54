//! The user's own keys, from files and standard input.

use std::ffi::OsStr;
use std::path::Path;

use super::key_set::{KeySet, MAX_BYTES, MAX_KEY_BYTES, too_large};
use super::{Dataset, embedded_names, sha256};
use crate::record::DatasetSummary;
use key_input::{KeyForm, Keys};
use records::error::Error;
use terminal::progress::Progress;

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

/// Loads the distinct keys in the file `path`, which are written in this form; `seed` is for shuffles and samples. The
/// path `-` is standard input.
///
/// # Errors
///
/// Returns an error if the file is missing, unreadable, a folder, empty or too large, if its name gives no dataset
/// ([`file_names`]), if a key is not of the form, or if `progress` requests a stop.
pub fn load_file(path: &Path, form: &KeyForm, seed: u64, progress: &dyn Progress) -> Result<Dataset, Error> {
    let name = name_of(path)?;
    let bytes = path.metadata().map_or(0, |metadata| metadata.len());
    // Only a column may be far smaller than its file.
    if form.column.is_none() && bytes > MAX_BYTES {
        return Err(too_large(bytes).about(path));
    }
    let mut source = Keys::open(path, form, MAX_KEY_BYTES, progress)?;
    let read = KeySet::read(&mut source, progress)?;
    if read.keys.is_empty() {
        let reason = "no keys: the source is empty; give one key per line";
        return Err(Error::input(format!("{}: {reason}", source.name())));
    }
    let sha256 = sha256(&read.keys, progress)?;
    let mut dataset = Dataset::with_sha256(&name, read.keys, sha256);
    dataset.seed = seed;
    dataset.summary = DatasetSummary {
        source: source.name().to_owned(),
        encoding: source.warning().map(str::to_owned),
        duplicates_dropped: read.duplicates,
        ..dataset.summary
    };
    Ok(dataset)
}

/// Returns `stdin`, or the name of the file without its extension, which may stand before that of a compression.
fn name_of(path: &Path) -> Result<String, Error> {
    if path == Path::new("-") {
        return Ok("stdin".to_owned());
    }
    // Checked before the name, since `.` and `..` have no name.
    if path.is_dir() {
        return Err(Error::input("is a folder; give a file with one key per line").about(path));
    }
    let is_compressed = |kind: &OsStr| ["gz", "zst"].iter().any(|known| kind.eq_ignore_ascii_case(known));
    let file = match path.extension().is_some_and(is_compressed) {
        true => path.file_stem().map(Path::new),
        false => Some(path),
    };
    let stem = file.and_then(Path::file_stem);
    let stem = stem.map(|stem| stem.to_string_lossy().into_owned());
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
