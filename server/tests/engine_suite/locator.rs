//! Names that last: what a recorded step calls its element.

use crate::fixture::{Tab, target};

/// A page, an element of it, and what it is called when it is acted on and when
/// it is read.
const TABLE: &[(&str, &str, &str, &str)] = &[
    (
        "<button data-testid=go id=x1>Go</button>",
        "button",
        "[data-testid=\"go\"]",
        "[data-testid=\"go\"]",
    ),
    ("<button id=save>Save</button>", "button", "#save", "#save"),
    ("<button id=ember1234>Save</button>", "button", "role=button[name=\"Save\"]", "body > button"),
    (
        "<button id=a8f3b2c9>Save</button><button>Other</button>",
        "#a8f3b2c9",
        "role=button[name=\"Save\"]",
        "body > button:nth-of-type(1)",
    ),
    ("<label>E-mail <input></label>", "input", "role=textbox[name=\"E-mail\"]", "label=\"E-mail\""),
    (
        "<button>Go</button><button>Go</button>",
        "button:nth-of-type(2)",
        "body > button:nth-of-type(2)",
        "body > button:nth-of-type(2)",
    ),
    ("<main><p>1</p></main>", "main", "body > main", "role=main"),
    (
        "<section id=list><a href=/a>One</a><a href=/b>One</a></section>",
        "a:nth-of-type(2)",
        "a[href=\"/b\"]",
        "#list > a:nth-of-type(2)",
    ),
    ("<h1>Total: 45</h1>", "h1", "role=heading[name=\"Total: 45\"]", "body > h1"),
    (
        "<input name=q><input name=q2>",
        "input:first-child",
        "input[name=\"q\"]",
        "body > input:nth-of-type(1)",
    ),
    (
        "<button>say \"hi\"</button>",
        "button",
        "role=button[name=\"say \\\"hi\\\"\"]",
        "body > button",
    ),
    (
        "<x-a><template shadowrootmode=open><button>In</button><button>In</button></template></x-a>",
        "x-a >>> button:nth-of-type(2)",
        "body > x-a >>> button:nth-of-type(2)",
        "body > x-a >>> button:nth-of-type(2)",
    ),
];

#[tokio::test]
async fn each_element_gets_a_name_that_finds_it_alone() {
    let tab = Tab::show("<p>").await;
    let mut wrong = Vec::new();
    for (page, element, acted, read) in TABLE {
        tab.goto_html(page).await;
        let reference = target(&tab.engine.resolve(&target(element)).await.unwrap().to_string());
        for (reading, wanted) in [(false, acted), (true, read)] {
            let locator = tab.engine.element_locator(Some(&reference), reading).await.unwrap();
            let names: Vec<_> = locator.targets().collect();
            if names[0].to_string() != *wanted {
                wrong.push(format!("{page}: {} is not {wanted}", names[0]));
            }
            for name in &names {
                let found = tab.engine.resolve(name).await.unwrap();
                assert_eq!(found.to_string(), reference.to_string(), "{page}: {name}");
                assert_eq!(tab.engine.count(name).await.unwrap(), 1, "{page}: {name}");
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn what_is_kept_of_a_page_holds_no_scripts_and_no_values() {
    let tab = Tab::show(
        "<meta name=csrf-token content=abc><script>let s = 'SCRIPT'</script><input value=TYPED><input type=hidden name=t value=HIDDEN>\
        <textarea>AREA</textarea><input type=submit value=Send><a href='javascript:x()' onclick='CLICK()'>Kept</a>\
        <iframe srcdoc='<p>FRAME'></iframe><div contenteditable>EDITED</div><select><option value=1 selected>Option</select>",
    )
    .await;
    tab.fill("input[value=TYPED]", "PROPERTY").await.unwrap();
    let kept = tab.engine.scrubbed_html().await.unwrap();
    for gone in [
        "SCRIPT",
        "TYPED",
        "HIDDEN",
        "AREA",
        "CLICK",
        "FRAME",
        "EDITED",
        "PROPERTY",
        "javascript:",
        "abc",
    ] {
        assert!(!kept.contains(gone), "{gone} in {kept}");
    }
    for left in ["Kept", "Send", "Option", "csrf-token"] {
        assert!(kept.contains(left), "{left} not in {kept}");
    }
}
