import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagePath } from '../../src/platform/package-path.ts';

const text = readFileSync(packagePath('package-lock.json'), 'utf8');
const { packages } = JSON.parse(text) as {
  readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
};
const installed = Object.entries(packages).filter(([path]) => path !== '');

test('every package is pinned by its content, also for other platforms', () => {
  expect(installed.length).toBeGreaterThan(200);
  const unpinned = installed.filter(([, { integrity = '' }]) => !/^sha512-\S+==$/.test(integrity));
  // A version that the registry lacks for some platform has none there; take one that it has for all.
  expect(unpinned.map(([path]) => path)).toEqual([]);
});

test('packages come from the registry that the machine has, so the lock names none', () => {
  expect(text).not.toContain('"resolved"');
  expect(text).not.toMatch(/https?:\/\/[^"]*\.tgz/);
});
