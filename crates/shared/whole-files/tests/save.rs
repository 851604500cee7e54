//! Files that appear when they are complete.

use std::fs;
use std::io;

use whole_files::{save, save_new};

#[test]
fn a_file_is_complete_or_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("filter");
    save(&path, |file| file.write_all(b"first")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"first");
    save(&path, |file| {
        file.write_all(b"second")?;
        file.flush()?;
        // Nothing is seen before the end.
        assert_eq!(fs::read(&path).unwrap(), b"first");
        Ok(())
    })
    .unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"second");

    let failed = save(&path, |file| {
        file.write_all(b"third")?;
        Err(io::ErrorKind::StorageFull.into())
    });
    let failed = failed.unwrap_err();
    assert_eq!(failed.kind(), io::ErrorKind::StorageFull);
    assert_eq!(fs::read(&path).unwrap(), b"second");
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        1,
        "no temporary file stays"
    );
}

#[test]
fn only_files_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let error = save(folder.path(), |_| Ok(())).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    let path = folder.path().join("missing/filter");
    let error = save(&path, |_| Ok(())).unwrap_err();
    // The system's own error: nothing is added to its text.
    assert_eq!(error.raw_os_error(), Some(2));
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_kept() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("filter"), folder.path().join("link"));
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&path, &link).unwrap();
    save(&link, |file| file.write_all(b"new")).unwrap();
    assert!(link.is_symlink());
    assert_eq!(fs::read(&path).unwrap(), b"new");
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);

    // A new file has the permissions of other new files.
    let (ours, theirs) = (folder.path().join("ours"), folder.path().join("theirs"));
    save(&ours, |_| Ok(())).unwrap();
    fs::write(&theirs, "").unwrap();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&ours), mode(&theirs));
}

/// Tests both handles, also of a file that nobody may write. The superuser may.
#[cfg(unix)]
#[test]
fn a_read_only_file_is_replaced() {
    use std::io::{Seek as _, SeekFrom, Write as _};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("filter");
    fs::write(&path, "old").unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions.clone()).unwrap();
    let file = whole_files::NewFile::create(&path, true).unwrap();
    let mut behind = file.second();
    behind.seek(SeekFrom::Start(3)).unwrap();
    behind.write_all(b"last").unwrap();
    file.file().write_all(b"new").unwrap();
    file.finish().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"newlast");
    assert_eq!(fs::metadata(&path).unwrap().permissions(), permissions);
}

/// A file that another program writes in between is not replaced.
#[test]
fn a_new_file_replaces_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("filter");
    let error = save_new(&path, |file| {
        file.write_all(b"ours")?;
        fs::write(&path, "theirs")
    });
    assert_eq!(error.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read(&path).unwrap(), b"theirs");
    // One that is there already is known before anything is written.
    let error = save_new(&path, |_| panic!("nothing to write")).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    #[cfg(unix)]
    {
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        for result in [
            save_new(&link, |_| Ok(())),
            save(&link, |_| panic!("nothing to write")),
        ] {
            assert!(result.is_err() && link.is_symlink());
        }
        fs::remove_file(link).unwrap();
    }
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        1,
        "no temporary file stays"
    );
}
