//! Frames and shadow trees: one snapshot sees them all, one click reaches them.

use browse_engine::{ENGINE_SCRIPT, Predicate, RefusalKind, SnapshotOptions};

use crate::fixture::{Tab, kind};
use crate::support::site::Site;

const RECORD: &str = "<script>onclick = event => { document.title = event.composedPath()[0].id; top.postMessage(document.title, '*'); }</script>";

/// Same origin, other origin, and one within the other.
async fn nested() -> Tab {
    let outer = "<script>onmessage = event => document.title = event.data</script><button id=main>Main</button>\
        <iframe title=Same src=/inner style='margin:11px;border:7px solid;padding:3px'></iframe>\
        <iframe title=Other src='http://localhost:{port}/middle' style='width:400px;height:300px;transform:scale(.8)'></iframe>";
    let middle = "<div style='height:500px'></div><button id=middle>Middle</button><iframe title=Deep src='http://127.0.0.1:{port}/deep'></iframe>";
    let site = Site::start()
        .await
        .page("/", outer)
        .page("/inner", &format!("{RECORD}<button id=inner>Inner</button>"))
        .page("/middle", &format!("{RECORD}{middle}"))
        .page("/deep", &format!("{RECORD}<button id=deep>Deep</button>"));
    let tab = Tab::visit(site).await;
    tab.js("new Promise(done => setTimeout(done, 50))").await;
    tab
}

#[tokio::test]
async fn all_frames_are_in_one_snapshot() {
    let tab = nested().await;
    let text = tab.tree().await;
    let lines: Vec<_> =
        text.lines().map(|line| line.trim_start_matches(|letter: char| letter != ' ')).collect();
    for name in ["Main", "Inner", "Middle", "Deep"] {
        assert!(text.contains(&format!("button \"{name}\"")), "{text}");
    }
    assert!(lines.len() >= 7, "{text}");
    let deep = text.lines().find(|line| line.contains("button \"Deep\"")).unwrap();
    assert!(deep.starts_with("    @e"), "{text}");
}

#[tokio::test]
async fn a_ref_acts_in_its_own_frame() {
    let tab = nested().await;
    for id in ["inner", "middle", "deep"] {
        let name = format!("button \"{}{}\"", id[..1].to_uppercase(), &id[1..]);
        let reference = tab.reference(&name).await;
        tab.click(&reference).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        tab.js("new Promise(done => setTimeout(done, 50))").await;
        assert_eq!(tab.js("document.title").await, id);
    }
}

#[tokio::test]
async fn an_overlay_above_a_frame_of_another_process_is_named() {
    let tab = nested().await;
    let reference = tab.reference("button \"Deep\"").await;
    tab.click(&reference).await.unwrap();
    tab.js("document.body.insertAdjacentHTML('beforeend', '<div id=veil role=dialog aria-label=Consent style=\"position:fixed;inset:0\"></div>')").await;
    let (kind, message) = kind(tab.try_click(&reference).await);
    assert_eq!(kind, RefusalKind::Covered, "{message}");
    assert!(message.contains("dialog \"Consent\" (#veil)"), "{message}");
}

#[tokio::test]
async fn a_frame_that_leaves_takes_its_refs_along() {
    let tab = nested().await;
    let reference = tab.reference("button \"Inner\"").await;
    tab.js("document.querySelector('iframe').src = '/deep'; new Promise(done => setTimeout(done, 200))").await;
    assert_eq!(kind(tab.click(&reference).await).0, RefusalKind::RefStale);
    let other = tab.reference("button \"Middle\"").await;
    tab.js("document.querySelectorAll('iframe')[1].remove()").await;
    assert_eq!(kind(tab.click(&other).await).0, RefusalKind::RefStale);
}

#[tokio::test]
async fn sandboxed_frames_without_scripts_are_read_and_clicked() {
    let site = Site::start()
        .await
        .page("/", "<iframe sandbox src=/inner></iframe><iframe sandbox srcdoc='<input type=checkbox id=c aria-label=Tick>'></iframe>")
        .page("/inner", "<details><summary>More</summary>Text</details>");
    let tab = Tab::visit(site).await;
    let more = tab.reference("button \"More\"").await;
    tab.click(&more).await.unwrap();
    let tick = tab.reference("checkbox \"Tick\"").await;
    tab.click(&tick).await.unwrap();
    let text = tab.tree().await;
    assert!(text.contains("\"More\" [expanded") && text.contains("\"Tick\" [checked"), "{text}");
}

#[tokio::test]
async fn open_and_closed_shadow_trees() {
    let tab = Tab::show(
        "<div id=host></div><x-closed></x-closed><script>
         const button = (root, id) => { root.innerHTML = `<style>p{color:red}</style><slot></slot><button id=${id}>${id}</button>`; root.querySelector('button').onclick = () => document.title = id; return root; };
         button(host.attachShadow({mode: 'open'}), 'Open');
         button(document.querySelector('x-closed').attachShadow({mode: 'closed'}), 'Closed');
         const inner = button(host.shadowRoot.appendChild(document.createElement('x-inner')).attachShadow({mode: 'closed'}), 'Nested');
         </script>",
    )
    .await;
    let text = tab.tree().await;
    for id in ["Open", "Closed", "Nested"] {
        assert!(text.contains(&format!("button \"{id}\"")), "{text}");
        let reference = tab.reference(&format!("button \"{id}\"")).await;
        tab.click(&reference).await.unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(tab.js("document.title").await, id);
    }
    tab.click("#host >>> #Open").await.unwrap();
    assert_eq!(tab.js("document.title").await, "Open");
}

#[tokio::test]
async fn slotted_content_stands_where_it_shows() {
    let tab = Tab::show(
        "<div id=host><button slot=b>Second</button><button slot=a>First</button><button>Nowhere</button></div><script>
         host.attachShadow({mode: 'open'}).innerHTML = '<nav aria-label=N><slot name=a></slot><slot name=b></slot></nav>'</script>",
    )
    .await;
    assert_eq!(
        tab.tree().await,
        "@e1 navigation \"N\"\n  @e2 button \"First\"\n  @e3 button \"Second\""
    );
}

#[tokio::test]
async fn a_frame_that_slides_over_the_target_gets_nothing() {
    let site = Site::start()
        .await
        .page(
            "/",
            "<style>iframe{position:absolute;top:300px;left:0;width:300px;height:200px;border:0}</style><button id=b>Target</button>\
             <iframe src='/inner'></iframe><script>addEventListener('mousemove', () => document.querySelector('iframe').style.top = 0, true); onmessage = event => document.title = event.data</script>",
        )
        .page("/inner", "<body style='margin:0'><button id=thief style='width:300px;height:200px'>Thief</button><script>onclick = () => top.postMessage('stolen', '*')</script>");
    let tab = Tab::visit(site).await;
    let reference = tab.reference("button \"Target\"").await;
    let (kind, message) = kind(tab.try_click(&reference).await);
    assert!([RefusalKind::Missed, RefusalKind::Covered].contains(&kind), "{message}");
    tab.js("new Promise(done => setTimeout(done, 50))").await;
    assert_eq!(tab.js("document.title").await, "");
}

#[tokio::test]
async fn a_text_is_awaited_in_all_frames() {
    let tab = nested().await;
    let soon = || tokio::time::Instant::now() + std::time::Duration::from_secs(5);
    tab.engine.wait(&Predicate::Text("deep".into()), soon()).await.unwrap();
    tab.engine.wait(&Predicate::Text("main".into()), soon()).await.unwrap();
}

#[tokio::test]
async fn frames_that_are_turned_scaled_or_zoomed_are_hit() {
    let small = "<style>*{margin:0}</style><button id=b style='position:absolute;left:150px;top:120px;width:14px;height:14px;padding:0' onclick=\"top.postMessage('hit', '*')\" aria-label=Small></button>";
    for style in [
        "transform:rotate(30deg);margin:100px",
        "transform:rotate(-15deg) scale(.7,1.2) skewX(10deg);margin:150px;padding:9px;border:5px solid",
        "rotate:20deg;scale:.8;margin:100px",
        "zoom:1.5;border:3px solid",
    ] {
        for host in ["127.0.0.1", "localhost"] {
            let page = format!(
                "<script>onmessage = event => document.title = event.data</script><iframe style='width:300px;height:200px;{style}' src='http://{host}:{{port}}/in'></iframe>"
            );
            let tab = Tab::visit(Site::start().await.page("/", &page).page("/in", small)).await;
            let reference = tab.reference("\"Small\"").await;
            tab.click(&reference).await.unwrap_or_else(|error| panic!("{style} {host}: {error}"));
            tab.js("new Promise(done => setTimeout(done, 50))").await;
            assert_eq!(tab.js("document.title").await, "hit", "{style} {host}");
        }
    }
}

#[tokio::test]
async fn frames_that_show_nothing_are_spared_until_they_do() {
    let tab = Tab::show(
        "<p>page</p><iframe id=blank></iframe><iframe srcdoc='<!--x--><script>1</script> <style>p{}</style>'></iframe>\
         <iframe style='display:none' srcdoc='<p>secret</p>'></iframe>\
         <iframe srcdoc='<form name=body></form><p>inner</p>'></iframe>\
         <iframe srcdoc='<body><template shadowrootmode=open><p>shadow</p></template>'></iframe>\
         <iframe srcdoc='<body><template shadowrootmode=closed><p>sealed</p></template>'></iframe>\
         <iframe></iframe><iframe src='http://127.0.0.1:1/'></iframe><b id=moved>moved</b>",
    )
    .await;
    let options = SnapshotOptions { visible_only: true, ..SnapshotOptions::default() };
    for (step, words) in [
        ("0", vec!["page", "inner", "shadow", "sealed", "moved"]),
        (
            "document.getElementById('blank').contentDocument.body.append('late'), 0",
            vec!["page", "late", "inner", "shadow", "sealed", "moved"],
        ),
        (
            "document.querySelectorAll('iframe')[6].contentDocument.body.append(document.getElementById('moved'))",
            vec!["page", "late", "inner", "shadow", "sealed", "moved"],
        ),
        (
            "document.querySelectorAll('iframe')[2].style.display = ''",
            vec!["page", "late", "secret", "inner", "shadow", "sealed", "moved"],
        ),
    ] {
        tab.js(step).await;
        for seen in [false, true] {
            let text = tab.engine.read_text(None, seen).await.unwrap().text;
            assert_eq!(text.split_whitespace().collect::<Vec<_>>(), words, "{step} {seen}");
        }
        let markdown = tab.engine.read_markdown(None, true).await.unwrap().text;
        let tree = tab.snapshot(&options).await.text;
        for word in words {
            assert!(markdown.contains(word) && tree.contains(word), "{step}: {markdown}\n{tree}");
        }
    }
    let has_engine = |frame: &_| {
        tab.page
            .cached_world(frame, &ENGINE_SCRIPT)
            .is_some_and(|world| world.has_injected_script())
    };
    let frames = tab.page.frames();
    assert_eq!(
        frames.iter().map(has_engine).collect::<Vec<_>>(),
        [true, true, false, true, true, true, true, true, false]
    );
}

#[tokio::test]
async fn frames_without_scripts_say_what_they_have_for_such() {
    let tab =
        Tab::show("<iframe sandbox srcdoc='<body><noscript>unscripted</noscript>'></iframe>").await;
    assert_eq!(tab.engine.read_text(None, true).await.unwrap().text, "unscripted");
    // An element beside the body.
    let beside = "document.querySelector('iframe').outerHTML = '<iframe></iframe>';\
        document.querySelector('iframe').contentDocument.documentElement.append(document.createElement('p'));\
        document.querySelector('iframe').contentDocument.querySelector('p').append('beside')";
    tab.js(&format!("{{ {beside} }}; null")).await;
    assert!(tab.tree().await.contains("beside"));
}
