//! Opens the front page of Hacker News, and prints its stories.

#[path = "../_lib/browse_sdk.rs"]
mod browse_sdk;
mod parser;

use std::process::ExitCode;

use browse_sdk::{skill, GotoRequest, Json, WaitUntil};
use parser::Story;

fn main() -> ExitCode {
    skill(|_args, browse| {
        browse.goto_with(GotoRequest {
            url: "https://news.ycombinator.com/".to_owned(),
            wait: WaitUntil::Domcontentloaded,
            ..Default::default()
        })?;
        let stories = parser::parse(&browse.html(None)?);
        if stories.is_empty() {
            return Err("no story on the page: the site has changed, or refused the visit".into());
        }
        Ok(Json::list(stories.into_iter().map(json)))
    })
}

fn json(story: Story) -> Json {
    Json::object([
        ("rank", story.rank.into()),
        ("id", story.id.into()),
        ("title", story.title.into()),
        ("url", story.url.into()),
        ("points", story.points.into()),
        ("comments", story.comments.into()),
    ])
}
