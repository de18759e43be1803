//! One snapshot holds every frame and shadow root, and its refs act in them.

use crate::{project::Project, site::Site};

const INNER: &str =
    r#"<button onclick="this.textContent = 'done ' + this.id" id=in>Inner</button>"#;
const MIDDLE: &str = r#"<iframe src="http://localhost:PORT/inner"></iframe>"#;
const OUTER: &str = r#"<title>Outer</title><iframe src="/inner"></iframe>
<iframe src="http://localhost:PORT/middle"></iframe><div id=open></div><div id=closed></div>
<script>for (const mode of ['open', 'closed']) {
  const root = document.getElementById(mode).attachShadow({mode});
  root.innerHTML = `<button onclick="document.title += ' ${mode}'">In ${mode}</button>`;
}</script>"#;

#[test]
fn buttons_of_all_frames_and_roots_can_be_clicked() {
    let site = Site::serve(&[("/", OUTER), ("/inner", INNER), ("/middle", MIDDLE)]);
    let project = Project::new();
    project.ok(&["goto", &site.url("/")]);
    let tree = project.ok(&["--raw", "snapshot", "-i"]);
    let refs: Vec<_> = tree
        .lines()
        .filter(|line| line.contains("button"))
        .map(|line| line.split_whitespace().next().expect("a ref"))
        .collect();
    assert_eq!(refs.len(), 4, "{tree}");
    for reference in refs {
        project.ok(&["click", reference]);
    }
    let tree = project.ok(&["--raw", "snapshot", "-i"]);
    assert_eq!(tree.matches("done in").count(), 2, "{tree}");
    let title = project.ok(&["--raw", "get", "title"]);
    assert!(title.contains("open") && title.contains("closed"), "{title}");
}

#[test]
fn a_cover_above_another_process_is_named() {
    let page = r#"<div style="position:relative"><iframe src="http://localhost:PORT/inner"></iframe>
        <div role=dialog aria-label="Cookie wall" style="position:absolute;inset:0"></div></div>"#;
    let site = Site::serve(&[("/", page), ("/inner", INNER)]);
    let project = Project::new();
    project.ok(&["goto", &site.url("/")]);
    let tree = project.ok(&["--raw", "snapshot", "-i"]);
    let line = tree.lines().find(|line| line.contains("Inner")).expect("the button");
    let reference = line.split_whitespace().next().expect("a ref");
    let output = project.run(&["click", reference, "--timeout", "1s"]);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("Cookie wall"), "{output:?}");
}
