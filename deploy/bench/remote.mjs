// `snapshot -i` from a remote machine: TLS, a token and the listener for paired
// agents, beside the same page on this machine.

import { inTurns } from "./hyperfine.mjs";
import { summary } from "./measure.mjs";

const NAME = "bench";
const RUNS = 20;

/** Milliseconds of a snapshot here and from a remote machine, in turns. */
export async function measureRemote(browse, pages, rounds) {
  const url = pages.url("form");
  const { host } = new URL(url);
  const paired = await browse.call("pair", "new", NAME, "--host", host, "--rate", "1000", "--json");
  const context = browse.context;
  try {
    await browse.call("redeem", JSON.parse(paired).result.link);
    await browse.open(url);
    await browse.call("--remote", NAME, "newtab", url);
    const options = { runs: RUNS, context };
    const argv = (...words) => [browse.program, ...words, "snapshot", "-i"];
    const times = await inTurns(
      [
        { name: "here", argv: argv(), options },
        { name: "remotely", argv: argv("--remote", NAME), options },
      ],
      rounds,
    );
    return { here: summary(times.here), remotely: summary(times.remotely) };
  } finally {
    await browse.call("pair", "revoke", NAME);
  }
}
