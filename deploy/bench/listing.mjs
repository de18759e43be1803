// `skill list` with fifty skills on the shelf: what is there is not read again
// for each listing.

import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { inTurns } from "./hyperfine.mjs";
import { summary } from "./measure.mjs";

const RUNS = 20;

/** How many skills of the project are listed. */
export const COUNT = 50;

const shelf = (project) => path.join(project, ".browse", "skills");

async function skill(project, name) {
  const folder = path.join(shelf(project), name);
  await mkdir(folder, { recursive: true });
  const manifest = `---\nname: ${name}\ndescription: One of many.\nhost: a.example\n---\n`;
  await writeFile(path.join(folder, "SKILL.md"), manifest);
  await writeFile(path.join(folder, "script.ts"), "");
}

/** Milliseconds of a listing, and of a command that does next to nothing, in turns. */
export async function measureListing(browse, rounds) {
  const { context, program } = browse;
  try {
    for (let number = 0; number < COUNT; number += 1) await skill(context.cwd, `bench-${number}`);
    const { result } = JSON.parse(await browse.call("skill", "list", "--source", "project", "--json"));
    if (result.length !== COUNT) throw new Error(`${result.length} skills are listed`);
    const options = { runs: RUNS, context };
    const times = await inTurns(
      [
        { name: "list", argv: [program, "skill", "list"], options },
        { name: "url", argv: [program, "url"], options },
      ],
      rounds,
    );
    return { list: summary(times.list), url: summary(times.url) };
  } finally {
    // What is measured next has a shelf without them.
    await rm(shelf(context.cwd), { recursive: true, force: true });
  }
}
