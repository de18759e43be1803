//! Targets other than refs.

use browse_engine::RefusalKind;

use crate::fixture::{Tab, kind, target};

const PAGE: &str = "<button id=save onclick='document.title=this.id'>Save</button><button id=as onclick='document.title=this.id'>Save as…</button>\
    <button id=gone style='display:none'>Save</button><label>Your name <input id=name></label><label for=mail>E-mail</label><input id=mail>\
    <p>Read <a id=terms href='#terms'>the <b>terms</b></a></p><button disabled>Off</button><div class=row>1</div><div class=row>2</div>\
    <h2>Twice</h2><h3>Twice</h3>";

#[tokio::test]
async fn each_form_finds_its_element() {
    let tab = Tab::show(PAGE).await;
    for (text, id) in [
        ("#save", "save"),
        ("text=save", "save"),
        ("text=Save as", "as"),
        ("text=terms", "terms"),
        ("text=/^Save as/", "as"),
        ("role=button[name=\"Save\"]", "save"),
        ("role=button[name=/as/i]", "as"),
        ("label=Your name", "name"),
        ("label=e-mail", "mail"),
        ("xpath=//button[2]", "as"),
        ("//label/input", "name"),
    ] {
        let attributes =
            tab.engine.attrs(&target(text)).await.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(
            attributes.iter().find(|(name, _)| name == "id").map(|(_, value)| value.as_str()),
            Some(id),
            "{text}"
        );
    }
    assert_eq!(tab.engine.count(&target("button")).await.unwrap(), 4);
    assert_eq!(tab.engine.count(&target("role=heading[level=2]")).await.unwrap(), 1);
    assert_eq!(tab.engine.count(&target("role=button[disabled]")).await.unwrap(), 1);
    assert_eq!(tab.engine.count(&target("role=button[disabled=false]")).await.unwrap(), 2);
    assert_eq!(tab.engine.count(&target(".none")).await.unwrap(), 0);
}

#[tokio::test]
async fn several_matches_are_an_error_that_shows_them() {
    let tab = Tab::show(PAGE).await;
    let error = tab.click(".row").await.unwrap_err();
    assert_eq!(error.kind(), Some(RefusalKind::Ambiguous));
    assert_eq!(error.metadata()["count"], "2");
    let quotes = [("@e1", "div \"1\""), ("@e2", "div \"2\"")];
    assert_eq!(error.page_texts(), quotes.map(|(at, text)| (at.to_owned(), text.to_owned())));
    assert_eq!(tab.engine.describe(&target("@e2")).await.unwrap().tag, "div");
    assert_eq!(kind(tab.click("text=Twice").await).0, RefusalKind::Ambiguous);
}

#[tokio::test]
async fn no_match_names_near_misses() {
    let tab = Tab::show(PAGE).await;
    let (kind, message) = kind(tab.try_click("role=button[name=\"Sve as\"]").await);
    assert_eq!(kind, RefusalKind::NotFound);
    assert!(message.contains("button \"Save as…\""), "{message}");
}

#[tokio::test]
async fn what_is_no_selector_is_told_apart() {
    let tab = Tab::show(PAGE).await;
    for text in ["div[", "//a[", "text=/[/", "a >>> b["] {
        assert_eq!(kind(tab.click(text).await).0, RefusalKind::SelectorInvalid, "{text}");
    }
}

#[tokio::test]
async fn one_of_several_matches_is_chosen_by_its_number() {
    let tab = Tab::show("<button id=a>Go</button><button style='display:none'>Go</button><button id=b>Go</button><button id=c>Go</button>").await;
    for (text, id) in [
        ("text=Go >> nth=0", "a"),
        ("role=button[name=\"Go\"] >> nth=1", "b"),
        ("button >> nth=-1", "c"),
    ] {
        let attributes = tab.engine.attrs(&target(text)).await.unwrap();
        assert_eq!(attributes[0], ("id".to_owned(), id.to_owned()), "{text}");
    }
    let (kind, message) = kind(tab.try_click("text=Go >> nth=3").await);
    assert_eq!(kind, RefusalKind::NotFound);
    assert!(message.contains("without `nth` there are 3"), "{message}");
}

#[tokio::test]
async fn an_exact_match_wins_over_one_in_another_case() {
    let tab = Tab::show(
        "<button id=a>EDIT</button><button id=b>Edit</button><button id=c>Edit all</button>",
    )
    .await;
    for text in ["text=Edit", "role=button[name=\"Edit\"]"] {
        let attributes = tab.engine.attrs(&target(text)).await.unwrap();
        assert_eq!(attributes[0].1, "b", "{text}");
    }
    assert_eq!(kind(tab.try_click("text=edit").await).0, RefusalKind::Ambiguous);
}

#[tokio::test]
async fn candidates_of_the_same_name_are_told_apart_and_counted() {
    let card = |name: &str| format!("<div><h3>{name}</h3><button>Add to cart</button></div>");
    let cards: String = ["Oak stool", "Pine table", "Elm bench", "Ash bed", "Yew desk", "Fir box"]
        .map(card)
        .concat();
    let tab = Tab::show(&cards).await;
    let (kind, message) = kind(tab.try_click("text=Add to cart").await);
    assert_eq!(kind, RefusalKind::Ambiguous);
    assert!(message.contains("; @e1: button \"Add to cart\" in \"Oak stool\"; @e2"), "{message}");
    assert!(message.contains("@e5; 1 more than these"), "{message}");
    assert!(message.ends_with("in \"Yew desk\""), "{message}");
}
