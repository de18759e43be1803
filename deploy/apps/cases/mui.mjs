// Material UI: widgets that draw themselves over inputs that nobody sees.

const open = (agent) => agent.open("mui");
const day21 = { role: "gridcell|button", name: /^(21|.*\b21(st|,).*)$/ };

const unmarked = "nothing visible is marked";

const kinds = {
  async "fill a text field"(agent) {
    await open(agent);
    await agent.fill(await agent.see({ role: "textbox", name: "Name" }), "Grace");
    await agent.holds({ name: "Grace" });
    agent.receipt("Grace");
  },
  async "fill two lines"(agent) {
    await open(agent);
    await agent.fill(await agent.see({ role: "textbox", name: "Notes" }), "One\nTwo");
    await agent.holds({ notes: "One\nTwo" });
  },
  async "pick from a select"(agent) {
    await open(agent);
    await agent.reported("Germany");
    await agent.click(await agent.see({ role: "combobox", name: /^Country/ }));
    await agent.click(await agent.see({ role: "option", name: "Netherlands" }));
    await agent.holds({ country: "nl" });
    await agent.reported("Netherlands");
  },
  async "turn a switch on and off"(agent) {
    await open(agent);
    await agent.check(await agent.see({ role: "switch|checkbox", name: "Email me" }));
    await agent.holds({ mail: true });
    await agent.uncheck(await agent.see({ role: "switch|checkbox", name: "Email me" }));
    await agent.holds({ mail: false });
  },
  async "check a box by a click"(agent) {
    await open(agent);
    await agent.click(await agent.see({ role: "checkbox", name: "I accept the terms" }));
    await agent.holds({ terms: true });
    agent.receipt(/checked/);
  },
  async "choose a radio button"(agent) {
    await open(agent);
    await agent.check(await agent.see({ role: "radio", name: "Team" }));
    await agent.holds({ plan: "team" });
  },
  async "set a slider"(agent) {
    await open(agent);
    await agent.fill(await agent.see({ role: "slider", name: "Volume" }), "60");
    await agent.holds({ volume: 60 });
    agent.receipt("60");
  },
  async "give four stars"(agent) {
    await open(agent);
    await agent.click(await agent.see({ role: "radio", name: "4 Stars" }));
    await agent.holds({ stars: 4 });
  },
  async "autocomplete"(agent) {
    await open(agent);
    await agent.fill(await agent.see({ role: "combobox", name: "City" }), "Ber");
    await agent.click(await agent.see({ role: "option", name: "Berlin" }));
    await agent.holds({ city: "Berlin" });
    await agent.reported("Berlin");
  },
  async "answer a dialog"(agent) {
    await open(agent);
    await agent.click(await agent.see({ role: "button", name: "Delete account" }));
    await agent.reported("Delete the account?");
    await agent.click(await agent.see({ role: "button", name: "Cancel" }));
    await agent.holds({ deleted: false });
    await agent.click(await agent.see({ role: "button", name: "Delete account" }));
    await agent.click(await agent.see({ role: "button", name: "Delete" }));
    await agent.holds({ deleted: true });
  },
  async "a message that comes"(agent) {
    await open(agent);
    await agent.click(await agent.see({ role: "button", name: "Save" }));
    await agent.holds({ saved: true });
    agent.receipt("Settings saved");
  },
  async "a date, by its parts"(agent) {
    await open(agent);
    await agent.fill(await agent.see({ role: "spinbutton", name: "Day" }), "21");
    await agent.holds({ birthday: "2024-03-21" });
  },
  async "a date, from the calendar"(agent) {
    await open(agent);
    await agent.click(await agent.see({ role: "button", name: /Choose date/i }));
    await agent.click(await agent.see(day21));
    await agent.holds({ birthday: "2024-03-21" });
  },
  async [unmarked](agent) {
    await open(agent);
    // The radio that stands for no star at all is drawn nowhere.
    await agent.never(/^(?!.*"Empty").*\bunseen\b/);
  },
};

export const cases = Object.entries(kinds).map(([title, run]) => ({ app: "mui", title, run, browseOnly: title === unmarked }));
