//! Inputs that several tests share: records of the committed run, and the files of a folder.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use hash_comparison::advice;
use hash_comparison::functions;
use hash_comparison::keys::structured;
use hash_comparison::questions::{FILES, Records};
use hash_comparison::record::{DatasetKind, EMPTY, IDEAL, Request, Run};
use hash_comparison::run::count;
use terminal::progress::Silent;

/// Returns the folder of the committed runs.
pub(super) fn reports() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../reports")
}

/// Returns the committed run, without its largest records.
pub(super) fn committed() -> Records {
    static COMMITTED: LazyLock<Records> =
        LazyLock::new(|| Records::read_kept(&reports().join("reference")).unwrap());
    COMMITTED.clone()
}

/// Functions of every width, some of them bad.
const FEW: [&str; 8] = [
    "SDBMHash",
    "PJW",
    "MurMurHash2",
    "APHash",
    "DJB",
    "CRC-32",
    "XXH3",
    "foldhash",
];

/// Returns every kind of rows of a few functions on these key sets of the committed run.
pub(super) fn few<const N: usize>(datasets: [&str; N]) -> Records {
    renamed(&datasets.map(|name| (name, name)), &FEW.map(|name| (name, name)))
}

/// Returns the rows of these key sets and functions, each by its new name and that in the committed run.
pub(super) fn renamed(datasets: &[(&str, &str)], functions: &[(&str, &str)]) -> Records {
    // The largest records are not committed, but made again.
    static WHOLE: LazyLock<Records> = LazyLock::new(|| {
        let mut whole = committed();
        let functions = FEW.map(|name| functions::find(name).unwrap());
        let mut large = Records::of(Run {
            seed: whole.run.seed,
            ..Run::default()
        });
        count(&mut large, &[], &functions, &Silent).unwrap();
        (whole.avalanche, whole.structured) = (large.avalanche, large.structured);
        whole
    });
    let mut run = Run {
        datasets: Vec::new(),
        functions: Vec::new(),
        request: Request::default(),
        ..WHOLE.run.clone()
    };
    for &(name, source) in datasets {
        let mut all = WHOLE.run.datasets.iter();
        let mut summary = all.find(|one| one.name == source).unwrap().clone();
        if name != source {
            summary.kind = DatasetKind::File;
        }
        name.clone_into(&mut summary.name);
        run.datasets.push(summary);
    }
    for &(name, source) in functions {
        let mut all = WHOLE.run.functions.iter();
        let mut summary = all.find(|one| one.name == source).unwrap().clone();
        name.clone_into(&mut summary.name);
        summary.folded = false;
        run.functions.push(summary);
    }
    let mut records = Records::of(run);
    let structured = structured::ALL.iter().map(|set| (set.name, set.name));
    let datasets: Vec<_> = datasets.iter().copied().chain(structured).map(Some).collect();
    let mut of_functions = [EMPTY, IDEAL].map(|name| (name, name)).to_vec();
    of_functions.extend(functions);
    let quoted = |name: &str| format!("\"{}\",", name.replace('"', "\"\""));
    for file in FILES {
        let text = String::from_utf8((file.bytes)(&WHOLE)).unwrap();
        let (header, rows) = text.split_once('\n').unwrap();
        let sets = if header.starts_with("dataset,") {
            &datasets[..]
        } else {
            &[None]
        };
        let mut renamed = format!("{header}\n");
        // Rows stay in the order of the plan, as a run has them.
        for set in sets {
            let [new, old] = set.map_or_else(Default::default, |(new, old)| [quoted(new), format!("{old},")]);
            for (function, source) in &of_functions {
                let start = format!("{old}{source},");
                for row in rows.lines().filter_map(|row| row.strip_prefix(&start)) {
                    renamed += &format!("{new}{}{row}\n", quoted(function));
                }
            }
        }
        (file.parse)(&mut records, Path::new(file.name), renamed.as_bytes()).unwrap();
    }
    records.run.findings = advice::findings(&records);
    records.run.bit_facts = advice::bit_facts(&records);
    advice::recommend(&mut records, &Request::default());
    records
}

/// Returns every file and folder below a folder with its bytes, sorted.
pub(super) fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        }
        let bytes = path.is_file().then(|| std::fs::read(&path).unwrap());
        all.push((path, bytes.unwrap_or_default()));
    }
    all.sort();
    all
}
