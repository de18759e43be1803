// Checks the modules of a skill as node takes them, and has node keep what it
// made of them: strips the types of all files, then links the entries. Prints
// what is wrong first, as JSON, or `{}`.
//
// Of errors that V8 finds when it compiles a module only node's own report has
// the place. So such an error is thrown again: it stands on standard error.
import fs from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [folder, files, entries] = JSON.parse(process.argv[1]);
// Node's errors name real paths.
const root = fs.realpathSync(folder);

let uncaught;

// The first line of the trace of a syntax error is its place: `file:line`.
function problem(error, file) {
  const first = String(error?.stack ?? '').split('\n', 1)[0];
  const place = /^(.*):(\d+)$/.exec(first);
  if (place?.[1]?.startsWith('file:')) file = path.relative(root, fileURLToPath(place[1]));
  else if (place?.[1]?.startsWith('/')) file = path.relative(root, place[1]);
  return { file, line: place ? Number(place[2]) : undefined, code: error?.code ?? error?.name, text: String(error?.message ?? error) };
}

function strip() {
  for (const file of files) {
    try {
      stripTypeScriptTypes(fs.readFileSync(path.join(root, file), 'utf8'));
    } catch (error) {
      return problem(error, file);
    }
  }
  return undefined;
}

// The relative import of a module that is not there, and who imports it.
function missing(error) {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND' || !error.url?.startsWith('file:')) return undefined;
  const wanted = fileURLToPath(error.url);
  const importer = / imported from (.*)$/.exec(error.message)?.[1];
  if (!importer?.startsWith(root + path.sep)) return undefined;
  const source = wanted.replace(/\.([cm]?)js$/, '.$1ts');
  const found = source !== wanted && fs.existsSync(source);
  const shown = (file) => path.relative(path.dirname(importer), file).replace(/^(?!\.)/, './');
  const name = path.basename(wanted);
  const line = fs.readFileSync(importer, 'utf8').split('\n').findIndex((text) => text.includes(name)) + 1;
  return {
    file: path.relative(root, importer),
    line: line || undefined,
    code: error.code,
    text: shown(wanted),
    instead: found ? shown(source) : undefined,
  };
}

const data = (code) => `data:text/javascript,${encodeURIComponent(code)}`;

// All modules of a graph are loaded and linked before the first of them is
// evaluated: that is one that throws, so none of the skill's is.
async function link() {
  const guard = data('throw "guard"');
  const urls = [guard, ...entries.map((entry) => pathToFileURL(path.join(root, entry)).href)];
  try {
    await import(data(urls.map((url) => `import ${JSON.stringify(url)};`).join('\n')));
  } catch (error) {
    if (error === 'guard') return undefined;
    const unresolved = missing(error);
    if (unresolved !== undefined) return unresolved;
    if (!(error instanceof SyntaxError || error instanceof RangeError)) return undefined;
    const found = problem(error, entries[0]);
    if (found.line === undefined) uncaught = error;
    return found;
  }
  return undefined;
}

process.stdout.write(JSON.stringify(strip() ?? (await link()) ?? {}));
if (uncaught !== undefined) throw uncaught;
