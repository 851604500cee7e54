//! `merge`: merges filters into one filter, or sets into one set.

use std::path::PathBuf;

use filter_sets::StoredFormat;
use terminal::failure::Failure;

use super::{check_new, failure, refuse_stdout};

/// Merge filters of one format into a filter that contains the keys of all, or sets into a set.
///
/// The filters must have equal sizes and probe counts: build them with the same --capacity, or from equally many keys.
/// Bloom filters can be merged, and FORMAT.md of filter-sets lists the formats. Sets are merged shard by shard: they
/// must have equal numbers of shards, and a set at --out is replaced.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  {program} merge monday.bloom tuesday.bloom --out week.bloom\n  \
        {program} merge a.raw b.raw --format split-block --out both.raw\n  \
        {program} merge monday.set tuesday.set --out week.set\n\n\
        Exit codes: 0 done; 1 the result cannot be written; 2 the filters or the arguments are wrong."
)]
pub struct Arguments {
    /// Files with stored filters, or folders with sets
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// The file to write, not standard output
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
    /// The format of the filters, as for build: only for stored bytes alone
    #[arg(long, value_name = "NAME", value_parser = StoredFormat::named)]
    format: Option<StoredFormat>,
    /// Replace an existing file
    #[arg(long, visible_alias = "force")]
    replace: bool,
}

/// Merges the filters.
///
/// # Errors
///
/// If they cannot be merged, or the result cannot be written.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    refuse_stdout(&arguments.out)?;
    let paths: Vec<_> = arguments.paths.iter().map(PathBuf::as_path).collect();
    if paths.iter().any(|path| path.is_dir()) {
        if arguments.format.is_some() {
            return Err(Failure::input(
                "--format must be left out for sets, whose manifests state it",
            ));
        }
        return filter_sets::merge_sets(&paths, &arguments.out)
            .map(drop)
            .map_err(failure);
    }
    check_new(&arguments.out, arguments.replace)?;
    let format = arguments.format.as_ref();
    filter_sets::merge(format, &paths, &arguments.out, arguments.replace).map_err(failure)
}
