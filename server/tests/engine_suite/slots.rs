//! Closed shadow trees that show children of their host: nothing in the document
//! tells of them.

use browse_server::engine::{SHOWN, SnapshotOptions};

use crate::fixture::Tab;

/// What a closed tree does to a child or the text of its host, and by which means.
const TREES: &[(&str, &str, &str)] = &[
    ("<style>::slotted(p){opacity:0}</style><slot></slot>", "<p>secret</p>", "opacity"),
    ("<style>:host{opacity:0}</style><slot></slot>", "<p>secret</p>", "opacity"),
    ("<div style='opacity:0'><slot></slot></div>", "<p>secret</p>", "opacity"),
    ("<div style='height:0;overflow:hidden'><slot></slot></div>", "<p>secret</p>", "size"),
    ("<style>:host{background:black}</style><slot></slot>", "<p>secret</p>", "colour"),
    ("<i style='background:black'><slot></slot></i>", "<b>secret</b>", "colour"),
    ("<i style='color:white'><slot></slot></i>", "secret", "colour"),
    ("<i style='font-size:0'><slot></slot></i>", "secret", "font"),
    ("<i style='display:none'><slot></slot></i>", "secret", ""),
    ("<slot name=other></slot>", "<p>secret</p>", ""),
];

async fn check(tab: &Tab, means: &str, of: &str) {
    let options = SnapshotOptions { seen: true, ..SnapshotOptions::default() };
    let text = tab.engine.read_text(None, true).await.unwrap();
    let markdown = tab.engine.read_markdown(None, true).await.unwrap();
    let tree = tab.snapshot(&options).await;
    for (read, unseen) in
        [(&text.text, &text.unseen), (&markdown.text, &markdown.unseen), (&tree.text, &tree.unseen)]
    {
        assert!(!read.contains("secret") && read.contains("seen"), "{of}: {read}");
        assert_eq!(unseen.contains_key(means), !means.is_empty(), "{of}: {unseen:?}");
    }
}

#[tokio::test]
async fn what_a_closed_tree_does_to_children_of_its_host_counts() {
    let tab = Tab::show("").await;
    for (tree, children, means) in TREES {
        let html = format!(
            "<p>seen</p><div><template shadowrootmode=closed>{tree}</template>{children}</div>"
        );
        tab.goto_html(&html).await;
        check(&tab, means, &html).await;
    }
}

#[tokio::test]
async fn closed_trees_in_frames_and_in_each_other_are_found() {
    let sealed = "<div><template shadowrootmode=closed><i style=opacity:0><slot></slot></i></template>secret</div>";
    let framed = format!("<p>seen</p><iframe srcdoc=\"{sealed}<p>in\"></iframe>");
    let nested = format!(
        "<section><template shadowrootmode=closed><p>seen</p>{sealed}<slot></slot></template>also</section>"
    );
    let tab = Tab::show("").await;
    for html in [framed, nested] {
        tab.goto_html(&html).await;
        check(&tab, "opacity", &html).await;
    }
}

#[tokio::test]
async fn a_page_of_many_slots_is_told_of() {
    let slots = "<div><template shadowrootmode=open><slot></slot></template>one</div>".repeat(301);
    let tab = Tab::show("").await;
    for (html, more) in [
        (format!("<p>seen</p>{slots}"), true),
        ("<p>seen</p><script>const said = '<slot>'</script><p title='<slot>'>".to_owned(), false),
    ] {
        tab.goto_html(&html).await;
        let reading = tab.engine.read_text(None, true).await.unwrap();
        assert!(reading.text.contains("seen"));
        let excess = format!("excess{SHOWN}");
        assert_eq!(reading.unseen.contains_key(&excess), more, "{:?}", reading.unseen);
    }
}
