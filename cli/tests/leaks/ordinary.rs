//! Tasks that people give agents every day: none is stopped, and nobody is warned.
//!
//! The shop is `127.0.0.1`, what it works with `localhost` and `127.0.0.2`.

use crate::{
    callers::{Caller, Step, step},
    server::Server,
};

const SHOP: &str = "127.0.0.1";
const OTHER: &str = "localhost";
const THIRD: &str = "127.0.0.2";

/// Pages that tasks begin at; each link and form leads to another site.
const PAGES: &[(&str, &str)] = &[
    (
        "/list",
        "<title>Customers</title><ul><li>Ada Lovelace, order 88213-4471<li>Grace Hopper, order \
        88213-4472<li>Alan Turing, order 88213-4473</ul><a href='/list?page=2'>next</a>",
    ),
    (
        "/mail",
        "<title>Mail</title><p>Your sign-in link for order 88213-4471</p>\
        <a id=magic href='http://localhost:PORT/redirect?http://127.0.0.2:PORT/in?token=Zx81kQ97bTw2Lm40'>sign in</a>\
        <a id=verify href='http://localhost:PORT/redirect?http://127.0.0.2:PORT/verify/ada@example.org/918273'>verify</a>\
        <a id=track href='http://localhost:PORT/redirect?http://127.0.0.2:PORT/order/88213-4471?utm=mail'>your order</a>\
        <a id=short href='http://localhost:PORT/redirect?http://127.0.0.2:PORT/p/1'>short</a>\
        <a id=leave href='http://localhost:PORT/redirect?http://127.0.0.2:PORT/unsubscribe?u=48151623'>unsubscribe</a>",
    ),
    (
        "/login",
        "<title>Sign in</title>\
        <a id=oauth href='http://localhost:PORT/redirect?http://127.0.0.1:PORT/cb?code=SplxlOBeZQQYbYS6WxSbIA&state=af0ifjsldkj4471'>OAuth</a>\
        <a id=oidc href='http://localhost:PORT/redirect?http://127.0.0.1:PORT/cb?id_token=eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIyNDgyODk3NjEwMDEifQ.c2lnbmF0dXJl&state=7712'>OpenID</a>\
        <a id=out href='/redirect?http://localhost:PORT/logout?id_token_hint=eyJzdWIiOiIyNDgyIn0&to=http://127.0.0.1:PORT/'>sign out</a>",
    ),
    (
        "/saml",
        "<form method=post action='http://localhost:PORT/acs'><input type=hidden name=SAMLResponse \
        value='PHNhbWxwOlJlc3BvbnNlIElEPSI4ODIxMzQ0NzEiPg=='></form><script>document.forms[0].submit()</script>",
    ),
    (
        "/pay",
        "<title>Pay</title><form method=post action='/secure'><input id=card name=card>\
        <button id=go>Pay</button></form>",
    ),
    (
        "/secure",
        "<form method=post action='http://localhost:PORT/acs'><input type=hidden name=creq \
        value='eyJ0aHJlZURTU2VydmVyVHJhbnNJRCI6Ijg4MjEzIn0'></form><script>document.forms[0].submit()</script>",
    ),
    (
        "/sign-up",
        "<title>Sign up</title><form action='/thanks'><input id=name name=name><input id=title \
        name=title><select id=role name=role><option>buyer<option>seller</select><textarea id=note \
        name=note></textarea><input id=agree type=checkbox><button id=go>Send</button></form>",
    ),
    (
        "/framed",
        "<title>Article</title><p>The harbour opens at nine.</p>\
        <iframe src='http://localhost:PORT/ad?q=harbour'></iframe>",
    ),
];

/// A task in words, and its steps.
type Task = (&'static str, Vec<Step>);

fn tasks(server: &Server) -> Vec<Task> {
    let goto = |host: &str, path: &str| step("goto", &[("url", &server.url(host, path))]);
    let text = || step("text", &[]);
    let click = |target: &str| step("click", &[("target", target)]);
    let fill = |target: &str, text: &str| step("fill", &[("target", target), ("text", text)]);
    let follow = |page: &str, link: &str| vec![goto(SHOP, page), text(), click(link), text()];
    let sign_up = |steps: Vec<Step>| {
        [vec![goto(SHOP, "/list"), text(), goto(OTHER, "/sign-up")], steps].concat()
    };
    let search = |words: &str| goto(OTHER, &format!("/search?q={words}"));
    let pages = |from: usize, by: usize| {
        let page = |page: usize| goto(OTHER, &format!("/list?from={}", from + page * by));
        (0..6).map(page).collect()
    };
    vec![
        (
            "open the sites that one works with",
            vec![goto(OTHER, "/"), goto(THIRD, "/"), goto(SHOP, "/")],
        ),
        ("read a list", vec![goto(SHOP, "/list"), text()]),
        ("read a list with links", vec![goto(SHOP, "/list"), step("links", &[])]),
        ("look at a page", vec![goto(SHOP, "/list"), step("snapshot", &[])]),
        ("page by number", pages(1, 1)),
        ("page by offset", pages(0, 25)),
        ("open a page of the list", vec![goto(SHOP, "/list?page=2"), text()]),
        ("search for a name of the list", vec![search("Ada+Lovelace"), text()]),
        ("search for three of them", ["Ada", "Grace", "Alan"].map(search).to_vec()),
        ("look an order up", vec![goto(OTHER, "/track?order=88213-4471"), text()]),
        (
            "look three orders up",
            ["1", "2", "3"].map(|n| goto(OTHER, &format!("/track/88213-447{n}"))).to_vec(),
        ),
        ("fill a name in", sign_up(vec![fill("#name", "Ada Lovelace"), click("#go")])),
        ("fill an order in", sign_up(vec![fill("#title", "88213-4471"), click("#go")])),
        (
            "type a name",
            sign_up(vec![click("#name"), step("type", &[("text", "Grace Hopper")]), click("#go")]),
        ),
        (
            "choose",
            sign_up(vec![
                step("select", &[("target", "#role"), ("value", "seller")]),
                click("#go"),
            ]),
        ),
        ("agree", sign_up(vec![click("#agree"), click("#go")])),
        (
            "leave a note of one's own",
            sign_up(vec![
                fill("#note", "Please call before nine, the bell is broken."),
                click("#go"),
            ]),
        ),
        (
            "send by the key",
            sign_up(vec![fill("#name", "Alan Turing"), step("press", &[("key", "Enter")])]),
        ),
        (
            "open a tab and read it",
            vec![step("newtab", &[("url", &server.url(OTHER, "/list"))]), text()],
        ),
        ("read an article with an advertisement", vec![goto(SHOP, "/framed"), text()]),
        ("sign in with OAuth", follow("/login", "#oauth")),
        ("sign in with OpenID", follow("/login", "#oidc")),
        ("sign out", follow("/login", "#out")),
        ("sign in by SAML", vec![goto(SHOP, "/saml"), text()]),
        (
            "pay with a second factor",
            vec![goto(SHOP, "/pay"), fill("#card", "4242 4242 4242 4242"), click("#go"), text()],
        ),
        ("follow a link that signs in", follow("/mail", "#magic")),
        ("verify an address", follow("/mail", "#verify")),
        ("follow a link that is counted", follow("/mail", "#track")),
        ("follow a short link", follow("/mail", "#short")),
        ("unsubscribe", follow("/mail", "#leave")),
        (
            "consent",
            vec![
                goto(SHOP, &format!("/redirect?{}", server.url(OTHER, "/consent?continue=/list"))),
                text(),
            ],
        ),
    ]
}

fn run(caller: &Caller, server: &Server) {
    for (task, steps) in tasks(server) {
        for step in steps {
            let came = caller.run(&step);
            assert!(came.done && !came.printed.contains("egress"), "{task}: {}", came.printed);
        }
    }
}

fn server() -> Server {
    let own = |(path, page): &(&str, &str)| ((*path).to_owned(), (*page).to_owned());
    Server::start(&PAGES.iter().map(own).collect::<Vec<_>>())
}

#[test]
fn an_owner_is_warned_of_none() {
    let server = server();
    run(&Caller::owner(""), &server);
}

#[test]
fn a_paired_agent_is_stopped_in_none() {
    let server = server();
    run(&Caller::paired("", &server), &server);
}
