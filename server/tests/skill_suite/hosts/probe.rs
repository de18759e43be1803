//! Tries each way to another host, and says what each attempt came to.

#[path = "../_lib/browse_sdk.rs"]
mod browse_sdk;

use browse_sdk::{Browse, ClickRequest, Json, MouseButton, Result};

fn reason<T>(outcome: Result<T>) -> String {
    outcome.map_or_else(|error| error.reason, |_| "done".to_owned())
}

fn click(browse: &Browse, target: String, modifiers: Option<&str>, button: MouseButton) -> String {
    let modifiers = modifiers.map(str::to_owned);
    reason(browse.click_with(ClickRequest { target, modifiers, button, ..Default::default() }))
}

fn main() -> std::process::ExitCode {
    browse_sdk::skill(|args, browse| {
        let (home, away) = (args.required("home")?, args.required("away")?);
        let mut reasons = Vec::new();
        let plain = MouseButton::Unspecified;
        let ways = [
            "goto", "newtab", "redirect", "ctrl", "middle", "load-html", "link", "form", "post", "open", "iframe",
            "socket", "fetch",
        ];
        for way in ways {
            browse.goto(&home)?;
            let target = format!("#{way}");
            let outcome = match way {
                "goto" => reason(browse.goto(&format!("{away}/by-goto"))),
                "newtab" => reason(browse.new_tab(Some(&format!("{away}/by-newtab")))),
                "redirect" => reason(browse.goto(&format!("{home}-redirect"))),
                "ctrl" => click(browse, target, Some("Control"), plain),
                "middle" => click(browse, target, None, MouseButton::Middle),
                "load-html" => reason(browse.load_html(&format!("<img src='{away}/by-html'>"))),
                _ => click(browse, target, None, plain),
            };
            reasons.push((way, Json::from(outcome)));
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        browse.goto(&home)?;
        Ok(Json::object([("reasons", Json::object(reasons)), ("title", browse.get(browse_sdk::Property::Title, None)?.into())]))
    })
}
