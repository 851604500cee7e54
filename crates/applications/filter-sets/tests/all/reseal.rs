//! The checksum of an edited manifest; the tests of `bloom-redis` have it, too.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// Gives a manifest the checksum of its contents, as `FORMAT.md` describes it.
pub(crate) fn reseal(manifest: &mut Value) {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let join = |of: &Value, fields: &[&str], between: &str| -> String {
        fields.iter().map(|field| text(&of[field]) + between).collect()
    };
    let function = join(&manifest["shard_function"], &["hash", "seed"], "\n");
    let shards = manifest["shards"].as_array().unwrap();
    let mut text = join(manifest, &["schema", "format", "key_kind"], "\n") + &function;
    text += &format!("{}\n", shards.len());
    for shard in shards {
        let rate = shard["rate"].as_f64();
        text += &join(shard, &["file", "bytes", "keys", "sha256"], " ");
        text += &rate.map_or("null\n".to_owned(), |rate| format!("{:016x}\n", rate.to_bits()));
    }
    manifest["checksum"] = hex::encode(Sha256::digest(text)).into();
}
