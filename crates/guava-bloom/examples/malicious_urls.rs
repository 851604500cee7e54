//! Serves a list of malicious URLs to several threads, and replaces it while they use it.
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
//! The list is a file with a URL on each line; empty lines and lines that begin with `#` are ignored. When the time or
//! length of the file changes (checked every `--poll` seconds), or when a line of standard input is `:reload`, a
//! separate thread builds the next filter and stores it in the [`Slot`]. Meanwhile the others use the previous filter,
//! without a lock; its last user frees it. URLs after a `:reload` may still be answered from the previous list, until
//! standard error reports the new one. A list that cannot be read is reported and changes nothing.
//!
//! The filter rejects nearly every URL that is not on the list. A positive answer may be false, so the exact list
//! confirms it: here a `HashSet` behind a lock, elsewhere a file, a database or a remote service, which the filter
//! saves from being queried for every click. The number of queries is reported at the end, on standard error:
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
use guava_bloom::{BloomFilter, Bytes, ConcurrentBloomFilter, Parameters, Slot};

use self::input::{Failure, Lines};

/// The largest number of URLs that are answered together.
const BLOCK: usize = 1024;

/// Tell which URLs are on a list that may change meanwhile.
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
        filter: Slot::new(list.filter.into()),
        exact: RwLock::new(list.exact),
    };
    // One waiting command is enough.
    let (reload, commands) = mpsc::sync_channel(1);
    thread::scope(|scope| {
        scope.spawn(|| watch(arguments, stamp, commands, &serving));
        serve(arguments.threads.into(), &serving, move || {
            let _ = reload.try_send(());
        })
    })
}

/// A list and the filter of its URLs.
struct List {
    filter: BloomFilter<Bytes>,
    exact: HashSet<Vec<u8>>,
}

/// The filter and the exact list in use.
///
/// They are replaced one after the other, so a URL may meet the filter of one list and the exact list of the other. It
/// is malicious if both contain it, and each filter contains its whole list. So a URL on both lists is always
/// malicious, a URL on neither never is, and for a URL that was added or removed both answers are right for one of the
/// lists.
struct Serving {
    filter: Slot<ConcurrentBloomFilter<Bytes>>,
    exact: RwLock<HashSet<Vec<u8>>>,
}

impl Serving {
    fn store(&self, mut list: List) {
        let mut exact = self.exact.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut *exact, &mut list.exact);
        drop(exact);
        self.filter.store(list.filter.into());
    }

    /// Locks the exact list; used only after a positive answer of the filter.
    fn exact(&self) -> RwLockReadGuard<'_, HashSet<Vec<u8>>> {
        self.exact.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the filter might contain the URL, and whether the exact list does.
    fn answer(&self, url: &[u8]) -> (bool, bool) {
        let might = self.filter.might_contain(url);
        (might, might && self.exact().contains(url))
    }
}

/// The time and length of a file, which show that it changed.
type Stamp = (Option<SystemTime>, u64);

fn stamp(path: &Path) -> Result<Stamp, Failure> {
    let metadata = fs::metadata(path).map_err(|error| Failure::input(path.display(), error))?;
    // A pipe could be read only once.
    if !metadata.is_file() {
        return Err(Failure::input(path.display(), "not a file"));
    }
    Ok((metadata.modified().ok(), metadata.len()))
}

/// Reads the list, and the stamp of its file.
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
        let what = "the file changed while it was read; replace it by renaming a new file over it";
        return Err(Failure::input(path.display(), what));
    }
    let mut filter = BloomFilter::new(Bytes, &Parameters::new(exact.len() as u64, arguments.fpp)?)?;
    for url in &exact {
        filter.insert(url);
    }
    Ok((List { filter, exact }, before))
}

/// Reloads the list on command and when the file has changed, until the sender of commands is gone.
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
        // A file that failed is not tried again until it changes.
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

/// Answers standard input to its end, in blocks of as many lines as have arrived.
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
            // Collect first, so that all threads start before the first join.
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
        // URLs before a wrong line are answered.
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

/// Reads the next URLs. Returns true if they are the last.
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
