//! Takes the headings out of HTML.

const ENTITIES: [(&str, &str); 6] =
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")];

/// The text of every heading, in the order of the page.
pub fn parse(html: &str) -> Vec<String> {
    let mut headings = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find("<h") {
        rest = &rest[at + 2..];
        let Some(level) = rest.chars().next().filter(|level| ('1'..='6').contains(level)) else {
            continue;
        };
        let (Some(begin), Some(end)) = (rest.find('>'), rest.find(&format!("</h{level}>"))) else {
            continue;
        };
        if begin < end {
            headings.push(text(&rest[begin + 1..end]));
            rest = &rest[end..];
        }
    }
    headings.retain(|heading| !heading.is_empty());
    headings
}

fn text(html: &str) -> String {
    let mut plain = String::new();
    let mut in_tag = false;
    for letter in html.chars() {
        match letter {
            '<' => in_tag = true,
            '>' => in_tag = false,
            letter if !in_tag => plain.push(letter),
            _ => {}
        }
    }
    for (entity, letter) in ENTITIES {
        plain = plain.replace(entity, letter);
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn the_headings_of_the_fixture() {
        let page = include_str!("../fixtures/{fixture}");
        assert_eq!(parse(page), ["Fish & ships", "Harbour news"]);
    }

    #[test]
    fn a_page_without_headings_has_none() {
        assert!(parse("<p>Sorry.</p><h7>").is_empty());
    }
}
