//! What a snapshot shows.

use browse_engine::SnapshotOptions;

use crate::fixture::{Tab, target};

const FORM: &str = r#"<title>Form</title>
<h1>Sign in</h1>
<nav aria-label="Main"><ul><li><a href="/a">Home</a></li><li><a href="/b">About <b>us</b></a></li></ul></nav>
<form aria-label="Login"><label>E-mail <input type=email required value="a@b"></label>
<label for=p>Password</label><input id=p type=password value=secret>
<input type=checkbox checked aria-label=Remember><select aria-label=Country><option>France<option selected>Spain</select>
<button disabled>Go</button><button aria-expanded=false aria-pressed=true>More</button></form>
<p>Some <i>plain</i> text</p><div onclick="void 0">Card</div><div style="display:none"><button>Hidden</button></div>"#;

#[tokio::test]
async fn the_whole_tree() {
    let tab = Tab::show(FORM).await;
    insta::assert_snapshot!(tab.tree().await, @r#"
    @e1 heading "Sign in" [level=1]
    @e2 navigation "Main"
      - list
        - listitem
          @e3 link "Home"
        - listitem
          @e4 link "About us"
    @e5 form "Login"
      @e6 textbox "E-mail" [required, value="a@b"]
      @e7 textbox "Password" [type=password, filled]
      @e8 checkbox "Remember" [checked]
      @e9 combobox "Country" [value="Spain"]
        - option "France"
        - option "Spain" [selected]
      @e10 button "Go" [disabled]
      @e11 button "More" [collapsed, pressed]
    - "Some plain text"
    - "Card"
    "#);
}

#[tokio::test]
async fn only_what_can_be_operated() {
    let tab = Tab::show(FORM).await;
    insta::assert_snapshot!(tab.controls().await, @r#"
    @e1 link "Home"
    @e2 link "About us"
    @e3 textbox "E-mail" [required, value="a@b"]
    @e4 textbox "Password" [type=password, filled]
    @e5 checkbox "Remember" [checked]
    @e6 combobox "Country" [value="Spain"]
    @e7 button "Go" [disabled]
    @e8 button "More" [collapsed, pressed]
    @c9 "Card"
    "#);
}

#[tokio::test]
async fn scope_depth_and_compact() {
    let tab = Tab::show(FORM).await;
    let scope = SnapshotOptions { scope: Some(target("nav")), ..SnapshotOptions::default() };
    assert!(tab.snapshot(&scope).await.text.starts_with("@e1 navigation \"Main\"\n  - list\n"));
    let depth = SnapshotOptions { depth: Some(1), ..SnapshotOptions::default() };
    assert!(!tab.snapshot(&depth).await.text.contains("link"));
    let compact = SnapshotOptions { compact: true, ..SnapshotOptions::default() };
    let text = tab.snapshot(&compact).await.text;
    assert!(text.contains("navigation \"Main\"\n  @e2 link \"Home\"\n"), "{text}");
}

#[tokio::test]
async fn a_diff_shows_what_changed() {
    let tab = Tab::show("<button>One</button><button id=b>Two</button>").await;
    let options = SnapshotOptions::default();
    assert!(tab.engine.diff(&options).await.unwrap().0.text.contains("@e1 button \"One\""));
    tab.js("b.textContent = 'Three'").await;
    let diff = tab.engine.diff(&options).await.unwrap().0.text;
    assert!(diff.contains("-@e2 button \"Two\"\n+@e2 button \"Three\""), "{diff}");
    assert_eq!(tab.engine.diff(&options).await.unwrap().0.text, "");
}

#[tokio::test]
async fn details_have_boxes_and_descriptions() {
    let tab = Tab::show("<button style='position:absolute;left:10px;top:20px;width:30px;height:40px' title=Help>Go</button>").await;
    let options = SnapshotOptions { details: true, ..SnapshotOptions::default() };
    let node = &tab.snapshot(&options).await.nodes[0];
    assert_eq!((node.name.as_str(), node.description.as_str()), ("Go", "Help"));
    let bounds = node.bounds.unwrap();
    assert_eq!((bounds.x, bounds.y, bounds.width, bounds.height), (10.0, 20.0, 30.0, 40.0));
}

#[tokio::test]
async fn a_form_cannot_clobber_the_engine() {
    let tab = Tab::show(
        "<form id=f aria-label=F><input name=firstChild aria-label=a><input name=nodeType aria-label=b>\
         <input name=getAttribute aria-label=c><input name=localName aria-label=d><input name=parentNode aria-label=e></form>\
         <img name=body><img name=documentElement><img name=querySelector>",
    )
    .await;
    let text = tab.controls().await;
    assert_eq!(text.lines().count(), 5, "{text}");
    assert!(tab.tree().await.contains("form \"F\""));
    tab.fill("label=c", "x").await.unwrap();
}

#[tokio::test]
async fn a_page_under_a_strict_policy_sees_nothing_of_the_engine() {
    let tab = Tab::show(
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; script-src 'none'; require-trusted-types-for 'script'\">\
         <button>Go</button><template></template>",
    )
    .await;
    assert_eq!(tab.controls().await, "@e1 button \"Go\"");
    assert_eq!(
        tab.js("typeof browseEngine + document.documentElement.outerHTML.includes('browse')").await,
        "undefinedfalse"
    );
}

#[tokio::test]
async fn nothing_is_said_twice() {
    let tab = Tab::show(
        "<a href=/a><img alt=Logo src=''><h3>Title</h3></a><h2><a href=/b>News</a></h2>\
         <table aria-label=Prices><tr><th>Name<th>Price<tr><td>Tea<td><button>Buy</button></table>",
    )
    .await;
    insta::assert_snapshot!(tab.tree().await, @r#"
    @e1 link "Logo Title"
    @e2 heading [level=2]
      @e3 link "News"
    @e4 table "Prices"
      - row
        - columnheader: Name
        - columnheader: Price
      - row
        - cell: Tea
        - cell
          @e5 button "Buy"
    "#);
}

#[tokio::test]
async fn elements_that_own_each_other_are_not_lost() {
    let tab = Tab::show(
        "<div id=a aria-owns=b>One <button>First</button></div><div id=b aria-owns='c a'>Two <button>Second</button></div>\
         <div id=c aria-owns=a>Three <button>Third</button></div>",
    )
    .await;
    let tree = tab.tree().await;
    for name in ["First", "Second", "Third"] {
        assert_eq!(tree.matches(name).count(), 1, "{tree}");
    }
}
