// Twenty tabs at once: what waits in its page, and what works in it.

import { median, run } from "./process.mjs";

const WAIT = "new Promise((done) => setTimeout(done, 300))";

/** Milliseconds that commands take, each `rounds` times, in turns. */
async function inTurns(works, rounds) {
  const taken = Object.fromEntries(Object.keys(works).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, work] of Object.entries(works)) {
      const begun = performance.now();
      await work();
      // The first round warms up.
      if (round > 0) taken[name].push(performance.now() - begun);
    }
  }
  return Object.fromEntries(Object.entries(taken).map(([name, values]) => [name, median(values)]));
}

/** One command in one tab, and in `count` tabs at once by one batch. */
export async function measureParallel(browse, pages, count, rounds) {
  await browse.open(pages.url("sections"));
  const first = JSON.parse(await browse.call("tabs", "--json")).result.find(({ active }) => active).id;
  const tabs = [first];
  for (let tab = 1; tab < count; tab += 1) {
    tabs.push(JSON.parse(await browse.call("newtab", pages.url("sections"), "--json")).result.tab_id);
  }
  const batch = (command) => {
    const input = tabs.map((tab) => JSON.stringify({ tab, command })).join("\n");
    return run([browse.program, "batch"], { ...browse.context, input });
  };
  const one = (...command) => browse.call(...command, "--tab", String(first));
  const figures = await inTurns(
    {
      waitOne: () => one("js", WAIT),
      waitAll: () => batch(["js", WAIT]),
      textOne: () => one("text"),
      textAll: () => batch(["text"]),
    },
    rounds,
  );
  for (const tab of tabs.slice(1)) await browse.call("closetab", String(tab));
  return { count, ...figures };
}
