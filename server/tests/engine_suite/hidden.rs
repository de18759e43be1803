//! What no person sees is left out of every reading, and what one sees is not.

use browse_server::engine::{Pattern, SHOWN, SnapshotOptions};

use crate::fixture::{Tab, target};
use crate::support::site::{Route, Site};

/// Each way to hide text; `WORD` stands for the text.
const WAYS: &[&str] = &[
    "<noscript>WORD</noscript>",
    "<video>WORD</video><progress>WORD</progress><meter>WORD</meter>",
    "<style>@scope(.sc){:scope{opacity:0}}@scope(.sd){b{opacity:0}}</style><p class=sc>WORD</p><p class=sd><b>WORD</b></p>",
    "<p style='position:absolute;left:-9em;width:8em'>WORD</p>",
    "<p style='letter-spacing:-.15in'>WORD</p>",
    "<div style='background:rgba(255,255,255,.5)'><p style='color:#fff'>WORD</p></div>",
    "<svg style='position:fixed;left:0;top:0;width:100%;height:1px'></svg><p style='color:#fff'>WORD</p>",
    "<div style='position:fixed;left:0;top:0;width:100%;height:50px;background:#000;opacity:0'></div><p style='color:#fff'>WORD</p>",
    "<p style='display:none'>WORD</p>",
    "<p hidden>WORD</p>",
    "<p style='visibility:hidden'>WORD</p>",
    "<p style='opacity:.05'>WORD</p>",
    "<div style='opacity:0'><p style='opacity:1'><b>WORD</b></p></div>",
    "<p style='filter:opacity(0%)'>WORD</p>",
    "<style>.f{op\\61 city:0!important}</style><p class=f>WORD</p>",
    "<style>@media all{@supports (color:red){.o{& p{opacity:0}}}}</style><div class=o><p>WORD</p></div>",
    "<style>@keyframes k{from,to{opacity:0}}.k{animation:k 1s infinite}</style><p class=k>WORD</p>",
    "<p id=anim>WORD</p><script>anim.animate({opacity:[0,0]},{duration:1e6})</script>",
    "<p style='width:0;height:0;overflow:hidden'>WORD</p>",
    "<div style='max-height:0;overflow:hidden'><p>WORD</p></div>",
    "<p style='transform:scale(0)'>WORD</p>",
    "<p style='transform:scale(.001)'>WORD</p>",
    "<p style='position:absolute;left:-9999px'>WORD</p>",
    "<p style='position:absolute;top:-50vh;height:10px'>WORD</p>",
    "<p style='position:fixed;left:200vw'>WORD</p>",
    "<div style='position:relative;overflow:hidden'>x<p style='position:absolute;left:9999px'>WORD</p></div>",
    "<p style='margin-left:-9999px;width:300px'>WORD</p>",
    "<p style='transform:translateX(-9999px)'>WORD</p>",
    "<p style='text-indent:-9999px;white-space:nowrap'>WORD</p>",
    "<p style='position:absolute;clip:rect(0,0,0,0)'>WORD</p>",
    "<p style='position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(1px 1px 1px 1px)'>WORD</p>",
    "<p style='clip-path:inset(50%)'>WORD</p>",
    "<p style='clip-path:circle(0)'>WORD</p>",
    "<p style='clip-path:polygon(0 0, 0 0, 0 0)'>WORD</p>",
    "<p style='color:white'>WORD</p>",
    "<p style='color:#fefefe'>WORD</p>",
    "<p style='color:transparent'>WORD</p>",
    "<style>:root{--x:rgb(250 250 250)}.c{color:var(--x)}</style><p class=c>WORD <b>WORD</b></p>",
    "<div style='background:#123'><p style='color:#123'>WORD</p></div>",
    "<font color=white>WORD</font>",
    "<p style='font-size:0'>WORD</p>",
    "<p style='font-size:.5px'>WORD</p>",
    "<p style='font:0/0 serif'>WORD</p>",
    "<p style='line-height:0;overflow:hidden'>WORD</p>",
    "<p style='transform:rotateY(90deg)'>WORD</p>",
    "<div style='position:relative'><p>WORD</p><div style='position:absolute;inset:0;background:white'></div></div>",
    "<div style='position:relative'>WORD<div style='position:absolute;inset:0;background:white;pointer-events:none'></div></div>",
    "<div style='background:white'><p style='position:relative;z-index:-1'>WORD</p></div>",
    "<div style='position:relative;height:50px'><p style='position:absolute;z-index:1'>WORD</p>\
     <div style='position:absolute;top:0;left:0;width:100%;height:100%;background:#fff;z-index:2'></div></div>",
    "<p>WORD</p><div style='margin-top:-60px;height:70px;background:white;position:relative'></div>",
    "<p aria-hidden=true>WORD</p>",
    "<details><summary>More</summary><p>WORD</p></details>",
    "<style>.g::before{content:'WORD text'}</style><p class=g></p>",
    "<p>vis\u{e0057}\u{e004f}\u{200b}ible</p>",
    "<x-box></x-box><script>document.querySelector('x-box').attachShadow({mode:'open'}).innerHTML=\
     '<style>p{opacity:0}</style><p>WORD</p>'</script>",
    "<div style='height:20px;overflow:hidden'><p style='margin-top:90px'>WORD</p></div>",
    "<div style='height:20px;overflow:hidden'>x<p style='padding-top:90px;margin:0'>WORD</p></div>",
    "<div style='position:relative;width:90px;height:20px;overflow:hidden'>x<p style='position:absolute;left:120px'>WORD</p></div>",
    "<div style='position:relative;margin:20px 0;height:20px;overflow:hidden'>x<p style='position:absolute;top:-60px'>WORD</p></div>",
    "<style>.w{width:80px;height:20px;overflow:clip}.w p{transform:translateX(200px)}</style><div class=w><p>WORD</p></div>",
    "<p style='width:90px;height:20px;overflow:hidden;text-indent:100px;white-space:nowrap'>WORD</p>",
    "<p style='box-sizing:border-box;height:20px;padding-top:40px;overflow:hidden'>WORD</p>",
    "<p style='clip-path:inset(500px)'>WORD</p>",
    "<p style='clip-path:circle(1px)'>WORD</p>",
    "<p style='clip-path:polygon(200% 0,300% 0,300% 100%)'>WORD</p>",
    "<p style='position:absolute;clip:rect(900px,990px,990px,900px)'>WORD</p>",
    "<p style='margin-left:-9999px'>WORD</p>",
    "<p style='color:oklch(1 0 0)'>WORD</p>",
    "<p style='mask-image:linear-gradient(transparent,transparent)'>WORD</p>",
    "<p style='-webkit-mask:linear-gradient(#0000 0 0)'>WORD</p>",
    "<svg width=0 height=0><mask id=nothing></mask></svg><p style='mask:url(#nothing)'>WORD</p>",
    "<p style='transform:rotateY(180deg);backface-visibility:hidden'>WORD</p>",
    "<p style='rotate:x 180deg;backface-visibility:hidden'>WORD</p>",
    "<div style='transform:rotateY(180deg);transform-style:preserve-3d'><p style='backface-visibility:hidden'>WORD</p></div>",
    "<svg width=200 height=40><text y=20 fill=white>WORD</text></svg>",
    "<svg width=200 height=40><rect width=200 height=40 fill=navy /><text y=20 fill=navy>WORD</text></svg>",
    "<svg width=200 height=40><text y=20 opacity=0>WORD</text></svg>",
    "<svg width=200 height=40><g fill-opacity=0><text y=20>WORD</text></g></svg>",
    "<svg width=200 height=40><text y=20 fill=none>WORD</text></svg>",
    "<svg width=200 height=40><text y=200>WORD</text></svg>",
    "<svg width=200 height=40><text y=20 font-size=.5>WORD</text></svg>",
    "<div style='opacity:.3'><div style='opacity:.5'><p style='opacity:.5'>WORD</p></div></div>",
    "<p style='color:white;text-shadow:1px 1px 2px white'>WORD</p>",
    "<p style='color:white;text-shadow:0 0 black'>WORD</p>",
    "<p style='color:white;filter:drop-shadow(1px 1px white)'>WORD</p>",
    "<p style='color:white;box-shadow:0 0 0 20px #024'>WORD</p>",
    "<p style='color:white;border:9px solid #024'>WORD</p>",
    "<p style='color:white;border:9px solid;border-image:linear-gradient(red,blue) 1'>WORD</p>",
    "<p style='content-visibility:hidden'>WORD <b>WORD</b></p>",
    "<style>@keyframes w{to{color:white}}</style><p style='animation:w 1ms forwards'>WORD</p>",
    "<x-host></x-host><script>document.currentScript.previousElementSibling.attachShadow({mode:'open'}).innerHTML=\
     '<style>:host{opacity:0}</style><p>WORD</p>'</script>",
    "<x-slot><p>WORD</p></x-slot><script>document.currentScript.previousElementSibling.attachShadow({mode:'open'}).innerHTML=\
     '<style>::slotted(p){opacity:0}</style><slot></slot>'</script>",
    "<style>x-part::part(said){opacity:0}</style><x-part></x-part><script>document.currentScript.previousElementSibling\
     .attachShadow({mode:'open'}).innerHTML='<p part=said>WORD</p>'</script>",
    // Too small, or one letter on the other.
    "<p style='font-size:1px'>WORD</p>",
    "<p style='font-size:2px'>WORD</p>",
    "<style>.tiny{font:2px/1 serif}</style><p class=tiny>WORD <b>WORD</b></p>",
    "<p style='font-size:1.5pt'>WORD</p>",
    "<p style='zoom:.1'>WORD</p>",
    "<p style='transform:scale(.1);transform-origin:0 0'>WORD <b>WORD</b></p>",
    "<p style='scale:.5;font-size:5px'>WORD</p>",
    "<div style='transform:scale(.5)'><div style='transform:scale(.5)'><p style='transform:scale(.5)'>WORD</p></div></div>",
    "<p style='transform:scaleX(.01);transform-origin:0 0'>WORD</p>",
    "<p style='transform:skewX(89.99deg)'>WORD</p>",
    "<p style='transform:perspective(1px) translateZ(5px)'>WORD</p>",
    "<div style='perspective:1px'><p style='transform:translateZ(5px)'>WORD</p></div>",
    "<p style='letter-spacing:-1em'>WORD <b>WORD</b></p>",
    "<p style='letter-spacing:-8px'>WORD</p>",
    "<p style='letter-spacing:300px'>WORD</p>",
    "<p style='-webkit-text-security:disc'>WORD</p>",
    "<p style='font-size-adjust:0'>WORD</p>",
    "<div class=tiny><x-tiny></x-tiny></div><script>document.currentScript.previousElementSibling.firstChild\
     .attachShadow({mode:'open'}).innerHTML='<p>WORD</p>'</script>",
    "<svg width=200 height=40><text y=20 font-size=2>WORD</text></svg>",
    // Clipped to less than a letter.
    "<p style='clip-path:inset(49%)'>WORD</p>",
    "<p style='clip-path:inset(0 0 calc(100% - 2px) 0)'>WORD</p>",
    "<p style='clip-path:inset(0 0 0 99%)'>WORD</p>",
    "<div style='clip-path:inset(0 0 60px 0)'><p style='height:40px'>x</p><p style='height:40px;margin:0'>WORD</p></div>",
    "<p style='clip-path:circle(3px at 0 0)'>WORD</p>",
    "<p style='clip-path:polygon(0 0,100% 100%,0 1px)'>WORD</p>",
    "<p style='clip-path:path(\"M0 0h1v1z\")'>WORD</p>",
    "<svg width=0 height=0><clipPath id=noclip></clipPath></svg><p style='clip-path:url(#noclip)'>WORD</p>",
    "<p style='position:absolute;clip:rect(0,9px,3px,0)'>WORD</p>",
    "<p style='width:3px;height:3px;overflow:hidden'>WORD</p>",
    // Filtered, blended, painted over.
    "<p style='filter:contrast(0) brightness(9)'>WORD</p>",
    "<p style='filter:brightness(9)'>x</p><p style='filter:brightness(0);background:#123'>WORD</p>",
    "<p style='filter:blur(30px)'>WORD</p>",
    "<p style='filter:opacity(20%) opacity(.2)'>WORD</p>",
    "<svg width=0 height=0><filter id=nofilter></filter></svg><p style='filter:url(#nofilter)'>WORD</p>",
    "<p style='mix-blend-mode:lighten'>WORD</p>",
    "<p style='mix-blend-mode:screen'>WORD <b>WORD</b></p>",
    "<div style='background:#000'><p style='color:#fff;mix-blend-mode:multiply'>WORD</p></div>",
    "<p style='mix-blend-mode:color'>WORD</p>",
    "<p style='text-decoration:line-through 1em'>WORD <b>WORD</b></p>",
    "<p style='text-decoration:line-through 20px white'>WORD</p>",
    "<p style='text-decoration:underline 20px black;text-underline-offset:-16px'>WORD</p>",
    "<p style='-webkit-text-stroke:9px white'>WORD</p>",
    "<p style='background:#000 linear-gradient(#111,#121212);color:#111'>WORD</p>",
    "<div style='background:#000'><p style='color:#fff;box-shadow:inset 0 0 0 99px #fff'>WORD</p></div>",
    "<div style='background:#000'><p style='background:linear-gradient(#000,#000);-webkit-background-clip:text;color:transparent'>WORD</p></div>",
    "<div style='background:#000;position:relative;height:40px'><i style='position:absolute;inset:0;background:#fff'></i>\
     <p style='position:relative;margin:0;color:#fff'>WORD</p></div>",
    "<div style='position:relative'><p>WORD</p><div style='position:absolute;inset:0;backdrop-filter:blur(40px)'></div></div>",
    "<style>::highlight(none){color:white}</style><p id=lit>WORD</p><script>CSS.highlights.set('none',new Highlight(\
     (r=>(r.selectNodeContents(lit),r))(new Range())))</script>",
    "<style>::highlight(still){color:white}</style><p id=still>WORD</p><script>CSS.highlights.set('still',new Highlight(\
     new StaticRange({startContainer:still,startOffset:0,endContainer:still,endOffset:1}),\
     new StaticRange({startContainer:still,startOffset:9,endContainer:still,endOffset:9}),\
     (r=>(r.selectNodeContents(new Text('loose')),r))(new Range())))</script>",
    "<x-inherits style='color:white'></x-inherits><script>document.currentScript.previousElementSibling\
     .attachShadow({mode:'open'}).innerHTML='<p>WORD</p>'</script>",
    "<p style='filter:invert(1)'>WORD</p>",
    "<style>.blurs{animation:blurs 99s infinite}@keyframes blurs{from,to{filter:blur(40px)}}</style><p class=blurs>WORD</p>",
    "<p style='word-spacing:9999px'>WORD WORD</p>",
    "<p style='text-indent:-400px;white-space:nowrap'>WORD</p>",
    "<p style='height:min(2px,9px);overflow:hidden'>WORD</p>",
    "<p style='offset:path(\"M -900 -900\")'>WORD</p>",
    "<p style='color:white;text-shadow:0 9999px red'>WORD</p>",
    "<p style='color:white;-webkit-text-stroke:1px white'>WORD</p>",
    "<svg width=200 height=40><text y=20 textLength=2>WORD</text></svg>",
    "<style>.over{position:relative}.over::after{content:'';position:absolute;inset:0;background:#fff}</style><p class=over>WORD</p>",
    "<style>.plate{position:relative;z-index:0;color:#fff}.plate::before{content:'';position:absolute;inset:0;background:#fff;\
     z-index:-1}</style><div style='background:#000'><p class=plate>WORD <b>WORD</b></p></div>",
    "<style>#chosen::selection{color:#fff;background:#fff}</style><p id=chosen>WORD</p><script>getSelection().selectAllChildren(chosen)</script>",
    "<iframe srcdoc='<p style=color:white>WORD'></iframe>",
    "<div style='background:#123'><iframe srcdoc='<p style=color:#123>WORD'></iframe></div>",
    "<iframe style='opacity:0' srcdoc='<p>WORD'></iframe>",
    "<iframe srcdoc='<p style=opacity:0>WORD'></iframe>",
];

fn words(way: usize) -> String {
    format!("secret{way}word")
}

/// A page of all ways, each in a block of its own.
fn page() -> String {
    let blocks = WAYS.iter().enumerate().map(|(way, html)| {
        let html = html.replace("WORD", &words(way));
        format!("<div style='min-height:20px'><span>seen{way}</span>{html}</div>")
    });
    // Names that would bend what a script asks of a document.
    let clobbering = "<form name=getAnimations><input name=style></form>\
        <img name=createTreeWalker><img name=createRange><img name=styleSheets><img name=body>";
    format!("{}{clobbering}", blocks.collect::<String>())
}

#[tokio::test]
async fn what_no_person_sees_is_left_out() {
    let tab = Tab::visit(Site::start().await.page("/", &page())).await;
    let reading = tab.engine.read_text(None, true).await.unwrap();
    let markdown = tab.engine.read_markdown(None, true).await.unwrap();
    let options = SnapshotOptions { seen: true, cursor: true, ..SnapshotOptions::default() };
    let tree = tab.snapshot(&options).await;
    let pattern: Pattern = "secret".parse().unwrap();
    let found = tab.engine.find(&pattern, 0, true).await.unwrap();
    let accessible = tab.engine.accessibility(true, true).await.unwrap();
    let glance = tab.engine.glance(true).await.unwrap();
    let body = tab.engine.read_text(Some(&target("body")), true).await.unwrap();
    let texts = [
        ("text", &reading.text),
        ("markdown", &markdown.text),
        ("snapshot", &tree.text),
        ("find", &found.text),
        ("accessibility", &accessible.text),
        ("glance", &glance),
        ("text body", &body.text),
    ];
    let mut wrong = Vec::new();
    for (name, text) in texts {
        for (way, html) in WAYS.iter().enumerate() {
            // A target is shown with what only assistive technology is spared.
            let spared = name == "text body" && html.contains("aria-hidden");
            if text.contains(&words(way)) && !spared {
                wrong.push(format!("{name}: {html}"));
            }
            if name != "find" && !text.contains(&format!("seen{way}")) {
                wrong.push(format!("{name} lost seen{way}: {html}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for means in [
        "opacity",
        "size",
        "off-screen",
        "edge",
        "clip",
        "clip-path",
        "mask",
        "back",
        "colour",
        "font",
        "spacing",
        "filter",
        "blend",
        "line",
        "cover",
    ] {
        for unseen in [&reading.unseen, &markdown.unseen, &tree.unseen] {
            assert!(unseen.contains_key(means), "{means}: {unseen:?}");
        }
    }
    // As it is, the page says it.
    let raw = tab.engine.text(None).await.unwrap();
    assert!(raw.contains(&words(3)) && raw.contains(&words(4)), "{raw}");
}

#[tokio::test]
async fn sheets_of_other_origins_hide_as_well() {
    let css = |text: &str| {
        Route::Raw(200, vec!["Content-Type: text/css".to_owned()], text.as_bytes().to_vec())
    };
    let site = Site::start()
        .await
        .route("/hide.css", css(".x { opacity: 0 } @media all { .y { font-size: 0 } }"))
        .route("/import.css", css("@import 'hide.css'; .z { color: red }"))
        .page(
            "/",
            "<link rel=stylesheet href='http://localhost:{port}/hide.css'>\
             <link rel=stylesheet href='http://localhost:{port}/none.css'>\
             <p>seen</p><p class=x>secret</p><p class=y>secret</p>",
        )
        .page(
            "/import",
            "<link rel=stylesheet href='http://localhost:{port}/import.css'>\
             <p>seen</p><p class=x>secret</p>",
        );
    let tab = Tab::visit(site).await;
    for path in ["/", "/import"] {
        tab.goto(path).await;
        for _ in 0..2 {
            let reading = tab.engine.read_text(None, true).await.unwrap();
            assert_eq!(reading.text, "seen", "{path}");
            let options = SnapshotOptions { seen: true, ..SnapshotOptions::default() };
            assert_eq!(tab.snapshot(&options).await.text, "- \"seen\"", "{path}");
        }
    }
}

/// What honest pages do, with words that a person sees.
const HONEST: &[&str] = &[
    "<button style='position:relative;z-index:0;color:#fff;background:none;border:0'><i style='position:absolute;inset:0;z-index:-1;background:#06f'></i>WORD</button>",
    "<svg width=200 height=200><circle cx=100 cy=100 r=60 fill=none stroke='#0369a1' stroke-width=50></circle><text x=25 y=105 fill=white font-size=5>WORD</text></svg>",
    "<p style='color:#fff;background:rgba(0,0,0,.6)'>WORD</p>",
    "<p style='opacity:.6'>WORD</p>",
    "<style>.q{position:relative;z-index:0;color:white}.q::before{content:'';position:absolute;inset:0;\
     background:#123;z-index:-1}</style><p class=q>WORD</p>",
    "<p style='color:white;-webkit-text-stroke:1px black'>WORD</p>",
    "<p style='color:white;box-shadow:inset 0 0 0 99px #123'>WORD</p>",
    "<div style='height:3000px'></div><div style='position:relative'><div style='position:absolute;inset:0;\
     background:#123'></div><p style='position:relative;color:white'>WORD</p></div>",
    "<p style='color:white;filter:drop-shadow(0 0 2px black)'>WORD</p>",
    "<div style='position:relative;width:0;height:0;margin:60px;box-shadow:0 0 0 30px #024'>\
     <b style='position:absolute;left:-20px;top:-9px;color:white'>WORD</b></div>",
    "<div style='height:0;border-bottom:40px solid #c00'><b style='position:relative;display:block;top:8px;color:white'>WORD</b></div>",
    "<div style='color:white;border-image:conic-gradient(#024 0 0) fill 0//0 100vw'><p>WORD</p></div>",
    "<div style='opacity:.5'><p style='opacity:.5'>WORD</p></div>",
    "<p style='color:#767676'>WORD</p>",
    "<div style='background:#000'><p style='color:#fff'>WORD</p></div>",
    "<div style='background:#000;color:#fff'><span style='background:#fff;color:#000'>WORD</span></div>",
    "<div style='background:linear-gradient(#000,#333)'><p style='color:#fff'>WORD</p></div>",
    "<div style='position:relative;height:60px'><img alt='' width=300 height=60 src='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'>\
     <p style='position:absolute;top:0;left:0;margin:0;color:#fff'>WORD</p></div>",
    "<p style='background:linear-gradient(red,blue);-webkit-background-clip:text;color:transparent'>WORD</p>",
    "<p style='color:white;text-shadow:0 0 2px black'>WORD</p>",
    "<ul style='font-size:0'><li style='font-size:16px'>WORD</ul>",
    "<div style='text-indent:-9999px'><p style='text-indent:0'>WORD</p></div>",
    "<p style='text-indent:-20px;padding-left:20px'>WORD</p>",
    "<p style='transform:translate(-50%,0);position:relative;left:50%;width:300px'>WORD</p>",
    "<div style='width:0;height:0'>WORD</div>",
    "<p style='clip-path:inset(0 round 4px)'>WORD</p>",
    "<p style='clip-path:polygon(0 0,100% 0,100% 100%,0 100%)'>WORD</p>",
    "<div style='position:relative'><div style='position:absolute;inset:0;background:white'></div><p style='position:relative'>WORD</p></div>",
    "<div style='position:relative;background:white'><p>WORD</p></div>",
    "<p style='position:relative;z-index:-1'>WORD</p>",
    "<p>WORD</p><div style='margin-top:-50px;height:50px;background:white'></div>",
    "<p style='position:relative'>WORD</p><div style='margin-top:-50px;height:50px;background:white;position:relative;z-index:-1'></div>",
    "<style>.h:hover{opacity:0}.t{transition:opacity 1s}</style><p class='h t'>WORD</p>",
    "<p style='margin-left:-10px'>WORD</p>",
    "<p style='max-height:100px;overflow:hidden'>WORD</p>",
    "<p style='font-size:.8em'>WORD</p>",
    "<p style='animation:none;scale:1.1;zoom:1.2'>WORD</p>",
    // The folded end of an article, and the slides of a carousel.
    "<div style='height:30px;overflow:hidden'><p style='margin:0'>It begins so.</p><p>WORD</p><ul><li>WORD</ul></div>",
    "<div style='height:30px;overflow:hidden'>It begins so.<h4>WORD</h4><p>WORD</p></div>",
    "<style>.s{display:flex;width:90px;overflow:hidden}.s>*{flex:0 0 90px}</style><div class=s><div>One</div><div>WORD</div></div>",
    "<style>.t{position:relative;height:20px;overflow:hidden}.t>.u{position:absolute;left:0;width:100%}.t>.v{left:100%}</style>\
     <div class=t><div class='u on'>One</div><div class='u v'>WORD</div></div>",
    "<div style='height:40px;overflow:hidden'><div style='height:40px;overflow:auto'><p style='height:90px'>One</p><i>WORD</i></div></div>",
    "<div style='height:20px;overflow:hidden'><p style='position:absolute;margin-top:40px'>WORD</p></div>",
    "<p style='height:9px;overflow:hidden;text-overflow:ellipsis'>WORD and much more of it</p>",
    "<p style='mask-image:linear-gradient(black,transparent)'>WORD</p>",
    "<p style='transform:rotateY(20deg);backface-visibility:hidden'>WORD</p>",
    "<div style='transform:rotateY(180deg);transform-style:preserve-3d'><p style='transform:rotateY(180deg);backface-visibility:hidden'>WORD</p></div>",
    "<svg width=200 height=40><rect width=200 height=40 fill=navy /><text y=20 fill=white>WORD</text></svg>",
    "<div style='background:navy'><svg width=200 height=40><text y=20 fill=white>WORD</text></svg></div>",
    "<div style='color:white'><svg width=200 height=40><text y=20 fill=navy>WORD</text></svg></div>",
    "<svg width=200 height=40><text y=20 fill=white stroke=navy>WORD</text></svg>",
    "<svg width=200 height=40 viewBox='0 0 10 2'><text y=1 font-size=.8>WORD</text></svg>",
    "<div style='background:#123'><iframe srcdoc='<p style=color:white>WORD'></iframe></div>",
    "<div id=pushed style='height:20px;overflow:hidden'><p>WORD</p><br><br><br><b>x</b></div><script>pushed.scrollTop=90</script>",
    "<div id=row style='display:flex;overflow-x:auto;width:300px'><div style='flex:0 0 400px;scale:1'>WORD</div><div style='flex:0 0 9000px'>x</div></div><script>row.scrollLeft=8000</script>",
    "<div id=back style='direction:rtl;display:flex;overflow-x:auto;width:300px'><div style='flex:0 0 400px;scale:1'>WORD</div><div style='flex:0 0 9000px'>x</div></div><script>back.scrollLeft=-8000</script>",
    "<x-box></x-box><script>document.currentScript.previousElementSibling.attachShadow({mode:'open'}).innerHTML=\
     \"<div style='position:relative'><i style='position:absolute;inset:0;background:#024'></i><p style='position:relative;color:white'>WORD</p></div>\"</script>",
    "<svg width=200 height=60><rect width=200 height=60 fill=navy /><foreignObject width=200 height=60><p style='color:white'>WORD</p></foreignObject></svg>",
    "<div style='height:3000px'></div><div style='height:60px;background:#024'></div><p style='margin-top:-40px;color:white'>WORD</p>",
    "<div style='position:relative'><p>WORD</p><div style='opacity:0'><div style='position:absolute;inset:0;background:white'></div></div></div>",
    "<div style='position:relative'><p>WORD</p><div style='position:absolute;inset:0;background:white;clip-path:inset(0 0 0 90%)'></div></div>",
    "<div style='position:relative;display:flex'><p style='z-index:3'>WORD</p><div style='position:absolute;inset:0;background:#eee;z-index:2'></div></div>",
    "<div style='position:relative'><p style='will-change:transform'>WORD</p><div style='position:absolute;inset:0;background:#eee;z-index:-1'></div></div>",
    "<div style='background:#123;isolation:isolate'><p style='color:#123;mix-blend-mode:difference'>WORD</p></div>",
    // Sizes that are given back, and letters that are only close.
    "<div style='font-size:1px'><p style='font-size:16px'>WORD</p></div>",
    "<div style='font-size:1px;transform:scale(16);transform-origin:0 0;height:1px;margin-bottom:40px'>WORD</div>",
    "<div style='transform:scale(.1)'><p style='transform:scale(10)'>WORD</p></div>",
    "<div style='zoom:.5'>WORD</div>",
    "<p style='font-size:9px;scale:.6'>WORD</p>",
    "<p style='letter-spacing:-1px'>WORD</p>",
    "<div style='letter-spacing:-.31em'><span style='letter-spacing:normal'>WORD</span></div>",
    "<p style='transform:skewX(-15deg) rotate(90deg);height:80px;width:80px'>WORD</p>",
    "<div style='perspective:800px'><p style='transform:translateZ(-50px) rotateY(30deg)'>WORD</p></div>",
    "<span style='transform:scale(.01)'>WORD</span>",
    "<p style='clip-path:polygon(0 0,100% 0,100% 90%,0 100%)'>WORD</p>",
    "<p style='clip-path:inset(-20px)'>WORD</p>",
    "<p style='clip-path:circle(80% at 0 50%)'>WORD</p>",
    "<p style='filter:blur(1px)'>WORD</p>",
    "<div style='filter:invert(1)'><p style='color:#111'>WORD</p></div>",
    "<div style='filter:brightness(.7) contrast(1.2) grayscale(1)'><p>WORD</p></div>",
    "<p style='mix-blend-mode:multiply'>WORD</p>",
    "<div style='background:#000'><p style='color:#fff;mix-blend-mode:screen'>WORD</p></div>",
    "<div style='isolation:isolate'><p style='mix-blend-mode:lighten'>WORD</p></div>",
    "<s>WORD</s><p style='text-decoration:line-through 2px red'>WORD</p>",
    "<p style='text-decoration:underline 12px gold;text-underline-offset:-9px'>WORD</p>",
    "<p style='-webkit-text-stroke:4px white;paint-order:stroke fill'>WORD</p>",
    "<div style='background:#fff'><p style='color:#fff;background:linear-gradient(#123,#234)'>WORD</p></div>",
    "<p style='background:linear-gradient(red,red) no-repeat 0 100%/100% 2px;color:red'>WORD</p>",
    "<div style='background:#000;position:relative;height:40px'><i style='position:absolute;inset:0;background:#fff'></i>\
     <p style='position:relative;margin:0;background:#123;color:#fff'>WORD</p></div>",
    "<style>.over:hover::after{opacity:1}.lid{position:relative}.lid::after{content:'';position:absolute;inset:0;background:#000;opacity:0}\
     </style><p class='lid over'>WORD</p>",
    "<style>.deep{position:relative;z-index:0;background:#123}.deep::before{content:'';position:absolute;inset:0;background:#fff;z-index:-1}\
     </style><div class=deep>WORD</div>",
    "<style>.knob{position:relative}.knob::before{content:'';position:absolute;left:0;top:0;width:9px;height:9px;background:#000}</style><p class=knob>WORD</p>",
    "<p id=chosen>WORD</p><script>getSelection().selectAllChildren(chosen)</script>",
    "<div style='height:3000px'></div><section style='content-visibility:auto'><h2>Far down</h2><p>WORD <b>WORD</b></p></section>",
];

#[tokio::test]
async fn what_a_person_sees_stays() {
    let blocks = HONEST.iter().enumerate().map(|(way, html)| {
        format!("<div style='min-height:20px'>{}</div>", html.replace("WORD", &words(way)))
    });
    let tab = Tab::show(&blocks.collect::<String>()).await;
    let reading = tab.engine.read_text(None, true).await.unwrap();
    let markdown = tab.engine.read_markdown(None, true).await.unwrap();
    let options = SnapshotOptions { seen: true, ..SnapshotOptions::default() };
    let tree = tab.snapshot(&options).await;
    let mut wrong = Vec::new();
    for (name, text) in [("text", &reading.text), ("md", &markdown.text), ("tree", &tree.text)] {
        // Markdown has no drawings.
        let told = |html: &str| name != "md" || !html.contains("<svg");
        let lost = HONEST.iter().enumerate();
        let lost = lost.filter(|(way, html)| told(html) && !text.contains(&words(*way)));
        wrong.extend(lost.map(|(_, html)| format!("{name}: {html}")));
    }
    assert!(wrong.is_empty(), "{}\n{:?}", wrong.join("\n"), reading.unseen);
    assert!(reading.unseen.is_empty(), "{:?}", reading.unseen);
}

#[tokio::test]
async fn what_lies_on_a_ground_that_stays_in_view_is_read() {
    let html = "<div style='position:fixed;inset:0;background:#024;z-index:-1'></div>\
        <div style='height:3000px'></div><p style='color:white'>WORD</p>";
    let tab = Tab::show(&html.replace("WORD", &words(1))).await;
    let reading = tab.engine.read_text(None, true).await.unwrap();
    assert!(reading.text.contains(&words(1)) && reading.unseen.is_empty(), "{}", reading.text);
}

/// What a person sees later, or in part, and by which means it is told of.
const TOLD: &[(&str, &str)] = &[
    (
        "opacity",
        "<div style='height:3000px'></div><p style='opacity:0;transition:opacity 1s'>WORD</p>",
    ),
    (
        "opacity",
        "<div style='height:3000px'></div><p style='opacity:0;transform:translateY(40px)'>WORD</p>",
    ),
    (
        "opacity",
        "<style>@keyframes in{from{opacity:0}to{opacity:1}}</style><p style='opacity:0;animation:in 9s 900s forwards'>WORD</p>",
    ),
    (
        "opacity",
        "<style>@keyframes in{from{opacity:0}}.up{opacity:0}.up.seen{animation:in 1s forwards}</style>\
     <div style='height:3000px'></div><p class=up>WORD</p>",
    ),
    (
        "edge",
        "<style>.t{overflow:hidden;white-space:nowrap;width:500px}.t span{display:inline-block;padding-left:100%;\
     animation:m 999999s linear infinite}@keyframes m{to{transform:translateX(-100%)}}</style><div class=t><span>WORD</span></div>",
    ),
    // What is asked of a person, what a person opened, and what is being loaded.
    (
        "cover",
        "<p>WORD</p><div style='position:absolute;top:0;left:0;width:100%;height:600px;background:#fff'>We use cookies <button>Fine</button></div>",
    ),
    (
        "cover",
        "<div style='position:relative;height:90px'><p>WORD</p><div style='position:absolute;top:0;right:0;width:100%;height:90px;background:#eee'>\
     <a href=#>Close</a> Your cart</div></div>",
    ),
    (
        "cover",
        "<style>@keyframes p{50%{opacity:.96}}</style><div style='position:relative'><p>WORD</p>\
     <i style='position:absolute;inset:0;background:#eee;animation:p 2s infinite'></i></div>",
    ),
    (
        "edge",
        "<div style='height:60px;overflow:hidden'><img alt='' width=90 height=200><p>WORD</p></div><button>Read more</button>",
    ),
    ("filter", "<p style='filter:blur(6px)'>WORD</p>"),
    (
        "filter",
        "<svg width=0 height=0><filter id=wave><feDisplacementMap /></filter></svg><p style='filter:url(#wave)'>WORD</p>",
    ),
    ("blend", "<p style='mix-blend-mode:lighten;text-shadow:0 0 2px red'>WORD</p>"),
    ("colour", "<style>p{color:white}p::first-line{color:black}</style><p>WORD</p>"),
    ("colour", "<style>p::first-line{color:white}</style><p>WORD</p>"),
    (
        "colour",
        "<style>::highlight(part){color:white}</style><p id=lit>WORD and more</p><script>CSS.highlights.set('part',\
     new Highlight((r=>(r.setStart(lit.firstChild,0),r.setEnd(lit.firstChild,5),r))(new Range())))</script>",
    ),
    (
        "clip-path",
        "<p style='width:90px;line-height:20px;height:200px;clip-path:inset(0 0 180px 0)'>WORD two three four five six seven</p>",
    ),
    // A page that is faded as a whole is about to appear.
    ("opacity", "<style>body{opacity:0}</style><p>WORD</p>"),
];

#[tokio::test]
async fn what_a_person_may_see_is_read_and_told_of() {
    let tab = Tab::show("").await;
    let mut wrong = Vec::new();
    for (means, html) in TOLD {
        tab.goto_html(&html.replace("WORD", &words(1))).await;
        let reading = tab.engine.read_text(None, true).await.unwrap();
        let markdown = tab.engine.read_markdown(None, true).await.unwrap();
        let options = SnapshotOptions { seen: true, ..SnapshotOptions::default() };
        let tree = tab.snapshot(&options).await;
        for (name, text, unseen) in [
            ("text", &reading.text, &reading.unseen),
            ("markdown", &markdown.text, &markdown.unseen),
            ("snapshot", &tree.text, &tree.unseen),
        ] {
            if !text.contains(&words(1)) || unseen.get(&format!("{means}{SHOWN}")) != Some(&1) {
                wrong.push(format!("{name}: {unseen:?} {html}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // A page cannot use up what is looked at in silence.
    tab.goto_html(&"<i style='clip-path:inset(2px)'>ab</i> ".repeat(3_500)).await;
    let reading = tab.engine.read_text(None, true).await.unwrap();
    assert!(reading.unseen.contains_key(&format!("excess{SHOWN}")), "{:?}", reading.unseen);
}

#[tokio::test]
async fn what_is_not_laid_out_yet_and_what_stands_on_a_dark_page_is_read() {
    let html = "<meta name=color-scheme content=dark><style>a{color:red}.later{content-visibility:auto}\
        pre{white-space:pre}</style><p>Light on dark</p><div style='height:3000px'></div>\
        <div class=later><h2>Far down</h2><p>One   <b>two</b></p><ul><li>three<li>four</ul><pre>a\n b</pre>\
        <p hidden>secret</p><p style='opacity:0'>secret</p></div><p>End</p>";
    let tab = Tab::show(html).await;
    let far = "Light on dark\n\nFar down\n\nOne two\n\nthree\nfour\n\na\n b\n\nEnd";
    let reading = tab.engine.read_text(None, true).await.unwrap();
    assert_eq!(reading.text, far);
    let later = tab.engine.read_text(Some(&target("ul")), true).await.unwrap();
    assert_eq!(later.text, "three\nfour");
    let raw = tab.engine.text(None).await.unwrap();
    assert!(raw.contains("three\nfour") && raw.contains("secret"), "{raw}");
}

#[tokio::test]
async fn what_can_be_operated_stays_and_says_so() {
    let tab = Tab::show(
        "<style>.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)}</style>\
         <label><input type=checkbox style='opacity:0'>Agree</label>\
         <button style='opacity:0'>Ignore this</button>\
         <button><svg></svg><span class=sr>Close</span></button>\
         <a href=/x>More<span class=sr>secret</span></a><button>Fine</button>",
    )
    .await;
    let options = SnapshotOptions { seen: true, interactive: true, ..SnapshotOptions::default() };
    let tree = tab.snapshot(&options).await;
    let lines: Vec<_> = tree.text.lines().collect();
    for (line, part) in lines.iter().zip([
        "checkbox \"Agree\" [unseen]",
        "button \"Ignore this\" [unseen]",
        "button \"Close\"",
        "link \"More\"",
        "button \"Fine\"",
    ]) {
        assert!(line.ends_with(part), "{}", tree.text);
    }
}
