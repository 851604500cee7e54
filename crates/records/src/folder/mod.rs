//! Folders that a run may write, without ever leaving half a report.
//!
//! A folder is ours if it holds a `run.json` of this program, which lists the files of the run. Only listed files are
//! replaced or removed; anything else in the folder is left alone. Everything is written into a folder next to the
//! destination, which only one run at a time can hold, and moved when complete.

mod staging;
mod workspace;

use std::fmt::Display;
use std::fs;
use std::io::ErrorKind as IoErrorKind;
use std::path::{Component, Path, PathBuf};

pub use self::staging::Staging;
use self::workspace::{Claim, Workspace};
use crate::document::RUN;
use crate::error::{Error, ErrorKind};
use crate::system;

/// Name of the report.
pub const REPORT: &str = "index.html";
/// Name of the folder of the charts.
pub const CHARTS: &str = "charts";

fn refused(path: &Path, reason: impl Into<String>) -> Error {
    Error::input(reason).about(path)
}

/// Turns a system error into an input error, for a path that the user can replace with another folder.
fn refused_by_system(path: &Path, what: impl Display) -> impl FnOnce(std::io::Error) -> Error {
    move |error| {
        refused(
            path,
            format!("{what}: {}; choose another folder", system::text(&error)),
        )
    }
}

fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), IoErrorKind::NotFound | IoErrorKind::NotADirectory)
}

/// A kind of run: what its folder can hold, and how its list of files is read and written.
#[derive(Debug)]
pub struct Kind {
    /// Returns the names of the files of records.
    pub records: fn() -> Vec<&'static str>,
    /// Returns the files that this `run.json` lists, after checking it.
    pub list: fn(&Path) -> Result<Vec<String>, Error>,
    /// Writes the first `run.json` with these files to the second path.
    pub relist: fn(&Path, Vec<String>, &Path) -> Result<(), Error>,
}

impl Kind {
    /// Returns true if a run can have written a file of this name.
    fn is_ours(&self, name: &str) -> bool {
        if name == RUN || name == REPORT || (self.records)().contains(&name) {
            return true;
        }
        let Some(chart) = name.strip_prefix(CHARTS).and_then(|rest| rest.strip_prefix('/')) else {
            return false;
        };
        chart.ends_with(".svg")
            && !chart.starts_with('.')
            && !chart.contains(|c: char| c.is_control() || matches!(c, '/' | '\\' | ':'))
    }
}

/// A folder that a run may write: absent, empty, or ours. No other run can write it as long as this value exists.
#[derive(Debug)]
pub struct Destination {
    kind: &'static Kind,
    /// The absolute path.
    folder: PathBuf,
    /// Set if the folder exists.
    exists: bool,
    /// Files of the run in the folder.
    previous: Vec<String>,
    /// Folder for unfinished files, on the destination's file system.
    workspace: Workspace,
}

impl Destination {
    /// Checks that `path` is absent, empty, or a folder of ours, and that it can be written. Finishes or removes what
    /// killed runs left beside it; otherwise nothing is left changed once the value is dropped.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Input`] for a file, a folder that is not ours, a damaged or foreign `run.json`, a place
    /// that cannot be written, or one that another run writes.
    pub fn check(path: &Path, kind: &'static Kind) -> Result<Self, Error> {
        let absolute = std::path::absolute(path).map_err(refused_by_system(path, "cannot be found"))?;
        // Drops a trailing slash, which would make the system look for a folder inside a file.
        let absolute: PathBuf = absolute.components().collect();
        match fs::symlink_metadata(&absolute) {
            Ok(_) => Self::existing(path, &absolute, kind),
            Err(error) if is_missing(&error) => Self::absent(path, absolute, kind),
            Err(error) => Err(refused_by_system(path, "cannot be opened")(error)),
        }
    }

    /// Checks that `path` is a folder of ours that can be written.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Input`] for anything else.
    pub fn ours(path: &Path, kind: &'static Kind) -> Result<Self, Error> {
        if !path.is_file() && fs::symlink_metadata(path.join(RUN)).is_err() {
            let reason =
                format!("no {RUN} here; give the folder of a run, or make one with the command `compare`");
            return Err(refused(path, reason));
        }
        let file = path.join(RUN);
        let is_plain = fs::symlink_metadata(&file).is_ok_and(|metadata| metadata.is_file());
        if is_plain
            && let Err(error) = (kind.list)(&file)
            && error.kind() == ErrorKind::Foreign
        {
            let advice = "give the folder of a run that this version reads, or measure again";
            return Err(refused(&file, format!("{}; {advice}", error.reason())));
        }
        Self::check(path, kind)
    }

    fn absent(path: &Path, absolute: PathBuf, kind: &'static Kind) -> Result<Self, Error> {
        let mut missing = 0;
        for ancestor in absolute.ancestors().skip(1) {
            missing += 1;
            match fs::metadata(ancestor) {
                Ok(metadata) if metadata.is_dir() => {
                    let mut rest = absolute.components().rev().take(missing);
                    if rest.any(|component| component == Component::ParentDir) {
                        let reason = "leads through a folder that is not there; name the folder directly";
                        return Err(refused(path, reason));
                    }
                    let beside = absolute.parent().unwrap_or(ancestor);
                    let what = format!("cannot write in {}", ancestor.display());
                    let claim = Workspace::claim(beside, &absolute).map_err(refused_by_system(path, what))?;
                    let workspace = held(path, claim)?;
                    // Another run may have made the folder meanwhile.
                    if fs::symlink_metadata(&absolute).is_ok() {
                        drop(workspace);
                        return Self::existing(path, &absolute, kind);
                    }
                    staging::finish(&workspace, &absolute, kind)?;
                    Workspace::sweep(beside);
                    return Ok(Self {
                        kind,
                        folder: absolute,
                        exists: false,
                        previous: Vec::new(),
                        workspace,
                    });
                }
                Ok(_) => {
                    let what = "is a file, so no folder can be inside it; choose another folder";
                    return Err(refused(path, format!("{} {what}", ancestor.display())));
                }
                Err(error) if error.kind() == IoErrorKind::NotFound && ancestor.is_symlink() => {
                    let what = "is a link to nothing; choose another folder";
                    return Err(refused(path, format!("{} {what}", ancestor.display())));
                }
                Err(error) if is_missing(&error) => {}
                Err(error) => {
                    let what = format!("cannot open {}", ancestor.display());
                    return Err(refused_by_system(path, what)(error));
                }
            }
        }
        Err(refused(
            path,
            "no parent of this path exists; choose another folder",
        ))
    }

    fn existing(path: &Path, absolute: &Path, kind: &'static Kind) -> Result<Self, Error> {
        // Follows links, since the user named the folder. Links inside the folder are not followed.
        let folder = fs::canonicalize(absolute).map_err(refused_by_system(path, "cannot be opened"))?;
        if !folder.is_dir() {
            return Err(refused(path, "is a file, not a folder; choose another folder"));
        }
        previous(path, &folder, kind)?;
        let workspace = workspace_for(path, &folder)?;
        staging::finish(&workspace, &folder, kind)?;
        for parent in [folder.parent(), Some(&*folder)].into_iter().flatten() {
            Workspace::sweep(parent);
        }
        let destination = Self {
            kind,
            previous: previous(path, &folder, kind)?,
            folder,
            exists: true,
            workspace,
        };
        // Unlike the names of charts, these do not depend on the data: checked early, so that a mistake costs no run.
        let records = (kind.records)().into_iter();
        let always: Vec<String> = records.chain([REPORT]).map(str::to_owned).collect();
        destination.refuse_foreign(&always)?;
        Ok(destination)
    }

    /// Returns the absolute path of the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Checks that no file of `names` exists in the folder, except files of the run there.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Input`] with the first such file.
    pub fn refuse_foreign(&self, names: &[String]) -> Result<(), Error> {
        for name in names {
            let path = self.folder.join(name);
            if !self.previous.contains(name) && fs::symlink_metadata(&path).is_ok() {
                let reason = "would be overwritten; move it, or choose another folder";
                return Err(refused(
                    &path,
                    format!("is not of the run that {RUN} describes and {reason}"),
                ));
            }
        }
        Ok(())
    }

    /// Creates a folder for unfinished files.
    ///
    /// # Errors
    ///
    /// Returns an error if the system refuses to create the folder.
    pub fn stage(self) -> Result<Staging, Error> {
        Staging::new(self)
    }
}

/// Writes a file that appears, or takes the place of another one, when it is complete.
///
/// # Errors
///
/// Returns [`ErrorKind::Input`] if another run writes this file, and an error if the system fails.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let failed = |error| Error::system(path)(error);
    let present = fs::metadata(path).ok();
    let place = match present {
        // The file that a link leads to is replaced, not the link.
        Some(_) => fs::canonicalize(path),
        None => std::path::absolute(path),
    };
    let place = place.map_err(failed)?;
    let parent = place.parent().unwrap_or(&place);
    let mut workspace = held(path, Workspace::claim(parent, &place).map_err(failed)?)?;
    workspace.clear().map_err(failed)?;
    Workspace::sweep(parent);
    let new = workspace.path().join("file");
    fs::write(&new, bytes)
        .and_then(|()| present.map_or(Ok(()), |old| fs::set_permissions(&new, old.permissions())))
        .and_then(|()| workspace::sync(&new))
        .and_then(|()| fs::rename(&new, &place))
        .and_then(|()| workspace::sync(parent))
        .map_err(failed)?;
    workspace.complete();
    Ok(())
}

/// Returns the held folder, or the error that names the run which holds it.
fn held(path: &Path, claim: Claim) -> Result<Workspace, Error> {
    match claim {
        Claim::Held(workspace) => Ok(workspace),
        Claim::Busy(holder) => {
            let holder = holder.map_or(String::new(), |holder| format!(" ({holder})"));
            let reason = format!(
                "another run of this program{holder} is writing here; wait until it ends, or choose another place"
            );
            Err(refused(path, reason))
        }
    }
}

/// Holds a folder for unfinished files of `folder`: in its parent, or in `folder` itself if the parent cannot be
/// written or is on another file system.
fn workspace_for(path: &Path, folder: &Path) -> Result<Workspace, Error> {
    if let Some(Ok(claim)) = folder.parent().map(|parent| Workspace::claim(parent, folder)) {
        let workspace = held(path, claim)?;
        let probe = workspace.path().join("probe");
        let target = folder.join(workspace.path().file_name().unwrap_or_default());
        if fs::create_dir(&probe).is_ok()
            && fs::rename(&probe, &target).is_ok()
            && fs::remove_dir(&target).is_ok()
        {
            return Ok(workspace);
        }
    }
    let unwritable = "cannot be written, nor can the folder it lies in";
    held(
        path,
        Workspace::claim(folder, folder).map_err(refused_by_system(path, unwritable))?,
    )
}

/// Returns the files of the run in `folder`, none if it is empty.
fn previous(path: &Path, folder: &Path, kind: &Kind) -> Result<Vec<String>, Error> {
    let entries = fs::read_dir(folder).map_err(refused_by_system(path, "cannot be read"))?;
    let is_foreign = |name: std::ffi::OsString| !name.to_string_lossy().starts_with(workspace::PREFIX);
    if entries.flatten().any(|entry| is_foreign(entry.file_name())) {
        listed(path, folder, kind)
    } else {
        Ok(Vec::new())
    }
}

/// Returns the files of the run in `folder`, after checking that the folder is ours and the list leads nowhere else.
fn listed(path: &Path, folder: &Path, kind: &Kind) -> Result<Vec<String>, Error> {
    let file = folder.join(RUN);
    let shown = path.join(RUN);
    match fs::symlink_metadata(&file) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(refused(&shown, "is not a regular file; choose another folder")),
        Err(error) if error.kind() == IoErrorKind::NotFound => {
            let reason =
                format!("must be empty or hold a {RUN} of this program; choose an empty or new folder");
            return Err(refused(path, reason));
        }
        Err(error) => return Err(refused_by_system(&shown, "cannot be opened")(error)),
    }
    let files = (kind.list)(&file).map_err(|error| {
        const RESTORE: &str = "restore it, remove the folder, or choose another";
        let reason = error.reason();
        let reason = match error.kind() {
            ErrorKind::Foreign => format!("{reason}; choose an empty or new folder"),
            ErrorKind::Malformed => format!("{reason}; {RESTORE}"),
            ErrorKind::Changed => format!("is not what the run wrote; {RESTORE}"),
            _ => format!("cannot be read: {reason}; choose another folder"),
        };
        refused(&shown, reason)
    })?;
    if !files.iter().any(|name| name == RUN) {
        let reason = "\"files\" does not list run.json itself: damaged; remove the folder, or choose another";
        return Err(refused(&shown, reason));
    }
    if let Some(name) = files.iter().find(|name| !kind.is_ours(name)) {
        let reason = "which this program never writes: damaged; remove the folder, or choose another";
        return Err(refused(&shown, format!("\"files\" lists {name:?}, {reason}")));
    }
    let is_folder = |name: &str| {
        fs::symlink_metadata(folder.join(name))
            .ok()
            .map(|found| found.is_dir())
    };
    if is_folder(CHARTS) == Some(false) {
        let reason = "is not a folder; move it, or choose another folder";
        return Err(refused(&path.join(CHARTS), reason));
    }
    if let Some(name) = files.iter().find(|name| is_folder(name) == Some(true)) {
        let reason = "is a folder where a file belongs; move it, or choose another folder";
        return Err(refused(&path.join(name), reason));
    }
    Ok(files)
}
