//! Pages that go elsewhere by themselves while they are read.

use crate::{project::Project, site::Site};

#[test]
fn a_page_that_goes_on_by_itself_is_read_all_the_same() {
    // The first ones go on at once, the others when they are loaded; the last
    // one stays.
    let html = |page: u32| match page {
        0..40 => format!("<p>Page</p><script>location = '/{}'</script>", page + 1),
        40..70 => format!(
            "<p>Page</p><script>onload = () => setTimeout(() => location = '/{}')</script>",
            page + 1
        ),
        _ => "<p>Page, the last</p>".to_owned(),
    };
    let pages: Vec<_> = (0..=70).map(|page| (format!("/{page}"), html(page))).collect();
    let all: Vec<_> = pages.iter().map(|(path, html)| (&**path, &**html)).collect();
    let site = Site::serve(&all);
    let project = Project::new();
    project.ok(&["goto", &site.url("/0")]);
    for command in ["text", "markdown", "snapshot", "text", "snapshot", "text"] {
        project.ok(&[command]);
    }
    project.ok(&["wait", "--text", "the last"]);
    assert!(project.ok(&["text"]).contains("Page, the last"));
}
