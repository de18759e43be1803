//! A shop on loopback with a state of its own: sign-in, a cart filled by `fetch`,
//! a checkout, an invoice and a list to download, a wizard, and a search of several pages.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

/// Serves the shop until the test process ends.
pub struct Shop {
    port: u16,
    state: Arc<Mutex<State>>,
}

/// What the server knows.
#[derive(Default)]
struct State {
    visitors: HashMap<String, Visitor>,
    posts: Vec<String>,
}

#[derive(Default)]
struct Visitor {
    is_signed_in: bool,
    cart: Vec<String>,
}

struct Request {
    method: String,
    path: String,
    query: String,
    visitor: Option<String>,
    body: String,
}

/// Status, headers and body.
type Answer = (&'static str, String, String);

const HOME: &str = r#"<h1>Shop</h1><nav><a href="/about">About us</a> <a href="/item?Blue+lamp">Blue lamp</a>
<a href="/news" target="_blank">News</a> <a href="/account">Account</a></nav>
<form action="/search"><label>Search <input name="q" placeholder="What?"></label><button>Find</button></form>"#;

const ITEM: &str = r#"<h1>NAME</h1><label>Quantity <input id="n" type="number" value="1"></label>
<label>Colour <select id="c"><option>white<option>black</select></label>
<button id="add">Add to cart</button><p role="status" id="state"></p><script>
add.onclick = async () => {
  const body = `${n.value} x ${document.querySelector('h1').textContent}, ${c.value}`;
  const answer = await fetch('/api/cart', { method: 'POST', body });
  state.textContent = await answer.text();
};</script>"#;

const CART: &str = r#"<h1>Cart</h1><ul>ITEMS</ul><p>Total <output id="total">TOTAL</output></p>
<button id="empty">Empty the cart</button> <a href="/checkout">Checkout</a><p role="status" id="state"></p><script>
empty.onclick = async () => {
  if (!confirm('Empty the cart?')) { state.textContent = 'kept'; return; }
  await fetch('/api/empty', { method: 'POST' });
  document.querySelector('ul').textContent = '';
  state.textContent = 'emptied';
};</script>"#;

const CHECKOUT: &str = r#"<h1>Checkout</h1><form method="post" action="/order">
<label>Name <input name="name" required></label><label>Address <textarea name="address"></textarea></label>
<label><input type="checkbox" name="gift"> Gift wrap</label><button>Order now</button></form>"#;

const LOGIN: &str = r#"<h1>Sign in</h1><form method="post" action="/login"><label>User <input name="user"></label>
<label>Password <input type="password" name="password" id="pw"></label><button>Sign in</button></form>"#;

const ACCOUNT: &str =
    r#"<h1>Hello Ada</h1><a href="/invoice" download>Invoice</a> <a href="/orders">Orders</a>"#;

const EXPORT: &str = r#"<h1>Orders</h1><label>Year <select id="year"><option>2023<option>2024<option>2025</select></label>
<button id="export">Export</button><p id="state"></p><script>
document.getElementById('export').onclick = () => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([`orders of ${year.value}`], { type: 'text/plain' }));
  link.download = 'orders.txt';
  link.click();
  state.textContent = `exported ${year.value}`;
};</script>"#;

/// The preview is what the page itself makes of its fields.
const PROFILE: &str = r#"<h1>Profile</h1><label>Name <input id="name"></label>
<label>E-mail <input id="email" name="mail" value="nobody@example.com"></label>
<label>About you <textarea id="about"></textarea></label>
<div id="motto" contenteditable role="textbox" aria-label="Motto"></div>
<output id="preview"></output><script>
oninput = () => { preview.textContent = `${document.getElementById('name').value} <${email.value}> ${about.value} / ${motto.textContent}`; };
</script>"#;

const OPTIONS: &str =
    r#"<h1>Delivery</h1><iframe name="form" src="/frame" width="600" height="300"></iframe>"#;

const FRAME: &str = r#"<form onsubmit="return false"><label>Size <select id="size"><option>small<option>medium<option>large</select></label>
<label><input type="checkbox" id="gift"> Gift wrap</label>
<label><input type="radio" name="how" value="post"> By post</label><label><input type="radio" name="how" value="van"> By van</label>
<label>Note <input id="note"></label><button id="apply">Apply</button></form><output id="chosen"></output><script>
apply.onclick = () => {
  const how = document.querySelector('[name=how]:checked');
  chosen.textContent = `${size.value}, ${gift.checked ? 'wrapped' : 'bare'}, ${how && how.value}, ${note.value}`;
};</script>"#;

impl Shop {
    /// Serves a shop that nobody has visited.
    pub fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("a bound listener").port();
        let state: Arc<Mutex<State>> = Arc::default();
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                thread::spawn(move || serve(stream, &state));
            }
        });
        Self { port, state }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The paths that were posted to so far.
    pub fn posts(&self) -> Vec<String> {
        self.state.lock().expect("no test panics with it").posts.clone()
    }
}

fn serve(stream: TcpStream, state: &Mutex<State>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut stream = stream;
    loop {
        let request = read(&mut reader)?;
        let known = request.visitor.clone();
        let visitor = known
            .unwrap_or_else(|| format!("v{}", state.lock().expect("no panic").visitors.len() + 1));
        let (status, mut headers, body) = {
            let mut state = state.lock().expect("no panic");
            if request.method == "POST" {
                state.posts.push(request.path.clone());
            }
            answer(&request, state.visitors.entry(visitor.clone()).or_default())
        };
        if request.visitor.is_none() {
            headers.push_str(&format!("Set-Cookie: visitor={visitor}\r\n"));
        }
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).ok()?;
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split(' ');
    let method = words.next()?.to_owned();
    let target = words.next()?.to_owned();
    let (mut length, mut visitor) = (0, None);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok().filter(|read| *read > 0)?;
        let Some((name, value)) = header.trim().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "cookie" => {
                let of = |pair: &str| pair.trim().strip_prefix("visitor=").map(str::to_owned);
                visitor = value.split(';').find_map(of);
            }
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let (path, query) = (path.to_owned(), query.to_owned());
    Some(Request { method, path, query, visitor, body: String::from_utf8(body).ok()? })
}

fn answer(request: &Request, visitor: &mut Visitor) -> Answer {
    let page = |body: String| {
        let kind = "Content-Type: text/html; charset=utf-8\r\n".to_owned();
        ("200 OK", kind, format!("<!DOCTYPE html><title>Shop</title>{body}"))
    };
    let plain = |text: &str| ("200 OK", "Content-Type: text/plain\r\n".to_owned(), text.to_owned());
    let to = |path: &str| ("303 See Other", format!("Location: {path}\r\n"), String::new());
    let given = |name: &str| field(&request.query, name).unwrap_or_default();
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/") => page(HOME.to_owned()),
        ("GET", "/about" | "/news") => page("<h1>Since 1901</h1><p>We sell lamps.".to_owned()),
        ("GET", "/item") => page(ITEM.replace("NAME", &request.query.replace('+', " "))),
        ("POST", "/api/cart") => {
            visitor.cart.push(request.body.clone());
            plain(&format!("{} in the cart", visitor.cart.len()))
        }
        ("POST", "/api/empty") => {
            visitor.cart.clear();
            plain("")
        }
        ("GET", "/cart") => {
            let items = visitor.cart.iter().map(|item| format!("<li>{item}")).collect::<String>();
            let total = visitor.cart.len().to_string();
            let total = if visitor.cart.is_empty() { "" } else { &total };
            page(CART.replace("ITEMS", &items).replace("TOTAL", total))
        }
        ("GET", "/checkout") => page(CHECKOUT.to_owned()),
        ("POST", "/order") => {
            let of = |name: &str| field(&request.body, name).unwrap_or_default();
            let wrapped = if of("gift").is_empty() { "" } else { ", wrapped" };
            let text = format!(
                "{} for {}, {}{wrapped}",
                visitor.cart.join("; "),
                of("name"),
                of("address")
            );
            page(format!("<h1>Thank you</h1><p id=order>{text}"))
        }
        // The page counts a first visit by a request.
        ("GET", "/greet") => {
            let first = "<script>fetch('/api/count', { method: 'POST' })</script>";
            let count = if request.visitor.is_none() { first } else { "" };
            page(format!("<h1>Welcome</h1>{count}"))
        }
        ("GET", "/login") => page(LOGIN.to_owned()),
        ("POST", "/login") => {
            visitor.is_signed_in = request.body == "user=ada&password=open+sesame";
            to(if visitor.is_signed_in { "/account" } else { "/login" })
        }
        ("GET", "/account" | "/orders" | "/invoice") if !visitor.is_signed_in => to("/login"),
        ("GET", "/account") => page(ACCOUNT.to_owned()),
        ("GET", "/orders") => page("<h1>Orders</h1><p id=count>2 orders".to_owned()),
        ("GET", "/invoice") => (
            "200 OK",
            "Content-Type: text/csv\r\nContent-Disposition: attachment; filename=invoice.csv\r\n"
                .to_owned(),
            "lamp,12\n".to_owned(),
        ),
        ("GET", "/export") => page(EXPORT.to_owned()),
        ("GET", "/profile") => page(PROFILE.to_owned()),
        ("GET", "/options") => page(OPTIONS.to_owned()),
        ("GET", "/frame") => page(FRAME.to_owned()),
        ("GET", "/search") => page(results(&given("q"), given("page").parse().unwrap_or(1))),
        ("GET", "/wizard") => page(wizard(&given("name"), &given("size"))),
        _ => ("404 Not Found", String::new(), String::new()),
    }
}

/// Three lamps a page.
fn results(query: &str, page: usize) -> String {
    let all: Vec<_> = (1..=9).map(|number| format!("{query} {number}")).collect();
    let shown = all.iter().skip((page - 1) * 3).take(3);
    let items =
        shown.map(|name| format!("<li><a href=\"/item?{}\">{name}</a>", name.replace(' ', "+")));
    let next = format!("<a href=\"/search?q={query}&page={}\">Next</a>", page + 1);
    format!("<h1>Page {page}</h1><ul id=results>{}</ul>{next}", items.collect::<String>())
}

/// Each page asks for one thing, and passes on the earlier texts.
fn wizard(name: &str, size: &str) -> String {
    match (name, size) {
        ("", _) => {
            "<h1>Step 1</h1><form><label>Name <input name=name></label><button>Next</button></form>"
                .to_owned()
        }
        (name, "") => format!(
            "<h1>Step 2</h1><form><input type=hidden name=name value=\"{name}\"><label>Size <select name=size><option>small<option>large</select></label><button>Next</button></form>"
        ),
        (name, size) => format!("<h1>Step 3</h1><p id=summary>{size} for {name}"),
    }
}

fn field(form: &str, name: &str) -> Option<String> {
    let pair = form.split('&').filter_map(|pair| pair.split_once('='));
    let value = pair.into_iter().find(|(key, _)| *key == name)?.1.replace('+', " ");
    Some(value.replace("%40", "@").replace("%2C", ","))
}
