//! The example `sharded`: sets over shards on a cluster, a filter of the server for each shard, loaded by commands and marked.

use std::fs;
use std::path::{Path, PathBuf};

use bloom_redis::RedisBloom;
use filter_sets::{Builder, Header, Manifest, SHARD_SEED, ShardFunction, Size, StoredFormat};
use redis::{Cmd, ConnectionLike as _};

use crate::reseal::reseal;
use crate::sharded_example;
use crate::support::{Client, Cluster, commands_of, names};

const SHARDS: u32 = 4;

/// A generation of a set: its name, and the folder with the commands that load it.
struct Generation {
    name: String,
    place: tempfile::TempDir,
    keys: Vec<String>,
}

impl Generation {
    fn build(number: u32, keys: Vec<String>) -> Self {
        let (name, place) = (format!("users.{number}/{SHARDS}"), tempfile::tempdir().unwrap());
        let builder = Builder::new(StoredFormat::named("redisbloom").unwrap(), Size::Rate(0.01));
        let folder = place.path().join("commands");
        let mut building = builder.commands_folder(&folder, name.as_bytes(), SHARDS).unwrap();
        keys.iter().for_each(|key| building.insert(key).unwrap());
        building.finish(&|_| true).unwrap();
        Self { name, place, keys }
    }

    /// Builds a set of the keys in files. Returns its folder.
    fn build_set(&self, options: impl FnOnce(Builder) -> Builder) -> PathBuf {
        let folder = self.place.path().join("set");
        let builder = Builder::new(StoredFormat::named("redisbloom").unwrap(), Size::Rate(0.01));
        let mut building = options(builder).set(&folder, SHARDS).unwrap();
        let keys = self.keys.iter().map(String::as_bytes);
        keys.for_each(|key| building.insert(key).unwrap());
        building.finish(&|_| true).unwrap();
        folder
    }

    fn file(&self, shard: u32) -> PathBuf {
        let name = format!("commands/shard-{shard:05}-of-{SHARDS:05}.resp");
        self.place.path().join(name)
    }

    fn key(&self, shard: u32) -> String {
        format!("{}:{{{shard}}}", self.name)
    }

    fn filters(&self) -> Vec<RedisBloom> {
        (0..SHARDS)
            .map(|shard| RedisBloom::new(self.key(shard)))
            .collect()
    }

    fn load(&self, cluster: &Cluster) {
        let mut connection = cluster.connection();
        for shard in 0..SHARDS {
            for command in commands_of(&fs::read(self.file(shard)).unwrap()) {
                connection.req_packed_command(&command).unwrap();
            }
        }
    }
}

fn shard_of(key: &str) -> u32 {
    ShardFunction::default().shard_of(key.as_bytes(), SHARDS)
}

/// The example `sharded` answers from the newest generation that is complete, and never denies a stored key meanwhile.
#[test]
fn readers_change_over_when_all_shards_are_marked() {
    let cluster = Cluster::shared();
    let mut client = Client::OF_CLUSTERS[0](&cluster);
    let (old, new) = (
        Generation::build(1, names("user", 1_000)),
        Generation::build(2, names("user", 2_000)),
    );
    let both = [&*new.name, &*old.name];
    let answers = |names: &[&str]| query_example(&cluster, names, "user 7\nuser 1999\nnobody\n");
    old.load(&cluster);
    assert_eq!(
        answers(&both),
        "user 7: Missing\nuser 1999: Missing\nnobody: Missing\n"
    );
    assert_eq!(run(&cluster, &["mark", &old.name], "").unwrap(), "");
    let of_old = "user 7: Maybe\nuser 1999: Absent\nnobody: Absent\n";
    assert_eq!(answers(&both), of_old);
    new.load(&cluster);
    for filter in new.filters() {
        assert_eq!(answers(&both), of_old);
        client.run(filter.write_mark());
    }
    assert_eq!(
        answers(&both),
        "user 7: Maybe\nuser 1999: Maybe\nnobody: Absent\n"
    );
    assert_eq!(answers(&[&old.name]), of_old);
    // One shard of the new generation is lost: a reader that begins now finds the old one, and one that has changed over
    // gets "missing". No reader answers from shards of both.
    client.words::<()>(&["DEL", &new.key(shard_of("user 7"))]);
    assert_eq!(answers(&both), of_old);
    let lost = answers(&[&new.name]);
    assert!(lost.starts_with("user 7: Missing\n"), "{lost}");
    for shard in 0..SHARDS {
        client.command::<()>(Cmd::new().arg("UNLINK").arg(old.key(shard)));
    }
    assert_eq!(
        answers(&[&old.name]),
        "user 7: Missing\nuser 1999: Missing\nnobody: Missing\n"
    );
    // A set in files is loaded with its marks. Its name must state the number of its shards.
    let folder = old.build_set(|builder| builder);
    assert_eq!(
        run(&cluster, &["load", &old.name, path(&folder)], "").unwrap(),
        ""
    );
    assert_eq!(answers(&[&old.name]), of_old);
    refuses(
        &cluster,
        "users.1/8",
        &folder,
        "must have 8 shards as its name says, got 4",
    );
    // A reader with another number of shards has other names.
    assert_eq!(
        answers(&["users.2/8"]),
        "user 7: Missing\nuser 1999: Missing\nnobody: Missing\n"
    );
}

/// Runs the example `sharded`. Returns what it prints, or its error.
fn run(cluster: &Cluster, action: &[&str], keys: &str) -> Result<String, String> {
    let (url, mut output) = (cluster.url(), Vec::new());
    let arguments = [&[&*url], action].concat();
    sharded_example::run(&arguments, &mut keys.as_bytes(), &mut output)
        .map_err(|error| error.to_string())
        .map(|()| String::from_utf8(output).unwrap())
}

fn query_example(cluster: &Cluster, names: &[&str], keys: &str) -> String {
    run(cluster, &[&["query"], names].concat(), keys).unwrap()
}

/// Checks that the example does not load a set, and that its error has this text.
#[track_caller]
fn refuses(cluster: &Cluster, name: &str, folder: &Path, text: &str) {
    let error = run(cluster, &["load", name, path(folder)], "").unwrap_err();
    assert!(error.contains(text), "{error}");
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A set that the example would query wrongly, and shards that are not what the builder wrote, would make stored keys
/// absent.
#[test]
fn sets_that_queries_would_deny_are_not_loaded() {
    let cluster = Cluster::shared();
    let set = Generation::build(1, names("user", 100));
    let key = "user 7";
    let is_missing = || query_example(&cluster, &[&set.name], key) == format!("{key}: Missing\n");
    // The keys are numbers: their text is not in the set.
    let mut of_numbers = Generation::build(1, Vec::new());
    of_numbers.keys = vec!["8 bytes.".to_owned()];
    let folder = of_numbers.build_set(|builder| builder.key_kind("long").unwrap());
    let text = "the kind of key of the set must be line or string, got long";
    refuses(&cluster, &set.name, &folder, text);
    // The keys are in the shards of another function.
    let folder = set.build_set(|builder| builder);
    let manifest = folder.join("manifest.json");
    let (read, written) = (
        Manifest::read(&folder).unwrap(),
        fs::read_to_string(&manifest).unwrap(),
    );
    let seed = SHARD_SEED.to_string();
    let mut reseeded: serde_json::Value = serde_json::from_str(&written).unwrap();
    reseeded["shard_function"]["seed"] = 5.into();
    reseal(&mut reseeded);
    fs::write(&manifest, reseeded.to_string()).unwrap();
    let text = format!("the seed of the set's shard function must be {seed}, got 5");
    refuses(&cluster, &set.name, &folder, &text);
    fs::write(&manifest, written).unwrap();
    assert!(is_missing());
    // The file of the key's shard is damaged, truncated, or not there.
    let shard = folder.join(&read.shards[shard_of(key) as usize].file);
    let whole = fs::read(&shard).unwrap();
    let mut damaged = whole.clone();
    *damaged.last_mut().unwrap() ^= 1;
    for (bytes, text) in [
        (&damaged[..], "the checksum must be"),
        (&whole[..whole.len() - 1], "the checksum must be"),
        (&whole[..Header::LEN], "the checksum must be"),
        (
            &whole[..Header::LEN - 1],
            "the length in bytes must be at least 256, got 255",
        ),
        (&[], "the length in bytes must be at least 256, got 0"),
    ] {
        fs::write(&shard, bytes).unwrap();
        refuses(&cluster, &set.name, &folder, text);
        assert!(is_missing());
    }
    fs::remove_file(&shard).unwrap();
    refuses(&cluster, &set.name, &folder, path(&shard));
    assert!(is_missing());
    fs::write(&shard, whole).unwrap();
    assert_eq!(
        run(&cluster, &["load", &set.name, path(&folder)], "").unwrap(),
        ""
    );
    assert_eq!(
        query_example(&cluster, &[&set.name], key),
        format!("{key}: Maybe\n")
    );
    for name in [
        "users.1/0",
        "users.1/4097",
        "users.1/4000000000",
        "users.1/",
        "users.1",
    ] {
        let text = format!("the name must end with / and 1 to 4096 shards, as in users.1/4, got {name}");
        refuses(&cluster, name, &folder, &text);
    }
}
