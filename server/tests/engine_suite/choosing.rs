//! What an agent needs to choose the right element of `snapshot -i`.

use browse_engine::SnapshotOptions;

use crate::fixture::{Tab, target};

#[tokio::test]
async fn what_can_be_edited_drawn_on_or_dragged_has_a_ref() {
    let tab = Tab::show(
        "<div contenteditable>Old <b>text</b></div><p contenteditable aria-label=Note>n</p><h1 contenteditable>Title</h1>\
         <canvas width=100 height=50></canvas><div draggable=true>Card</div><div style='cursor:grab'>Grip</div>\
         <label><input type=file style='display:none'>Upload</label><div id=e></div><div x-on:click='go'>Bound</div>\
         <ul style='cursor:pointer'><li>One<li>Two</ul><script>e.style.height = '20px'; e.editContext = new EditContext({text: 'Drawn'})</script>",
    )
    .await;
    insta::assert_snapshot!(tab.controls().await, @r#"
    @e1 textbox [value="Old text"]
    @e2 paragraph "Note" [editable, value="n"]
    @e3 heading "Title" [level=1, editable]
    @e4 canvas
    @c5 "Card" [draggable]
    @c6 "Grip" [draggable]
    @c7 "Upload" [file]
    @e8 textbox in "Title" [value="Drawn"]
    @c9 "Bound"
    @c10 "One"
    @c11 "Two"
    "#);
}

#[tokio::test]
async fn what_listens_for_clicks_has_a_ref() {
    let tab = Tab::show(
        "<div id=a>Open</div><div id=b>Hover</div><div id=c>Once <b>bold</b></div><main><div>Plain</div></main>\
         <iframe srcdoc='<div id=d>Within</div><script>d.onclick = () => {}</script>'></iframe>\
         <script>a.addEventListener('click', () => {}); b.addEventListener('mouseover', () => {});\
         c.addEventListener('pointerdown', () => {}, {once: true}); document.body.addEventListener('click', () => {})</script>",
    )
    .await;
    let names = async || {
        let controls = tab.controls().await;
        controls
            .lines()
            .filter_map(|line| Some(line.split_once('"')?.1.to_owned()))
            .collect::<Vec<_>>()
    };
    assert_eq!(names().await, ["Open\"", "Once bold\"", "Within\""]);
    tab.js("document.querySelector('main div').onclick = () => {}").await;
    assert_eq!(names().await, ["Open\"", "Once bold\"", "Plain\"", "Within\""]);
}

#[tokio::test]
async fn a_document_that_is_edited_as_a_whole_is_a_textbox() {
    let tab = Tab::show("<p>Old</p><script>document.designMode = 'on'</script>").await;
    assert_eq!(tab.controls().await, "@e1 textbox [focused, value=\"Old\"]");
    let tab = Tab::show("<body contenteditable><p>Old</p>").await;
    assert_eq!(tab.controls().await, "@e1 textbox [focused, value=\"Old\"]");
    assert_eq!(tab.tree().await, "@e1 textbox [focused]: Old");
}

const SHOP: &str = "<header><button>Search</button></header>\
    <div class=card><h3><a href=/oak>Oak stool</a></h3><span>€89</span><button>Add to cart</button><button>Wish</button></div>\
    <div class=card><b>Elm bench</b> <span>€120</span><button>Add to cart</button><button>Wish</button></div>\
    <div class=card><b>Elm bench</b> <span>€120</span><button>Add to cart</button><button>Wish</button></div>\
    <table><tr><th>Name<th>Do<tr><td>Ann<td><button>Edit</button><tr><td>Bob<td><button>Edit</button></table>\
    <fieldset><legend>Smoker?</legend><label><input type=radio name=a>Yes</label></fieldset>\
    <fieldset><legend>Driver?</legend><label><input type=radio name=b>Yes</label></fieldset>\
    <a href=/help>Help</a><footer><button>Search</button><a href=/help>Help</a></footer>";

#[tokio::test]
async fn elements_of_the_same_name_are_told_apart_by_where_they_stand() {
    let tab = Tab::show(SHOP).await;
    insta::assert_snapshot!(tab.controls().await, @r#"
    @e1 button "Search" in "banner"
    @e2 link "Oak stool"
    @e3 button "Add to cart" in "Oak stool"
    @e4 button "Wish"
    @e5 button "Add to cart" in "Elm bench €120"
    @e6 button "Wish"
    @e7 button "Add to cart" in "Elm bench €120" #2
    @e8 button "Wish" #2
    @e9 button "Edit" in "Ann"
    @e10 button "Edit" in "Bob"
    @e11 radio "Yes" in "Smoker?"
    @e12 radio "Yes" in "Driver?"
    @e13 link "Help"
    @e14 button "Search" in "contentinfo"
    @e15 link "Help"
    "#);
    let node = &tab
        .snapshot(&SnapshotOptions { interactive: true, ..SnapshotOptions::default() })
        .await
        .nodes[2];
    assert_eq!((node.name.as_str(), node.context.text.as_str()), ("Add to cart", "Oak stool"));
}

#[tokio::test]
async fn a_context_is_no_change() {
    let tab = Tab::show(
        "<div><h2 id=h>One</h2><button>Go</button></div><div><h2>Two</h2><button>Go</button></div>",
    )
    .await;
    let options = SnapshotOptions { interactive: true, ..SnapshotOptions::default() };
    assert!(tab.engine.diff(&options).await.unwrap().0.text.starts_with("@e1 button \"Go\""));
    tab.js("h.textContent = 'Other'").await;
    assert!(tab.controls().await.contains("in \"Other\""));
    assert_eq!(tab.engine.diff(&options).await.unwrap().0.text, "");
}

#[tokio::test]
async fn what_the_page_says_to_its_user_is_shown() {
    let tab = Tab::show(
        "<div role=alert>Card declined</div><div role=status></div><output>7</output><p aria-live=polite>3 results <a href=/>show</a></p>\
         <label>Mail <input aria-invalid=true aria-describedby=m></label><p id=m>Enter an address</p>\
         <form><label>Age <input required></label><button>Send</button></form><dialog open><h2>Cookies</h2><button>Accept</button></dialog>",
    )
    .await;
    tab.click("text=Send").await.unwrap();
    insta::assert_snapshot!(tab.controls().await, @r#"
    - alert "Card declined"
    - status "7"
    - status "3 results"
    @e1 link "show"
    @e2 textbox "Mail" [invalid: "Enter an address"]
    @e3 textbox "Age" [required, invalid: "Please fill out this field.", focused]
    @e4 button "Send"
    @e5 dialog "Cookies"
      @e6 button "Accept"
    "#);
}

#[tokio::test]
async fn a_custom_select_says_what_is_chosen_and_a_secret_that_it_is_filled() {
    let tab = Tab::show(
        "<div role=combobox tabindex=0 aria-expanded=false aria-label=Age>Ten</div>\
         <div><div>Red</div><div><input role=combobox aria-expanded=false aria-label=Colour></div></div>\
         <div><div class=x-placeholder>Select…</div><div><input role=combobox aria-expanded=false aria-label=Size></div></div>\
         <input type=password value=secret aria-label=Password><input name=cardnumber value=4242 aria-label=Card><input type=password aria-label=Again>",
    )
    .await;
    insta::assert_snapshot!(tab.controls().await, @r#"
    @e1 combobox "Age" [collapsed, value="Ten"]
    @e2 combobox "Colour" [collapsed, value="Red"]
    @e3 combobox "Size" [collapsed]
    @e4 textbox "Password" [type=password, filled]
    @e5 textbox "Card" [filled]
    @e6 textbox "Again" [type=password]
    "#);
}

#[tokio::test]
async fn a_calendar_is_one_line_until_it_is_asked_for() {
    let days: String = (1..=30)
        .map(|day| {
            let chosen = if day == 14 { " aria-selected=true" } else { "" };
            format!("<span style='cursor:pointer'{chosen}>{day}</span>")
        })
        .collect();
    let tab = Tab::show(&format!(
        "<style>#c{{display:grid;grid-template-columns:repeat(7,40px)}}</style><button>Next month</button><div id=c role=group aria-label='June 2026'>{days}</div>\
         <ol>{}</ol>",
        (1..=25).map(|number| format!("<li><a href='/{number}'>Chapter {number}</a>")).collect::<String>()
    ))
    .await;
    let text = tab.controls().await;
    assert!(
        text.contains("group \"June 2026\": 30 days, \"14\" selected, `snapshot -i -s @e"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 27, "{text}");
    let scope = Some(target("#c"));
    let options = SnapshotOptions { interactive: true, scope, ..SnapshotOptions::default() };
    assert_eq!(tab.snapshot(&options).await.text.lines().count(), 30);
}

#[tokio::test]
async fn the_cells_of_a_grid_are_counted_and_get_refs_in_a_snapshot_of_it() {
    let tab = Tab::show(
        "<div role=grid aria-label=Stock><div role=row><div role=gridcell tabindex=-1>Oak</div><div role=gridcell tabindex=-1>89</div></div></div>\
         <div tabindex=0><table><tr><td>Rent<td>900</table></div>",
    )
    .await;
    let text = tab.controls().await;
    assert!(text.starts_with("@e1 grid \"Stock\": 2 cells, `snapshot -i -s @e1`\n"), "{text}");
    assert!(text.contains("table: 2 cells"), "{text}");
    let scope = Some(target("@e1"));
    let options = SnapshotOptions { interactive: true, scope, ..SnapshotOptions::default() };
    let cells = tab.snapshot(&options).await.text;
    assert!(cells.contains("gridcell \"Oak\"") && cells.contains("gridcell \"89\""), "{cells}");
    tab.click(cells.split_whitespace().next().unwrap()).await.unwrap();
}
