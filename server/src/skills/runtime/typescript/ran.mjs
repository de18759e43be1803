// A reporter beside the usual one: fails when no test ran. To `node --test` a
// file without tests is one that passed, with its path for a name.
import path from 'node:path';

export default async function* (events) {
  let ran = 0;
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const isTest = path.resolve(data.name) !== data.file && data.details?.type !== 'suite';
    if (isTest && data.skip === undefined && data.todo === undefined) ran += 1;
  }
  if (ran === 0) {
    process.exitCode = 1;
    yield 'error: no test ran\n';
  }
}
