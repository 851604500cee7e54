//! Functions of shared libraries: the example in C, and functions that break the rules.
#![cfg(unix)]

use std::process::Command;

use hash_comparison::questions::Records;
use hash_comparison::record::FunctionGroup;

use super::Workbench;

/// Functions that each break a rule.
const WRONG: &str = "#include <stdint.h>\n#include <stdlib.h>\n#include <signal.h>\n#include <unistd.h>\n\
    uint64_t changing(const void *data, size_t length) { static uint64_t calls; return calls++; }\n\
    uint64_t placed(const void *data, size_t length) { return (uintptr_t)data; }\n\
    uint64_t beyond(const unsigned char *data, size_t length) { return data[length]; }\n\
    uint64_t before(const unsigned char *data, size_t length) { return data[-1]; }\n\
    uint64_t wide(const void *data, size_t length) { return (uint64_t)1 << 40 | length; }\n\
    uint64_t writing(unsigned char *data, size_t length) { if (length == 7) data[3] = 0; return length; }\n\
    uint64_t endless(const void *data, size_t length) { for (;;) __asm__ volatile(\"\"); }\n\
    uint64_t deep(const void *data, size_t length) { volatile char room[4096]; room[0] = 1; \
        return (length ? deep(data, length) : 0) + room[0]; }\n\
    uint64_t leaving(const void *data, size_t length) { exit(3); }\n\
    uint64_t dying(const void *data, size_t length) { raise(SIGTERM); return 0; }\n\
    uint64_t lost(const void *data, size_t length) { return *(volatile char *)8; }\n\
    uint64_t slow(const void *data, size_t length) { usleep(1000); return length; }\n";

/// A right function whose library prints when it is opened and in every call, and constructors that end the process.
const PRINTING: &str = "#include <stdio.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
    __attribute__((constructor)) static void banner(void) { \
        for (int i = 0; i < 20; i++) { puts(\"a banner\"); fputs(\"a warning\\n\", stderr); } fflush(stdout); CONSTRUCTED }\n\
    uint64_t printing(const unsigned char *data, size_t length) { uint64_t hash = 7; \
        for (size_t i = 0; i < length; i++) hash = (hash ^ data[i]) * 0x9e3779b97f4a7c15; \
        if (length == 5) puts(\"a call\"); return hash; }\n";

/// Compiles a file in C to `libmine.so` in the folder.
fn compile(bench: &Workbench, file: &str) {
    compile_to(bench, file, "libmine.so", "");
}

/// Compiles a file in C to a library, with this statement at the end of its constructor.
fn compile_to(bench: &Workbench, file: &str, library: &str, constructed: &str) {
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-shared", "-fPIC", "-o", library, file]);
    compiler.arg(format!("-DCONSTRUCTED={constructed}"));
    let status = compiler.current_dir(bench.path("")).status().unwrap();
    assert!(status.success());
}

#[test]
fn the_example_in_c_is_measured_as_the_same_function_in_rust() {
    let bench = Workbench::new();
    compile(&bench, concat!(env!("CARGO_MANIFEST_DIR"), "/examples/my_hash.c"));
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
fn functions_that_break_the_rules_are_refused() {
    let bench = Workbench::new();
    bench.write("keys.txt", "one\ntwo\n");
    bench.write("wrong.c", WRONG);
    bench.write("text.so", "no library");
    compile(&bench, "wrong.c");
    let past = "must not look past its key | 0 bytes | SIGSEGV";
    bench.refuses(
        "compare --quick --keys keys.txt --function XXH3 --own {} --out out",
        &format!(
            "absent.so:wide:64 => absent.so | No such file | check the path
            text.so:wide:64 => text.so | file
            libmine.so:absent:64 => absent
            libmine.so:wide => must be FILE:SYMBOL:BITS
            libmine.so:wide:7 => between 8 and 64, got \"7\"
            libmine.so:wide:65 => between 8 and 64, got \"65\"
            libmine.so:wide:wide => between 8 and 64
            libmine.so:wide:32 => the bits above the 32 of its output
            libmine.so:changing:64 => one value for one key
            libmine.so:placed:64 => one value for one key
            libmine.so:beyond:8 => {past}
            libmine.so:before:8 => {past}
            libmine.so:writing:64 => must not write into its key | 7 bytes | SIGSEGV
            libmine.so:endless:64 => 0 bytes | not returned after 5 seconds
            libmine.so:deep:64 => at most 2 MiB of stack | 1 bytes
            libmine.so:leaving:64 => the function must return | 0 bytes | exit status: 3
            libmine.so:dying:64 => the function must return | 0 bytes | SIGTERM
            libmine.so:lost:64 => the function must return | 0 bytes | SIGSEGV
            libmine.so:slow:64 => at most 100µs | minutes"
        ),
    );
}

/// What a library prints is no answer, and what it does when it is opened ends no run.
#[test]
fn libraries_that_print_are_measured_and_those_that_end_are_named() {
    let bench = Workbench::new();
    bench.write("keys.txt", "one\ntwo\nthree\nfour\n");
    bench.write("printing.c", PRINTING);
    compile_to(&bench, "printing.c", "right.so", "");
    compile_to(&bench, "printing.c", "leaves.so", "_exit(0);");
    compile_to(&bench, "printing.c", "aborts.so", "abort();");
    let outcome =
        bench.run("compare --quick --keys keys.txt --function XXH3 --own right.so:printing:64 --out out");
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let records = Records::read(&bench.path("out")).unwrap();
    assert!(records.run.functions.iter().any(|one| one.name == "printing"));
    bench.refuses(
        "compare --quick --keys keys.txt --function XXH3 --own {} --out new",
        "leaves.so:printing:64 => the library must open | exit status: 0
        aborts.so:printing:64 => the library must open | SIGABRT",
    );
}

/// A trial ends with the program that began it.
#[test]
#[cfg(target_os = "linux")]
fn no_trial_outlives_its_run() {
    let bench = Workbench::new();
    bench.write("keys.txt", "one\ntwo\n");
    bench.write("wrong.c", WRONG);
    compile_to(&bench, "wrong.c", "orphan.so", "");
    let words = "compare --quick --keys keys.txt --function XXH3 --own orphan.so:endless:64 --out out";
    let mut run = bench.command(words).spawn().unwrap();
    let library = bench.path("orphan.so");
    // The children that have the library in their memory.
    let trials = || {
        let children = std::fs::read_dir("/proc").unwrap().flatten();
        let maps = children.filter_map(|child| std::fs::read_to_string(child.path().join("maps")).ok());
        maps.filter(|maps| maps.contains(library.to_str().unwrap()))
            .count()
    };
    let wait_for = |count: usize| {
        (0..1_000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            trials() == count
        })
    };
    assert!(wait_for(1), "the trial has begun");
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(wait_for(0), "the trial has ended");
}
