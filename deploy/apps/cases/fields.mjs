// Fields of the platform that tools miss: the body of a frame, EditContext,
// shadow trees.

const fields = {
  "body of a frame": ["frame", { role: "document|textbox|generic|", name: /^(Letter)?$/ }],
  "EditContext": ["editContext", { role: "textbox|generic|", name: "Drawing text" }],
  "open shadow tree": ["open", { role: "textbox", name: "Name in an open tree" }],
  "closed shadow tree": ["closed", { role: "textbox", name: "Name in a closed tree" }],
};

export const cases = Object.entries(fields).flatMap(([title, [key, field]]) => [
  {
    app: "fields",
    title: `fill twice: ${title}`,
    async run(agent) {
      await agent.open("fields");
      await agent.fill(await agent.see(field), "The first of two texts");
      await agent.holds({ [key]: "The first of two texts", title: "Untitled" });
      await agent.fill(await agent.see(field), "The second");
      await agent.holds({ [key]: "The second", title: "Untitled" });
      agent.receipt("The second");
    },
  },
  {
    app: "fields",
    title: `type at the end: ${title}`,
    async run(agent) {
      await agent.open("fields");
      await agent.click(await agent.see(field));
      await agent.press("End");
      await agent.type(" and more");
      await agent.holds({ [key]: "Old text and more", title: "Untitled" });
    },
  },
]);
