//! The structure of a page, for a review of its design.

use std::fmt::Write as _;

use browse_proto::v1;

use crate::{dispatch::CallContext, handlers::browser::bounds::to_box};
use browse_base::Result;
use browse_engine::{Control, DesignAudit, Heading, NavLink, Rect, SiteInfo, TextBlock};

/// Answers the structure of the page.
pub async fn ux_audit(
    cx: &CallContext,
    request: v1::UxAuditRequest,
) -> Result<v1::UxAuditResponse> {
    let audit = cx.engine().audit().await?;
    if request.structured {
        return Ok(to_response(audit));
    }
    Ok(v1::UxAuditResponse { text: Some(text(&audit)), ..Default::default() })
}

fn to_response(audit: DesignAudit) -> v1::UxAuditResponse {
    v1::UxAuditResponse {
        text: None,
        site: Some(site(audit.site)),
        nav: audit.nav.into_iter().map(link).collect(),
        headings: audit.headings.into_iter().map(heading).collect(),
        text_blocks: audit.blocks.into_iter().map(block).collect(),
        interactive: audit.interactive.into_iter().map(control).collect(),
        counts: Some(v1::AuditCounts {
            headings: audit.counts.headings,
            text_blocks: audit.counts.blocks,
            interactive: audit.counts.interactive,
            images: audit.counts.images,
        }),
        findings: audit.findings,
    }
}

fn site(site: SiteInfo) -> v1::AuditSite {
    v1::AuditSite {
        title: site.title,
        name: site.name,
        description: non_empty(site.description),
        url: site.url,
        canonical: non_empty(site.canonical),
        lang: non_empty(site.lang),
        icon: non_empty(site.icon),
        viewport: Some(to_box(site.viewport)),
        page: Some(to_box(site.page)),
    }
}

fn non_empty(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

fn link(link: NavLink) -> v1::AuditLink {
    let NavLink { nav, text, href, current } = link;
    v1::AuditLink { nav: non_empty(nav), text, href, current }
}

fn heading(heading: Heading) -> v1::AuditHeading {
    let Heading { level, text, bounds } = heading;
    v1::AuditHeading { level, text, r#box: Some(to_box(bounds)) }
}

fn block(block: TextBlock) -> v1::AuditText {
    let TextBlock { text, words, size, bounds } = block;
    v1::AuditText { text, words, font_px: size, r#box: Some(to_box(bounds)) }
}

fn control(control: Control) -> v1::AuditControl {
    let Control { role, name, kind, disabled, in_view, bounds } = control;
    let (r#type, r#box) = (non_empty(kind), Some(to_box(bounds)));
    v1::AuditControl { role, name, r#type, disabled, in_view, r#box }
}

fn text(audit: &DesignAudit) -> String {
    let DesignAudit { site, nav, headings, blocks, interactive, counts, findings } = audit;
    let mut out = format!("site: {} ({})\nurl: {}\n", site.title, site.name, site.url);
    for (name, value) in
        [("description", &site.description), ("lang", &site.lang), ("icon", &site.icon)]
    {
        if !value.is_empty() {
            let _ = writeln!(out, "{name}: {value}");
        }
    }
    let size = |rect: &Rect| format!("{}x{}", rect.width.round(), rect.height.round());
    let _ = writeln!(out, "page: {}, viewport {}", size(&site.page), size(&site.viewport));
    let finding = findings.iter().map(|finding| format!("- {finding}"));
    section(&mut out, "findings", findings.len(), finding);
    let links = nav.iter().map(|link| {
        let current = if link.current { " (current)" } else { "" };
        format!("{} → {}{current}", link.text, link.href)
    });
    section(&mut out, "nav", nav.len(), links);
    let lines =
        headings.iter().map(|h| format!("h{} {} {}", h.level, h.text, format_rect(&h.bounds)));
    section(&mut out, "headings", counts.headings as usize, lines);
    let lines = blocks.iter().map(|block| {
        format!(
            "{} words, {}px {} {}",
            block.words,
            block.size,
            format_rect(&block.bounds),
            block.text
        )
    });
    section(&mut out, "text blocks", counts.blocks as usize, lines);
    let lines = interactive.iter().map(|control| {
        let kind = if control.kind.is_empty() { &control.role } else { &control.kind };
        format!("{kind} {:?} {}", control.name, format_rect(&control.bounds))
    });
    section(&mut out, "interactive", counts.interactive as usize, lines);
    out.trim_end().to_owned()
}

/// `total` may be more than the lines.
fn section(out: &mut String, name: &str, total: usize, lines: impl Iterator<Item = String>) {
    let lines: Vec<_> = lines.collect();
    if lines.is_empty() {
        return;
    }
    let shown = lines.len();
    let of = if shown < total { format!("{shown} of {total}") } else { total.to_string() };
    let _ = writeln!(out, "\n{name} ({of}):\n{}", lines.join("\n"));
}

/// `640x48 at 0,120`.
fn format_rect(rect: &Rect) -> String {
    let [x, y, width, height] = [rect.x, rect.y, rect.width, rect.height].map(f64::round);
    format!("[{width}x{height} at {x},{y}]")
}
