//! A property of the manifest that no other test here depends on.

/// `cpufeatures` does not compile for RISC-V, WebAssembly, 32-bit Arm and others, so only x86-64 may depend on it.
#[test]
fn cpufeatures_is_for_x86_64_alone() {
    let mut section = "";
    let mut sections = Vec::new();
    for line in include_str!("../../Cargo.toml").lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        }
        if line.starts_with("cpufeatures") || line.starts_with('[') && line.contains("cpufeatures") {
            // A packed manifest has a section for each dependency.
            sections.push(section.trim_end_matches(']').trim_end_matches(".cpufeatures"));
        }
    }
    assert_eq!(
        sections,
        [r#"[target.'cfg(target_arch = "x86_64")'.dependencies"#]
    );
}
