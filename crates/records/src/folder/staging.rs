//! Unfinished files, which take the place of the report when complete.
//!
//! The new report is written whole beside the old one. Its files are then moved one by one, `run.json` last, and the
//! next command in the folder finishes what a kill interrupts.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::workspace::{Workspace, sync};
use super::{CHARTS, Destination, Kind, previous};
use crate::document::RUN;
use crate::error::Error;

/// A folder of unfinished files next to their destination, removed on drop.
#[derive(Debug)]
pub struct Staging {
    inner: PathBuf,
    destination: Destination,
}

impl Staging {
    pub(super) fn new(destination: Destination) -> Result<Self, Error> {
        let inner = destination.workspace.report();
        fs::create_dir(&inner).map_err(Error::system(&inner))?;
        Ok(Self { inner, destination })
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

    /// Puts the written files in the place of the previous run's files. Foreign files stay.
    ///
    /// Those of `files` that were not written again must exist in the destination. If the list of files changed,
    /// `run.json` must be written again.
    ///
    /// # Errors
    ///
    /// Returns an error if the written files are not those listed, a file that is not ours is in the way, or
    /// the system fails. If the system fails while files are moved, the next run into the folder finishes that.
    pub fn commit(mut self, files: &[String]) -> Result<(), Error> {
        let written = written(&self.inner)?;
        let folder = self.destination.folder.clone();
        let kind = self.destination.kind;
        let mut odd: Vec<String> = (files.iter())
            .filter(|name| !written.contains(*name) && !folder.join(name).is_file())
            .chain(
                written
                    .iter()
                    .filter(|name| !files.contains(name) || !kind.is_ours(name)),
            )
            .cloned()
            .collect();
        let before: BTreeSet<&String> = self.destination.previous.iter().collect();
        if before != files.iter().collect() && !written.contains(RUN) {
            odd.push(RUN.to_owned());
        }
        if !odd.is_empty() {
            let odd = odd.join(", ");
            return Err(Error::internal(format!(
                "written files and listed files differ: {odd}"
            )));
        }
        if !written.contains(RUN) {
            let from = folder.join(RUN);
            fs::copy(&from, self.inner.join(RUN)).map_err(Error::system(&from))?;
        }
        for name in files.iter().map(String::as_str).chain([CHARTS, ""]) {
            let path = self.inner.join(name);
            if path.exists() {
                sync(&path).map_err(Error::system(&folder.join(name)))?;
            }
        }
        if self.destination.exists {
            self.replace(files)?;
        } else {
            fs::rename(&self.inner, &folder).map_err(Error::system(&folder))?;
        }
        self.destination.workspace.complete();
        if let Some(parent) = folder.parent() {
            sync(parent).map_err(Error::system(parent))?;
        }
        Ok(())
    }

    fn replace(&mut self, files: &[String]) -> Result<(), Error> {
        let (folder, kind) = (&self.destination.folder, self.destination.kind);
        // Minutes may have passed since the first check.
        self.destination.previous = previous(folder, folder, kind)?;
        self.destination.refuse_foreign(files)?;
        let workspace = &self.destination.workspace;
        workspace
            .begin_moving()
            .map_err(Error::system(workspace.path()))?;
        let moved = move_files(&self.inner, folder, workspace.path(), kind);
        if moved.is_err() {
            self.destination.workspace.leave();
        }
        moved
    }
}

/// Finishes the work of a killed run, whose folder for unfinished files is `workspace`, in its destination.
pub(super) fn finish(workspace: &Workspace, folder: &Path, kind: &'static Kind) -> Result<(), Error> {
    if workspace.is_moving() && previous(folder, folder, kind).is_ok() {
        move_files(&workspace.report(), folder, workspace.path(), kind)?;
    }
    workspace.clear().map_err(Error::system(workspace.path()))
}

/// Moves the files of the whole report in `new` one by one into `folder`, and removes the other files of the run there.
/// A call after a kill goes on where that call ended.
fn move_files(new: &Path, folder: &Path, scratch: &Path, kind: &Kind) -> Result<(), Error> {
    let path = new.join(RUN);
    if !path.exists() {
        // It is moved last.
        return Ok(());
    }
    let files = (kind.list)(&path)?;
    let previous = previous(folder, folder, kind)?;
    let before: BTreeSet<&String> = previous.iter().collect();
    let after: BTreeSet<&String> = files.iter().collect();
    if before != after {
        // Lists the files of both runs until all are moved, so that all are known as ours.
        let both = before.union(&after).map(|name| (*name).clone()).collect();
        let listing = scratch.join(RUN);
        (kind.relist)(&path, both, &listing)?;
        rename(&listing, &folder.join(RUN))?;
    }
    if after.iter().any(|name| name.starts_with(CHARTS)) {
        let charts = folder.join(CHARTS);
        if let Err(error) = fs::create_dir(&charts)
            && error.kind() != ErrorKind::AlreadyExists
        {
            return Err(Error::system(&charts)(error));
        }
    }
    for name in after.iter().filter(|name| **name != RUN) {
        let (from, to) = (new.join(name), folder.join(name));
        match fs::rename(&from, &to) {
            Err(error) if error.kind() == ErrorKind::NotFound && to.exists() => {}
            moved => moved.map_err(Error::system(&to))?,
        }
    }
    for name in before.difference(&after) {
        let path = folder.join(name);
        if let Err(error) = fs::remove_file(&path)
            && error.kind() != ErrorKind::NotFound
        {
            return Err(Error::system(&path)(error));
        }
    }
    rename(&path, &folder.join(RUN))
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
