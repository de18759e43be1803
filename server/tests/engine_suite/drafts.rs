//! What was typed is taken from a document and put into the next one of its address.

use crate::fixture::Tab;

const PAGE: &str = "<input id=a value=was><input type=password id=p><textarea id=t></textarea>
    <input type=checkbox id=c><input type=radio name=r id=one checked><input type=radio name=r id=two>
    <select id=s multiple><option>x<option selected>y<option>z</select>
    <div id=host></div><div id=e contenteditable></div><input id=gone><input id=no disabled>
    <script>host.attachShadow({mode: 'open'}).innerHTML = '<p><input id=deep>';</script>";
const FILL: &str = "a.value = 'Ada'; p.value = 's3cret'; t.value = 'two\\nlines'; c.checked = true; two.checked = true;
    s.options[0].selected = true; s.options[1].selected = false; host.shadowRoot.getElementById('deep').value = 'deep';
    e.innerText = 'a note'; gone.value = 'lost'; no.value = 'kept out'";
const HELD: &str = "JSON.stringify([a.value, p.value, t.value, c.checked, two.checked,
    [...s.selectedOptions].map(o => o.value), host.shadowRoot.getElementById('deep').value, e.innerText.trim()])";

#[tokio::test]
async fn drafts_are_put_back_and_what_cannot_be_is_counted() {
    let tab = Tab::show(PAGE).await;
    tab.js(FILL).await;
    let held = tab.js(HELD).await;
    let drafts = tab.engine.capture_drafts().await;
    assert!(!drafts.is_empty());
    let other = Tab::show(PAGE).await;
    other.js("gone.remove()").await;
    // The two that another page has not: a field that left, and one that takes nothing.
    assert_eq!(other.engine.restore_drafts(&drafts).await, 2);
    assert_eq!(other.js(HELD).await, held);
}
