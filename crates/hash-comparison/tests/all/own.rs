//! Functions of shared libraries: the example in C, and functions that break the rules.
#![cfg(unix)]

use std::process::Command;

use hash_comparison::questions::Records;
use hash_comparison::record::FunctionGroup;

use super::Workbench;

/// Functions that each break a rule.
const WRONG: &str = "#include <stddef.h>\n#include <stdint.h>\n\
    uint64_t changing(const void *data, size_t length) { static uint64_t calls; return calls++; }\n\
    uint64_t placed(const void *data, size_t length) { return (uintptr_t)data; }\n\
    uint64_t beyond(const unsigned char *data, size_t length) { return data[length]; }\n\
    uint64_t before(const unsigned char *data, size_t length) { return data[-1]; }\n\
    uint64_t wide(const void *data, size_t length) { return (uint64_t)1 << 40 | length; }\n";

/// Compiles a file in C to `libmine.so` in the folder.
fn compile(bench: &Workbench, file: &str) {
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-shared", "-fPIC", "-o", "libmine.so", file]);
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
            libmine.so:before:8 => {past}"
        ),
    );
}
