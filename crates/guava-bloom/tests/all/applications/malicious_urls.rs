//! The example `malicious_urls`: a list that is replaced while in use.

use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};

use guava_bloom::{BloomFilter, Parameters, Utf8};

use super::{application, check, refused, run};

/// A running program, used interactively.
struct Talk {
    child: Child,
    stdin: ChildStdin,
    stdout: Lines<BufReader<ChildStdout>>,
    stderr: Lines<BufReader<ChildStderr>>,
}

impl Talk {
    fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            stdin: child.stdin.take().unwrap(),
            stdout: BufReader::new(child.stdout.take().unwrap()).lines(),
            stderr: BufReader::new(child.stderr.take().unwrap()).lines(),
            child,
        }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").unwrap();
    }

    fn ask(&mut self, url: &str) -> String {
        self.say(url);
        self.stdout.next().unwrap().unwrap()
    }

    fn told(&mut self) -> String {
        self.stderr.next().unwrap().unwrap()
    }

    /// Ends the input. Returns the rest of standard error.
    fn end(self) -> Vec<String> {
        drop(self.stdin);
        let rest = self.stderr.map(Result::unwrap).collect();
        let mut child = self.child;
        assert!(child.wait().unwrap().success());
        rest
    }
}

#[test]
fn lists_change_while_it_serves() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list.txt");
    let replace = |text: &str| {
        let next = folder.path().join("next.txt");
        fs::write(&next, text).unwrap();
        fs::rename(next, &list).unwrap();
    };
    replace("# of today\nhttp://bad.example/\n\nhttp://worse.example/\n");
    // Reload only on command.
    let mut talk = Talk::start(application("malicious_urls").arg(&list).args(["--poll", "86400"]));
    assert_eq!(talk.told(), "serving 2 URLs");
    assert_eq!(talk.ask("http://bad.example/"), "malicious\thttp://bad.example/");
    assert_eq!(talk.ask("http://good.example/"), "clean\thttp://good.example/");
    assert_eq!(talk.ask("# of today"), "clean\t# of today");
    assert_eq!(talk.ask(""), "clean\t");

    replace("http://good.example/\n");
    talk.say(":reload");
    assert_eq!(talk.told(), "serving 1 URLs");
    assert_eq!(
        talk.ask("http://good.example/"),
        "malicious\thttp://good.example/"
    );
    assert_eq!(talk.ask("http://bad.example/"), "clean\thttp://bad.example/");

    fs::remove_file(&list).unwrap();
    talk.say(":reload");
    let told = talk.told();
    assert!(told.starts_with(&format!("{}: ", list.display())), "{told}");
    assert!(told.ends_with("; still serving 1 URLs"), "{told}");
    assert_eq!(
        talk.ask("http://good.example/"),
        "malicious\thttp://good.example/"
    );
    assert_eq!(
        talk.end(),
        ["asked for 7: the filter denied 4, 3 were looked up, 3 of them are on the list"]
    );
}

#[test]
fn a_file_that_changes_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list.txt");
    fs::write(&list, "http://a/\n").unwrap();
    let mut talk = Talk::start(application("malicious_urls").arg(&list).args(["--poll", "1"]));
    assert_eq!(talk.told(), "serving 1 URLs");
    let next = folder.path().join("next.txt");
    fs::write(&next, "http://a/\nhttp://b/\n").unwrap();
    fs::rename(next, &list).unwrap();
    assert_eq!(talk.told(), "serving 2 URLs");
    assert_eq!(talk.ask("http://b/"), "malicious\thttp://b/");
    talk.end();
}

#[test]
fn answers_keep_the_order_of_questions_and_the_exact_list_decides() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list.txt");
    let url = |i: usize| format!("http://example.com/{i}");
    let mut filter = BloomFilter::new(Utf8, &Parameters::new(200, 0.1).unwrap()).unwrap();
    let mut listed = String::new();
    for i in 0..200 {
        filter.insert(&url(10 * i));
        listed.push_str(&format!("{}\n", url(10 * i)));
    }
    fs::write(&list, listed).unwrap();
    // More questions than are read ahead.
    let (mut questions, mut answers) = (String::new(), String::new());
    for i in 0..2000 {
        let verdict = if i % 10 == 0 { "malicious" } else { "clean" };
        questions.push_str(&format!("{}\n", url(i)));
        answers.push_str(&format!("{verdict}\t{}\n", url(i)));
    }
    let looked_up = (0..2000).filter(|&i| filter.might_contain(&url(i))).count();
    assert!(looked_up > 300, "{looked_up}");

    // Ask from a file, because the answers fill their pipe before the last question is read.
    let path = folder.path().join("questions.txt");
    fs::write(&path, questions).unwrap();
    let output = application("malicious_urls")
        .arg(&list)
        .args(["--threads", "4", "--fpp", "0.1"])
        .stdin(fs::File::open(&path).unwrap())
        .output()
        .unwrap();
    let denied = 2000 - looked_up;
    let counts = format!(
        "serving 200 URLs\n\
         asked for 2000: the filter denied {denied}, {looked_up} were looked up, 200 of them are on the list\n"
    );
    check(&output, 0, &answers, &counts);
}

#[test]
fn wrong_use_is_named() {
    let said = refused(&run(&mut application("malicious_urls"), b""));
    assert!(said.contains("<LIST>"), "{said}");
    let said = refused(&run(application("malicious_urls").arg("no-such-list"), b""));
    assert!(said.starts_with("error: no-such-list: "), "{said}");
    let folder = tempfile::tempdir().unwrap();
    let said = refused(&run(application("malicious_urls").arg(folder.path()), b""));
    assert_eq!(said, format!("error: {}: not a file\n", folder.path().display()));
    let list = folder.path().join("list.txt");
    fs::write(&list, [&b"http://a/\n"[..], &vec![b'x'; 70_000]].concat()).unwrap();
    let said = refused(&run(application("malicious_urls").arg(&list), b""));
    assert_eq!(
        said,
        format!(
            "error: {}:2: the line is longer than 65536 bytes\n",
            list.display()
        )
    );
}
