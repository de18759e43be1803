#[path = "../_lib/browse_sdk.rs"]
mod browse_sdk;

use browse_sdk::{Json, Property};

fn main() -> std::process::ExitCode {
    browse_sdk::skill(|args, browse| {
        browse.goto(&args.required("url")?)?;
        browse.click("text=Buy")?;
        let links = Json::list(browse.links()?.into_iter().map(|link| link.text));
        let title = browse.get(Property::Title, None)?;
        Ok(Json::object([("title", title.into()), ("links", links)]))
    })
}
