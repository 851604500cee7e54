//! Tests the header and the libraries with C and C++ programs.
//!
//! Needs a C and a C++ compiler under the names `cc` and `c++`, a linker that knows `--wrap`, LevelDB, pkg-config,
//! CMake and valgrind.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use filter_policy::SplitBlockPolicy;
use filter_policy::rocksdb::{FastLocalBloomPolicy, RibbonPolicy};
use filter_policy::{BinaryFusePolicy, BloomFilter64Policy};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};
use filter_policy_leveldb::MAX_BITS_PER_KEY;

/// The other libraries that a static Rust library needs on Linux, as listed by
/// `cargo rustc --release -- --print native-static-libs`.
const STATIC_NEEDS: [&str; 5] = ["-lgcc_s", "-lpthread", "-lm", "-ldl", "-lc"];

/// Returns the expected output of `every_function.c`: the version, and for each policy whether it exists, its name, a
/// filter, and the answers for four stored keys and an absent one.
fn expected() -> String {
    let keys: [&[u8]; 4] = [b"apple", b"a\0b", b"", b"\xff\xfe\xfd"];
    let ten = BitsPerKey::whole(10);
    let more = BitsPerKey::fractional(17.5).unwrap();
    let most = BitsPerKey::try_from(MAX_BITS_PER_KEY).unwrap();
    let policies: [&dyn FilterPolicy; 12] = [
        &BloomFilterPolicy::new(ten),
        &BloomFilterPolicy::with_leveldb_hash(ten),
        &BloomFilter64Policy::new(ten),
        &FastLocalBloomPolicy::new(ten),
        &RibbonPolicy::new(ten),
        &BloomFilterPolicy::with_leveldb_hash(more),
        &BloomFilterPolicy::with_leveldb_hash(more),
        &BloomFilterPolicy::new(ten).coprime_sizes(),
        &BloomFilterPolicy::with_leveldb_hash(ten).coprime_sizes(),
        &SplitBlockPolicy::new(ten),
        &BinaryFusePolicy::new(ten),
        &BloomFilter64Policy::new(most),
    ];
    let mut lines = format!("012345678\n{0} {0}\n", env!("CARGO_PKG_VERSION"));
    for policy in policies {
        let mut filter = Vec::new();
        policy.append_filter(&keys, &mut filter).unwrap();
        assert!(!policy.key_may_match(b"absent", &filter));
        let digits: String = filter.iter().map(|byte| format!("{byte:02x}")).collect();
        lines += &format!("policy {} {digits} 11110\n", policy.name());
    }
    let null = "null filter_policy_leveldb.NoPolicy 00ff 11111\n";
    let by_name = lines.lines().nth(4).unwrap();
    format!(
        "{lines}{}{by_name}\n.\n{null}bits per ke.\n{null}{by_name}\n{null}policy name.\n",
        null.repeat(4)
    )
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Builds and installs the libraries by the guide's instructions. Returns the prefix of the installation.
fn prefix() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let prefix = folder.join("prefix with spaces");
        // The target folder of all tests, so that the library is built once.
        let target = folder.parent().unwrap();
        let mut install = Command::new(package().join("install.sh"));
        // Not optimised, which takes half of the time: nothing here depends on speed.
        install.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0");
        run(install.arg(&prefix).env("CARGO_TARGET_DIR", target));
        prefix
    })
}

/// Returns a command that finds the installed library through pkg-config.
fn with_pkg_config(program: &str) -> Command {
    let mut command = Command::new(program);
    command.env("PKG_CONFIG_PATH", prefix().join("lib/pkgconfig"));
    command
}

/// Runs a program. Returns its standard output, or fails with all of its output.
fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?} cannot be run: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// Returns a compiler for this language standard, with the environment's `CFLAGS`, like make.
fn compiler(name: &str, standard: &str) -> Command {
    let mut command = Command::new(name);
    let flags = std::env::var("CFLAGS").unwrap_or_default();
    command.arg(standard).args(flags.split_whitespace());
    command
}

/// Returns a compiler with the header's folder and all warnings as errors.
fn strict_compiler(name: &str, standard: &str) -> Command {
    let mut command = compiler(name, standard);
    command
        .args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-I"])
        .arg(package().join("include"));
    command
}

fn source(name: &str) -> PathBuf {
    package().join("tests/c").join(name)
}

#[test]
fn c_and_cpp_programs_link_to_both_libraries() {
    let libraries = prefix().join("lib");
    let folder = tempfile::tempdir().unwrap();
    let every_function = source("every_function.c");
    for (compiler_name, standard, language) in [("cc", "-std=c11", "c"), ("c++", "-std=c++11", "c++")] {
        let program = folder.path().join("program");
        let linked = |arguments: &[&OsStr]| {
            run(strict_compiler(compiler_name, standard)
                .args(["-x", language])
                .arg(&every_function)
                .args(["-x", "none", "-o"])
                .arg(&program)
                .args(arguments));
            Command::new(&program)
        };
        let archive = libraries.join("libfilter_policy_leveldb.a");
        let statically = [&[archive.as_os_str()], &STATIC_NEEDS.map(OsStr::new)[..]].concat();
        assert_eq!(run(&mut linked(&statically)), expected());
        let dynamically = [
            OsStr::new("-L"),
            libraries.as_os_str(),
            OsStr::new("-lfilter_policy_leveldb"),
        ];
        let mut program = linked(&dynamically);
        assert_eq!(run(program.env("LD_LIBRARY_PATH", &libraries)), expected());
    }
}

/// Returns a command that runs a program in valgrind, and fails if it finds an error or a leak; or without it where a
/// sanitizer looks for them, which valgrind does not know.
fn valgrind(program: &Path) -> Command {
    if std::env::var("CFLAGS").is_ok_and(|flags| flags.contains("-fsanitize")) {
        return with_library(program);
    }
    let mut command = with_library("valgrind");
    command
        .args(["--quiet", "--error-exitcode=99", "--leak-check=full"])
        .arg(format!("--suppressions={}", source("valgrind.supp").display()))
        .arg(program);
    command
}

/// Each allocation fails in turn, which loses neither keys nor memory.
#[test]
fn an_allocator_that_fails_loses_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("no_memory");
    let wraps = ["malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc"]
        .map(|function| format!("-Wl,--wrap={function}"));
    run(strict_compiler("cc", "-std=c11")
        .arg(source("no_memory.c"))
        .arg("-o")
        .arg(&program)
        .arg(prefix().join("lib/libfilter_policy_leveldb.a"))
        .args(wraps.iter().map(OsStr::new))
        .args(STATIC_NEEDS));
    // One allocation for the policy and one for the state; one for the slices of so many keys and one for the
    // filter. A Ribbon filter also allocates its hash values and its system of equations.
    let expected: String = [
        ("BloomFilter2", 2),
        ("leveldb.BuiltinBloomFilter2", 2),
        ("BloomFilter64.Xxph3", 2),
        ("rocksdb.internal.FastLocalBloomFilter", 2),
        ("rocksdb.internal.Standard128RibbonFilter", 4),
    ]
    .map(|(name, in_create)| {
        format!("{name}: 2 allocations in filter_policy_new, {in_create} in filter_policy_create_filter\n")
    })
    .concat();
    assert_eq!(run(&mut valgrind(&program)), expected);
}

#[test]
fn the_library_exports_the_functions_of_the_header() {
    let library = prefix().join("lib/libfilter_policy_leveldb.so");
    let symbols = run(Command::new("nm")
        .args(["--dynamic", "--defined-only", "--format=posix"])
        .arg(library));
    let exported: BTreeSet<&str> = symbols
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    let committed: BTreeSet<&str> = include_str!("c/exported.txt").lines().collect();
    assert_eq!(
        exported, committed,
        "the list only grows, and no function changes"
    );
    // Declarations begin with a type, at the start of a line; comments do not.
    let declared: BTreeSet<&str> = include_str!("../include/filter_policy_leveldb.h")
        .lines()
        .filter(|line| !line.starts_with([' ', '/', '#']) && !line.starts_with("static"))
        .filter_map(|line| line.split_once('('))
        .filter_map(|(declaration, _)| declaration.rsplit(' ').next())
        .collect();
    assert_eq!(declared, committed);
}

/// Compiles a function that contains this statement, as C or C++; returns whether it compiles without a warning.
fn compiles(compiler_name: &str, statement: &str) -> bool {
    let program = format!(
        "#include <filter_policy_for_leveldb.h>\nvoid f(leveldb_options_t* options);\n\
         void f(leveldb_options_t* options) {{ (void)options; {statement}; }}\n"
    );
    let (standard, language) = if compiler_name == "cc" {
        ("-std=c99", "c")
    } else {
        ("-std=c++11", "c++")
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program");
    std::fs::write(&file, program).unwrap();
    let mut command = strict_compiler(compiler_name, standard);
    command.args(["-fsyntax-only", "-x", language]).arg(file);
    command.output().unwrap().status.success()
}

#[test]
fn wrong_calls_do_not_compile() {
    let into_options = |policy: &str| format!("leveldb_options_set_filter_policy(options, {policy})");
    for name in ["cc", "c++"] {
        for right in [
            "filter_policy_for_leveldb(10, filter_policy_leveldb)",
            "filter_policy_for_leveldb(9.6, filter_policy_ribbon)",
            "leveldb_filterpolicy_create(filter_policy_new(10, FILTER_POLICY_LEVELDB), filter_policy_destroy, \
             filter_policy_create_filter, filter_policy_key_may_match, filter_policy_name)",
        ] {
            assert!(compiles(name, &into_options(right)), "{name}: {right}");
        }
        for wrong in [
            // Arguments are swapped, or a number is not a kind.
            "filter_policy_for_leveldb(filter_policy_leveldb, 10)",
            "filter_policy_for_leveldb(10, FILTER_POLICY_LEVELDB)",
            "filter_policy_for_leveldb(FILTER_POLICY_LEVELDB, 10)",
            // A state is not a policy of LevelDB.
            "filter_policy_create(10, filter_policy_leveldb)",
            "filter_policy_new(10, FILTER_POLICY_LEVELDB)",
            "filter_policy_new_fractional(9.6, FILTER_POLICY_LEVELDB)",
        ] {
            assert!(!compiles(name, &into_options(wrong)), "{name}: {wrong}");
        }
        assert!(!compiles(name, "filter_policy_create(filter_policy_leveldb, 10)"));
    }
}

/// The output of the examples.
const FOUND: &str = "10000 of 10000 stored keys found\n0 of 10000 absent keys found\n";

/// Compiles the examples with the flags that pkg-config gives.
fn examples(folder: &Path) -> [PathBuf; 2] {
    let flags = run(with_pkg_config("pkg-config").args(["--cflags", "--libs", "filter_policy_leveldb"]));
    [
        ("cc", "-std=c11", "open_database.c"),
        ("c++", "-std=c++17 -fno-rtti", "open_database.cc"),
    ]
    .map(|(name, options, file)| {
        let program = folder.join(name);
        let more = std::env::var("CFLAGS").unwrap_or_default();
        run(Command::new("sh")
            .args([
                "-c",
                &format!(r#"eval {name} {options} {more} -o '"$2"' '"$1"' "$3" -lleveldb"#),
                "sh",
            ])
            .args([&package().join("examples").join(file), &program])
            .arg(flags.trim()));
        program
    })
}

/// Returns a command of a program that finds the library by the soname in its own file.
fn with_library(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env("LD_LIBRARY_PATH", prefix().join("lib"));
    command
}

#[test]
fn installed_libraries_are_found_by_pkg_config() {
    let folder = tempfile::tempdir().unwrap();
    let version = run(with_pkg_config("pkg-config").args(["--modversion", "filter_policy_leveldb"]));
    assert_eq!(version.trim(), env!("CARGO_PKG_VERSION"));
    for program in examples(folder.path()) {
        let database = program.with_extension("database");
        // A new database, and the same again.
        assert_eq!(run(valgrind(&program).arg(&database)), FOUND);
        assert_eq!(run(with_library(&program).arg(&database)), FOUND);
        let code = |command: &mut Command| command.output().unwrap().status.code();
        assert_eq!(code(&mut with_library(&program)), Some(2));
        assert_eq!(
            code(with_library(&program).arg(database.join("CURRENT"))),
            Some(1)
        );
    }
    let needed = run(Command::new("ldd").arg(folder.path().join("cc")));
    assert!(needed.contains("libfilter_policy_leveldb.so.0.1 "), "{needed}");
}

/// Cargo puts the libraries into another folder if it builds for a named target. Whatever lies in the usual one is old.
#[test]
fn the_libraries_just_built_are_installed() {
    let folder = tempfile::tempdir().unwrap();
    let write = |file: &str, text: &str| {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(
        "Cargo.toml",
        "[package]\nname = \"filter-policy-leveldb\"\nversion = \"1.2.3\"\nedition = \"2024\"\n[workspace]\n",
    );
    write("src/lib.rs", "");
    write("include/header.h", "");
    write("target/release/libfilter_policy_leveldb.a", "old");
    write("target/release/libfilter_policy_leveldb.so", "old");
    std::fs::copy(package().join("install.sh"), folder.path().join("install.sh")).unwrap();
    let version = run(Command::new("rustc").arg("-vV"));
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    let prefix = folder.path().join("prefix");
    run(Command::new(folder.path().join("install.sh"))
        .arg(&prefix)
        .env_remove("CARGO_TARGET_DIR")
        .env("CARGO_BUILD_TARGET", host));
    for library in ["libfilter_policy_leveldb.a", "libfilter_policy_leveldb.so.1.2.3"] {
        assert_ne!(
            std::fs::read(prefix.join("lib").join(library)).unwrap(),
            b"old",
            "{library}"
        );
    }
}

#[test]
fn installed_libraries_are_found_by_cmake() {
    let folder = tempfile::tempdir().unwrap();
    run(with_pkg_config("cmake")
        .arg("-S")
        .arg(package().join("examples"))
        .arg("-B")
        .arg(folder.path()));
    run(Command::new("cmake").arg("--build").arg(folder.path()));
    for name in ["open_database", "open_database_cpp"] {
        let mut program = Command::new(folder.path().join(name));
        assert_eq!(
            run(program.arg(folder.path().join(name).with_extension("database"))),
            FOUND
        );
    }
}
