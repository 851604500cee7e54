//! A file that gets filters.

use std::collections::BTreeMap;
#[cfg(unix)]
use std::fs::Permissions;
use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::mem;
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use filter_parquet::add::{AddError, Built, Plan, checksums};
use filter_parquet::{ColumnChunk, ParquetFile};
use serde::Serialize;
use terminal::number::{counted, grouped};
use whole_files::NewFile;

use super::super::workers::{Budget, Share, lock};
use super::{Job, Request, resolved};
use crate::commands::numbers::share;
use crate::commands::parquet::problem::Problem;
use crate::commands::{check_new, wrong};
use crate::inspection::{open_file, shown};

/// A report on a file that was written.
#[derive(Default, Serialize)]
pub struct FileReport {
    /// The paths. Bytes that are not text are replaced.
    pub file: String,
    /// None if the file stays as it is.
    pub out: Option<String>,
    /// The size of the file that was written.
    pub bytes: u64,
    /// The columns by their paths.
    pub columns: BTreeMap<String, ColumnReport>,
    /// What the user should know besides.
    pub notes: Vec<String>,
}

/// The filters of a column.
#[derive(Default, Serialize)]
pub struct ColumnReport {
    /// The number of row groups.
    pub row_groups: u64,
    /// The number of row groups that got a filter.
    pub filters: u64,
    /// The number of values in all row groups, without nulls.
    pub values: u64,
    /// The sum of the different values of each row group.
    pub different: u64,
    /// The length of all filters with their headers.
    pub bytes: u64,
    /// The mean of all filters.
    pub expected_rate: f64,
    /// The number of filters with a higher rate than requested, and the highest rate of all.
    #[serde(skip)]
    missing: u64,
    #[serde(skip)]
    highest_rate: f64,
}

/// A file that is being written. Step 0 copies the data, and each other step builds the filter of a column chunk. The
/// last step that ends completes the file.
pub(super) struct Rewriting<'a> {
    job: &'a Job,
    /// Read from its start, to copy it.
    source: File,
    before: Seen,
    plan: Plan<File>,
    target: File,
    /// A second handle of the target, which writes after the data.
    behind: File,
    rate: f64,
    is_in_place: bool,
    state: Mutex<State<'a>>,
}

/// The parts of a file that are done.
#[derive(Default)]
struct State<'a> {
    steps_ended: usize,
    /// The failure of the first step that has failed.
    failure: Option<(usize, Problem)>,
    /// The file to write, until it is complete.
    file: Option<NewFile>,
    /// Filters that wait for those before them.
    built: BTreeMap<usize, (Built, Share<'a>)>,
    /// The chunks whose filters are written, without these, and the offsets and lengths of the filters.
    written: Vec<Built>,
    places: Vec<(u64, usize)>,
    report: FileReport,
}

impl<'a> Rewriting<'a> {
    pub(super) fn start(job: &'a Job, request: &Request) -> Result<Self, Problem> {
        let Job { input, output, .. } = job;
        let refused = |error| Problem::Input(input.clone(), error);
        let failed = |error| job.problem(error);
        let of_output = Problem::system(output);
        let read = open_file(input).map_err(refused)?;
        // The copy has a handle of its own: on some systems, reads at an offset move the place of a handle.
        let source = open_file(input).map_err(refused)?;
        let metadata = read.metadata().map_err(refused)?;
        // Elsewhere, a lock would keep readers out. Some file systems have no locks.
        if cfg!(unix)
            && request.in_place
            && !job.is_other_name
            && matches!(read.try_lock(), Err(TryLockError::WouldBlock))
        {
            let reason = "another process is adding filters to it, or has locked it";
            return Err(wrong(input, reason).into());
        }
        let parquet = ParquetFile::open(read).map_err(|error| failed(error.into()))?;
        let mut report = FileReport {
            file: input.display().to_string(),
            out: Some(output.display().to_string()),
            ..FileReport::default()
        };
        let columns = request.columns(parquet.footer(), &mut report.notes);
        let columns = columns.map_err(|reason| wrong(input, reason))?;
        let plan = Plan::new(parquet, &columns, request.options).map_err(failed)?;
        report.bytes = plan.data_len();
        let replace = request.replace || request.in_place;
        check_new(output, replace)?;
        let file = NewFile::create(output, replace).map_err(&of_output)?;
        let target = file.file().try_clone().map_err(&of_output)?;
        let mut behind = file.second().try_clone().map_err(&of_output)?;
        behind
            .seek(SeekFrom::Start(plan.data_len()))
            .map_err(&of_output)?;
        if !keep_owner(&metadata, &target).map_err(&of_output)? {
            let text = "owner or group are not kept, because the system does not allow it";
            report.notes.push(text.to_owned());
        }
        let old_lens = plan
            .chunks()
            .filter_map(|chunk| chunk.filter_length?.try_into().ok());
        let unused = old_lens.fold(0, u64::saturating_add);
        if unused > 0 {
            let text = format!(
                "{} of old filters stay in the file",
                counted(unused, "unused byte")
            );
            report.notes.push(text);
        }
        Ok(Self {
            job,
            source,
            before: seen(&metadata),
            plan,
            target,
            behind,
            rate: request.options.rate,
            is_in_place: request.in_place,
            state: Mutex::new(State {
                file: Some(file),
                report,
                ..State::default()
            }),
        })
    }

    pub(super) fn steps(&self) -> usize {
        1 + self.plan.chunks().len()
    }

    /// Waits for the memory of a step. Only the headers of pages are read before.
    pub(super) fn prepare(&self, step: usize, budget: &'a Budget) -> Result<Share<'a>, Problem> {
        if lock(&self.state).failure.is_some() {
            return Err(Problem::STOPPED);
        }
        let memory = step.checked_sub(1).map_or(Ok(0), |chunk| self.plan.memory(chunk));
        let memory = memory.map_err(|error| self.job.problem(error))?;
        Ok(budget.take(memory))
    }

    /// Runs a step that was prepared. Returns the result of the file if it is the last.
    pub(super) fn run(
        &self,
        step: usize,
        prepared: Result<Share<'a>, Problem>,
        go_on: &dyn Fn(u64) -> bool,
    ) -> Option<Result<FileReport, Problem>> {
        let done = prepared.and_then(|share| match step.checked_sub(1) {
            None => self.copy(go_on),
            Some(chunk) => self.build(chunk, share, go_on),
        });
        let mut state = lock(&self.state);
        state.steps_ended += 1;
        if let Err(failure) = done
            && state.failure.as_ref().is_none_or(|(first, _)| step < *first)
        {
            state.failure = Some((step, failure));
            state.built.clear();
        }
        (state.steps_ended == self.steps()).then(|| match state.failure.take() {
            Some((_, failure)) => Err(failure),
            None => self.finish(&mut state),
        })
    }

    /// Copies everything before the footer. Some systems let both files share it.
    fn copy(&self, go_on: &dyn Fn(u64) -> bool) -> Result<(), Problem> {
        /// The most that is copied before a look at whether to stop.
        const PIECE: u64 = 256 << 20;
        let Job { input, output, .. } = self.job;
        let mut left = self.plan.data_len();
        while left > 0 {
            if !go_on(0) {
                return Err(Problem::STOPPED);
            }
            let mut piece = (&self.source).take(left.min(PIECE));
            let copied = io::copy(&mut piece, &mut &self.target);
            let copied = copied.map_err(|error| Problem::Copy(input.clone(), output.clone(), error))?;
            if copied == 0 {
                return Err(self.job.problem(AddError::Changed));
            }
            left -= copied;
        }
        Ok(())
    }

    fn build(&self, chunk: usize, mut share: Share<'a>, go_on: &dyn Fn(u64) -> bool) -> Result<(), Problem> {
        let built = self.plan.build(chunk, go_on);
        let built = built.map_err(|error| self.job.problem(error))?;
        share.shrink(built.filter.as_ref().map_or(0, |filter| filter.len() as u64));
        let mut state = lock(&self.state);
        // Nothing would ever write the filters of a file that has failed, and free their memory.
        if state.failure.is_none() {
            state.built.insert(chunk, (built, share));
        }
        self.write_filters(&mut state)
    }

    /// Writes the filters whose turn it is, in the order of the chunks.
    fn write_filters(&self, state: &mut State<'_>) -> Result<(), Problem> {
        while let Some((mut built, _share)) = state.built.remove(&state.written.len()) {
            let filter = built.filter.as_mut().map(mem::take).unwrap_or_default();
            state.places.push((state.report.bytes, filter.len()));
            state.written.push(built);
            self.write(&filter, state)?;
        }
        Ok(())
    }

    fn write(&self, bytes: &[u8], state: &mut State<'_>) -> Result<(), Problem> {
        let written = (&self.behind).write_all(bytes);
        written.map_err(Problem::system(&self.job.output))?;
        state.report.bytes += bytes.len() as u64;
        Ok(())
    }

    fn finish(&self, state: &mut State<'_>) -> Result<FileReport, Problem> {
        let footer = self.plan.footer(&state.places);
        self.write(&footer.map_err(|error| self.job.problem(error))?, state)?;
        let mut chunks = self.plan.chunks().zip(&state.places);
        let has_no_filter = chunks.all(|(chunk, (_, len))| *len == 0 && chunk.filter_offset.is_none());
        let old = self.checksums()?;
        match state.file.take() {
            Some(_) if self.is_in_place && has_no_filter => {
                self.check_unchanged(&old)?;
                state.report.out = None;
                let text = "no filter was added, and the file stays as it is";
                state.report.notes.push(text.to_owned());
            }
            Some(file) => {
                let written = old.keys().map(|path| {
                    let text = format!("Hadoop's checksums in {} were written anew", shown(path));
                    state.report.notes.push(text);
                    self.write_checksums(path).map_err(Problem::system(path))
                });
                let new = written.collect::<Result<_, _>>()?;
                let synced = file.file().sync_all();
                synced.map_err(Problem::system(&self.job.output))?;
                self.place(file, &old, new)?;
            }
            None => {}
        }
        for ((chunk, built), (_, len)) in self.plan.chunks().zip(&state.written).zip(&state.places) {
            state.report.add(chunk, built, *len as u64, self.rate);
        }
        state.report.note_missed(self.rate);
        Ok(mem::take(&mut state.report))
    }

    /// Returns the checksum files of the file that is replaced, those of a link to it included.
    fn checksums(&self) -> Result<BTreeMap<PathBuf, Seen>, Problem> {
        let Job { input, output, .. } = self.job;
        let given = if self.is_in_place { input } else { output };
        let mut found = BTreeMap::new();
        for path in [given, &resolved(output)].map(|file| checksums::path_for(file)) {
            match path.canonicalize().and_then(|path| Ok((path.metadata()?, path))) {
                Ok((metadata, path)) => _ = found.insert(path, seen(&metadata)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(Problem::system(&path)(error)),
            }
        }
        Ok(found)
    }

    /// Checks a checksum file of the file that is replaced, and writes the one that follows it when the new file is there.
    fn write_checksums(&self, path: &Path) -> io::Result<NewFile> {
        let stored = open_file(path)?;
        let old =
            open_file(&self.job.output).map_err(|_| io::Error::other("belongs to no file: remove it"))?;
        let bytes = checksums::check(&stored, old)?;
        let new = NewFile::create(path, true)?;
        keep_owner(&stored.metadata()?, new.file())?;
        (&self.behind).rewind()?;
        checksums::write(new.file(), &self.behind, bytes)?;
        new.file().sync_all()?;
        Ok(new)
    }

    /// Puts a file in its place if the original is unchanged. No checksum file is there that does not fit.
    fn place(&self, file: NewFile, old: &BTreeMap<PathBuf, Seen>, new: Vec<NewFile>) -> Result<(), Problem> {
        self.check_unchanged(old)?;
        for path in old.keys() {
            whole_files::remove(path).map_err(Problem::system(path))?;
        }
        // The folder was synced meanwhile.
        if !old.is_empty() {
            self.check_unchanged(&BTreeMap::new())?;
        }
        // Until the new checksums are there, nobody adds filters to the new file. The target keeps the lock.
        if cfg!(unix) {
            _ = file.file().try_lock();
        }
        file.place().map_err(Problem::system(&self.job.output))?;
        let mut checksums = new.into_iter().zip(old.keys());
        checksums.try_for_each(|(file, path)| file.place().map_err(Problem::system(path)))
    }

    /// Checks that the original is the file that was read, and that these are the checksum files.
    fn check_unchanged(&self, checksums: &BTreeMap<PathBuf, Seen>) -> Result<(), Problem> {
        let failed = |error| self.job.problem(error);
        let is_unchanged = self.plan.is_unchanged().map_err(failed)? && self.checksums()? == *checksums;
        let is_same = fs::metadata(&self.job.input).is_ok_and(|metadata| seen(&metadata) == self.before);
        match is_unchanged && is_same {
            true => Ok(()),
            false => Err(failed(AddError::Changed)),
        }
    }
}

impl FileReport {
    fn add(&mut self, chunk: &ColumnChunk, built: &Built, filter_len: u64, wanted: f64) {
        let mut name = chunk.path.clone();
        if chunk.shares_path {
            name.push_str(&format!(" (column {})", chunk.column));
        }
        let place = format!("column {name}, row group {}", chunk.row_group);
        let column = self.columns.entry(name).or_default();
        let had_all = column.filters == column.row_groups;
        column.row_groups += 1;
        column.values += built.values;
        column.different += built.different;
        match &built.filter {
            Ok(_) => {
                column.filters += 1;
                column.bytes += filter_len;
                column.expected_rate += (built.expected_rate - column.expected_rate) / column.filters as f64;
                column.missing += u64::from(built.expected_rate > wanted);
                column.highest_rate = column.highest_rate.max(built.expected_rate);
            }
            // One note for a column is enough.
            Err(reason) if had_all => {
                self.notes.push(format!("{place}: no filter: {reason}"));
            }
            Err(_) => {}
        }
    }

    /// Notes the columns with filters that have a higher rate than requested.
    fn note_missed(&mut self, wanted: f64) {
        let wanted = share(wanted);
        for (name, column) in self.columns.iter().filter(|(_, column)| column.missing > 0) {
            let (missing, all) = (grouped(column.missing), counted(column.row_groups, "row group"));
            let worst = match column.highest_rate > 0.9995 {
                true => "matches nearly everything".to_owned(),
                false => format!("has {}", share(column.highest_rate)),
            };
            self.notes.push(format!(
                "column {name}: filters of {missing} of {all} have a rate above {wanted}; the worst {worst}"
            ));
        }
    }
}

impl Job {
    fn problem(&self, error: AddError<io::Error>) -> Problem {
        Problem::File(self.input.clone(), error)
    }
}

/// The length and the time of a file, its device and its number, of which a change of the file changes one.
type Seen = (u64, Option<SystemTime>, [u64; 2]);

fn seen(metadata: &Metadata) -> Seen {
    (metadata.len(), metadata.modified().ok(), identity(metadata))
}

/// Returns the device and the number of a file, where the system has them.
pub(super) fn identity(metadata: &Metadata) -> [u64; 2] {
    #[cfg(unix)]
    return [metadata.dev(), metadata.ino()];
    #[cfg(not(unix))]
    return [0; 2];
}

/// Gives a file the owner, the group and the permissions of another. Returns false if the system does not allow owner or
/// group. Another group then gets the permissions that all have.
#[cfg(unix)]
fn keep_owner(from: &Metadata, to: &File) -> io::Result<bool> {
    let has_group = fchown(to, None, Some(from.gid())).is_ok();
    let has_owner = fchown(to, Some(from.uid()), None).is_ok();
    let mode = match has_group {
        true => from.mode(),
        false => from.mode() & !0o2070 | (from.mode() & 0o7) << 3,
    };
    to.set_permissions(Permissions::from_mode(mode))?;
    Ok(has_owner && has_group)
}

#[cfg(not(unix))]
fn keep_owner(from: &Metadata, to: &File) -> io::Result<bool> {
    to.set_permissions(from.permissions())?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use terminal::failure::Failure;

    use super::super::Arguments;
    use super::*;

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        arguments: Arguments,
    }

    const ROW_GROUPS: &str = "../../filters/filter-policy/tests/data/parquet/row_groups.parquet";

    /// Changes a file after the start, then runs the steps in an order. Returns the bytes of the result.
    fn rewrite(change: impl FnOnce(&Path), order: impl Fn(&mut Vec<usize>)) -> Result<Vec<u8>, String> {
        let folder = tempfile::tempdir().unwrap();
        let [input, output] = ["in", "out"].map(|name| folder.path().join(name));
        fs::copy(ROW_GROUPS, &input).unwrap();
        let arguments = "add in --out out --renew --always --column id --column name --column day";
        let Cli { arguments } = Cli::parse_from(arguments.split(' '));
        let job = Job {
            input,
            output,
            is_other_name: false,
        };
        let budget = Budget::new(1 << 30);
        let file = Rewriting::start(&job, &arguments.request()).unwrap();
        change(&job.input);
        let mut steps: Vec<_> = (0..file.steps()).collect();
        order(&mut steps);
        let prepared = steps.into_iter().map(|step| (step, file.prepare(step, &budget)));
        let mut result = None;
        for (step, prepared) in prepared.collect::<Vec<_>>() {
            assert!(result.is_none() && !job.output.exists());
            result = file.run(step, prepared, &|_| true);
        }
        let result = result.unwrap();
        // That holds for a file that has failed, too.
        assert_eq!(budget.used(), 0);
        drop(file);
        let names = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let left = names.filter(|name| name != "in").count();
        assert_eq!(left, usize::from(result.is_ok()));
        result
            .map(|_| fs::read(&job.output).unwrap())
            .map_err(|problem| Failure::from(problem).to_string())
    }

    #[test]
    fn the_order_of_steps_changes_no_byte() {
        let in_order = rewrite(|_| (), |_| ()).unwrap();
        let old = fs::read(ROW_GROUPS).unwrap();
        assert!(in_order.len() > old.len() && in_order.starts_with(&old[..20_000]));
        assert_eq!(rewrite(|_| (), |steps| steps.reverse()).unwrap(), in_order);
        assert_eq!(rewrite(|_| (), |steps| steps.rotate_left(4)).unwrap(), in_order);
    }

    type Change<'c> = (&'c str, &'c dyn Fn(&Path));

    #[test]
    fn a_file_that_changes_is_refused() {
        let old = fs::read(ROW_GROUPS).unwrap();
        let rewritten = |bytes: &[u8], path: &Path| {
            let modified = fs::metadata(path).unwrap().modified().unwrap();
            fs::write(path, bytes).unwrap();
            File::options()
                .append(true)
                .open(path)
                .unwrap()
                .set_modified(modified)
                .unwrap();
        };
        let changes: [Change<'_>; 5] = [
            ("time", &|path| {
                let file = File::options().append(true).open(path).unwrap();
                file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
            }),
            ("longer", &|path| rewritten(&[&old[..], b"PAR1"].concat(), path)),
            ("shorter", &|path| rewritten(&old[..10_000], path)),
            ("footer", &|path| {
                rewritten(
                    &[&old[..old.len() - 9], b"\x01", &old[old.len() - 8..]].concat(),
                    path,
                )
            }),
            ("gone", &|path| fs::remove_file(path).unwrap()),
        ];
        for (name, change) in changes {
            for order in [|_: &mut Vec<usize>| (), |steps: &mut Vec<usize>| steps.reverse()] {
                // Of several failures, that of the first step counts.
                let error = rewrite(change, order).unwrap_err();
                assert!(error.contains("changed while"), "{name}: {error}");
            }
        }
        // Another file may have the same bytes and time.
        #[cfg(unix)]
        rewrite(
            |path| {
                let (other, modified) = (
                    path.with_extension("new"),
                    fs::metadata(path).unwrap().modified().unwrap(),
                );
                fs::copy(path, &other).unwrap();
                File::options()
                    .append(true)
                    .open(&other)
                    .unwrap()
                    .set_modified(modified)
                    .unwrap();
                fs::rename(other, path).unwrap();
            },
            |_| (),
        )
        .unwrap_err();
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_replaced_if_nobody_else_replaces_it() {
        let folder = tempfile::tempdir().unwrap();
        let [path, link, hard, other] = ["in", "link", "hard", "other"].map(|name| folder.path().join(name));
        fs::copy(ROW_GROUPS, &path).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        fs::hard_link(&path, &hard).unwrap();
        let arguments = "add in --in-place --renew --column id";
        let Cli { arguments } = Cli::parse_from(arguments.split(' '));
        let job = |input: &Path, is_other_name| Job {
            input: input.to_owned(),
            output: resolved(input),
            is_other_name,
        };
        let first = job(&path, false);
        let first = Rewriting::start(&first, &arguments.request()).unwrap();
        for name in [&path, &link, &hard] {
            let failure = Rewriting::start(&job(name, false), &arguments.request())
                .err()
                .unwrap();
            assert!(
                matches!(&Failure::from(failure), Failure::Input(text) if text.contains("another process is adding"))
            );
            // Names that one process rewrites do not exclude each other.
            Rewriting::start(&job(name, true), &arguments.request()).unwrap();
        }
        // A file that appears while the new one is synced stays.
        let file = lock(&first.state).file.take().unwrap();
        file.file().sync_all().unwrap();
        fs::write(&other, "theirs").unwrap();
        fs::rename(other, &path).unwrap();
        let failure = Failure::from(first.place(file, &BTreeMap::new(), Vec::new()).unwrap_err());
        assert!(failure.to_string().contains("changed while"), "{failure}");
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
    }
}
