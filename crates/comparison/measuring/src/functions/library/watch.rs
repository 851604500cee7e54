//! The calls of functions of shared libraries that are under way. A thread names those that do not return: nothing can end
//! them but the end of the process.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// The time after which a call is named.
const LONG: Duration = Duration::from_secs(5);
/// The time between two looks at all calls.
const PAUSE: Duration = Duration::from_millis(100);
/// The bit of a call that was under way at an earlier look. The next call begins without it.
const SEEN: u8 = 1 << 7;

/// Stores which function a thread is calling: 0 for none, or one more than its index. It has a cache line of its own.
#[repr(align(64))]
#[derive(Default)]
struct UnderWay(AtomicU8);

/// Stores which function each thread is calling.
static ALL: Mutex<Vec<Arc<UnderWay>>> = Mutex::new(Vec::new());

thread_local! {
    static OF_THREAD: Arc<UnderWay> = {
        let mine = Arc::<UnderWay>::default();
        ALL.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&mine));
        mine
    };
}

/// Calls `function`, which is at this place among those that are watched.
#[inline]
pub(super) fn watched<T>(place: usize, function: impl FnOnce() -> T) -> T {
    OF_THREAD.with(|mine| {
        mine.0.store(place as u8 + 1, Ordering::Relaxed);
        let value = function();
        mine.0.store(0, Ordering::Relaxed);
        value
    })
}

/// Starts to watch the calls of these functions, of each at its place. `stop` is set by the first Ctrl-C.
pub(super) fn start(names: Vec<String>, stop: Arc<AtomicBool>) {
    static STARTED: OnceLock<()> = OnceLock::new();
    STARTED.get_or_init(|| {
        thread::spawn(move || watch(&names, &stop));
    });
}

fn watch(names: &[String], stop: &AtomicBool) {
    let say = |state: u8, sentence: &str| {
        let name = names.get(usize::from(state & !SEEN) - 1);
        // Below the line of the phase. If standard error is closed, there is nowhere to report this.
        let start = if io::stderr().is_terminal() { "\n" } else { "" };
        let _ = writeln!(
            io::stderr(),
            "{start}--own {}: {sentence}",
            name.map_or("", |name| name)
        );
    };
    let (mut looks, mut is_told) = (Vec::new(), false);
    loop {
        thread::sleep(PAUSE);
        let all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        looks.resize(all.len(), 0);
        for (call, looks) in all.iter().zip(&mut looks) {
            let state = call.0.load(Ordering::Relaxed);
            if state & SEEN == 0 {
                *looks = 0;
                if state != 0 {
                    // Another call may have begun, which the next look sees.
                    let _ =
                        call.0
                            .compare_exchange(state, state | SEEN, Ordering::Relaxed, Ordering::Relaxed);
                }
                continue;
            }
            *looks += 1;
            if PAUSE * *looks == LONG {
                say(
                    state,
                    &format!(
                        "a call has not returned for {} s; Ctrl-C twice ends the run",
                        LONG.as_secs()
                    ),
                );
            }
            if !is_told && stop.load(Ordering::Relaxed) {
                is_told = true;
                say(
                    state,
                    "the call under way is awaited; a second Ctrl-C ends the run at once",
                );
            }
        }
    }
}
