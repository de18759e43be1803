// A shop as shops are made: pages from a server, forms that are sent, buttons that
// fetch. What it holds belongs to a cookie, and `start` hands out a fresh one.

import { randomUUID } from "node:crypto";

const account = { email: "ada@example.com", password: "lovelace" };
const products = [
  { id: "stool", name: "Oak stool", price: 89 },
  { id: "shelf", name: "Pine shelf", price: 120 },
  { id: "desk", name: "Walnut desk", price: 640 },
];
/** How long the server thinks, as servers do. */
const thinking = 300;

const escape = (text) => String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const total = (cart) => products.reduce((sum, { id, price }) => sum + price * (cart[id] ?? 0), 0);
const count = (cart) => Object.values(cart).reduce((sum, number) => sum + number, 0);

const script = `
window.model = () => fetch("/shop/state").then((answer) => answer.json());
const say = (text) => { document.getElementById("toast").textContent = text; };
for (const button of document.querySelectorAll("[data-add]")) button.addEventListener("click", async () => {
  button.disabled = true;
  const answer = await fetch("/shop/api/cart", { method: "POST", body: JSON.stringify({ id: button.dataset.add }) });
  const { name, count } = await answer.json();
  document.getElementById("count").textContent = count;
  say(name + " was added to the cart");
  button.disabled = false;
});
document.getElementById("empty")?.addEventListener("click", async () => {
  if (!confirm("Remove everything from the cart?")) return;
  await fetch("/shop/api/cart", { method: "DELETE" });
  location.reload();
});`;

function page(title, session, body) {
  const nav = session?.user
    ? `<nav><a href="/shop/products">Products</a> <a href="/shop/cart">Cart (<span id="count">${count(session.cart)}</span>)</a></nav>`
    : "";
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<style>body{font-family:sans-serif;margin:16px} .cards{display:flex;gap:16px} .card{border:1px solid;padding:12px} [role=alert]{color:#a00}</style>
</head><body><header>${nav}</header><main><h1>${title}</h1>${body}</main><div id="toast" role="status"></div><script>${script}</script></body></html>`;
}

const signIn = (problem, email = "") => `${problem ? `<p role="alert">${problem}</p>` : ""}
<form method="post" action="/shop/sign-in">
<p><label>Email <input name="email" type="email" required value="${escape(email)}"></label></p>
<p><label>Password <input name="password" type="password" required></label></p>
<button>Sign in</button></form>`;

const list = () => `<div class="cards">${products
  .map(({ id, name, price }) => `<div class="card"><h3>${name}</h3><p>€${price}</p><button data-add="${id}">Add to cart</button></div>`)
  .join("")}</div>`;

function cartPage(cart) {
  if (count(cart) === 0) return "<p>The cart is empty.</p>";
  const rows = products.filter(({ id }) => cart[id]);
  return `<table><tr><th>Product</th><th>Number</th><th>Price</th></tr>${rows
    .map(({ id, name, price }) => `<tr><td>${name}</td><td>${cart[id]}</td><td>€${price * cart[id]}</td></tr>`)
    .join("")}</table><p>Total €${total(cart)}</p>
<p><button id="empty" type="button">Empty cart</button> <a href="/shop/checkout">Checkout</a></p>`;
}

function checkout(values = {}, problem) {
  const bad = problem ? 'aria-invalid="true" aria-describedby="postcode-problem"' : "";
  return `<form method="post" action="/shop/order">
<p><label>Full name <input name="name" required value="${escape(values.name ?? "")}"></label></p>
<p><label>Postcode <input name="postcode" ${bad} value="${escape(values.postcode ?? "")}"></label>
${problem ? `<span id="postcode-problem" role="alert">${problem}</span>` : ""}</p>
<p><label>Delivery <select name="delivery"><option value="post">By post</option><option value="shop">In the shop</option></select></label></p>
<button>Place order</button></form>`;
}

const placed = (order) => `<p role="status">Order ${order.number} is placed. Total €${order.total}</p>
<p><a href="/shop/invoice/${order.number}">Download invoice</a></p>`;

/** Reads the body of a request, and waits as long as a server takes. */
async function body(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  await new Promise((resolve) => setTimeout(resolve, thinking));
  return Buffer.concat(chunks).toString();
}

/** The handler of everything under /shop/. */
export function shop() {
  const sessions = new Map();
  const fresh = () => ({ user: null, cart: {}, orders: [], downloads: 0 });

  const routes = {
    "GET start": ({ redirect }) => {
      const id = randomUUID();
      sessions.set(id, fresh());
      redirect("sign-in", { "set-cookie": `shop=${id}; Path=/shop; HttpOnly` });
    },
    "GET sign-in": ({ html }) => html("Sign in", signIn()),
    "POST sign-in": async ({ request, session, html, redirect }) => {
      const form = new URLSearchParams(await body(request));
      const right = form.get("email") === account.email && form.get("password") === account.password;
      if (!right) return html("Sign in", signIn("Wrong email or password", form.get("email")), 401);
      session.user = account.email;
      redirect("products");
    },
    "GET products": ({ html }) => html("Products", list()),
    "GET cart": ({ session, html }) => html("Cart", cartPage(session.cart)),
    "POST api/cart": async ({ request, session, json }) => {
      const { id } = JSON.parse(await body(request));
      session.cart[id] = (session.cart[id] ?? 0) + 1;
      json({ name: products.find((product) => product.id === id).name, count: count(session.cart) });
    },
    "DELETE api/cart": async ({ request, session, json }) => {
      await body(request);
      session.cart = {};
      json({});
    },
    "GET checkout": ({ html }) => html("Checkout", checkout()),
    "POST order": async ({ request, session, html, redirect }) => {
      const form = Object.fromEntries(new URLSearchParams(await body(request)));
      if (!/^\d{5}$/.test(form.postcode)) return html("Checkout", checkout(form, "A postcode has five digits"), 422);
      const order = { number: 1001 + session.orders.length, ...form, total: total(session.cart), items: session.cart };
      session.orders.push(order);
      session.cart = {};
      redirect(`order/${order.number}`);
    },
    "GET state": ({ session, json }) => json(session),
  };

  return async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const place = pathname.slice("/shop/".length);
    const session = sessions.get(/shop=([\w-]+)/.exec(request.headers.cookie ?? "")?.[1]) ?? fresh();
    const send = (status, type, content, headers = {}) => response.writeHead(status, { "content-type": type, ...headers }).end(content);
    const cx = {
      request,
      session,
      html: (title, content, status = 200) => send(status, "text/html; charset=utf-8", page(title, session, content)),
      json: (value) => send(200, "application/json", JSON.stringify(value)),
      redirect: (to, headers = {}) => response.writeHead(303, { location: `/shop/${to}`, ...headers }).end(),
    };
    const [kind, number] = /^(order|invoice)\/(\d+)$/.exec(place)?.slice(1) ?? [];
    const order = session.orders.find((one) => one.number === Number(number));
    if (order && kind === "order") return cx.html("Thank you", placed(order));
    if (order) {
      session.downloads += 1;
      const name = `attachment; filename="invoice-${order.number}.pdf"`;
      return send(200, "application/pdf", `%PDF-1.4\n% Invoice ${order.number}: ${order.total} euros\n%%EOF\n`, { "content-disposition": name });
    }
    const route = routes[`${request.method} ${place}`];
    if (!route) return response.writeHead(404).end();
    await route(cx);
  };
}
