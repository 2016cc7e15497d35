import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { exitCodes } from '../../src/core/errors/exit-codes.ts';

const root = join(import.meta.dirname, '../..');

export function readSource(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Killed from outside, for its memory or by force; not a code of ours, but platforms show it. */
export const killed = 137;

/** The codes of ours that ask to be started again like this. */
export function codesFor(again: 'soon' | 'next' | 'person'): number[] {
  return Object.entries(exitCodes)
    .filter(([, facts]) => facts.again === again)
    .map(([code]) => Number(code));
}

/** All codes after which starting at once is wrong; 0 and 3 are successes. */
export function notAtOnce(): number[] {
  const failures = [...codesFor('next'), ...codesFor('person')];
  return failures.filter((code) => ![0, 3].includes(code)).sort(byNumber);
}

export function byNumber(one: number, other: number): number {
  return one - other;
}

/** `dossier run … --json` in a text → `['--json']` */
export function flagsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => flag);
}

/** The documents of a manifest, as the YAML 1.1 of kubectl reads it: 0440 is octal. */
export function readManifest(path: string) {
  return parseAllDocuments(readSource(path), { version: '1.1' }).map((document) => document.toJS());
}

export function readCompose(path: string) {
  return parse(readSource(path), { merge: true });
}
