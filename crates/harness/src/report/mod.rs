//! The report.
use crate::chart::Chart;
use crate::records::Records;
pub(crate) fn page(_records: &Records, _charts: &[Chart], _drawn: &[String]) -> Result<String, String> {
    Ok(String::new())
}
