//! The package for Python: builds its wheel, checks what is in it, and runs its tests. Tests in Python of other packages.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::cargo::{JAVA, failed, output_of, run_command, words};
use crate::needs::{self, LIBRARIES, MODULE, TOOLS};

const PACKAGE: &str = "crates/python";
const READERS: &str = "crates/applications/samebits/tests/readers";

/// The versions of Python that the package is for.
const VERSIONS: [&str; 4] = ["3.11", "3.12", "3.13", "3.14"];

/// The most bytes of a wheel that is released.
const MAX_BYTES: u64 = 2_500_000;

/// Builds the wheel as tests are built, and runs every test on it, with the real packages of the index. Tests that need
/// no other package run on every version of Python that is found.
pub(crate) fn test(root: &Path) -> Result<(), String> {
    let wheel = build(root, maturin(root, "build --profile dev"))?;
    install(root, &wheel, MODULE)?;
    let python = || python(root, "python3", &[MODULE, TOOLS.0, LIBRARIES.0]);
    let tests = words("-m pytest --ignore tests/test_plain.py");
    run_command(python()?.args(tests).envs([JAVA]))?;
    run_command(python()?.args(["-m", "mypy.stubtest", package(&wheel)?]))?;
    test_plain(root)
}

/// Runs the tests of files that the program `samebits` changes and other libraries write and read.
pub(crate) fn test_readers(root: &Path) -> Result<(), String> {
    let mut python = python(root, "python3", &[TOOLS.0, LIBRARIES.0])?;
    python.args(words("-m pytest -p no:cacheprovider -ra"));
    python.current_dir(root.join(READERS));
    run_command(python.env("PATH", needs::search_path(root)?).envs([JAVA]))
}

/// Builds the wheel that is released, and packs its sources; checks size and contents, and runs the tests that need no
/// other package. Pip builds the sources in the workflow of wheels, which takes minutes.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let wheel = build(root, maturin(root, "build"))?;
    let size = fs::metadata(&wheel).map_err(|error| failed(wheel.display(), error))?;
    println!("the wheel has {} bytes", size.len());
    if size.len() > MAX_BYTES {
        return Err(failed(
            wheel.display(),
            format_args!("its size must be at most {MAX_BYTES} bytes, got {}", size.len()),
        ));
    }
    let (name, version) = (package(&wheel)?, env!("CARGO_PKG_VERSION"));
    let mut list = Command::new("python3");
    let list = list.args(["-m", "zipfile", "-l"]).arg(&wheel);
    let info = format!("{name}-{version}.dist-info");
    contains(list, name, &format!("py.typed _{name}.pyi"))?;
    contains(list, &info, "licenses/LICENSE-APACHE licenses/LICENSE-MIT")?;
    run_command(maturin(root, "sdist --out").arg(wheels(root)))?;
    let sources = format!("{name}-{version}");
    let mut list = Command::new("tar");
    let list = list
        .arg("-tzf")
        .arg(wheels(root).join(sources.clone() + ".tar.gz"));
    let needed = "PKG-INFO pyproject.toml Cargo.lock README.md LICENSE-APACHE LICENSE-MIT";
    contains(list, &sources, needed)?;
    install(root, &wheel, MODULE)?;
    test_plain(root)
}

/// Returns the folder of the wheel and the archive of sources.
fn wheels(root: &Path) -> PathBuf {
    needs::target(root).join("wheels")
}

/// Builds the wheel by this command of maturin; returns its file.
fn build(root: &Path, mut maturin: Command) -> Result<PathBuf, String> {
    let folder = wheels(root);
    // If the folder remains, it contains more than one wheel, which is an error below.
    let _ = fs::remove_dir_all(&folder);
    maturin.args(words("--locked --out"));
    run_command(maturin.arg(&folder))?;
    let files = fs::read_dir(&folder).map_err(|error| failed(folder.display(), error))?;
    let files: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    <[PathBuf; 1]>::try_from(files)
        .map(|[file]| file)
        .map_err(|_| failed(folder.display(), "it must contain one wheel"))
}

/// Returns the package's name, which `pyproject.toml` states, from its wheel, which must be of the workspace's version
/// and for all Pythons from 3.11 on.
fn package(wheel: &Path) -> Result<&str, String> {
    let name = wheel
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let kind = concat!("-", env!("CARGO_PKG_VERSION"), "-cp311-abi3-");
    let reason = format!("a wheel must be named NAME{kind}PLATFORM.whl");
    let package = name.split_once(kind).map(|(package, _)| package);
    package.ok_or_else(|| failed(name, reason))
}

/// Checks that an archive, which `list` lists, has these files in a folder.
pub(crate) fn contains(list: &mut Command, folder: &str, files: &str) -> Result<(), String> {
    let listed = output_of(list)?;
    let listed = String::from_utf8_lossy(&listed);
    for file in words(files) {
        let path = format!("{folder}/{file}");
        if !listed.lines().any(|line| words(line).first() == Some(&&*path)) {
            return Err(failed(path, "the package must contain it"));
        }
    }
    Ok(())
}

/// Unpacks a wheel as pip installs it, in a folder of its own.
fn install(root: &Path, wheel: &Path, folder: &str) -> Result<(), String> {
    let mut pip = Command::new("python3");
    let install = "-m pip install --quiet --no-index --no-deps --no-compile --upgrade --target";
    pip.args(words(install)).arg(needs::target(root).join(folder));
    run_command(pip.arg(wheel))
}

/// Runs the tests that need no other package on every version of Python that is found, and prints which ones are not.
fn test_plain(root: &Path) -> Result<(), String> {
    let mut tested = 0;
    for version in VERSIONS {
        let run = |arguments: &str| {
            let mut python = python(root, &format!("python{version}"), &[MODULE, TOOLS.0])?;
            // The programs of pyenv run the version that this variable names.
            python.args(words(arguments)).env("PYENV_VERSION", version);
            Ok::<_, String>(python)
        };
        let found = run("-V")?.stderr(Stdio::null()).status();
        if found.is_ok_and(|status| status.success()) {
            run_command(&mut run("-m pytest tests/test_plain.py")?)?;
            tested += 1;
        } else {
            println!("not tested: Python {version}, which was not found");
        }
    }
    if tested == 0 {
        return Err(failed("Python", "there must be one of these versions"));
    }
    Ok(())
}

/// Returns Python in the package's folder, with these folders of packages alone: it ignores what else is installed, and
/// leaves no files in the folder.
fn python(root: &Path, program: &str, packages: &[&str]) -> Result<Command, String> {
    let target = needs::target(root);
    let path = env::join_paths(packages.iter().map(|folder| target.join(folder)));
    let mut python = Command::new(program);
    python.arg("-S").current_dir(root.join(PACKAGE));
    python.env("PYTHONPATH", path.map_err(|error| failed("PYTHONPATH", error))?);
    let cache = target.join("python-cache");
    python.env("HYPOTHESIS_STORAGE_DIRECTORY", cache.join("hypothesis"));
    python.env("PYTHONPYCACHEPREFIX", cache);
    Ok(python)
}

/// Returns a command of maturin in the package's folder.
fn maturin(root: &Path, command: &str) -> Command {
    let mut maturin = Command::new(needs::target(root).join(TOOLS.0).join("bin/maturin"));
    maturin.args(words(command)).current_dir(root.join(PACKAGE));
    maturin.env("CARGO_TARGET_DIR", needs::target(root));
    maturin
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wheel_is_of_this_version_and_for_every_python() {
        let version = env!("CARGO_PKG_VERSION");
        let wheel = |rest: &str| PathBuf::from(format!("folder/bits-{version}{rest}"));
        assert_eq!(package(&wheel("-cp311-abi3-linux_x86_64.whl")), Ok("bits"));
        for rest in ["-cp311-cp311-linux_x86_64.whl", "0-cp311-abi3-linux_x86_64.whl"] {
            assert!(package(&wheel(rest)).is_err(), "{rest}");
        }
    }

    #[test]
    fn a_missing_file_is_named() {
        let mut list = Command::new("echo");
        let list = list.arg("bits/py.typed 2026-11-29 0\nbits/module.so.1 2026-11-29 9");
        contains(list, "bits", "py.typed").unwrap();
        let missing = contains(list, "bits", "py.typed module.so").unwrap_err();
        assert!(missing.starts_with("bits/module.so: "), "{missing}");
    }
}
