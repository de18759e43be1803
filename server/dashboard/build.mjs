// Bundles src/ into dist/: index.html, app.js, app.css and terminal.js, the same bytes for the same input.

import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));
const out = join(root, 'dist');

await mkdir(out, { recursive: true });
for (const name of await readdir(out)) if (name !== '.gitignore') await rm(join(out, name), { recursive: true });
const options = {
  absWorkingDir: root,
  outdir: out,
  bundle: true,
  minify: true,
  target: ['chrome123', 'firefox120', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  charset: 'utf8',
  legalComments: 'none',
  sourcemap: false,
  logLevel: 'warning',
};
await build({ ...options, entryPoints: { app: 'src/main.tsx' }, format: 'iife' });
// The screen of a terminal, which the page imports when one starts.
await build({ ...options, entryPoints: { terminal: 'src/terminal/screen.ts' }, format: 'esm' });
await copyFile(join(root, 'src/index.html'), join(out, 'index.html'));
