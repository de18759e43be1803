// Dates and choices: react-datepicker, flatpickr, react-select.

const kinds = {
  datepicker: {
    async "type a date"(agent) {
      await agent.open("datepicker");
      await agent.fill(await agent.see({ role: "textbox", name: "Arrival" }), "2026-06-01");
      await agent.holds({ arrival: "2026-06-01" });
      agent.receipt("2026-06-01");
    },
    async "pick a day"(agent) {
      await agent.open("datepicker");
      await agent.click(await agent.see({ role: "textbox", name: "Arrival" }));
      await agent.click(await agent.see({ role: "option|gridcell|button", name: /May 20/ }));
      await agent.holds({ arrival: "2026-05-20" });
      await agent.reported("2026-05-20");
    },
    async "pick a day of the next month"(agent) {
      await agent.open("datepicker");
      await agent.click(await agent.see({ role: "textbox", name: "Arrival" }));
      await agent.never(/\bunseen\b/);
      await agent.click(await agent.see({ role: "button", name: /next month/i }));
      await agent.click(await agent.see({ role: "option|gridcell|button", name: /June 8/ }));
      await agent.holds({ arrival: "2026-06-08" });
    },
    async "a number"(agent) {
      await agent.open("datepicker");
      await agent.fill(await agent.see({ role: "spinbutton", name: "Nights" }), "5");
      await agent.holds({ nights: "5" });
    },
  },
  flatpickr: {
    async "pick a day"(agent) {
      await agent.open("flatpickr");
      await agent.click(await agent.see({ role: "textbox", name: "Departure" }));
      await agent.click(await agent.see({ role: "option|gridcell|button|", name: /May 20/ }));
      await agent.holds({ departure: "2026-05-20" });
      await agent.reported("2026-05-20");
    },
    async "a field that is read only takes no text unnoticed"(agent) {
      await agent.open("flatpickr");
      const refused = await agent.refused(agent.fill(await agent.see({ role: "textbox", name: "Departure" }), "2026-07-01"));
      await agent.holds({ departure: refused ? "2026-05-14" : "2026-07-01" });
    },
    async "set the hour"(agent) {
      await agent.open("flatpickr");
      await agent.click(await agent.see({ role: "textbox", name: "Time" }));
      await agent.fill(await agent.see({ role: "spinbutton", name: "Hour" }), "14");
      await agent.press("Enter");
      await agent.holds({ time: "14:30" });
    },
  },
  select: {
    async "pick one"(agent) {
      await agent.open("select");
      await agent.reported("Red");
      await agent.click(await agent.see({ role: "combobox", name: /^Colour/ }));
      await agent.click(await agent.see({ role: "option", name: "Green" }));
      await agent.holds({ colour: "green" });
      await agent.reported("Green");
    },
    async "search and press Enter"(agent) {
      await agent.open("select");
      await agent.fill(await agent.see({ role: "combobox", name: "Tags" }), "Wo");
      await agent.press("Enter");
      await agent.holds({ tags: ["urgent", "work"] });
      await agent.reported("Work");
    },
    async "remove one"(agent) {
      await agent.open("select");
      await agent.click(await agent.see({ role: "button", name: "Remove Urgent" }));
      await agent.holds({ tags: [] });
    },
  },
};

export const cases = Object.entries(kinds).flatMap(([app, all]) =>
  Object.entries(all).map(([title, run]) => ({ app, title, run })),
);
