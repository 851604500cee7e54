//! Renders stored records as charts and a report, without clock or measurement: the same records give the same bytes.

use std::path::Path;

use rayon::prelude::*;

use crate::page::chart::{self, Chart};
use crate::questions::Records;
use records::error::Error;
use records::folder::{CHARTS, REPORT};

/// Writes `index.html` and `charts/*.svg` into `dir`, which must exist. Returns their names relative to `dir`, sorted, as
/// [`file_names`] does.
///
/// Files with the same names are replaced; other files are left alone.
pub fn render(records: &Records, dir: &Path) -> Result<Vec<String>, Error> {
    let charts = chart::all(records);
    let folder = dir.join(CHARTS);
    std::fs::create_dir_all(&folder).map_err(Error::system(&folder))?;
    let drawn = charts
        .par_iter()
        .map(|chart| draw(chart, records.run.schema, dir))
        .collect::<Result<Vec<_>, _>>()?;
    let page = super::page(records, &charts, &drawn)
        .map_err(|reason| Error::internal(format!("report: {reason}")))?;
    write(&dir.join(REPORT), page.as_bytes())?;
    Ok(names(&charts))
}

/// Returns the names that [`render`] will write for these records, relative to the folder, sorted.
pub fn file_names(records: &Records) -> Vec<String> {
    names(&chart::all(records))
}

fn names(charts: &[Chart]) -> Vec<String> {
    let mut names: Vec<String> = charts.iter().map(file).chain([REPORT.to_owned()]).collect();
    names.sort();
    names
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
