//! Renders stored records as charts and a report, without clock or measurement: the same records give the same bytes.

use std::path::Path;

use rayon::prelude::*;

use crate::page::chart::{self, Chart};
use crate::questions::Records;
use records::error::Error;
use records::folder::{CHARTS, REPORT};

/// The charts of records, laid out.
pub struct Drawing<'a> {
    records: &'a Records,
    charts: Vec<Chart>,
}

impl<'a> Drawing<'a> {
    /// Lays out the charts.
    pub fn of(records: &'a Records) -> Self {
        let charts = chart::all(records);
        Self { records, charts }
    }

    /// Returns the names of the files that [`write`](Self::write) writes: `index.html` and `charts/*.svg`.
    pub fn names(&self) -> Vec<String> {
        let charts = self.charts.iter().map(file);
        charts.chain([REPORT.to_owned()]).collect()
    }

    /// Writes charts and report into `dir`, which must exist. Files with the same names are replaced; other files are left
    /// alone.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be written, or if the figures make a chart too large to draw.
    pub fn write(&self, dir: &Path) -> Result<(), Error> {
        let folder = dir.join(CHARTS);
        std::fs::create_dir_all(&folder).map_err(Error::system(&folder))?;
        let drawn = self.charts.par_iter();
        let drawn = drawn.map(|chart| draw(chart, self.records.run.schema, dir));
        let drawn = drawn.collect::<Result<Vec<_>, _>>()?;
        let page = super::page(self.records, &self.charts, &drawn)
            .map_err(|reason| Error::internal(format!("report: {reason}")))?;
        write(&dir.join(REPORT), page.as_bytes())
    }
}

fn file(chart: &Chart) -> String {
    format!("{CHARTS}/{}.svg", chart.stem)
}

/// Writes the file of a chart and returns its SVG element for the page.
fn draw(chart: &Chart, schema: u32, dir: &Path) -> Result<String, Error> {
    let name = file(chart);
    if !chart.scene.is_drawable() {
        let reason = format!("{name}: the figures of this run make it too large to draw");
        return Err(Error::internal(reason));
    }
    let element = plots::svg(&chart.scene);
    let version = env!("CARGO_PKG_VERSION");
    // Omits the command of the run: the same records must give the same chart wherever they were made.
    let document = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!-- Written by hash-comparison {version} (cargo xtask render) from records of schema {schema}; do not edit. -->\n{element}"
    );
    write(&dir.join(name), document.as_bytes())?;
    Ok(element)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    std::fs::write(path, bytes).map_err(Error::system(path))
}
