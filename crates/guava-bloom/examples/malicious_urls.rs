//! A list of malicious URLs that is asked by several threads and replaced while they ask.
//!
//! ```text
//! cargo run --release -p guava-bloom --features slot --example malicious_urls -- list.txt
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
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use std::thread;
use std::time::{Duration, SystemTime};

use clap::Parser;
use guava_bloom::{BloomFilter, Bytes, Parameters, Slot};

use self::input::{Failure, Lines};

/// URLs that are answered together, at most.
const BLOCK: usize = 1024;

/// Answer which URLs are on a list that may change meanwhile.
#[derive(Parser)]
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
    let (list, stamp) = load(arguments)?;
    eprintln!("serving {} URLs", list.exact.len());
    let serving = Serving {
        filter: Slot::new(list.filter),
        exact: RwLock::new(list.exact),
    };
    // One command that waits says as much as many.
    let (reload, commands) = mpsc::sync_channel(1);
    thread::scope(|scope| {
        scope.spawn(|| watch(arguments, stamp, commands, &serving));
        serve(arguments.threads.into(), &serving, move || {
            let _ = reload.try_send(());
        })
    })
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
    fn store(&self, mut list: List) {
        let mut exact = self.exact.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut *exact, &mut list.exact);
        drop(exact);
        self.filter.store(list.filter);
    }

    /// The exact list; only after the filter has said yes.
    fn exact(&self) -> RwLockReadGuard<'_, HashSet<Vec<u8>>> {
        self.exact.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the filter let the URL through, and whether it is on the list then.
    fn answer(&self, url: &[u8]) -> (bool, bool) {
        let might = self.filter.might_contain(url);
        (might, might && self.exact().contains(url))
    }
}

/// What tells one state of a file from the next.
type Stamp = (Option<SystemTime>, u64);

fn stamp(path: &Path) -> Result<Stamp, Failure> {
    let metadata = fs::metadata(path).map_err(|error| Failure::input(path.display(), error))?;
    // A pipe gives its list once, and an empty one from then on.
    if !metadata.is_file() {
        return Err(Failure::input(path.display(), "is no file"));
    }
    Ok((metadata.modified().ok(), metadata.len()))
}

/// The list that the file holds, and the state of the file.
fn load(arguments: &Arguments) -> Result<(List, Stamp), Failure> {
    let path = arguments.list.as_path();
    let before = stamp(path)?;
    let mut exact = HashSet::new();
    let mut lines = input::open(Some(path))?;
    while let Some(line) = lines.read()? {
        if !line.is_empty() && !line.starts_with(b"#") {
            exact.insert(line.to_owned());
        }
    }
    if stamp(path)? != before {
        let what = "changed while it was read; better replace it by renaming";
        return Err(Failure::input(path.display(), what));
    }
    let mut filter = BloomFilter::new(Bytes, &Parameters::new(exact.len() as u64, arguments.fpp)?)?;
    for url in &exact {
        filter.insert(url);
    }
    Ok((List { filter, exact }, before))
}

/// Loads the list anew when it is told to and when the file has changed, until nobody can tell it any more.
fn watch(arguments: &Arguments, first: Stamp, commands: Receiver<()>, serving: &Serving) {
    let mut tried = Some(first);
    loop {
        let told = match commands.recv_timeout(Duration::from_secs(arguments.poll)) {
            Ok(()) => true,
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let found = stamp(&arguments.list).ok();
        if !told && found == tried {
            continue;
        }
        // A file that fails does so the same way: not again until it is another.
        tried = found;
        match load(arguments) {
            Ok((list, stamp)) => {
                tried = Some(stamp);
                let urls = list.exact.len();
                serving.store(list);
                eprintln!("serving {urls} URLs");
            }
            Err(Failure::Input(message) | Failure::System(message)) => {
                eprintln!("{message}; still serving {} URLs", serving.exact().len());
            }
            Err(Failure::Enough) => {}
        }
    }
}

/// Answers standard input to its end, as many lines at a time as have arrived.
fn serve(threads: usize, serving: &Serving, reload: impl Fn()) -> Result<(), Failure> {
    let mut lines = input::open(None)?;
    let mut out = io::stdout().lock();
    let (mut asked, mut looked_up, mut malicious) = (0, 0, 0);
    loop {
        let (mut urls, mut text) = (Vec::new(), Vec::new());
        let ended = block(&mut lines, &mut urls, &reload);
        thread::scope(|scope| {
            let shares = urls.chunks(urls.len().div_ceil(threads).max(1)).map(|share| {
                scope.spawn(move || {
                    share
                        .iter()
                        .map(|url| (url, serving.answer(url)))
                        .collect::<Vec<_>>()
                })
            });
            // All of them begin before the first is waited for.
            for share in shares.collect::<Vec<_>>() {
                for (url, (might, is_listed)) in share
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                {
                    looked_up += usize::from(might);
                    malicious += usize::from(is_listed);
                    let verdict: &[u8] = if is_listed { b"malicious" } else { b"clean" };
                    text.extend([verdict, b"\t", url, b"\n"].concat());
                }
            }
        });
        asked += urls.len();
        out.write_all(&text)?;
        out.flush()?;
        // URLs before a line that is wrong are answered.
        if ended? {
            break;
        }
    }
    let denied = asked - looked_up;
    eprintln!(
        "asked for {asked}: the filter denied {denied}, {looked_up} were looked up, {malicious} of them are on the list"
    );
    Ok(())
}

/// Reads the next URLs; whether they are the last.
fn block(lines: &mut Lines, urls: &mut Vec<Vec<u8>>, reload: impl Fn()) -> Result<bool, Failure> {
    while let Some(line) = lines.read()? {
        if line == b":reload" {
            reload();
        } else {
            urls.push(line.to_owned());
        }
        if urls.len() == BLOCK || !lines.reader.buffer().contains(&b'\n') {
            return Ok(false);
        }
    }
    Ok(true)
}
