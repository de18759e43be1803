// Lists that are put in order by dragging: dnd-kit, SortableJS, hello-pangea.

const item = (name) => ({ role: "button|listitem|generic|", name });

export const cases = [
  {
    app: "dndkit",
    title: "drag the first below the third",
    async run(agent) {
      await agent.open("dndkit");
      await agent.drag(await agent.see(item("Write")), await agent.see(item("Test")));
      await agent.holds(["Review", "Test", "Write", "Release"]);
    },
  },
  {
    app: "sortable",
    title: "drag the first below the third",
    async run(agent) {
      await agent.open("sortable");
      await agent.drag(await agent.seeOrText(item("Autumn"), "Autumn"), await agent.seeOrText(item("Canyon"), "Canyon"));
      await agent.holds(["Bridge", "Canyon", "Autumn", "Desert"]);
    },
  },
  {
    app: "pangea",
    title: "drag a card to the other column",
    async run(agent) {
      await agent.open("pangea");
      await agent.drag(await agent.see(item("Search")), await agent.see(item("Logo")));
      await agent.holds(({ Open, Done }) => Open.length === 1 && Done.includes("Search") && Done.includes("Logo"));
    },
  },
  {
    app: "pangea",
    title: "drag within a column",
    async run(agent) {
      await agent.open("pangea");
      await agent.drag(await agent.see(item("Login page")), await agent.see(item("Search")));
      await agent.holds({ Open: ["Search", "Login page"], Done: ["Logo"] });
    },
  },
];
