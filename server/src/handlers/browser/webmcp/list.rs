//! What a page offers.

use browse_proto::v1;
use url::Url;

use super::{not_found, page_tools};
use crate::{dispatch::CallContext, handlers::browser::reading};
use browse_base::{HINT_KEY, Result};
use browse_chromium::{Frame, FrameId, PageTool, PageToolKind};

/// Tools that are listed.
const MAX_LISTED: usize = 50;

/// Characters of a description in a list.
const MAX_DESCRIPTION_CHARS: usize = 1_000;

/// Bytes of a schema in a list.
const MAX_SCHEMA_BYTES: usize = 4_000;

/// Characters of descriptions and schemas in a list: one page must not fill the
/// context of its reader.
const MAX_LIST_CHARS: usize = 20_000;

/// Of a tool that was asked for by its name.
const MAX_ONE_CHARS: usize = 200 * 1024;

/// Answers the tools of the page, or of the chosen frame and those within.
pub async fn list_page_tools(
    cx: &CallContext,
    request: v1::ListPageToolsRequest,
) -> Result<v1::ListPageToolsResponse> {
    let found = page_tools(cx).await?;
    reading::set_sources_of_all_frames(cx);
    let frames = cx.page().frames();
    let chosen = cx.engine().selector_frame()?;
    let mut tools: Vec<&PageTool> = found
        .all()
        .iter()
        .filter(|tool| request.name.as_ref().is_none_or(|name| *name == tool.name))
        .filter(|tool| is_within(&frames, &tool.frame, &chosen))
        .collect();
    if let Some(name) = &request.name
        && tools.is_empty()
    {
        let is_listed = |tool: &PageTool| is_within(&frames, &tool.frame, &chosen);
        let error = not_found(name, found.all(), is_listed);
        return Err(match is_open(&cx.page().url()) {
            true => error.with(HINT_KEY, OPEN_PAGE_HINT),
            false => error,
        });
    }
    // Those that `call` calls.
    tools.sort_by_key(|tool| tool.frame != chosen);
    let total = tools.len();
    tools.truncate(MAX_LISTED);
    let mut budget = ListBudget::new(request.name.is_some());
    let rows = tools.into_iter().map(|tool| {
        let row = to_row(tool, &mut budget);
        let inner = frames.iter().find(|frame| frame.id == tool.frame && frame.parent.is_some());
        v1::PageTool { frame: inner.map(|frame| frame.url.clone()).unwrap_or_default(), ..row }
    });
    let rows: Vec<_> = rows.collect();
    match (total, rows.len()) {
        (0, _) => cx.add_notice(nothing_offered(&cx.page().url())),
        (total, shown) if total > shown => {
            cx.add_notice(&format!("{} more tools are left out", total - shown));
        }
        _ => {}
    }
    if budget.shortened > 0 {
        cx.add_notice(&format!(
            "{} descriptions or schemas are shortened or left out: `browse webmcp list NAME` \
             prints one whole",
            budget.shortened
        ));
    }
    Ok(v1::ListPageToolsResponse { tools: rows })
}

fn to_row(tool: &PageTool, budget: &mut ListBudget) -> v1::PageTool {
    let schema = tool.input_schema.as_ref().map(ToString::to_string).unwrap_or_default();
    v1::PageTool {
        name: tool.name.clone(),
        description: budget.cut(&tool.description),
        input_schema: budget.keep_whole(schema),
        frame: String::new(),
        read_only: tool.is_read_only,
        form: tool.kind != PageToolKind::Function,
        submits: tool.kind == PageToolKind::SubmittedForm,
    }
}

/// What is left for descriptions and schemas.
struct ListBudget {
    description: usize,
    schema: usize,
    rest: usize,
    shortened: usize,
}

impl ListBudget {
    fn new(is_one: bool) -> Self {
        let [description, schema, rest] = match is_one {
            true => [MAX_ONE_CHARS; 3],
            false => [MAX_DESCRIPTION_CHARS, MAX_SCHEMA_BYTES, MAX_LIST_CHARS],
        };
        Self { description, schema, rest, shortened: 0 }
    }

    /// A text, as much of it as there is room for.
    fn cut(&mut self, text: &str) -> String {
        let room = self.description.min(self.rest);
        let length = text.chars().count();
        self.rest -= length.min(room);
        if length <= room {
            return text.to_owned();
        }
        self.shortened += 1;
        text.chars().take(room).chain(['…']).collect()
    }

    /// A document, of which a part is useless.
    fn keep_whole(&mut self, json: String) -> String {
        if json.len() > self.schema.min(self.rest) {
            self.shortened += 1;
            return String::new();
        }
        self.rest -= json.len();
        json
    }
}

/// What to do about a page that cannot offer any.
const OPEN_PAGE_HINT: &str =
    "Open the page by https, or from this machine: browsers allow tools to such pages only";

/// Why there may be none.
fn nothing_offered(url: &str) -> &'static str {
    match is_open(url) {
        true => {
            "the page offers no tools: browsers allow them to pages of https and of this machine \
             only"
        }
        false => "the page offers no tools",
    }
}

/// Whether the page came over the network without TLS.
fn is_open(url: &str) -> bool {
    let url = Url::parse(url).ok();
    let is_local = |url: &Url| {
        let host = url.host_str().unwrap_or_default();
        host == "localhost" || host.ends_with(".localhost") || host.starts_with("127.")
    };
    url.is_some_and(|url| url.scheme() == "http" && !is_local(&url))
}

fn is_within(frames: &[Frame], frame: &FrameId, root: &FrameId) -> bool {
    let mut at = Some(frame);
    while let Some(id) = at {
        if id == root {
            return true;
        }
        at = frames.iter().find(|frame| frame.id == *id).and_then(|frame| frame.parent.as_ref());
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_a_budget_and_one_tool_is_whole() {
        let long = "é".repeat(MAX_DESCRIPTION_CHARS + 1);
        let mut budget = ListBudget::new(false);
        let cut = budget.cut(&long);
        assert_eq!(cut.chars().count(), MAX_DESCRIPTION_CHARS + 1);
        assert!(cut.ends_with('…'));
        assert_eq!(budget.keep_whole("x".repeat(MAX_SCHEMA_BYTES + 1)), "");
        assert_eq!(budget.shortened, 2);
        let kept: usize = (0..100)
            .map(|_| budget.cut("word").len() + budget.keep_whole("x".repeat(3_000)).len())
            .sum();
        assert!(kept <= MAX_LIST_CHARS + 100 * '…'.len_utf8(), "{kept}");
        let mut budget = ListBudget::new(true);
        assert_eq!(budget.cut(&long), long);
        assert_eq!(budget.shortened, 0);
    }

    #[test]
    fn an_empty_list_names_its_cause() {
        assert!(nothing_offered("http://example.com/").contains("https"));
        for url in
            ["https://example.com/", "http://localhost:1/", "http://127.0.0.1:1/", "about:blank"]
        {
            assert_eq!(nothing_offered(url), "the page offers no tools", "{url}");
        }
    }
}
