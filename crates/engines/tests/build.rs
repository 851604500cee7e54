//! Compiles the shims for the C++ interfaces of LevelDB and RocksDB, which their C interfaces do not replace.

fn main() {
    println!("cargo::rerun-if-changed=src/leveldb");
    println!("cargo::rerun-if-changed=src/rocksdb");
    #[cfg(feature = "leveldb")]
    compile("leveldb", "LevelDB");
    #[cfg(feature = "rocksdb")]
    compile("rocksdb", "RocksDB 7.8");
}

#[cfg(any(feature = "leveldb", feature = "rocksdb"))]
fn compile(engine: &str, needed: &str) {
    let mut compiler = cxx_build::bridge(format!("src/{engine}/ffi.rs"));
    compiler.std("c++17").warnings_into_errors(true);
    compiler.include("../filter-policy-leveldb/include");
    if let Err(error) = compiler.try_compile(&format!("{engine}_shim")) {
        panic!("{needed} and a C++ compiler are needed; `cargo xtask test --install` installs them: {error}");
    }
    println!("cargo::rustc-link-lib={engine}");
}
