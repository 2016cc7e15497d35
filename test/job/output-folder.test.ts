import { expect, test } from 'vitest';
import { outputFolder } from '../../src/job/output-folder.ts';

const run = { id: 'r7', startedAt: new Date('2026-08-22T23:30:00+02:00'), isTry: false };

test('date and run are filled in wherever they stand', () => {
  expect(outputFolder('/out/{date}/{run}/{date}', run)).toBe('/out/2026-08-22/r7/2026-08-22');
});

test('a path without them is the same for every run', () => {
  expect(outputFolder('/out/leads', run)).toBe('/out/leads');
});

test('a try of the first rows has a folder of its own', () => {
  expect(outputFolder('/out/{run}', { ...run, isTry: true })).toBe('/out/r7/try');
});
