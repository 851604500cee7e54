//! Everything that does not depend on the machine, measured on all processors and judged.

use rayon::prelude::*;

use crate::functions::Function;
use crate::functions::library::STACK;
use crate::keys::{Dataset, structured};
use crate::questions::{Measure, OnKeys, QUESTIONS, Records};
use crate::record::Run;
use crate::values::Hashed;
use records::error::Error;
use terminal::progress::{Cancelled, Progress, go_on};

/// Asks every question that does not depend on the machine, and adds the rows to `records`. Uses one
/// thread per processor, or `RAYON_NUM_THREADS` threads; the result does not depend on it.
pub fn fill(
    records: &mut Records,
    datasets: &[Dataset],
    functions: &[&Function],
    progress: &dyn Progress,
) -> Result<(), Error> {
    let pool = rayon::ThreadPoolBuilder::new()
        .stack_size(STACK)
        .build()
        .map_err(|error| Error::internal(format!("cannot start threads: {error}")))?;
    pool.install(|| -> Result<_, Cancelled> {
        values(records, datasets, functions, progress)?;
        let structured = structured::datasets(records.run.seed);
        values(records, &structured, functions, progress)?;
        for question in QUESTIONS {
            if let Measure::Functions(measure) = question.measure {
                measure(functions, progress, records)?;
            }
        }
        Ok(())
    })?;
    for question in QUESTIONS {
        (question.judge)(records);
    }
    Ok(())
}

/// Asks the questions about the values of keys: the functions one by one, then the ideal hash, on each dataset.
pub fn values(
    records: &mut Records,
    datasets: &[Dataset],
    functions: &[&Function],
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    progress.begin("quality", (datasets.len() * (functions.len() + 2)) as u64);
    let prepared: Vec<Vec<OnKeys<'_>>> = datasets
        .par_iter()
        .map(|dataset| {
            go_on(progress)?;
            let asked = QUESTIONS.iter().filter(|question| question.asks(dataset));
            let questions = asked
                .filter_map(|question| question.measure.on(dataset))
                .collect();
            progress.step();
            Ok(questions)
        })
        .collect::<Result<_, Cancelled>>()?;
    let hashes = || functions.iter().map(|&function| Some(function)).chain([None]);
    let tasks: Vec<_> = (datasets.iter().zip(&prepared))
        .flat_map(|(dataset, questions)| hashes().map(move |function| (dataset, questions, function)))
        .collect();
    let parts: Vec<Records> = tasks
        .par_iter()
        .map(|&(dataset, questions, function)| {
            go_on(progress)?;
            let mut part = Records::of(Run::default());
            let hashed = function.map(|function| Hashed::new(&dataset.keys, function));
            for question in questions {
                question(hashed.as_ref(), progress, &mut part)?;
            }
            progress.step();
            Ok(part)
        })
        .collect::<Result<_, Cancelled>>()?;
    parts.into_iter().for_each(|part| records.append(part));
    Ok(())
}
