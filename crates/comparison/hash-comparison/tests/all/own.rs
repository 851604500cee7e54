//! Functions of shared libraries: the example in C, and functions that break the rules.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use hash_comparison::questions::Records;
use hash_comparison::record::FunctionGroup;

use super::Workbench;
use super::interrupt::{send, signalled};

/// A good function, and functions that each break a rule.
const FUNCTIONS: &str = r#"#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint64_t good(const unsigned char *data, size_t length)
{
    uint64_t hash = 7;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ data[i]) * 0x9e3779b97f4a7c15;
    return hash;
}
static uint64_t deep(size_t depth)
{
    volatile char room[4096];
    room[depth % 4096] = 1;
    return depth ? deep(depth - 1) + room[0] : 0;
}
#define FUNCTION(NAME, BODY) uint64_t NAME(unsigned char *data, size_t length) { BODY; return good(data, length); }
FUNCTION(changing, static uint64_t calls; return calls++)
FUNCTION(placed, return (uintptr_t)data)
FUNCTION(beyond, return data[length])
FUNCTION(before, return data[-1])
FUNCTION(elsewhere, return *(volatile char *)16)
FUNCTION(wide, return (uint64_t)1 << 40 | length)
FUNCTION(writing, if (length == 1) data[0] ^= 1)
FUNCTION(overflowing, if (length == 2) return deep(100000))
FUNCTION(framed, if (length == 2) { volatile char room[(4 << 20)]; room[0] = 1; })
FUNCTION(stuck, if (length == 5 && !memcmp(data, "stuck", 5)) for (;;) pause())
FUNCTION(leaving, if (length == 3) exit(3))
FUNCTION(successful, if (length == 3) _exit(0))
FUNCTION(signalling, if (length == 3) raise(SIGTERM))
FUNCTION(faulting, if (length == 3) raise(SIGSEGV))
FUNCTION(endless, if (length == 4) for (;;) pause())
FUNCTION(printing, static int lines; while (lines < 3000) { lines++; puts("a banner"); fprintf(stderr, "a banner\n"); })
FUNCTION(php, )
FUNCTION(slow, usleep(100))
FUNCTION(surviving, fprintf(stderr, "in the trial\n"); sleep(4); fprintf(stderr, "alive\n"))
"#;

/// Compiles a file in C to a library in the folder.
fn compile(bench: &Workbench, file: &str, library: &str) {
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-shared", "-fPIC", "-o", library, file]);
    // Compilers of some systems touch every page of a large frame; others do not.
    compiler.arg("-fno-stack-clash-protection");
    let status = compiler.current_dir(bench.path("")).status().unwrap();
    assert!(status.success());
}

/// Returns a folder with two keys and the library of these functions, whose constructor does this.
fn with_functions(constructor: &str) -> Workbench {
    let bench = Workbench::new();
    bench.write("keys.txt", "one\ntwo\n");
    let constructor = format!("__attribute__((constructor)) static void start(void) {{ {constructor} }}");
    bench.write("functions.c", [FUNCTIONS, &constructor].concat());
    compile(&bench, "functions.c", "libmine.so");
    bench
}

const COMPARE: &str = "compare --quick --keys keys.txt --function XXH3 --own {} --out out";

#[test]
fn the_example_in_c_is_measured_as_the_same_function_in_rust() {
    let bench = Workbench::new();
    compile(
        &bench,
        concat!(env!("CARGO_MANIFEST_DIR"), "/examples/my_hash.c"),
        "libmine.so",
    );
    let keys: String = (0..20_000).map(|number| format!("user-{number}\n")).collect();
    bench.write("keys.txt", keys);
    let outcome = bench.run(
        "compare --quick --keys keys.txt --function FNV-1a-32 --own ./libmine.so:my_hash:32 \
         --own libmine.so:my_seeded_hash:32:seed --own libmine.so:my_hash:64 --mine my_seeded_hash --out out",
    );
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(
        outcome
            .stdout
            .contains("A call of my_hash with an empty key takes "),
        "{}",
        outcome.stdout
    );

    let records = Records::read(&bench.path("out")).unwrap();
    let functions = &records.run.functions;
    let names: Vec<&str> = functions.iter().map(|one| &*one.name).collect();
    assert_eq!(
        names,
        ["FNV-1a 32", "my_hash", "my_seeded_hash", "my_hash of libmine.so"]
    );
    let is_flagged = functions.iter().map(|one| one.group == FunctionGroup::Own);
    assert!(is_flagged.eq([false, true, true, true]));
    let mine = records.run.request.mine.as_deref();
    assert_eq!(
        (functions[1].bits, functions[3].output_bits, mine),
        (32, 64, Some("my_seeded_hash"))
    );
    let collisions = |function: &str| -> Vec<(u32, u64)> {
        let rows = records.collisions.iter().filter(|row| row.function == function);
        rows.map(|row| (row.bits, row.collisions)).collect()
    };
    let expected = collisions("FNV-1a 32");
    assert!(
        expected.iter().any(|(_, collisions)| *collisions > 0),
        "{expected:?}"
    );
    assert_eq!(
        [collisions("my_hash"), collisions("my_seeded_hash")],
        [expected.clone(), expected]
    );
}

#[test]
fn the_own_name_of_a_function_is_not_explained_as_that_of_another() {
    let bench = with_functions("");
    let compare = "compare --keys keys.txt --own ./libmine.so:php:64 --mine php --out {}";
    bench.refuses(compare, "keys.txt => keys.txt");
}

#[test]
fn functions_that_break_the_rules_are_refused() {
    let bench = with_functions("");
    bench.write("text.so", "no library");
    let past = "must not look past its key: on a key of 0 bytes it accessed memory";
    bench.refuses(
        COMPARE,
        &format!(
            "absent.so:wide:64 => absent.so | No such file | check the path
            text.so:wide:64 => text.so | file
            libmine.so:absent:64 => absent
            libmine.so:wide => must be FILE:SYMBOL:BITS
            libmine.so:wide:7 => between 8 and 64, got \"7\"
            libmine.so:wide:65 => between 8 and 64, got \"65\"
            libmine.so:wide:wide => between 8 and 64
            libmine.so:wide:32 => the bits above the 32 of its output
            libmine.so:changing:64 => one value for one key: on a key of 0 bytes it returned two
            libmine.so:placed:64 => one value for one key
            libmine.so:beyond:8 => {past} after it, and ended with | SIGSEGV
            libmine.so:before:8 => {past} before it, and ended with | SIGSEGV
            libmine.so:elsewhere:8 => must return: on a key of 0 bytes it accessed address 0x10, far from the keys | SIGSEGV
            libmine.so:writing:64 => must not write into its key | on a key of 1 byte it wrote there | SIGSEGV
            libmine.so:overflowing:64 => stack of a thread: on a key of 2 bytes it needed more than its 2 MiB | SIGSEGV
            libmine.so:framed:64 => stack of a thread: on a key of 0 bytes it needed more than its 2 MiB | SIGSEGV
            libmine.so:leaving:64 => must return: on a key of 3 bytes it ended with exit status: 3
            libmine.so:successful:64 => must return: on a key of 3 bytes it ended with exit status: 0
            libmine.so:signalling:64 => must return: on a key of 3 bytes it ended with signal | SIGTERM
            libmine.so:faulting:64 => must return: on a key of 3 bytes it ended with signal | SIGSEGV"
        )
        .replace("SIGSEGV", if cfg!(target_os = "macos") { "SIG" } else { "SIGSEGV" }),
    );
}

#[test]
fn an_endless_function_is_refused() {
    let words = "libmine.so:endless:64 => must return: on a key of 4 bytes it was still running after 5 s";
    with_functions("").refuses(COMPARE, words);
}

#[test]
fn libraries_that_do_not_open_are_refused() {
    for (constructor, words) in [
        ("_exit(0);", "must open: it ended with exit status: 0"),
        ("abort();", "must open: it ended with signal | SIGABRT"),
        ("for (;;) pause();", "must open: it was still running after 5 s"),
    ] {
        with_functions(constructor).refuses(COMPARE, &format!("libmine.so:good:64 => the library {words}"));
    }
}

#[test]
fn what_a_library_prints_is_no_result() {
    let bench = with_functions("puts(\"a banner\"); fflush(stdout); fprintf(stderr, \"a banner\\n\");");
    let outcome = bench.run(&COMPARE.replace("{}", "libmine.so:printing:64"));
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let functions = Records::read(&bench.path("out")).unwrap().run.functions;
    assert_eq!(functions[1].name, "printing");
    assert!(outcome.stdout.contains("a banner") && outcome.stdout.contains("report: out"));
}

#[test]
fn a_slow_function_is_reported_and_stopped() {
    let bench = with_functions("");
    let before = bench.snapshot();
    let command = COMPARE.replace("{}", "libmine.so:slow:64");
    // In the trial, which prints the estimate, and in a loop of forty thousand calls.
    for (line, signal) in [
        ("--own libmine.so:slow:64: a call takes 0.", "INT"),
        ("timing", "TERM"),
    ] {
        assert_eq!(signalled(&bench, &command, line, signal), Some(130), "{line}");
        assert!(bench.snapshot() == before, "{line}");
    }
}

#[test]
fn no_trial_outlives_its_run() {
    let bench = with_functions("");
    let command = COMPARE.replace("{}", "libmine.so:surviving:64");
    // Only Linux ends a process with a parent that cannot do it.
    let signals = if cfg!(target_os = "linux") {
        &["INT", "TERM", "KILL"][..]
    } else {
        &["INT", "TERM"]
    };
    for signal in signals {
        let mut child = bench.command(&command).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        assert_eq!(line, "in the trial\n");
        send(&child, signal);
        // The trial has the same standard error, which ends with it.
        let mut rest = String::new();
        lines.read_to_string(&mut rest).unwrap();
        assert!(!rest.contains("alive"), "{signal}: {rest}");
        let code = (*signal != "KILL").then_some(130);
        assert_eq!(child.wait().unwrap().code(), code, "{signal}: {rest}");
    }
}

#[test]
fn a_call_that_does_not_return_is_named_and_a_second_signal_ends_the_run() {
    let bench = with_functions("");
    bench.write("keys.txt", "one\nstuck\n");
    let command = COMPARE.replace("{}", "libmine.so:stuck:64");
    let mut child = bench.command(&command).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap())
        .lines()
        .map(Result::unwrap);
    for (start, text) in [
        (
            "--own libmine.so:stuck:64: a call has not returned for 5 s",
            "Ctrl-C twice ends the run",
        ),
        (
            "--own libmine.so:stuck:64: the call under way is awaited",
            "a second Ctrl-C ends the run at once",
        ),
    ] {
        assert!(
            lines.any(|line| line.starts_with(start) && line.contains(text)),
            "{start}"
        );
        send(&child, "INT");
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
