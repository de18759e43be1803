// A form library, controlled inputs, masks, a router.

const field = (name, role = "textbox") => ({ role, name });
const values = (wanted) => ({ values: held }) => Object.entries(wanted).every(([key, value]) => held[key] === value);

const kinds = {
  form: {
    async "every kind of field, then send"(agent) {
      await agent.open("form");
      await agent.fill(await agent.see(field("Name")), "Grace Hopper");
      await agent.fill(await agent.see(field("Email")), "grace@example.com");
      await agent.select(await agent.see(field("Size", "combobox")), "Large");
      await agent.check(await agent.see(field("In the shop", "radio")));
      await agent.check(await agent.see(field("I accept the terms", "checkbox")));
      await agent.fill(await agent.see(field("Message")), "Two\nlines");
      await agent.click(await agent.see(field("Send order", "button")));
      await agent.holds(({ sent }) => sent.length === 1 && sent[0].name === "Grace Hopper" && sent[0].size === "l" &&
        sent[0].delivery === "shop" && sent[0].terms === true && sent[0].message === "Two\nlines");
      await agent.reported("Order 1 sent");
    },
    async "what is missing is reported"(agent) {
      await agent.open("form");
      await agent.fill(await agent.see(field("Email")), "nonsense");
      await agent.click(await agent.see(field("Send order", "button")));
      await agent.holds({ sent: [] });
      agent.receipt("Enter your name");
      await agent.reported("This is not an email address");
    },
    async "the page writes in capitals"(agent) {
      await agent.open("form");
      await agent.fill(await agent.see(field("Coupon")), "save10");
      await agent.holds(values({ coupon: "SAVE10" }));
      agent.receipt("SAVE10");
    },
    async "choose an option"(agent) {
      await agent.open("form");
      await agent.select(await agent.see(field("Size", "combobox")), "Small");
      await agent.holds(values({ size: "s" }));
      agent.receipt("Small");
    },
    async "set a date"(agent) {
      await agent.open("form");
      await agent.fill(await agent.see(field("Date", "textbox|date|generic|")), "2026-07-01");
      await agent.holds(values({ date: "2026-07-01" }));
      agent.receipt("2026-07-01");
    },
    async "set a colour"(agent) {
      await agent.open("form");
      await agent.fill(await agent.see(field("Colour", "textbox|colorwell|color|generic|")), "#ff8800");
      await agent.holds(values({ colour: "#ff8800" }));
    },
    async "set a slider"(agent) {
      await agent.open("form");
      await agent.fill(await agent.see(field("Amount", "slider")), "7");
      await agent.holds(values({ amount: 7 }));
      agent.receipt("7");
    },
  },
  masks: {
    async "phone"(agent) {
      await agent.open("masks");
      await agent.fill(await agent.see(field("Phone")), "301112233");
      await agent.holds({ phone: "+49 301 112233" });
      agent.receipt("+49 301 112233");
    },
    async "thousands"(agent) {
      await agent.open("masks");
      await agent.fill(await agent.see(field("Price")), "2500");
      await agent.holds(({ price }) => price.startsWith("2,500"));
      agent.receipt("2,500");
    },
    async "card, controlled"(agent) {
      await agent.open("masks");
      await agent.fill(await agent.see(field("Card number")), "4111111111111111");
      await agent.holds({ card: "4111111111111111" });
    },
    async "words that become chips"(agent) {
      await agent.open("masks");
      await agent.fill(await agent.see(field("Tags")), "red,green,");
      await agent.holds({ tags: ["red", "green"], word: "" });
    },
    async "half a chip"(agent) {
      await agent.open("masks");
      await agent.fill(await agent.see(field("Tags")), "red,gre");
      await agent.holds({ tags: ["red"], word: "gre" });
    },
  },
  router: {
    async "edit the second of three"(agent) {
      await agent.open("router/");
      await agent.click(await agent.see(field("People", "link")));
      await agent.holds({ path: "/router/people" });
      await agent.click(await agent.see({ role: "link", name: "Edit", near: "Alan Turing" }));
      await agent.holds({ path: "/router/people/1" });
      await agent.fill(await agent.see(field("Name")), "Konrad Zuse");
      await agent.click(await agent.see(field("Save", "button")));
      await agent.holds({ path: "/router/people", people: ["Ada Lovelace", "Konrad Zuse", "Grace Hopper"] });
    },
    async "back"(agent) {
      await agent.open("router/");
      await agent.click(await agent.see(field("People", "link")));
      await agent.back();
      await agent.holds({ path: "/router/" });
    },
  },
};

export const cases = Object.entries(kinds).flatMap(([app, all]) =>
  Object.entries(all).map(([title, run]) => ({ app, title, run })),
);
