//! What honest pages do, and what a person sees later or in part: `WORD` stands for the text.

/// What honest pages do, with words that a person sees.
pub const HONEST: &[&str] = &[
    // White on grounds that sheets give in all kinds of ways.
    "<style>.hb1{background:#024}</style><p class=hb1 style='color:white'>WORD</p>",
    "<style>div .hb2:not(.none)>i{background-color:#024}</style><p class=hb2><i style='color:white'>WORD</i></p>",
    "<style>.hb3{background:none;& b{background-color:#024}}</style><p class=hb3 style='color:white'><b>WORD</b></p>",
    "<style>.hb4:read-only{background:transparent;background-image:linear-gradient(#024,#012)}</style><p class=hb4 style='color:white'>WORD</p>",
    "<table bgcolor='#002244'><tr><td style='color:white'>WORD</td></tr></table>",
    "<style>.hb5{background:#024}.hb6{all:inherit}</style><div class=hb5><p class=hb6 style='color:white'>WORD</p></div>",
    "<style>@namespace h url(http://www.w3.org/1999/xhtml);h|p.hb8{background:#024;color:white}</style><p class=hb8>WORD</p>",
    "<math><mtext style='background:black;color:white'>WORD</mtext></math>",
    "<math><mtext mathbackground=black mathcolor=white>WORD</mtext></math>",
    "<div><template shadowrootmode=open><style>::slotted(p){background:#024;color:white}</style><slot></slot></template><p>WORD</p></div>",
    "<div><template shadowrootmode=closed><style>::slotted(p){background:#024;color:white}</style><slot></slot></template><p>WORD</p></div>",
    "<x-ground><template shadowrootmode=open><style>:host{background:#024;color:white}</style><slot></slot></template>WORD</x-ground>",
    "<div><template shadowrootmode=closed><style>i{background:#024;color:white}</style><i><slot></slot></i></template>WORD</div>",
    "<div><template shadowrootmode=closed><i style='background:#024'><slot></slot></i></template><b style='color:white'>WORD</b></div>",
    "<div><template shadowrootmode=closed><i><slot></slot></i></template><template>x</template> WORD</div>",
    "<div style='color:white'><template shadowrootmode=open><i style='color:black'><slot></slot></i></template>WORD</div>",
    "<div style='color:white'><template shadowrootmode=closed><i style='background:#024'><slot></slot></i></template>WORD</div>",
    "<style>@keyframes hb7{from,to{background:#024}} .hb7{animation:hb7 9s infinite}</style><p class=hb7 style='color:white'>WORD</p>",
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
    "<div style='position:relative;height:60px'><img alt='' width=300 height=60 src='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUQAOw=='>\
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
    "<div style='perspective:800px;width:300px'><p style='transform:translateZ(-50px) rotateY(30deg)'>WORD</p></div>",
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
    "<style>.soft::details-content{transition:opacity 1s;opacity:0}.soft[open]::details-content{opacity:1;transition:none}</style>\
     <details class=soft open><summary>x</summary><p>WORD</p></details>",
    "<style>.night::details-content{background:#024}.night p{color:#fff}</style><details class=night open><summary>x</summary><p>WORD</p></details>",
    "<p style='color:#fff;background:linear-gradient(90deg,#06f 60%,#fff)'>WORD</p>",
    "<p style='color:#fff;background:radial-gradient(circle,#06f,#036)'>WORD</p>",
    "<p style='color:#fff;background:linear-gradient(rgba(0,0,0,.6),rgba(0,0,0,.6)),url(/none.png)'>WORD</p>",
    "<div style='position:relative;padding-left:40px'><p>WORD</p><svg style='position:absolute;left:0;top:0;width:30px;height:30px'><rect width=30 height=30 fill=red /></svg></div>",
    "<div style='position:relative'><p>WORD</p><i style='position:absolute;inset:0;background:linear-gradient(transparent,#fff)'></i></div>",
    "<div style='position:relative'><i style='position:absolute;inset:0;background:linear-gradient(#eee,#fff)'></i><p style='position:relative'>WORD</p></div>",
    "<div style='position:relative;padding:30px'><p>WORD</p><div style='position:absolute;inset:0;border:8px solid #024'></div></div>",
    "<div style='display:grid'><div style='grid-area:1/1;background:#024'></div><p style='grid-area:1/1;color:#fff'>WORD</p></div>",
    "<p style='clip-path:path(\"M0 0h9000v9000h-9000z\")'>WORD</p>",
    "<div style='clip-path:polygon(0 0,100% 0,100% 85%,50% 100%,0 85%);padding:20px'><p>WORD</p></div>",
    "<div style='mask:linear-gradient(90deg,transparent,#000 10%,#000 90%,transparent);padding:0 200px'><p>WORD</p></div>",
    "<style>.ring{position:relative}.ring::before{content:'';position:absolute;inset:0;padding:2px;background:linear-gradient(red,blue);\
     mask:linear-gradient(#000 0 0) content-box exclude,linear-gradient(#000 0 0)}</style><div class=ring><p>WORD</p></div>",
    "<div style='overflow:auto;height:40px;display:flex;flex-direction:column-reverse'><p style='flex:none'>x</p><p style='flex:none'>WORD</p></div>",
    "<div style='columns:2;overflow:hidden'><p>x</p><p>WORD</p></div>",
    "<div style='position:relative'><h2>WORD</h2><div style='position:absolute;right:0;bottom:0;width:40px;height:20px;background:#c00;color:#fff'>New</div></div>",
    "<div style='box-shadow:0 0 0 12px #024;margin:30px'><p>WORD</p></div>",
    // What applications make controls of: words moved off an icon, an arrow of borders, a star before its words.
    "<button style='width:40px;height:30px;border:0;text-indent:-9999px;overflow:hidden;background:#fff radial-gradient(#024 40%,#fff 45%)'>WORD</button>",
    "<style>.next{width:40px;height:30px;border:0;background:none;text-indent:-999em;overflow:hidden;position:relative}.next span::before{content:'';\
     position:absolute;left:12px;top:9px;width:9px;height:9px;border:3px solid #888;border-width:3px 3px 0 0;transform:rotate(45deg)}</style>\
     <button class=next><span style='position:relative;font-size:20px'>WORD</span></button>",
    "<style>.vh{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip:rect(0,0,0,0)}</style><span style='position:relative'><label for=star>\
     <svg width=24 height=24><path d='M0 9h24L4 24 12 0l8 24z' fill=gold /></svg><span class=vh>WORD</span></label><input class=vh id=star type=radio></span>",
    "<div style='position:relative'><div style='position:absolute;left:0;top:0;width:200px;height:40px;overflow:hidden'>\
     <div style='position:absolute;width:9999px;height:9999px;background:#fffffe'></div></div><p style='margin:0;padding-top:40px'>WORD</p></div>",
];

/// What a person sees later, or in part, and by which means it is told of.
pub const TOLD: &[(&str, &str)] = &[
    ("off-screen", "<p>Seen</p><ul style='margin-left:-900px'><li>WORD</ul>"),
    (
        "off-screen",
        "<p>Seen</p><div style='position:relative;left:-900px;width:2000px'><p>WORD</p></div>",
    ),
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
    // Pictures that are missing, and text that goes on where nobody sees it for now.
    ("colour", "<p style='color:#fff;background:url(/none.png)'>WORD</p>"),
    (
        "colour",
        "<div style='position:relative'><img alt='' style='position:absolute;inset:0;width:300px;height:60px' src=/none.png>\
     <p style='position:relative;color:#fff'>WORD</p></div>",
    ),
    ("colour", "<p style='color:#fff;background:radial-gradient(#fff,#fff 90%,#000)'>WORD</p>"),
    (
        "cover",
        "<div style='position:relative'><p>WORD</p><div style='position:absolute;inset:0;background:#fff;opacity:.9'></div></div>",
    ),
    (
        "cover",
        "<p style='margin:0'>WORD</p><div style='position:fixed;inset:0;background:#fff'></div><div style='height:3000px'></div>",
    ),
    ("mask", "<p style='mask:url(/none.png)'>WORD</p>"),
    (
        "edge",
        "<div style='columns:1;height:20px;width:200px;overflow:hidden'>x x x<p>WORD</p></div>",
    ),
    (
        "colour",
        "<p style='background:#fff linear-gradient(#000,#000);background-blend-mode:screen;color:#fff'>WORD</p>",
    ),
    ("filter", "<p style='color:#000;backdrop-filter:brightness(0)'>WORD</p>"),
    ("colour", "<textarea style='color:#fff;border:0'>WORD</textarea>"),
    (
        "cover",
        "<p>WORD</p><div popover=manual id=up style='inset:0;margin:0;width:100%;height:100%;background:#fff'></div>\
     <script>up.showPopover()</script>",
    ),
];
