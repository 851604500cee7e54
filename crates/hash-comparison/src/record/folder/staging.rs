//! Unfinished files, which are moved to their folder when complete.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{CHARTS, Destination, RUN, is_ours};
use crate::error::Error;
use crate::record::{Run, files};

/// Prefix of the names of folders for unfinished files.
const PREFIX: &str = ".hash-comparison-";

/// Creates a folder for unfinished files in `parent`, which is removed on drop.
pub(super) fn folder_in(parent: &Path) -> std::io::Result<TempDir> {
    tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)
}

/// Folders created for the run; removed again, if empty, unless the run completes.
#[derive(Debug)]
struct Created(Vec<PathBuf>);

impl Drop for Created {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // A folder that is no longer empty stays.
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
    }
}

/// A folder of unfinished files next to their destination, removed on drop.
#[derive(Debug)]
pub struct Staging {
    // Fields are dropped in this order: the files first, then the folders made to hold them.
    outer: TempDir,
    inner: PathBuf,
    created: Created,
    destination: Destination,
}

impl Staging {
    pub(super) fn new(destination: Destination) -> Result<Self, Error> {
        let mut created = Created(Vec::new());
        let missing: Vec<&Path> = destination
            .beside
            .ancestors()
            .take_while(|folder| !folder.exists())
            .collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder).map_err(Error::system(folder))?;
            created.0.push(folder.to_owned());
        }
        let outer = folder_in(&destination.beside).map_err(Error::system(&destination.beside))?;
        // The outer folder is private to this user. The inner one, perhaps the destination, has default permissions.
        let inner = outer.path().join("run");
        fs::create_dir(&inner).map_err(Error::system(&inner))?;
        Ok(Self {
            outer,
            inner,
            created,
            destination,
        })
    }

    /// Returns the folder to write to.
    pub fn path(&self) -> &Path {
        &self.inner
    }

    /// Returns an error about a file here as an error about the file's destination.
    #[must_use]
    pub fn destined(&self, error: Error) -> Error {
        let name = error.path().and_then(|path| path.strip_prefix(&self.inner).ok());
        match name.map(|name| self.destination.folder.join(name)) {
            Some(path) => error.about(&path),
            None => error,
        }
    }

    /// Moves the written files to the destination, and removes the previous run's files that `run` does not list.
    ///
    /// Files of `run` that were not written again must exist in the destination. If the list of files changed,
    /// `run.json` must be written again.
    ///
    /// # Errors
    ///
    /// Returns an error if the written files are not those that `run` lists, a file that is not ours is in the way, or
    /// the system fails. The destination, if touched, still lists every file in it and is replaced by the next run.
    pub fn commit(mut self, run: &Run) -> Result<(), Error> {
        let written = written(&self.inner)?;
        let folder = &self.destination.folder;
        let mut odd: Vec<String> = (run.files.iter())
            .filter(|name| !written.contains(*name) && !folder.join(name).is_file())
            .chain(
                written
                    .iter()
                    .filter(|name| !run.files.contains(name) || !is_ours(name)),
            )
            .cloned()
            .collect();
        let before: BTreeSet<&String> = self.destination.previous.iter().collect();
        if before != run.files.iter().collect() && !written.contains(RUN) {
            odd.push(RUN.to_owned());
        }
        if !odd.is_empty() {
            let odd = odd.join(", ");
            return Err(Error::internal(format!(
                "written files and listed files differ: {odd}"
            )));
        }
        if self.destination.exists {
            self.replace(run, &written)?;
        } else {
            fs::rename(&self.inner, folder).map_err(Error::system(folder))?;
        }
        self.created.0.clear();
        self.outer
            .close()
            .map_err(Error::system(&self.destination.folder))
    }

    fn replace(&self, run: &Run, written: &BTreeSet<String>) -> Result<(), Error> {
        // Minutes may have passed since the first check.
        let now = Destination::existing(&self.destination.folder, &self.destination.folder)?;
        now.refuse_foreign(&run.files)?;
        let folder = &now.folder;
        let before: BTreeSet<&String> = now.previous.iter().collect();
        let after: BTreeSet<&String> = run.files.iter().collect();
        if before != after {
            // Lists the files of both runs until all are moved: the next run can replace a run killed here.
            let both = Run {
                files: before.union(&after).map(|name| (*name).clone()).collect(),
                ..run.clone()
            };
            let path = self.outer.path().join(RUN);
            files::write_run(&path, &both)?;
            rename(&path, &folder.join(RUN))?;
        }
        if written.iter().any(|name| name.starts_with(CHARTS)) {
            let charts = folder.join(CHARTS);
            if let Err(error) = fs::create_dir(&charts)
                && error.kind() != ErrorKind::AlreadyExists
            {
                return Err(Error::system(&charts)(error));
            }
        }
        for name in written.iter().filter(|name| *name != RUN) {
            rename(&self.inner.join(name), &folder.join(name))?;
        }
        for name in before.difference(&after) {
            let path = folder.join(name);
            if let Err(error) = fs::remove_file(&path)
                && error.kind() != ErrorKind::NotFound
            {
                return Err(Error::system(&path)(error));
            }
        }
        if written.contains(RUN) {
            rename(&self.inner.join(RUN), &folder.join(RUN))?;
        }
        Ok(())
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    fs::rename(from, to).map_err(Error::system(to))
}

/// Returns the names of the files in `folder` and in its charts folder.
fn written(folder: &Path) -> Result<BTreeSet<String>, Error> {
    let mut names = BTreeSet::new();
    let charts = folder.join(CHARTS);
    for (within, prefix) in [(folder, String::new()), (&charts, format!("{CHARTS}/"))] {
        if !within.exists() {
            continue;
        }
        for entry in fs::read_dir(within).map_err(Error::system(within))? {
            let entry = entry.map_err(Error::system(within))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !(prefix.is_empty() && name == CHARTS) {
                names.insert(format!("{prefix}{name}"));
            }
        }
    }
    Ok(names)
}
