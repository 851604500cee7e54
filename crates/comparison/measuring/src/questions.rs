//! The questions about hash functions: a question a file, or a folder if it is long.
//!
//! A question has its rows, their measurement, their verdict, their cost, their charts and their tables. It knows no other question:
//! what several say together is the advice. The list at the end is the only one: runs, records,
//! findings, charts and the comparison with the committed run go through it.

pub mod buckets;
pub mod collisions;
pub mod filters;
pub(crate) mod judging;
pub mod mixing;
pub mod on_dataset;
pub mod probes;
pub mod shades;
pub mod tables;
pub mod times;

use std::path::Path;

use plots::scene::Scene;
use records::table;
use terminal::failure::Failure;
use terminal::progress::{Cancelled, Progress};

pub use self::buckets::{BucketFigure, BucketRow};
pub use self::collisions::CollisionRow;
pub use self::filters::{FalsePositiveRow, NearSizesRow};
pub use self::mixing::{AvalancheRow, MixingRow};
use self::on_dataset::DatasetRows;
pub use self::probes::ProbeRow;
use self::tables::{Cell, Table};
pub use self::times::TimingRow;
use crate::functions::Function;
use crate::keys::Dataset;
pub use crate::record::Place;
use crate::record::{
    About, Advice, BitFact, CostRow, DatasetKind, DatasetSummary, FailedTest, FunctionSummary, Run, Verdict,
};

/// A question. Measuring takes keys and functions and gives rows; everything else takes rows alone.
pub struct Question {
    /// Set if the values of structured keys are measured too.
    structured: bool,
    /// The measurement of the rows.
    pub measure: Measure,
    /// Judges the rows of a whole run, since verdicts depend on the number of tests.
    pub judge: fn(&mut Records),
    /// Returns the failed tests of a function on a dataset, the most telling first.
    pub defects: fn(&Records, &DatasetSummary, &FunctionSummary) -> Vec<Defect>,
    /// Returns the failed tests of single bits, which are no findings: these state the effect on the user's keys already.
    pub facts: fn(&Records) -> Vec<BitFact>,
    /// Returns what a function costs on a dataset, place by place. Set are `decides`, if the place may decide, and `shown`; the
    /// advice adds `cost` and `measurable`.
    pub costs: fn(&Records, &DatasetSummary, &FunctionSummary) -> Vec<CostRow>,
    /// Returns what the place of a row of costs gives with another number of keys: by chance, and if the function is a random
    /// one of its width. `None` for the rows of other questions.
    pub at: fn(&CostRow, &FunctionSummary, u64) -> Option<[f64; 2]>,
    /// Returns the heads and cells that the question adds to the row of a function in the table of all on a dataset.
    pub columns: fn(&DatasetRows<'_>, &str) -> Vec<(&'static str, Cell)>,
    /// The sections of the page: charts, and tables of the rows.
    pub sections: &'static [Section],
}

impl Question {
    /// A question that answers nothing; a question states the fields that it has.
    const NONE: Self = Self {
        structured: false,
        measure: Measure::Functions(|_, _, _| Ok(())),
        judge: |_| {},
        defects: |_, _, _| Vec::new(),
        facts: |_| Vec::new(),
        costs: |_, _, _| Vec::new(),
        at: |_, _, _| None,
        columns: |_, _| Vec::new(),
        sections: &[],
    };

    /// Returns true if the values of these keys are measured.
    pub fn applies_to(&self, dataset: &Dataset) -> bool {
        self.structured || dataset.summary.kind != DatasetKind::Structured
    }
}

/// The values of all keys of a set under a function, in the order of the keys, with all their bits.
#[derive(Debug, Clone)]
pub struct Hashed<'a> {
    /// The function.
    pub function: &'a Function,
    /// A value for each key. Bits above the output are zero.
    pub values: Vec<u64>,
}

/// Measures one function on a dataset, or the ideal hash without one, and adds the rows.
pub type OnKeys<'a> =
    Box<dyn Fn(Option<&Hashed<'_>>, &dyn Progress, &mut Records) -> Result<(), Cancelled> + Send + Sync + 'a>;

/// Times functions on datasets, and adds the rows.
pub type Times = fn(&[Dataset], &[&Function], &dyn Progress, &mut Records) -> Result<(), Failure>;

/// A measurement of rows.
pub enum Measure {
    /// Times, in a process that does nothing else, in the order of the list.
    Times(Times),
    /// The values of a dataset's keys, one function at a time, in parallel.
    Values(fn(&Dataset, &Hashed<'_>, &mut Records)),
    /// The values of a dataset that is prepared once; the ideal hash is measured too.
    Prepared(for<'a> fn(&'a Dataset) -> OnKeys<'a>),
    /// Functions apart from datasets.
    Functions(fn(&[&Function], &dyn Progress, &mut Records) -> Result<(), Cancelled>),
}

/// A failed test with its verdict and reason.
#[derive(Debug, Clone)]
pub struct Defect {
    /// The kind of test.
    pub test: FailedTest,
    /// The verdict.
    pub verdict: Verdict,
    /// The observation, in words.
    pub reason: String,
}

/// A section of the page. It is left out where it has neither a chart nor a row.
pub struct Section {
    /// The heading, which follows the name of the dataset if the tables are of one.
    pub title: &'static str,
    /// The id that links name; none if there is a section for each dataset.
    pub id: Option<&'static str>,
    /// What a reader must know about charts and tables.
    pub text: &'static str,
    /// Set if the section opens on a click.
    pub folded: bool,
    /// The charts.
    pub charts: &'static [ChartKind],
    /// The tables below the charts.
    pub tables: Of<Vec<Table>>,
}

/// A kind of chart, drawn for each dataset that has the rows for it, or once for the whole run.
#[derive(Debug)]
pub struct ChartKind {
    /// Start of the file name.
    pub stem: &'static str,
    /// Draws the chart; `None` without rows for it.
    pub draw: Of<Option<Scene>>,
}

impl ChartKind {
    /// Builds a kind of chart.
    pub const fn new(stem: &'static str, draw: Of<Option<Scene>>) -> Self {
        Self { stem, draw }
    }
}

/// What is shown of each dataset, or once of the whole run.
#[derive(Debug)]
pub enum Of<T> {
    /// From the rows of a dataset.
    Dataset(fn(&DatasetRows<'_>) -> T),
    /// From rows that belong to no dataset of the run.
    Run(fn(&Records) -> T),
}

impl<T> Of<T> {
    /// Returns what is shown of this dataset, or without one of the run; `None` if it is shown of the other.
    pub fn shown(&self, records: &Records, dataset: Option<&DatasetRows<'_>>) -> Option<T> {
        match (self, dataset) {
            (Self::Dataset(shown), Some(data)) => Some(shown(data)),
            (Self::Run(shown), None) => Some(shown(records)),
            _ => None,
        }
    }
}

/// A CSV file of rows.
#[derive(Debug)]
pub struct RecordFile {
    /// Name of the file.
    pub name: &'static str,
    /// [`About::TIMED`].
    pub timed: bool,
    /// Returns the bytes of the file.
    pub bytes: fn(&Records) -> Vec<u8>,
    /// Reads the rows of these bytes into the records; the path is for error messages.
    pub parse: fn(&mut Records, &Path, &[u8]) -> Result<(), Failure>,
}

/// Defines [`QUESTIONS`], [`Records`] and [`FILES`] from the questions and the files of their rows.
macro_rules! questions {
    ($($question:ident: $($name:ident: $row:ident),+;)* + $($also:ident: $also_row:ty),+) => {
        /// Every question, in the order in which they are measured.
        pub static QUESTIONS: &[Question] = &[$($question::QUESTION),*];

        /// Everything that one run recorded.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Records {
            /// `run.json`.
            pub run: Run,
            $($(
                #[doc = concat!("Rows of `", stringify!($name), ".csv`.")]
                pub $name: Vec<$question::$row>,
            )+)*
            $(
                #[doc = concat!("Rows of `", stringify!($also), ".csv`.")]
                pub $also: Vec<$also_row>,
            )+
        }

        impl Records {
            /// Creates records without rows.
            pub fn of(run: Run) -> Self {
                Self {
                    run,
                    $($($name: Vec::new(),)+)*
                    $($also: Vec::new(),)+
                }
            }

            /// Appends the rows of `other`.
            pub fn append(&mut self, other: Self) {
                $($(self.$name.extend(other.$name);)+)*
                $(self.$also.extend(other.$also);)+
            }
        }

        /// The files of a run in addition to `run.json`.
        pub const FILES: &[RecordFile] = &[
            $($(questions!(@file $name: $question::$row),)+)*
            $(questions!(@file $also: $also_row),)+
        ];
    };
    (@file $name:ident: $row:ty) => {
        RecordFile {
            name: concat!(stringify!($name), ".csv"),
            timed: <$row>::TIMED,
            bytes: |records| table::to_bytes(&records.$name),
            parse: |records, path, bytes| {
                records.$name = table::parse(path, bytes)?;
                Ok(())
            },
        }
    };
}

// The list: a question, and the files of its rows. What the advice adds comes last.
questions! {
    collisions: collisions: CollisionRow, windows: CollisionRow, structured: CollisionRow;
    times: timing: TimingRow;
    buckets: distribution: BucketRow, occupancy: BucketRow, shards: BucketRow;
    probes: probes: ProbeRow;
    filters: false_positives: FalsePositiveRow, near_sizes: NearSizesRow, split_blocks: NearSizesRow;
    mixing: avalanche: AvalancheRow, mixing: MixingRow;
    + costs: CostRow, advice: Advice
}
