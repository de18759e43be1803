// The skills of the mock daemon: what changed in them, and trust by hash.

import { SKILLS } from './data.mjs';

const OLD = 'a'.repeat(64);

/** A file that differs; `lines` are those of its hunks. */
export function fileData(path, change, lines, part = {}) {
  return { path, change, binary: false, note: '', lines, ...part };
}

const FILES = [
  fileData('_lib/browse.ts', 'removed', ['@@ -1,2 +0,0 @@', '-// The SDK.', '-export {};']),
  fileData('logo.png', 'added', [], { binary: true, note: `not text: 5000 bytes, SHA-256 ${'c'.repeat(64)}` }),
  fileData('run', 'changed', [], { note: 'executable' }),
  fileData('script.ts', 'changed', [
    '@@ -1,3 +1,4 @@',
    " import { skill } from './_lib/browse.ts';",
    "-const HOST = 'shop.example.com';",
    "+const HOST = 'evil.example';",
    '+--- not a header',
    '\\ No newline at end of file',
  ]),
];

export class MockSkills {
  constructor() {
    this.all = structuredClone(SKILLS);
    /** By name: the files that differ and the hash of the content. */
    this.changes = {
      'hackernews-frontpage': { files: structuredClone(FILES), hash: 'b'.repeat(64) },
    };
  }

  has(method) {
    return ['SkillService/DiffSkill', 'SkillService/TrustSkill'].includes(method);
  }

  /** Makes it a skill that was trusted with other files. */
  change(name, files = structuredClone(FILES), hash = 'd'.repeat(64)) {
    this.#find(name).trust = 'changed';
    this.changes[name] = { files, hash };
  }

  answer(method, { name, source, hash }) {
    const skill = this.#find(name);
    const change = this.changes[name] ?? { files: [], hash: OLD };
    if (method === 'SkillService/DiffSkill') return { answer: diffData(skill, change) };
    if (hash !== undefined && hash !== change.hash)
      return {
        error: [
          'failed_precondition',
          'SKILL_HASH_MISMATCH',
          `the files of the skill \`${name}\` do not have the hash \`${hash}\``,
          `Run \`browse skill diff ${name}\`, then trust the hash that it prints`,
        ],
      };
    skill.trust = 'trusted';
    delete this.changes[name];
    return { answer: { name, tier: source, hash: change.hash } };
  }

  #find(name) {
    return this.all.find((skill) => skill.name === name);
  }
}

/** What the daemon answers: one text, and where the hunks of each file stand in it. */
function diffData({ name, tier, trust }, { files, hash }) {
  const text = [];
  const placed = files.map(({ lines, ...file }) => {
    text.push(`${file.change} ${file.path}`);
    if (lines.length > 0) text.push(`--- trusted/${file.path}`, `+++ current/${file.path}`);
    const line = lines.length > 0 ? text.length + 1 : 0;
    text.push(...lines);
    return { ...file, line, lines: lines.length };
  });
  return {
    name,
    tier,
    trust: trust === 'asks' ? 'untrusted' : trust,
    hash,
    trusted_hash: trust === 'changed' ? OLD : '',
    diff: text.map((line) => `${line}\n`).join(''),
    files: placed,
  };
}
