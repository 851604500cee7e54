//! A list of malicious URLs that is asked by several threads and replaced while they ask.
//!
//! ```text
//! cargo run --release -p guava-bloom --example malicious_urls -- list.txt
//! ```
//!
//! Reads a URL from each line of standard input and answers on standard output, in the same order:
//!
//! ```text
//! clean       http://example.com/
//! malicious   http://malware.example/a.exe
//! ```
//!
//! The list is a file with a URL on each line; empty lines and lines that begin with `#` are none. When the file changes
//! (its time or length, looked at once in `--poll` seconds), or when a line of standard input is `:reload`, a thread of
//! its own builds the next filter and stores it in the [`Slot`]. Meanwhile the others ask the one before, without a lock;
//! it is freed by the last who asks it. What follows a `:reload` may still be answered from the list before, until
//! standard error says what is served. A list that cannot be read is reported and changes nothing.
//!
//! The filter denies nearly every URL that is not on the list. Its "yes" is no proof, so the exact list confirms it: here
//! a `HashSet` behind a lock, elsewhere a file, a database or a service far away, which the filter keeps from being asked
//! for every click. How often it was asked is told at the end, on standard error:
//!
//! ```text
//! serving 2 URLs
//! asked for 4: the filter denied 2, 2 were looked up, 1 of them are on the list
//! ```
//!
//! Exit codes: 0 done; 2 the arguments or the input are wrong; 1 the system failed.

mod input;

use std::collections::HashSet;
use std::fs;
use std::io::{self, BufWriter, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TryRecvError};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::thread;
use std::time::{Duration, SystemTime};

use clap::Parser;
use guava_bloom::{BloomFilter, Bytes, Parameters, Slot};

use self::input::Failure;

/// The line that is a command and no URL.
const RELOAD: &[u8] = b":reload";

/// URLs that are read ahead of their answers.
const WAITING: usize = 1024;

/// Answer which URLs are on a list that may change meanwhile.
#[derive(Debug, Parser)]
#[command(
    after_help = "URLs are lines of standard input; each is answered by a line `clean` or `malicious`, a tab, and \
    the URL. The line `:reload` loads the list anew, as a change of its file does."
)]
struct Arguments {
    /// The list: a URL on each line, `#` before a comment
    list: PathBuf,

    /// Share of harmless URLs that reach the exact list, between 0 and 1
    #[arg(
        long,
        value_name = "P",
        default_value_t = 0.001,
        allow_negative_numbers = true
    )]
    fpp: f64,

    /// Threads that answer
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..))]
    threads: u8,

    /// Seconds between looks at the list's file
    #[arg(long, value_name = "SECONDS", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    poll: u64,
}

fn main() -> ExitCode {
    input::exit(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let source = Source {
        path: &arguments.list,
        fpp: arguments.fpp,
    };
    let (list, stamp) = source.load()?;
    eprintln!("serving {} URLs", list.exact.len());
    let serving = Serving::new(list);
    let counts = Counts::default();

    let (questions, queue) = mpsc::sync_channel(WAITING);
    let queue = Mutex::new(queue);
    let (expected, answers) = mpsc::sync_channel(WAITING);
    // One command that waits says as much as many.
    let (reload, commands) = mpsc::sync_channel(1);
    let ended = thread::scope(|scope| {
        let printer = scope.spawn(|| print(answers));
        for _ in 0..arguments.threads {
            scope.spawn(|| answer(&queue, &serving, &counts));
        }
        let poll = Duration::from_secs(arguments.poll);
        let (source, serving) = (&source, &serving);
        scope.spawn(move || watch(source, stamp, commands, poll, serving));
        let read = ask(&questions, &expected, &reload);
        // Everyone else ends when nothing more can come.
        drop((questions, expected, reload));
        let printed = printer
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        read.and(printed)
    });
    ended?;
    eprintln!("{counts}");
    Ok(())
}

/// A list, and the filter of its URLs.
struct List {
    filter: BloomFilter<Bytes>,
    exact: HashSet<Vec<u8>>,
}

/// What answers now: the filter, and behind it the list.
///
/// They are replaced one after the other, and between that a URL may meet the filter of one list and the other list. It is
/// malicious if both say so, and every list is within its own filter. So one that is on both lists is always malicious, one
/// that is on neither never, and for one that has come or gone either answer was right a moment ago or is right now.
struct Serving {
    filter: Slot<Bytes>,
    exact: RwLock<HashSet<Vec<u8>>>,
}

impl Serving {
    fn new(list: List) -> Self {
        Self {
            filter: Slot::new(list.filter),
            exact: RwLock::new(list.exact),
        }
    }

    fn store(&self, list: List) {
        let before = {
            let mut exact = self.exact.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *exact, list.exact)
        };
        self.filter.store(list.filter);
        // It may be long, and is freed when nobody waits for the lock any more.
        drop(before);
    }

    /// The exact list; only after the filter has said yes.
    fn exact(&self) -> RwLockReadGuard<'_, HashSet<Vec<u8>>> {
        self.exact.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What tells one state of a file from the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    len: u64,
}

/// Where lists come from.
struct Source<'a> {
    path: &'a Path,
    fpp: f64,
}

impl Source<'_> {
    fn stamp(&self) -> Result<Stamp, Failure> {
        let metadata = fs::metadata(self.path).map_err(|error| Failure::input(self.path.display(), error))?;
        // A pipe gives its list once, and an empty one from then on.
        if !metadata.is_file() {
            return Err(Failure::input(self.path.display(), "is no file"));
        }
        Ok(Stamp {
            modified: metadata.modified().ok(),
            len: metadata.len(),
        })
    }

    /// The list that the file holds, and the state of the file.
    fn load(&self) -> Result<(List, Stamp), Failure> {
        let stamp = self.stamp()?;
        let mut exact = HashSet::new();
        let mut lines = input::open(Some(self.path))?;
        while let Some(line) = lines.read()? {
            if !line.is_empty() && !line.starts_with(b"#") {
                exact.insert(line.to_owned());
            }
        }
        if self.stamp()? != stamp {
            return Err(Failure::input(
                self.path.display(),
                "changed while it was read; better replace it by renaming",
            ));
        }
        let failed = |error| Failure::input(self.path.display(), error);
        let parameters = Parameters::new(exact.len() as u64, self.fpp).map_err(failed)?;
        let mut filter = BloomFilter::new(Bytes, &parameters).map_err(failed)?;
        for url in &exact {
            filter.put(url);
        }
        Ok((List { filter, exact }, stamp))
    }
}

/// Loads the list anew when it is told to and when the file has changed, until nobody can tell it any more.
fn watch(source: &Source<'_>, first: Stamp, commands: Receiver<()>, poll: Duration, serving: &Serving) {
    let mut tried = Some(first);
    loop {
        let told = match commands.recv_timeout(poll) {
            Ok(()) => true,
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let found = source.stamp().ok();
        if !told && found == tried {
            continue;
        }
        match source.load() {
            Ok((list, stamp)) => {
                tried = Some(stamp);
                let urls = list.exact.len();
                serving.store(list);
                eprintln!("serving {urls} URLs");
            }
            Err(Failure::Input(message) | Failure::System(message)) => {
                // The same file fails the same way: not again until it is another.
                tried = found;
                let urls = serving.exact().len();
                eprintln!("{message}; still serving {urls} URLs");
            }
        }
    }
}

/// A URL, and where its answer goes.
struct Question {
    url: Vec<u8>,
    answer: SyncSender<Answer>,
}

struct Answer {
    url: Vec<u8>,
    malicious: bool,
}

#[derive(Debug, Default)]
struct Counts {
    asked: AtomicU64,
    looked_up: AtomicU64,
    malicious: AtomicU64,
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [asked, looked_up, malicious] =
            [&self.asked, &self.looked_up, &self.malicious].map(|count| count.load(Ordering::Relaxed));
        write!(
            f,
            "asked for {asked}: the filter denied {}, {looked_up} were looked up, {malicious} of them are on the list",
            asked - looked_up
        )
    }
}

/// Reads standard input to its end.
fn ask(
    questions: &SyncSender<Question>,
    expected: &SyncSender<Receiver<Answer>>,
    reload: &SyncSender<()>,
) -> Result<(), Failure> {
    let mut lines = input::open(None)?;
    while let Some(line) = lines.read()? {
        if line == RELOAD {
            // Full: a command waits already.
            let _ = reload.try_send(());
            continue;
        }
        let (answer, receiver) = mpsc::sync_channel(1);
        let url = line.to_owned();
        let sent = expected.send(receiver).is_ok() && questions.send(Question { url, answer }).is_ok();
        if !sent {
            // The printer has ended, since nobody reads on.
            break;
        }
    }
    Ok(())
}

/// One of the threads that answer.
fn answer(queue: &Mutex<Receiver<Question>>, serving: &Serving, counts: &Counts) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Question { url, answer }) = next else {
            return;
        };
        let might = serving.filter.might_contain(&url);
        let malicious = might && serving.exact().contains(&url);
        counts.asked.fetch_add(1, Ordering::Relaxed);
        counts.looked_up.fetch_add(might.into(), Ordering::Relaxed);
        counts.malicious.fetch_add(malicious.into(), Ordering::Relaxed);
        // Nobody waits when the printer has ended.
        let _ = answer.send(Answer { url, malicious });
    }
}

/// Prints the answers in the order of their questions, at once whenever no other is expected.
fn print(answers: Receiver<Receiver<Answer>>) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut written = Ok(());
    while written.is_ok() {
        let next = match answers.try_recv() {
            Err(TryRecvError::Empty) => {
                written = out.flush();
                if written.is_err() {
                    break;
                }
                answers.recv().ok()
            }
            next => next.ok(),
        };
        let Some(answer) = next.and_then(|answer| answer.recv().ok()) else {
            break;
        };
        let verdict: &[u8] = if answer.malicious { b"malicious" } else { b"clean" };
        written = out.write_all(&[verdict, b"\t", &answer.url, b"\n"].concat());
    }
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::system("standard output", error)),
        _ => Ok(()),
    }
}
