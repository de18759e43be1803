// The walk of a remote agent, with the TypeScript SDK.

import { pathToFileURL } from 'node:url';

const [sdk, block, pin, url] = process.argv.slice(2);
const { BrowseError, redeem, remote } = await import(pathToFileURL(sdk).href);

async function reason(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof BrowseError) || !error.hint) throw error;
    return `${error.reason} ${error.retryable ? 'True' : 'False'}`;
  }
  return 'nothing';
}

console.log(await reason(() => redeem(block.replaceAll('pin-', 'pin-0'))));
console.log(await reason(() => redeem(block.replaceAll(pin, '0'.repeat(64)))));
console.log(await reason(() => remote('nobody')));
await redeem(block, { keep: 'ts' });
const browse = await remote('ts', { timeout: 100_000 });
await browse.newTab();
console.log((await browse.goto(url)).status);
const { tree } = await browse.snapshot({ interactive: true });
await browse.click(tree.split('\n').find((line) => line.includes('Press')).trim().split(/\s+/)[0]);
console.log((await browse.text()).includes('Pressed') ? 'True' : 'False');
const opened = await browse.batch(Array.from({ length: 20 }, () => ({ request: { '@type': 'NewTabRequest', url } })));
const texts = opened.map((step) => ({ tab: step.response.tabId, request: { '@type': 'TextRequest' } }));
const read = await browse.batch(texts);
console.log(read.filter((step) => step.response.text.includes('Hello')).length);
console.log(await reason(() => redeem(block)));
console.log('waiting');
console.log(await reason(() => browse.wait('#never')));
console.log(await reason(() => browse.text()));
