//! The package for Python: builds its wheel, checks what is in it, and runs its tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

use crate::cargo::{JAVA, failed, output_of, run_command, words};
use crate::fuzz::HOST;
use crate::needs::{self, LIBRARIES, TOOLS};

const PACKAGE: &str = "crates/python";

/// The versions of Python that the package is for.
const VERSIONS: [&str; 4] = ["3.11", "3.12", "3.13", "3.14"];

/// The most bytes of a wheel that is released.
const MAX_BYTES: u64 = 2_500_000;

/// Builds the wheel as tests are built, and runs every test on it, with the real packages of the index. Tests that need
/// no other package run on every version of Python that is found.
pub(crate) fn test(root: &Path) -> Result<(), String> {
    let (wheel, name) = build(maturin(root, "build --profile dev"), root)?;
    install(root, &wheel)?;
    let folders = [TOOLS.0, LIBRARIES.0];
    run_command(
        python(root, "python3", &folders)?
            .args(words("-m pytest --ignore tests/test_plain.py"))
            .envs([JAVA]),
    )?;
    run_command(python(root, "python3", &folders)?.args(["-m", "mypy.stubtest", &name]))?;
    test_plain(root)
}

/// Builds the wheel that is released, and the archive of its sources; checks their size and contents, and runs the tests
/// that need no other package.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let (wheel, name) = build(maturin(root, "build"), root)?;
    install(root, &wheel)?;
    let bytes = fs::metadata(&wheel).map_err(unread(&wheel))?.len();
    println!("{bytes} bytes: {}", wheel.display());
    if bytes > MAX_BYTES {
        let reason = format!("it must have at most {MAX_BYTES} bytes, got {bytes}");
        return Err(failed(wheel.display(), reason));
    }
    let installed = needs::python_module(root);
    let info = installed.join(format!("{name}-{}.dist-info", env!("CARGO_PKG_VERSION")));
    let mut needed = vec![
        info.join("licenses/LICENSE-APACHE"),
        info.join("licenses/LICENSE-MIT"),
    ];
    let sources = root.join(PACKAGE).join("python").join(&name);
    for file in fs::read_dir(&sources).map_err(unread(&sources))? {
        let file = file.map_err(unread(&sources))?.file_name();
        needed.push(installed.join(&name).join(file));
    }
    if let Some(file) = needed.iter().find(|file| !file.is_file()) {
        return Err(failed(
            wheel.display(),
            format_args!("it lacks {}", file.display()),
        ));
    }
    let text = |file: PathBuf| fs::read_to_string(&file).map_err(unread(&file));
    let readme = text(root.join(PACKAGE).join("README.md"))?;
    if !text(info.join("METADATA"))?
        .trim_end()
        .ends_with(readme.trim_end())
    {
        return Err(failed(wheel.display(), "its description must be README.md"));
    }
    check_sources(root, &name)?;
    test_plain(root)
}

/// Runs the tests of arrays, which the module reads where other libraries stored them, under AddressSanitizer. `flags`
/// are the environment of a build with it. The runtime library is the C compiler's, since Rust has it for programs
/// alone.
pub(crate) fn sanitize(root: &Path, folder: &str, flags: &[(&str, &str)]) -> Result<(), String> {
    let mut maturin = maturin(root, "build --profile dev --target");
    maturin.args([HOST, "--target-dir"]).arg(root.join(folder));
    maturin.envs(flags.iter().copied());
    install(root, &build(maturin, root)?.0)?;
    let runtime = output_of(Command::new("cc").arg("-print-file-name=libasan.so"))?;
    let mut python = python(root, "python3", &[TOOLS.0, LIBRARIES.0])?;
    python.args(words("-m pytest -s tests/test_arrays.py"));
    python.env("LD_PRELOAD", String::from_utf8_lossy(&runtime).trim());
    // Allocators of their own would hide what is outside of an object.
    python.envs([
        ("PYTHONMALLOC", "malloc"),
        ("ARROW_DEFAULT_MEMORY_POOL", "system"),
    ]);
    run_command(python.envs(flags.iter().copied()))
}

/// Packs the sources, and checks that what pip needs to build them is there. Building them takes minutes, so that the
/// workflow of wheels does it.
fn check_sources(root: &Path, name: &str) -> Result<(), String> {
    let folder = needs::target(root).join("wheels");
    run_command(maturin(root, "sdist").arg("--out").arg(&folder))?;
    let name = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
    let archive = folder.join(format!("{name}.tar.gz"));
    let files = output_of(Command::new("tar").arg("-tzf").arg(&archive))?;
    let files = String::from_utf8_lossy(&files);
    let is_missing = |file: &&str| !files.lines().any(|line| line.strip_prefix(&name) == Some(file));
    let needed = "/PKG-INFO /pyproject.toml /Cargo.lock /README.md /LICENSE-APACHE /LICENSE-MIT";
    match words(needed).into_iter().find(is_missing) {
        Some(file) => Err(failed(archive.display(), format_args!("it lacks {file}"))),
        None => Ok(()),
    }
}

/// Builds the wheel by this command of maturin; returns its file and the package's name, which `pyproject.toml` states.
fn build(mut maturin: Command, root: &Path) -> Result<(PathBuf, String), String> {
    let folder = needs::target(root).join("wheels");
    renew(&folder)?;
    maturin.args(words("--locked --offline --out"));
    run_command(maturin.arg(&folder))?;
    for file in fs::read_dir(&folder).map_err(unread(&folder))? {
        let file = file.map_err(unread(&folder))?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if let Some(name) = package(&name) {
            return Ok((file.clone(), name.to_owned()));
        }
    }
    let reason = "there must be a wheel of this version for the stable ABI of Python 3.11";
    Err(failed(folder.display(), reason))
}

/// Returns the package's name if this is its wheel of the workspace's version, for all Pythons from 3.11 on.
fn package(wheel: &str) -> Option<&str> {
    let (name, rest) = wheel.split_once('-')?;
    let rest = rest.strip_prefix(env!("CARGO_PKG_VERSION"))?;
    (rest.starts_with("-cp311-abi3-") && rest.ends_with(".whl")).then_some(name)
}

/// Unpacks the wheel as pip installs it, in a folder of its own.
fn install(root: &Path, wheel: &Path) -> Result<(), String> {
    let folder = needs::python_module(root);
    renew(&folder)?;
    let mut pip = Command::new("python3");
    pip.args(words(
        "-m pip install --quiet --no-index --no-deps --no-compile --target",
    ));
    run_command(pip.args([&folder, wheel]))
}

/// Runs the tests that need no other package on every version of Python that is found, and prints which ones are not.
fn test_plain(root: &Path) -> Result<(), String> {
    let mut missing = Vec::new();
    for version in VERSIONS {
        let name = format!("python{version}");
        let plain = || {
            let mut python = python(root, &name, &[TOOLS.0])?;
            // The programs of pyenv run the version that this variable names.
            python.env("PYENV_VERSION", version);
            Ok::<_, String>(python)
        };
        let found = plain()?.args(["-c", ""]).stderr(Stdio::null()).status();
        if found.is_ok_and(|status| status.success()) {
            println!("\n{name}");
            run_command(plain()?.args(words("-m pytest tests/test_plain.py")))?;
        } else {
            missing.push(version);
        }
    }
    println!("not tested: Python {}, not found", missing.join(", "));
    if missing.len() == VERSIONS.len() {
        return Err(failed("python3", "its version must be one of those"));
    }
    Ok(())
}

/// Returns Python in the package's folder, with the installed wheel and these folders of packages alone: it ignores what
/// else is installed, and leaves no files in the folder.
fn python(root: &Path, program: &str, folders: &[&str]) -> Result<Command, String> {
    let target = needs::target(root);
    let folders = folders.iter().map(|folder| target.join(folder));
    let path = env::join_paths([needs::python_module(root)].into_iter().chain(folders));
    let mut python = Command::new(program);
    python.arg("-S").current_dir(root.join(PACKAGE));
    python.env("PYTHONPATH", path.map_err(|error| failed("PYTHONPATH", error))?);
    python.env("PYTHONPYCACHEPREFIX", target.join("python-cache"));
    Ok(python)
}

/// Returns a command of maturin in the package's folder.
fn maturin(root: &Path, command: &str) -> Command {
    let mut maturin = Command::new(needs::target(root).join(TOOLS.0).join("bin/maturin"));
    maturin.args(words(command)).current_dir(root.join(PACKAGE));
    maturin.env("CARGO_TARGET_DIR", needs::target(root));
    maturin
}

/// Removes a folder with what an earlier run left.
fn renew(folder: &Path) -> Result<(), String> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unread(folder)(error)),
        _ => Ok(()),
    }
}

fn unread(path: &Path) -> impl Fn(io::Error) -> String {
    move |error| failed(path.display(), error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wheel_is_of_this_version_and_for_every_python() {
        let version = env!("CARGO_PKG_VERSION");
        let wheel = |rest: &str| package(&format!("bits-{version}{rest}")).map(str::to_owned);
        assert_eq!(wheel("-cp311-abi3-linux_x86_64.whl").as_deref(), Some("bits"));
        for rest in [
            "-cp311-cp311-linux_x86_64.whl",
            "0-cp311-abi3-linux_x86_64.whl",
            ".tar.gz",
        ] {
            assert_eq!(wheel(rest), None, "{rest}");
        }
    }
}
