// Tables that are applications: ag-grid, jspreadsheet, swagger-ui.

const unmarked = "nothing visible is marked";

const kinds = {
  grid: {
    async "edit a cell"(agent) {
      await agent.open("grid");
      await agent.doubleClick(await agent.seeOrText({ role: "gridcell", name: "Oak stool" }, "Oak stool"));
      await agent.fill(await agent.see({ role: "textbox", name: /edit/i }), "Oak bench");
      await agent.press("Enter");
      await agent.holds(({ rows }) => rows[0].product === "Oak bench");
    },
    async "select a row"(agent) {
      await agent.open("grid");
      await agent.check(await agent.see({ role: "checkbox", name: /toggle row selection/, near: "Pine shelf" }));
      await agent.holds({ selected: ["Pine shelf"] });
    },
    async "sort by a column"(agent) {
      await agent.open("grid");
      await agent.click(await agent.seeOrText({ role: "columnheader", name: "Price" }, "Price"));
      await agent.holds(({ rows }) => rows[0].price === 75);
    },
    async [unmarked](agent) {
      await agent.open("grid");
      await agent.never(/\bunseen\b/);
    },
  },
  sheet: {
    async "edit a cell"(agent) {
      await agent.open("sheet");
      await agent.doubleClick(await agent.seeOrText({ role: "cell|gridcell|", name: "900" }, "900"));
      await agent.fill(await agent.see({ role: "textbox|spinbutton" }), "950");
      await agent.press("Enter");
      await agent.holds((rows) => rows[0][1] === "950");
    },
    async "type into a cell"(agent) {
      await agent.open("sheet");
      // Its cells take no focus: a double click opens one, as the tool's hint says.
      await agent.doubleClick(await agent.seeOrText({ role: "cell|gridcell|", name: "Books" }, "Books"));
      await agent.press("Control+a");
      await agent.type("Paper");
      await agent.press("Enter");
      await agent.holds((rows) => rows[2][0] === "Paper" && rows[1][0] === "Food");
    },
  },
  swagger: {
    async "try a request with a parameter"(agent) {
      await agent.open("swagger");
      await agent.click(await agent.see({ role: "button", name: /get .*pets\/.?\{id\}/i }));
      await agent.click(await agent.see({ role: "button", name: "Try it out" }));
      await agent.fill(await agent.see({ role: "textbox|spinbutton", name: /id/ }), "7");
      await agent.click(await agent.see({ role: "button", name: "Execute" }));
      await agent.holds((requests) => requests.length === 1 && requests[0].url === "/api/pets/7");
    },
    async "send a body"(agent) {
      await agent.open("swagger");
      await agent.click(await agent.see({ role: "button", name: /post .*pets/i }));
      await agent.click(await agent.see({ role: "button", name: "Try it out" }));
      await agent.fill(await agent.see({ role: "textbox" }), '{"name": "Bello"}');
      await agent.click(await agent.see({ role: "button", name: "Execute" }));
      await agent.holds((requests) => requests.length === 1 && requests[0].answer.includes("Bello"));
    },
    async [unmarked](agent) {
      await agent.open("swagger");
      await agent.never(/\bunseen\b/);
    },
  },
};

export const cases = Object.entries(kinds).flatMap(([app, all]) =>
  Object.entries(all).map(([title, run]) => ({ app, title, run, browseOnly: title === unmarked })),
);
