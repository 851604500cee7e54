//! The table of the committed run that the workspace's README shows.

use super::words::Words;
use crate::questions::Records;
use crate::questions::filters::USUAL_BITS;
use crate::questions::on_dataset::DatasetRows;
use crate::record::{End, IDEAL, Standing};
use crate::vocabulary;
use crate::words::IDEAL_BITS;
use records::number::{grouped, percent, significant};

/// The lines around the table. The first names the key set and the functions, `keys: function, function`.
const MARKS: [&str; 2] = ["<!-- committed run, ", "<!-- end of the table -->"];

/// Low bits of the second column of collisions, where even few keys have some.
const FEW_BITS: u32 = 24;

/// Returns `text` with the table of these records between its marks, best function first, or unchanged without marks.
pub(crate) fn renewed(records: &Records, text: &str) -> Result<String, String> {
    let Some((before, rest)) = text.split_once(MARKS[0]) else {
        return Ok(text.to_owned());
    };
    let unreadable = || {
        format!(
            "README.md: {}KEYS: FUNCTION, FUNCTION --> and {} expected",
            MARKS[0], MARKS[1]
        )
    };
    let (asked, rest) = rest.split_once(" -->\n").ok_or_else(unreadable)?;
    let (_, after) = rest.split_once(MARKS[1]).ok_or_else(unreadable)?;
    let (keys, functions) = asked.split_once(": ").ok_or_else(unreadable)?;
    let functions: Vec<&str> = functions.split(", ").collect();
    let table = table(records, keys, &functions)?;
    Ok(format!(
        "{before}{}{asked} -->\n{table}{}{after}",
        MARKS[0], MARKS[1]
    ))
}

fn table(records: &Records, keys: &str, functions: &[&str]) -> Result<String, String> {
    let all = DatasetRows::all(records);
    let data = all.iter().find(|data| data.summary.name == keys);
    let data = data.ok_or_else(|| format!("README.md: the run has no key set {keys}"))?;
    let unknown = (functions.iter()).find(|name| !data.findings.iter().any(|one| one.function == **name));
    if let Some(unknown) = unknown {
        return Err(format!("README.md: the run has no function {unknown}"));
    }
    let chance = |bits| {
        let mut rows = data.rows(&records.collisions);
        let row = rows.find(|row| row.bits == bits);
        row.map_or_else(String::new, |row| significant(row.expected, 2))
    };
    let rate = |function| {
        let row = data.false_positives(function, USUAL_BITS);
        row.map_or_else(String::new, |row| percent(row.rate))
    };
    let ideal = data.false_positives(IDEAL, USUAL_BITS);
    let ideal = ideal.map_or_else(String::new, |row| {
        format!("{} keys; ideal hash: {}", grouped(row.keys), percent(row.rate))
    });
    let mut table = format!(
        "| function | ns per key | collisions in {IDEAL_BITS} bits (chance: {}) | in {FEW_BITS} bits ({}) | \
         false positives at {USUAL_BITS} bits per key ({ideal}) | result |\n\
         |---|---:|---:|---:|---:|---|\n",
        chance(IDEAL_BITS),
        chance(FEW_BITS),
    );
    let form = records.run.request.purpose.form();
    let words = Words::new();
    for finding in data.best_first() {
        let name = finding.function.as_str();
        if !functions.contains(&name) {
            continue;
        }
        let time = data.time(name, form);
        let time = time.map_or_else(String::new, |row| significant(row.median_ns_per_key, 2));
        let widest = data
            .full_width(name)
            .map_or_else(String::new, |row| match row.bits {
                IDEAL_BITS => grouped(row.collisions),
                bits => format!("{} in its {bits}", grouped(row.collisions)),
            });
        let few = data.about(&records.collisions, name);
        let few = (few.filter(|row| row.end == End::Low)).find(|row| row.bits == FEW_BITS);
        let few = few.map_or_else(String::new, |row| grouped(row.collisions));
        let reason = finding.reasons.first();
        let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        let result = vocabulary::result(finding.verdict);
        let mut advice = data.about(&records.advice, name);
        let avoided = advice.find(|one| one.standing == Standing::Avoid);
        let avoided = avoided.map_or_else(String::new, |one| {
            let cost = words.say("shortly", (one,));
            format!("; avoid: {cost}")
        });
        let rate = rate(name);
        table += &format!("| {name} | {time} | {widest} | {few} | {rate} | {result}{reason}{avoided} |\n");
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_functions_that_are_asked_for() {
        let run = concat!(env!("CARGO_MANIFEST_DIR"), "/../../reports/reference");
        let records = Records::read_times(run.as_ref()).unwrap();
        let marked = |asked: &str| format!("Text.\n{}{asked} -->\nold\n{}\nMore.\n", MARKS[0], MARKS[1]);
        let text = renewed(&records, &marked("app-accounts: XXH3, BPHash")).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2 + 2 + 2 + 2, "{text}");
        assert!(
            lines[4].starts_with("| XXH3 | ") && lines[4].ends_with(" | within chance |"),
            "{text}"
        );
        assert!(
            lines[5].starts_with("| BPHash | ") && lines[5].contains(" | far beyond chance: "),
            "{text}"
        );
        assert_eq!(renewed(&records, &text).unwrap(), text);
        assert_eq!(renewed(&records, "Text.\n").unwrap(), "Text.\n");
        for wrong in ["app-accounts: XXH4", "accounts: XXH3", "app-accounts"] {
            let error = renewed(&records, &marked(wrong)).unwrap_err();
            assert!(error.starts_with("README.md: "), "{error}");
        }
    }
}
