#[path = "../src/parser.rs"]
mod parser;

use parser::{parse, Story};

const FIXTURE: &str = include_str!(
    "../../../../../browser-skills/hackernews-frontpage/fixtures/news.ycombinator.com-2026-11-21.html"
);

#[test]
fn it_reads_what_the_bundled_skill_reads() {
    let stories = parse(FIXTURE);
    assert_eq!(
        stories.iter().map(|story| story.rank).collect::<Vec<_>>(),
        (1..=30).collect::<Vec<_>>()
    );
    let odd = stories.iter().find(|story| story.title.starts_with("Fish &")).expect("it is there");
    assert_eq!(odd.title, "Fish & ships: what’s <really> in \"harbour\" logs");
    assert_eq!(odd.url, "https://logs.example/?a=1&b=2");
    assert_eq!(stories.iter().filter(|story| story.points.is_none()).count(), 1);
}

#[test]
fn the_order_and_the_quotes_of_attributes_do_not_matter() {
    let html = "<tr id=7 class=\"athing submission\"><td><span class=rank>1.</span></td><td><span class='titleline'><a rel=nofollow href='//x.example/a'>T <b>x</b></a></span></td></tr>
    <tr><td><span id=\"score_7\" class=\"score\">1 point</span> <a href=\"item?id=7\">2&nbsp;comments</a></td></tr>";
    let story = Story {
        rank: 1,
        id: "7".to_owned(),
        title: "T x".to_owned(),
        url: "https://x.example/a".to_owned(),
        points: Some(1),
        comments: Some(2),
    };
    assert_eq!(parse(html), [story]);
}
