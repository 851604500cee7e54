//! Compiles the shim for LevelDB's C++ interface. The package also builds without LevelDB, so that it can be packed
//! wherever there is a C++ compiler, which `cxx` needs; its program and tests then say what they need.

fn main() {
    println!("cargo::rerun-if-changed=src/ffi");
    println!("cargo::rustc-check-cfg=cfg(engine)");
    let compiled = cxx_build::bridge("src/ffi.rs")
        .std("c++17")
        .include("../../engines/filter-policy-leveldb/include")
        .warnings_into_errors(true)
        .try_compile("leveldb_shim");
    match compiled {
        Ok(()) => println!("cargo::rustc-cfg=engine"),
        Err(error) => {
            // The file does not exist, so cargo tries again each time.
            println!("cargo::rerun-if-changed=engine");
            println!(
                "cargo::warning=LevelDB's headers and a C++ compiler are needed; `cargo xtask test --install` installs them: {error}"
            );
        }
    }
}
