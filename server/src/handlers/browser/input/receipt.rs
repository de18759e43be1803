//! The receipt of an action, as the contract has it.

use browse_proto::{
    render::{MAX_SHOWN_ADDRESS_CHARS, truncate_address},
    v1,
};

use super::super::{capture::downloads, navigation};
use crate::{address, dispatch::CallContext};
use browse_content::Sources;
use browse_engine::{ActionReceipt, Fact};

/// Roles of ARIA, and names of HTML elements that are not a role.
const ROLES: &str = " alert alertdialog application article audio banner blockquote button canvas \
    caption cell checkbox code columnheader combobox comment complementary contentinfo definition \
    deletion dialog document emphasis feed figure form generic grid gridcell group heading iframe \
    image img insertion link list listbox listitem log main mark marquee math menu menubar menuitem \
    menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation \
    progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox \
    sectionfooter sectionheader separator slider spinbutton status strong subscript suggestion \
    superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree \
    treegrid treeitem video \
    a abbr address area aside b bdi bdo body br cite data dd details dfn div dl dt em embed \
    fieldset figcaption footer h1 h2 h3 h4 h5 h6 header hgroup hr html i input ins kbd label legend \
    li map nav object ol optgroup output p picture pre progress q rp rt ruby s samp section select \
    small span source style sub summary sup svg tbody td textarea tfoot th thead title tr track u \
    ul var wbr ";

/// The receipt as the contract has it; opened targets become tab ids.
pub async fn receipt_message(cx: &CallContext, mut receipt: ActionReceipt) -> v1::Receipt {
    if receipt.navigated {
        cx.engine().schedule_preinject();
    }
    for opened in &mut receipt.opened_tabs {
        opened.tab_id = cx.tab_id_of_target(&opened.target_id);
    }
    let begun = std::mem::take(&mut receipt.downloads).into_iter().map(|one| one.id);
    let files =
        downloads::downloads_for_receipt(cx, &begun.collect::<Vec<_>>(), receipt.no_wait).await;
    receipt.page_messages.extend(downloads::receipt_facts(cx, &files));
    let mut sources = Sources::default();
    if receipt.frame_url.as_ref().is_some_and(|frame| sources.add_url(frame)) {
        cx.set_sources(sources);
    }
    let url = receipt.url.clone();
    let tab = cx.tab();
    if let Some(other) =
        tab.navigation_owners().navigated_by_other(cx.client(), tab.page().commit_count())
    {
        // Where it was, not by what was done here.
        let moved = Fact::new(format!("tab moved by {other}")).text(tab.page().url());
        receipt.page_messages.push(moved);
        receipt.url = None;
    }
    let facts = receipt.facts();
    let lines: Vec<_> = facts.iter().map(fact_line).collect();
    let focus = receipt.focus.map(|(role, name)| Fact::new(role).about("", name).line());
    v1::Receipt {
        summary: cx.redact_for_caller(lines.join("\n")),
        url: url.map(|url| navigation::url_for_caller(cx, url)),
        new_tab: receipt.opened_tabs.iter().find_map(|opened| opened.tab_id),
        focus,
        dialog: receipt.dialogs.first().map(Fact::line),
        downloads: files.iter().map(|file| downloads::to_entry(cx, file)).collect(),
        errors: receipt.errors.into_iter().map(|error| error.text).collect(),
        question: receipt.open_dialog.map(|asked| cx.redact_for_caller(asked.summary)),
        facts: facts.into_iter().map(|fact| fact_to_message(cx, fact)).collect(),
    }
}

/// A fact as a line, which shows the beginning of an address.
fn fact_line(fact: &Fact) -> String {
    let text = truncate_if_url(fact.text.clone(), MAX_SHOWN_ADDRESS_CHARS);
    Fact { text, ..fact.clone() }.line()
}

/// An address of at most `max` characters; any other text is left as it is.
fn truncate_if_url(text: String, max: usize) -> String {
    let is_address = text.contains(':') && !text.contains(char::is_whitespace);
    if is_address { truncate_address(text, max) } else { text }
}

fn fact_to_message(cx: &CallContext, fact: Fact) -> v1::ReceiptFact {
    let Fact { label, role, name, text, note } = fact;
    v1::ReceiptFact {
        label: label.into_owned(),
        role: known_role(role),
        name: cx.redact_for_caller(name),
        text: truncate_if_url(cx.redact_for_caller(text), address::MAX_SHOWN_URL_BYTES),
        note: note.into_owned(),
    }
}

/// A page may call its elements what it likes: the name of one that nobody else
/// knows is a word of the page.
fn known_role(role: String) -> String {
    let is_known = role.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && ROLES.contains(&format!(" {role} "));
    if is_known || role.is_empty() { role } else { "element".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{Fact, MAX_SHOWN_ADDRESS_CHARS, fact_line, known_role};

    #[test]
    fn a_line_shows_the_beginning_of_an_address() {
        let url = format!("https://a.example/{}", "x".repeat(3000));
        let shown = fact_line(&Fact::new("url").text(&url));
        assert_eq!(shown, format!("url: {}...", &url[..MAX_SHOWN_ADDRESS_CHARS]));
        let text = "a: b ".repeat(100);
        assert!(fact_line(&Fact::new("value").text(&text)).contains(&text));
    }

    #[test]
    fn an_element_that_a_page_invents_is_an_element() {
        for role in ["button", "textbox", "h1", "treeitem", "alert", "ul", "wbr", ""] {
            assert_eq!(known_role(role.to_owned()), role);
        }
        for role in ["my-app", "ignore", "button link", " ", "x\ny"] {
            assert_eq!(known_role(role.to_owned()), "element");
        }
    }
}
