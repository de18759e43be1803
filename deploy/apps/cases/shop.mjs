// The shop: sign-in, cart, checkout, questions, a file.

import { readFile } from "node:fs/promises";
import { MISLEADS, Verdict } from "../agent.mjs";
import { downloadPlace } from "../tools.mjs";

const button = (name) => ({ role: "button", name });
const field = (name) => ({ role: "textbox", name });

async function signIn(agent, password = "lovelace") {
  await agent.open("shop/start");
  await agent.fill(await agent.see(field("Email")), "ada@example.com");
  await agent.fill(await agent.see(field("Password")), password);
  await agent.click(await agent.see(button("Sign in")));
}

const add = async (agent, product) => agent.click(await agent.see({ ...button("Add to cart"), near: product }));

async function toCart(agent, product) {
  await signIn(agent);
  await add(agent, product);
  await agent.holds(({ cart }) => Object.keys(cart).length === 1);
  await agent.click(await agent.see({ role: "link", name: /^Cart/ }));
}

async function toCheckout(agent) {
  await toCart(agent, "Oak stool");
  await agent.click(await agent.see({ role: "link", name: "Checkout" }));
}

async function order(agent) {
  await toCheckout(agent);
  await agent.fill(await agent.see(field("Full name")), "Ada Lovelace");
  await agent.fill(await agent.see(field("Postcode")), "10115");
  await agent.click(await agent.see(button("Place order")));
}

const kinds = {
  async "a wrong password is reported"(agent) {
    await signIn(agent, "guess");
    await agent.holds({ user: null });
    await agent.reported("Wrong email or password");
  },
  async "sign in"(agent) {
    await signIn(agent);
    await agent.holds({ user: "ada@example.com" });
    await agent.reported("Add to cart");
  },
  async "a password is not printed"(agent) {
    await agent.open("shop/start");
    await agent.fill(await agent.see(field("Password")), "lovelace");
    await agent.never("lovelace");
    await agent.reported(/filled|•|\*/);
  },
  async "the right one of three buttons of one name"(agent) {
    await signIn(agent);
    await add(agent, "Walnut desk");
    await agent.holds({ cart: { desk: 1 } });
    agent.receipt("Walnut desk was added to the cart");
  },
  async "a question is asked, not answered"(agent) {
    await toCart(agent, "Oak stool");
    await agent.click(await agent.see(button("Empty cart")));
    agent.receipt("Remove everything from the cart?");
    await agent.answerDialog("dismiss");
    await agent.holds({ cart: { stool: 1 } });
  },
  async "a question that is accepted"(agent) {
    await toCart(agent, "Oak stool");
    await agent.click(await agent.see(button("Empty cart")));
    await agent.answerDialog("accept");
    await agent.holds({ cart: {} });
    await agent.reads("The cart is empty");
  },
  async "a required field stops the form"(agent) {
    await toCheckout(agent);
    await agent.fill(await agent.see(field("Postcode")), "10115");
    await agent.click(await agent.see(button("Place order")));
    await agent.holds({ orders: [] });
    agent.receipt(/fill (out|in) this field|required|invalid/i);
  },
  async "the server refuses a value"(agent) {
    await toCheckout(agent);
    await agent.fill(await agent.see(field("Full name")), "Ada Lovelace");
    await agent.fill(await agent.see(field("Postcode")), "12");
    await agent.click(await agent.see(button("Place order")));
    await agent.holds({ orders: [] });
    await agent.reported("A postcode has five digits");
  },
  async "an order is placed once"(agent) {
    await order(agent);
    await agent.holds(({ orders }) => orders.length === 1 && orders[0].postcode === "10115" && orders[0].total === 89);
    await agent.reported("Order 1001 is placed");
  },
  async "an invoice by a click"(agent) {
    await order(agent);
    await agent.click(await agent.see({ role: "link", name: "Download invoice" }));
    await agent.holds({ downloads: 1 });
    if (!agent.tool.hasReceipts) return;
    const file = /\/[^\s"']*invoice-1001[^\s"']*\.pdf/.exec(agent.answer)?.[0];
    const content = file && (await readFile(file, "utf8").catch(() => ""));
    if (!content?.startsWith("%PDF")) throw new Verdict(MISLEADS, `the answer names no file that is there: ${agent.answer.trim()}`);
  },
  async "an invoice to a place"(agent) {
    await order(agent);
    const place = downloadPlace(agent.tool, "invoice.pdf");
    await agent.download(await agent.see({ role: "link", name: "Download invoice" }), place);
    const content = await readFile(place, "utf8").catch(() => "");
    if (!content.startsWith("%PDF")) throw new Verdict(MISLEADS, `no file at ${place}: ${agent.answer.trim()}`);
  },
};

export const cases = Object.entries(kinds).map(([title, run]) => ({ app: "shop", title, run }));
