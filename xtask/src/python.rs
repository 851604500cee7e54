//! The package for Python and the comparison's program: builds their wheels, checks what is in them, and runs their
//! tests. Tests in Python of other packages.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::cargo::{JAVA, cargo_command, failed, output_of, run_command, words};
use crate::needs::{self, LIBRARIES, MODULE, TOOLS};

/// A package that has a wheel.
struct Package {
    /// Its folder in the repository.
    folder: &'static str,
    /// The versions of Python that it is for, as the wheel's name states them.
    tag: &'static str,
    /// The most bytes of a wheel that is released.
    max_bytes: u64,
    /// The folder in the target folder in which it is installed.
    installed: &'static str,
}

const FILTERS: Package = Package {
    folder: "crates/python",
    tag: "cp311-abi3",
    max_bytes: 4_500_000,
    installed: MODULE,
};
/// The program, which needs no Python.
const PROGRAM: Package = Package {
    folder: "crates/comparison/hash-comparison",
    tag: "py3-none",
    max_bytes: 6_000_000,
    installed: "python-comparison",
};

const READERS: &str = "crates/applications/samebits/tests/readers";

/// The versions of Python that the package is for.
const VERSIONS: [&str; 4] = ["3.11", "3.12", "3.13", "3.14"];

/// Builds the wheels as tests are built, and runs every test on them, with the real packages of the index. Tests that
/// need no other package run on every version of Python that is found.
pub(crate) fn test(root: &Path) -> Result<(), String> {
    let wheel = FILTERS.build(root, "--profile dev")?;
    FILTERS.install(root, &wheel)?;
    let python = || python(root, "python3", &[MODULE, TOOLS.0, LIBRARIES.0]);
    let tests = words("-m pytest --ignore tests/test_plain.py");
    run_command(python()?.args(tests).envs([JAVA]))?;
    run_command(python()?.args(["-m", "mypy.stubtest", FILTERS.name(&wheel)?]))?;
    test_plain(root)?;
    test_command(root)?;
    let wheel = PROGRAM.build(root, "--profile dev")?;
    PROGRAM.install(root, &wheel)?;
    test_program(root)
}

/// Runs the tests of the program `samebits` on the command of the package.
fn test_command(root: &Path) -> Result<(), String> {
    let module = needs::target(root).join(MODULE);
    let mut tests = cargo_command(
        root,
        &words("test --package samebits --test cli --all-features --locked"),
    );
    tests.env("SAMEBITS_PROGRAM", module.join("bin/samebits"));
    run_command(
        tests
            .env("PYTHONPATH", module)
            .env("PYTHONDONTWRITEBYTECODE", "1"),
    )
}

/// Runs the tests of files that the program `samebits` changes and other libraries write and read.
pub(crate) fn test_readers(root: &Path) -> Result<(), String> {
    let mut python = python(root, "python3", &[TOOLS.0, LIBRARIES.0])?;
    python.args(words("-m pytest -p no:cacheprovider -ra"));
    python.current_dir(root.join(READERS));
    run_command(python.env("PATH", needs::search_path(root)?).envs([JAVA]))
}

/// Builds the wheels that are released, and packs the sources of the package for Python; checks sizes and contents, and
/// runs the tests that need no other package. Pip builds the sources in the workflow of wheels, which takes minutes.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let wheel = FILTERS.build(root, "")?;
    let (name, version) = (FILTERS.name(&wheel)?, env!("CARGO_PKG_VERSION"));
    contains(
        &mut list(&wheel),
        name,
        &format!("py.typed _{name}.pyi __main__.py"),
    )?;
    FILTERS.check(&wheel, "LICENSE-APACHE LICENSE-MIT")?;
    let info = format!("{name}-{version}.dist-info");
    contains(&mut list(&wheel), &info, "entry_points.txt")?;
    run_command(FILTERS.maturin(root, "sdist --out").arg(FILTERS.wheels(root)))?;
    let sources = format!("{name}-{version}");
    let mut tar = Command::new("tar");
    let archive = FILTERS.wheels(root).join(sources.clone() + ".tar.gz");
    let needed = "PKG-INFO pyproject.toml Cargo.lock README.md LICENSE-APACHE LICENSE-MIT";
    contains(tar.arg("-tzf").arg(archive), &sources, needed)?;
    FILTERS.install(root, &wheel)?;
    test_plain(root)?;
    let wheel = PROGRAM.build(root, "")?;
    let notices = "LICENSE-APACHE LICENSE-MIT embedded/notices/README.linux.words \
                   embedded/notices/README2.linux.words embedded/notices/app-accounts.md embedded/notices/fonts.md";
    PROGRAM.check(&wheel, notices)?;
    PROGRAM.install(root, &wheel)?;
    test_program(root)
}

impl Package {
    /// Returns a command of maturin in the package's folder.
    fn maturin(&self, root: &Path, command: &str) -> Command {
        let mut maturin = Command::new(needs::target(root).join(TOOLS.0).join("bin/maturin"));
        maturin.args(words(command)).current_dir(root.join(self.folder));
        maturin.env("CARGO_TARGET_DIR", needs::target(root));
        maturin
    }

    /// Returns the folder of the wheel and the archive of sources.
    fn wheels(&self, root: &Path) -> PathBuf {
        needs::target(root).join("wheels").join(self.installed)
    }

    /// Builds the wheel with these options of maturin; returns its file.
    fn build(&self, root: &Path, options: &str) -> Result<PathBuf, String> {
        let folder = self.wheels(root);
        // If the folder remains, it contains more than one wheel, which is an error below.
        let _ = fs::remove_dir_all(&folder);
        let mut maturin = self.maturin(root, "build --locked");
        run_command(maturin.args(words(options)).arg("--out").arg(&folder))?;
        let files = fs::read_dir(&folder).map_err(|error| failed(folder.display(), error))?;
        let files: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
        <[PathBuf; 1]>::try_from(files)
            .map(|[file]| file)
            .map_err(|_| failed(folder.display(), "it must contain one wheel"))
    }

    /// Returns the package's name, which `pyproject.toml` states, from its wheel, which must be of the workspace's
    /// version and for the right versions of Python.
    fn name<'w>(&self, wheel: &'w Path) -> Result<&'w str, String> {
        let name = wheel
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let kind = format!("-{}-{}-", env!("CARGO_PKG_VERSION"), self.tag);
        let package = name.split_once(&kind).map(|(package, _)| package);
        package.ok_or_else(|| failed(name, format_args!("a wheel must be named NAME{kind}PLATFORM.whl")))
    }

    /// Checks the size of a wheel that is released, and that it has these licences and no SBOM, which would name the
    /// folders of the build.
    fn check(&self, wheel: &Path, licences: &str) -> Result<(), String> {
        let size = fs::metadata(wheel).map_err(|error| failed(wheel.display(), error))?;
        let (name, size, most) = (self.name(wheel)?, size.len(), self.max_bytes);
        println!("the wheel of {name} has {size} bytes");
        if size > most {
            let reason = format!("its size must be at most {most} bytes, got {size}");
            return Err(failed(wheel.display(), reason));
        }
        let info = format!("{name}-{}.dist-info", env!("CARGO_PKG_VERSION"));
        contains(&mut list(wheel), &format!("{info}/licenses"), licences)?;
        if String::from_utf8_lossy(&output_of(&mut list(wheel))?).contains("/sboms/") {
            return Err(failed(wheel.display(), "it must not contain an SBOM"));
        }
        Ok(())
    }

    /// Unpacks a wheel as pip installs it, in a folder of its own.
    fn install(&self, root: &Path, wheel: &Path) -> Result<(), String> {
        let mut pip = Command::new("python3");
        let install = "-m pip install --quiet --no-index --no-deps --no-compile --upgrade --target";
        pip.args(words(install))
            .arg(needs::target(root).join(self.installed));
        run_command(pip.arg(wheel))
    }
}

/// Returns the command that lists what is in a wheel.
fn list(wheel: &Path) -> Command {
    let mut list = Command::new("python3");
    list.args(["-m", "zipfile", "-l"]).arg(wheel);
    list
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

/// Runs the tests of the program that the wheel installs.
fn test_program(root: &Path) -> Result<(), String> {
    let mut python = python(root, "python3", &[TOOLS.0])?;
    python.args(words("-m pytest -p no:cacheprovider -ra"));
    python.current_dir(root.join(PROGRAM.folder).join("tests/installed"));
    let programs = needs::target(root).join(PROGRAM.installed).join("bin");
    run_command(python.env("HASH_COMPARISON", programs.join("hash-comparison")))
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
    python.arg("-S").current_dir(root.join(FILTERS.folder));
    python.env("PYTHONPATH", path.map_err(|error| failed("PYTHONPATH", error))?);
    let cache = target.join("python-cache");
    python.env("HYPOTHESIS_STORAGE_DIRECTORY", cache.join("hypothesis"));
    python.env("PYTHONPYCACHEPREFIX", cache);
    Ok(python)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wheel_is_of_this_version_and_for_every_python() {
        let version = env!("CARGO_PKG_VERSION");
        let wheel = |rest: &str| PathBuf::from(format!("folder/bits-{version}{rest}"));
        assert_eq!(FILTERS.name(&wheel("-cp311-abi3-linux_x86_64.whl")), Ok("bits"));
        assert_eq!(PROGRAM.name(&wheel("-py3-none-win_amd64.whl")), Ok("bits"));
        for rest in ["-cp311-cp311-linux_x86_64.whl", "0-cp311-abi3-linux_x86_64.whl"] {
            for package in [FILTERS, PROGRAM] {
                assert!(package.name(&wheel(rest)).is_err(), "{rest}");
            }
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
