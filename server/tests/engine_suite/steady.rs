//! What is kept of an unchanged page is looked for anew when it changes.

use browse_chromium::Viewport;
use browse_engine::SnapshotOptions;

use crate::fixture::Tab;
use crate::support::site::Site;

/// Words of everything that steps change, each in an element of its own. What
/// stands below is there so that lists of all kinds are kept.
const PAGE: &str = "<!doctype html><style id=sheet>.faded{opacity:0}.ink{color:white}.night{background:#024} @media (max-width:500px){#media{opacity:0}}\
    .late:has(p:empty),.dim + p{opacity:0}</style>\
    <p id=first>first</p><p id=style>style</p><p id=class>class</p><p id=rule>rule</p><p id=adopted>adopted</p>\
    <p id=media>media</p><p id=written>written</p><p id=attribute hidden>attribute</p>\
    <p id=inert>inert</p><p id=aria>aria</p><p id=data>data</p><p id=ink class=ink> </p><p id=moved>moved</p>\
    <div id=faded class=faded></div><div id=open></div>\
    <details id=details><summary>summary</summary><p>folded</p></details>\
    <dialog id=dialog>dialog</dialog><nav id=nav><a href=/x>menu</a></nav>\
    <x-open id=late></x-open><x-shut id=shut></x-shut><div id=made></div>\
    <svg width=9 height=9 id=drawn></svg><p>sketch</p><div class=late><p id=empty></p>listed</div><div id=consent class=x>consent words</div>\
    <div id=far style='margin-top:9000px'>far</div>\
    <iframe srcdoc='<style>.faded{opacity:0}</style><p id=in>inner</p><p id=other title=x>other</p>'></iframe>\
    <script>const frame = document.querySelector('iframe'), inner = () => frame.contentDocument;\
    const empty = document.getElementById('empty'); empty.append('');\
    const sheet = new CSSStyleSheet(); document.adoptedStyleSheets = [sheet];\
    const by = (id) => document.getElementById(id);</script>";

/// What a step does, words that are read then, and words that are not. The
/// boilerplate of a page stands in snapshots alone: so do words after a `~`.
const STEPS: &[(&str, &str, &str)] = &[
    (
        "0",
        "first style class rule adopted media written inert aria data moved summary far inner other ~menu",
        "attribute folded dialog listed",
    ),
    ("by('style').style.opacity = 0", "first", "style"),
    ("by('style').style.opacity = ''", "style", ""),
    ("by('style').setAttribute('style', 'clip-path:inset(50%)')", "", "style"),
    ("by('style').removeAttribute('style')", "style", ""),
    ("by('class').className = 'faded'", "", "class"),
    ("by('class').classList.remove('faded')", "class", ""),
    ("document.styleSheets[0].insertRule('#rule{opacity:0}')", "", "rule"),
    ("document.styleSheets[0].cssRules[0].style.opacity = 1", "rule", ""),
    ("document.styleSheets[0].deleteRule(0)", "rule", ""),
    ("sheet.replaceSync('#adopted{opacity:0}')", "", "adopted"),
    ("document.adoptedStyleSheets = []", "adopted", ""),
    ("document.adoptedStyleSheets = [sheet]", "", "adopted"),
    ("sheet.disabled = true", "adopted", ""),
    ("by('sheet').append('#written{font-size:0}')", "", "written"),
    ("by('sheet').lastChild.data = ''", "written", ""),
    (
        "document.head.insertAdjacentHTML('beforeend', '<style id=more media=print>#written{opacity:0}</style>')",
        "written",
        "",
    ),
    ("by('more').media = 'all'", "", "written"),
    ("by('more').remove()", "written", ""),
    ("by('attribute').hidden = false", "attribute", ""),
    ("by('attribute').setAttribute('hidden', '')", "", "attribute"),
    ("by('inert').inert = true", "", "inert"),
    ("by('inert').inert = false", "inert", ""),
    ("by('aria').ariaHidden = 'true'", "", "aria"),
    ("by('aria').removeAttribute('aria-hidden')", "aria", ""),
    ("by('data').firstChild.data = 'renewed'", "renewed", "data"),
    ("by('faded').append(by('moved'))", "", "moved"),
    ("by('open').append(by('moved'))", "moved", ""),
    ("by('faded').className = ''", "moved", ""),
    ("by('details').open = true", "folded", ""),
    ("by('details').open = false", "summary", "folded"),
    ("by('dialog').show()", "dialog first", ""),
    ("by('dialog').close()", "first", "dialog"),
    ("by('empty').firstChild.data = ' '", "listed", ""),
    ("by('empty').firstChild.data = ''", "", "listed"),
    ("by('consent').id = 'cookie-banner'", "~consent", ""),
    ("by('cookie-banner').id = 'story'", "consent", ""),
    ("by('far').style.contentVisibility = 'auto'", "far", ""),
    (
        "by('far').innerHTML = '<section style=\"content-visibility:auto\"><p>unlaid</p></section>'",
        "unlaid",
        "far",
    ),
    // Shadow trees: one that comes late, and what changes within.
    (
        "by('late').attachShadow({mode: 'open'}).innerHTML = '<style>.faded{opacity:0}</style><p>echo</p><nav>within</nav>'",
        "echo ~within",
        "",
    ),
    ("by('late').shadowRoot.querySelector('p').className = 'faded'", "", "echo"),
    ("by('late').shadowRoot.querySelector('p').className = ''", "echo", ""),
    ("by('late').shadowRoot.querySelector('p').style.opacity = 0", "", "echo"),
    ("by('late').shadowRoot.querySelector('p').replaceWith('changed')", "changed", "echo"),
    ("by('late').shadowRoot.styleSheets[0].insertRule(':host{opacity:0}')", "", "changed"),
    ("by('late').shadowRoot.styleSheets[0].deleteRule(0)", "changed", ""),
    ("by('late').shadowRoot.innerHTML = '<p><i>again</i></p>'", "again", "changed within"),
    // A host was asked before it had a closed root.
    (
        "shut = by('shut').attachShadow({mode: 'closed'}); shut.innerHTML = '<p>sealed</p>'",
        "sealed",
        "",
    ),
    ("shut.firstChild.style.opacity = 0", "", "sealed"),
    ("shut.innerHTML = '<b>opened</b>'", "opened", "sealed"),
    (
        "made = by('made').appendChild(document.createElement('div')).attachShadow({mode: 'closed'}); made.innerHTML = '<p>hatched</p>'",
        "hatched",
        "",
    ),
    ("by('made').innerHTML = '<p>plain</p>'", "plain", "hatched"),
    // Texts in the colour of their ground.
    ("by('ink').firstChild.data = 'inked'", "", "inked"),
    ("by('ink').className = 'ink night'", "inked", ""),
    ("document.styleSheets[0].insertRule('#ink{background:none}')", "", "inked"),
    ("document.styleSheets[0].deleteRule(0)", "inked", ""),
    ("by('ink').className = 'ink'; by('ink').style.background = '#024'", "inked", ""),
    // A frame of the same site.
    ("inner().getElementById('in').textContent = 'inside'", "inside", "inner"),
    ("inner().getElementById('in').className = 'faded'", "", "inside"),
    ("inner().getElementById('in').className = ''", "inside", ""),
    ("inner().getElementById('in').setAttribute('style', 'color:white')", "other", "inside"),
    ("inner().getElementById('in').removeAttribute('style')", "inside", ""),
    ("inner().getElementById('other').hidden = true", "inside", "other"),
    ("inner().body.insertAdjacentHTML('beforeend', '<nav>sidebar</nav>')", "inside ~sidebar", ""),
    ("frame.remove()", "first", "inside sidebar"),
    // Boilerplate comes and goes.
    ("by('nav').outerHTML = '<div id=nav>menu</div>'", "menu", ""),
    ("by('nav').setAttribute('role', 'navigation')", "~menu", ""),
    ("by('nav').removeAttribute('role')", "menu", ""),
    ("by('nav').outerHTML = '<nav>anew</nav>'", "~anew", "menu"),
    // The whole document.
    (
        "document.body = document.createElement('body'); document.body.innerHTML = '<p>body</p><p class=faded>ghost</p><nav>bar</nav>'",
        "body ~bar",
        "first anew ghost",
    ),
    (
        "document.open(); document.write('<style>.s{opacity:0}</style><p>reopened</p><p class=s>spectre</p><p id=z>last</p><nav>rail</nav>'); document.close()",
        "reopened last ~rail",
        "body bar spectre",
    ),
    ("document.getElementById('z').style.opacity = 0", "reopened", "last"),
    (
        "document.getElementById('z').style.opacity = ''; document.querySelector('nav').remove()",
        "last",
        "rail",
    ),
    (
        "document.replaceChild(new DOMParser().parseFromString('<p>parsed</p><p style=opacity:0>phantom</p>', 'text/html').documentElement, document.documentElement)",
        "parsed",
        "reopened last phantom",
    ),
    ("document.querySelectorAll('p')[1].style.opacity = 1", "parsed phantom", ""),
];

/// What `step` did not come to in each reading.
async fn wrong(tab: &Tab, step: &str, shown: &str, hidden: &str) -> Vec<String> {
    let seen = SnapshotOptions { visible_only: true, ..SnapshotOptions::default() };
    let readings = [
        ("text", tab.engine.read_text(None, true).await.unwrap().text),
        ("markdown", tab.engine.read_markdown(None, true).await.unwrap().text),
        ("snapshot", tab.snapshot(&seen).await.text),
    ];
    let mut wrong = Vec::new();
    for (name, text) in readings {
        let words: Vec<_> = text.split(|c: char| !c.is_alphanumeric()).collect();
        let is_tree = name == "snapshot";
        let shown = shown.split_whitespace().map(|word| match word.strip_prefix('~') {
            Some(word) => (word, is_tree),
            None => (word, true),
        });
        for (word, is_shown) in shown.chain(hidden.split_whitespace().map(|word| (word, false))) {
            if words.contains(&word) != is_shown {
                let is = if is_shown { "is missing in" } else { "stands in" };
                wrong.push(format!("`{step}`: {word} {is} {name}: {text}"));
            }
        }
    }
    wrong
}

#[tokio::test]
async fn what_changed_since_the_last_reading_is_read_as_it_is() {
    let tab = Tab::visit(Site::start().await.page("/", PAGE)).await;
    let mut all = wrong(&tab, "", "media first", "").await;
    for (width, shown, hidden) in [(400, "first", "media"), (900, "media", "")] {
        let viewport = Viewport { width, height: 600, ..Viewport::default() };
        tab.page.set_viewport(viewport).await.unwrap();
        all.extend(wrong(&tab, "another width", shown, hidden).await);
    }
    for (step, shown, hidden) in STEPS {
        tab.js(&format!("{{ {step} }}; null")).await;
        all.extend(wrong(&tab, step, shown, hidden).await);
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
