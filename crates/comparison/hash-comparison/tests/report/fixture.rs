//! Records for tests of charts and report without a run: those of the committed run, whole or under other names.

use std::path::Path;
use std::sync::LazyLock;

use hash_comparison::advice;
use hash_comparison::functions;
use hash_comparison::keys::structured;
use hash_comparison::questions::{FILES, Records};
use hash_comparison::record::{DatasetKind, EMPTY, IDEAL, Request, Run};
use hash_comparison::run::count;
use terminal::progress::Silent;

static COMMITTED: LazyLock<Records> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../reports/reference");
    let mut records = Records::read_kept(&folder).unwrap();
    // The largest records are not committed, but made again for the functions of the standard plan.
    let names = Plan::functions_of(&records);
    let functions: Vec<_> = names.iter().map(|name| functions::find(name).unwrap()).collect();
    let mut large = Records::of(Run {
        seed: records.run.seed,
        ..Run::default()
    });
    count(&mut large, &[], &functions, &Silent).unwrap();
    (records.avalanche, records.structured) = (large.avalanche, large.structured);
    records
});

/// The datasets and functions of a fixture. Both take their rows from those of the committed run, by their second names.
pub(crate) struct Plan<'a> {
    pub(crate) datasets: Vec<(&'a str, &'a str)>,
    pub(crate) functions: Vec<(&'a str, &'a str)>,
}

impl<'a> Plan<'a> {
    /// The committed datasets, and the published functions with a few modern ones.
    pub(crate) fn standard() -> Self {
        Self {
            datasets: COMMITTED
                .run
                .datasets
                .iter()
                .map(|set| (&*set.name, &*set.name))
                .collect(),
            functions: Self::functions_of(&COMMITTED)
                .into_iter()
                .map(|name| (name, name))
                .collect(),
        }
    }

    /// Returns the names of the published functions and a few modern ones.
    fn functions_of(records: &Records) -> Vec<&str> {
        let all = records.run.functions.iter().map(|one| one.name.as_str());
        let modern = [
            "FNV-1a 64",
            "CRC-32",
            "MurmurHash3",
            "XXH3",
            "rapidhash",
            "foldhash",
        ];
        all.take(17).chain(modern).collect()
    }

    /// Only `video-ids`, a small set.
    pub(crate) fn of_one_set() -> Self {
        Self {
            datasets: vec![("video-ids", "video-ids")],
            ..Self::standard()
        }
    }

    /// Files of keys with these names.
    pub(crate) fn of_files(names: &[&'a str], functions: &[(&'a str, &'a str)]) -> Self {
        Self {
            datasets: names.iter().map(|name| (*name, "video-ids")).collect(),
            functions: functions.to_vec(),
        }
    }

    pub(crate) fn records(&self) -> Records {
        let sets = || self.datasets.iter().copied();
        let mut run = Run {
            datasets: Vec::new(),
            functions: Vec::new(),
            request: Request::default(),
            ..COMMITTED.run.clone()
        };
        for (name, source) in sets() {
            let mut committed = COMMITTED.run.datasets.iter();
            let mut summary = committed.find(|set| set.name == source).unwrap().clone();
            if name != source {
                summary.kind = DatasetKind::File;
            }
            name.clone_into(&mut summary.name);
            run.datasets.push(summary);
        }
        for &(name, source) in &self.functions {
            let mut committed = COMMITTED.run.functions.iter();
            let mut summary = committed.find(|one| one.name == source).unwrap().clone();
            name.clone_into(&mut summary.name);
            summary.folded = false;
            run.functions.push(summary);
        }
        let mut records = Records::of(run);
        let structured = structured::ALL.iter().map(|set| (set.name, set.name));
        let of_sets: Vec<_> = sets().chain(structured).map(Some).collect();
        let mut functions = [EMPTY, IDEAL].map(|name| (name, name)).to_vec();
        functions.extend(&self.functions);
        for file in FILES {
            let text = String::from_utf8((file.bytes)(&COMMITTED)).unwrap();
            let (header, rows) = text.split_once('\n').unwrap();
            let mut renamed = format!("{header}\n");
            // Rows stay in the order of the plan, as a run has them.
            for set in if header.starts_with("dataset,") {
                &of_sets[..]
            } else {
                &[None]
            } {
                for (function, source) in &functions {
                    let start =
                        set.map_or_else(String::new, |(_, source)| format!("{source},")) + source + ",";
                    let set = set.map_or_else(String::new, |(set, _)| quoted(set));
                    for row in rows.lines().filter_map(|row| row.strip_prefix(&start)) {
                        renamed += &format!("{set}{}{row}\n", quoted(function));
                    }
                }
            }
            (file.parse)(&mut records, Path::new(file.name), renamed.as_bytes()).unwrap();
        }
        records.advice.clear();
        records.run.findings = advice::findings(&records);
        records.run.bit_facts = advice::bit_facts(&records);
        records
    }
}

/// Returns the first cells of a row.
fn quoted(name: &str) -> String {
    format!("\"{}\",", name.replace('"', "\"\""))
}
