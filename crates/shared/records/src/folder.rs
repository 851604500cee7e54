//! The folder of a run, which is never left with half a report.
//!
//! A folder is ours if it holds a `run.json` of this program, which lists the files of the run. Only listed files are
//! replaced or removed; anything else in the folder is left alone. A run writes into a folder inside, whose name then
//! says that it is complete. Its files are moved out one by one, `run.json` last; the next command goes on where a kill
//! ended that.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use terminal::failure::Failure;
use terminal::system;
use whole_files::Lock;

use crate::document::RUN;

/// Name of the report.
pub const REPORT: &str = "index.html";
/// Name of the folder of the charts.
pub const CHARTS: &str = "charts";

/// The beginning of the names of what a run has in the folder while it works.
const PREFIX: &str = ".hash-comparison-";
const UNFINISHED: &str = ".hash-comparison-unfinished";
const COMPLETE: &str = ".hash-comparison-complete";

fn refused(path: &Path, reason: impl Into<String>) -> Failure {
    Failure::Input(reason.into()).about(path)
}

/// Turns a system error into an input error, for a path that the user can replace with another folder.
fn refused_by_system(path: &Path, what: &str) -> impl Fn(io::Error) -> Failure {
    move |error| {
        let reason = system::text(&error);
        refused(path, format!("{what}: {reason}; choose another folder"))
    }
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// A kind of run: what its folder can hold, and how its list of files is read.
#[derive(Debug)]
pub struct Kind {
    /// Returns the names of the files of records.
    pub records: fn() -> Vec<&'static str>,
    /// Returns the files that this `run.json` lists, after checking it.
    pub list: fn(&Path) -> Result<Vec<String>, Failure>,
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

/// A folder that a run may write: absent before, empty, or ours. No other run can write it as long as this value exists.
#[derive(Debug)]
pub struct Destination {
    kind: &'static Kind,
    folder: PathBuf,
    /// Files of the run in the folder.
    previous: Vec<String>,
    /// The folder for unfinished files.
    unfinished: PathBuf,
    lock: Lock,
}

impl Destination {
    /// Checks that `path` is absent, empty, or a folder of ours, and that it can be written. Finishes or removes what
    /// a killed run left there; otherwise nothing is left changed once the value is dropped.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::Input`] for a file, a folder that is not ours, a damaged or foreign `run.json`, a place
    /// that cannot be written, or one that another run writes.
    pub fn check(path: &Path, kind: &'static Kind) -> Result<Self, Failure> {
        let absolute = std::path::absolute(path).map_err(refused_by_system(path, "cannot be found"))?;
        // Drops a trailing slash, which would make the system look for a folder inside a file.
        let absolute: PathBuf = absolute.components().collect();
        if absolute.exists() && !absolute.is_dir() {
            return Err(refused(path, "is a file, not a folder; choose another folder"));
        }
        let lock = Lock::take(&absolute).map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => refused(
                path,
                "another run is writing here; wait until it ends, or choose another place",
            ),
            _ => refused_by_system(path, "cannot be written")(error),
        })?;
        // Follows links, since the user named the folder. Links inside the folder are not followed.
        let folder = fs::canonicalize(&absolute).map_err(refused_by_system(path, "cannot be opened"))?;
        finish(&folder, kind)?;
        let destination = Self {
            kind,
            previous: previous(path, kind)?,
            unfinished: folder.join(UNFINISHED),
            folder,
            lock,
        };
        // Unlike the names of charts, these do not depend on the data: checked early, so that a mistake costs no run.
        let always = (kind.records)().into_iter().chain([REPORT]).map(str::to_owned);
        destination.refuse_foreign(&always.collect::<Vec<_>>())?;
        remove_if_present(&destination.unfinished)
            .and_then(|()| fs::create_dir(&destination.unfinished))
            .map_err(refused_by_system(path, "cannot be written"))?;
        Ok(destination)
    }

    /// Checks that `path` is a folder of ours that can be written.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::Input`] for anything else.
    pub fn ours(path: &Path, kind: &'static Kind) -> Result<Self, Failure> {
        if !path.is_file() && !exists(&path.join(RUN)) && !exists(&path.join(COMPLETE)) {
            let reason =
                format!("no {RUN} here; give the folder of a run, or make one with the command `compare`");
            return Err(refused(path, reason));
        }
        Self::check(path, kind)
    }

    /// Writes a file of the run; its name may begin with the folder of charts.
    ///
    /// # Errors
    ///
    /// Returns an error if the system fails; it names the file's place in the folder.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let path = self.unfinished.join(name);
        let folder = path.parent().unwrap_or(&self.unfinished);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, bytes))
            .map_err(Failure::system(&self.folder.join(name)))
    }

    /// Checks that no file of `names` exists in the folder, except files of the run there.
    fn refuse_foreign(&self, names: &[String]) -> Result<(), Failure> {
        let own = &self.previous;
        match names
            .iter()
            .find(|name| !own.contains(name) && exists(&self.folder.join(name)))
        {
            Some(name) => Err(in_the_way(&self.folder.join(name))),
            None => Ok(()),
        }
    }

    /// Puts the written files, `run.json` among them, in the place of the previous run's files. Foreign files stay, and so do
    /// those of `files` that were not written again.
    ///
    /// # Errors
    ///
    /// Returns an error if one of `files` is missing, a file that is not ours is in the way, or the system fails. If it fails
    /// while files are moved, the next run into the folder finishes that.
    pub fn commit(mut self, files: &[String]) -> Result<(), Failure> {
        let (folder, unfinished) = (self.folder.clone(), self.unfinished.clone());
        let is_written = |name: &str| unfinished.join(name).is_file();
        let is_there = |name: &str| is_written(name) || name != RUN && folder.join(name).is_file();
        if let Some(name) = files
            .iter()
            .find(|name| !self.kind.is_ours(name) || !is_there(name))
        {
            return Err(Failure::internal(format!("{name} is listed and was not written")));
        }
        // Minutes may have passed since the first check.
        self.previous = previous(&folder, self.kind)?;
        self.refuse_foreign(files)?;
        if cfg!(unix) {
            for name in files.iter().filter(|name| is_written(name)) {
                let synced = File::open(unfinished.join(name)).and_then(|file| file.sync_all());
                synced.map_err(Failure::system(&folder.join(name)))?;
            }
        }
        fs::rename(&unfinished, folder.join(COMPLETE)).map_err(Failure::system(&folder))?;
        self.lock.keep();
        finish(&folder, self.kind)
    }
}

impl Drop for Destination {
    fn drop(&mut self) {
        let _ = remove_if_present(&self.unfinished);
    }
}

fn in_the_way(path: &Path) -> Failure {
    let reason = format!(
        "is not of the run that {RUN} describes and would be overwritten; move it, or choose another folder"
    );
    refused(path, reason)
}

fn remove_if_present(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Moves the files of a complete run out of their folder inside, and removes the other files of the run that was there.
fn finish(folder: &Path, kind: &Kind) -> Result<(), Failure> {
    let new = folder.join(COMPLETE);
    // `run.json` is moved last.
    if exists(&new.join(RUN)) {
        let files = listed(&new, kind)?;
        let before = match exists(&folder.join(RUN)) {
            true => listed(folder, kind)?,
            false => Vec::new(),
        };
        for name in files.iter().filter(|name| *name != RUN) {
            let (from, to) = (new.join(name), folder.join(name));
            if !exists(&from) {
                continue;
            }
            if exists(&to) && !before.contains(name) {
                return Err(in_the_way(&to));
            }
            let parent = to.parent().unwrap_or(folder);
            fs::create_dir_all(parent)
                .and_then(|()| fs::rename(&from, &to))
                .map_err(Failure::system(&to))?;
        }
        for name in before.iter().filter(|name| !files.contains(name)) {
            let path = folder.join(name);
            if exists(&path) {
                fs::remove_file(&path).map_err(Failure::system(&path))?;
            }
        }
        fs::rename(new.join(RUN), folder.join(RUN)).map_err(Failure::system(folder))?;
    }
    remove_if_present(&new).map_err(Failure::system(&new))
}

/// Returns the files of the run in a folder, none if it is empty.
fn previous(path: &Path, kind: &Kind) -> Result<Vec<String>, Failure> {
    let entries = fs::read_dir(path).map_err(refused_by_system(path, "cannot be read"))?;
    let mut names = entries.flatten().map(|entry| entry.file_name());
    if names.any(|name| !name.to_string_lossy().starts_with(PREFIX)) {
        listed(path, kind)
    } else {
        Ok(Vec::new())
    }
}

/// Returns the files of the run in a folder, after checking that the folder is ours and the list leads nowhere else.
fn listed(path: &Path, kind: &Kind) -> Result<Vec<String>, Failure> {
    let file = path.join(RUN);
    match fs::symlink_metadata(&file) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(refused(&file, "is not a regular file; choose another folder")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let reason =
                format!("must be empty or hold a {RUN} of this program; choose an empty or new folder");
            return Err(refused(path, reason));
        }
        Err(error) => return Err(refused_by_system(&file, "cannot be opened")(error)),
    }
    let files = (kind.list)(&file).map_err(|failure| match failure {
        Failure::Interrupted => failure,
        Failure::Changed(_) => Failure::input(failure),
        Failure::Foreign(_) => Failure::input(format!("{failure}; choose an empty or new folder")),
        _ => Failure::input(format!(
            "{failure}; restore it, remove the folder, or choose another"
        )),
    })?;
    if !files.iter().any(|name| name == RUN) {
        let reason = "\"files\" does not list run.json itself: damaged; remove the folder, or choose another";
        return Err(refused(&file, reason));
    }
    if let Some(name) = files.iter().find(|name| !kind.is_ours(name)) {
        let reason = "which this program never writes: damaged; remove the folder, or choose another";
        return Err(refused(&file, format!("\"files\" lists {name:?}, {reason}")));
    }
    let is_folder = |name: &str| fs::symlink_metadata(path.join(name)).map(|found| found.is_dir());
    if let Ok(false) = is_folder(CHARTS) {
        let reason = "is not a folder; move it, or choose another folder";
        return Err(refused(&path.join(CHARTS), reason));
    }
    if let Some(name) = files.iter().find(|name| matches!(is_folder(name), Ok(true))) {
        let reason = "is a folder where a file belongs; move it, or choose another folder";
        return Err(refused(&path.join(name), reason));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run whose `run.json` is its list of files, a line each.
    static LINES: Kind = Kind {
        records: || vec!["times.csv"],
        list: |path| {
            Ok(fs::read_to_string(path)
                .unwrap()
                .lines()
                .map(str::to_owned)
                .collect())
        },
    };
    const OLD: [&str; 4] = ["charts/a.svg", "charts/b.svg", "run.json", "times.csv"];
    const NEW: [&str; 4] = ["charts/b.svg", "charts/c.svg", "run.json", "times.csv"];

    fn write(folder: &Path, files: [&str; 4]) {
        fs::create_dir_all(folder.join(CHARTS)).unwrap();
        for name in files {
            fs::write(folder.join(name), files.join("\n")).unwrap();
        }
    }

    fn files(folder: &Path) -> Vec<String> {
        let names = |within: &Path| {
            fs::read_dir(within)
                .unwrap()
                .map(|entry| entry.unwrap().file_name())
        };
        let charts = names(&folder.join(CHARTS)).map(|name| format!("charts/{}", name.to_str().unwrap()));
        let names = names(folder).map(|name| name.into_string().unwrap());
        let mut all: Vec<String> = charts.chain(names).filter(|name| name != CHARTS).collect();
        all.sort();
        all
    }

    #[test]
    fn what_a_kill_interrupts_the_next_command_finishes_or_removes() {
        // Kills after each move of a file, and before the first.
        for moved in 0..=NEW.len() {
            for is_first in [false, true] {
                let folder = tempfile::tempdir().unwrap();
                let (out, new) = (folder.path(), folder.path().join(COMPLETE));
                if !is_first {
                    write(out, OLD);
                    fs::write(out.join("notes.txt"), "somebody's").unwrap();
                }
                write(&new, NEW);
                fs::create_dir_all(out.join(CHARTS)).unwrap();
                for name in NEW.iter().filter(|name| **name != RUN).chain([&RUN]).take(moved) {
                    fs::rename(new.join(name), out.join(name)).unwrap();
                }
                if moved == NEW.len() && !is_first {
                    fs::remove_file(out.join("charts/a.svg")).unwrap();
                }
                write(&out.join(UNFINISHED), OLD);
                drop(Destination::ours(out, &LINES).unwrap());
                let mut expected: Vec<&str> = NEW.to_vec();
                expected.extend((!is_first).then_some("notes.txt"));
                expected.sort_unstable();
                assert_eq!(files(out), expected);
                for name in NEW {
                    assert_eq!(
                        fs::read_to_string(out.join(name)).unwrap(),
                        NEW.join("\n"),
                        "{name}"
                    );
                }
            }
        }
    }

    #[test]
    fn one_run_at_a_time_and_no_file_of_somebody_else() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("deep/out");
        let first = Destination::check(&out, &LINES).unwrap();
        let said = Destination::check(&out, &LINES).unwrap_err();
        assert!(matches!(said, Failure::Input(_)));
        assert!(said.to_string().contains("another run"), "{said}");
        // A run that fails takes its folders with it.
        drop(first);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        // Somebody who was faster wins, whenever the file appears.
        let listed = OLD.map(str::to_owned);
        let run = Destination::check(&out, &LINES).unwrap();
        write(&run.unfinished, OLD);
        fs::write(out.join("times.csv"), "somebody's").unwrap();
        assert!(matches!(run.commit(&listed), Err(Failure::Input(_))));
        assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
        fs::remove_file(out.join("times.csv")).unwrap();
        write(&out.join(COMPLETE), OLD);
        fs::write(out.join("times.csv"), "somebody's").unwrap();
        assert!(Destination::check(&out, &LINES).is_err());
        assert_eq!(fs::read_to_string(out.join("times.csv")).unwrap(), "somebody's");
        // A file that is listed and not written is a mistake of the program.
        fs::remove_dir_all(&out).unwrap();
        let run = Destination::check(&out, &LINES).unwrap();
        assert!(matches!(run.commit(&listed), Err(Failure::Internal(_))));
        assert!(!out.exists());
    }
}
