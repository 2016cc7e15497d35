import { expect, test } from 'vitest';
import { pathOfRun } from '../../src/job/places/resolve-places.ts';

const startedAt = new Date('2026-08-22T23:30:00+02:00');
const run = { id: 'r7', job: 'leads', startedAt, isTry: false };

test('date, run and job are filled in wherever they stand', () => {
  expect(pathOfRun('/out/{date}/{run}/{date}', run)).toBe('/out/2026-08-22/r7/2026-08-22');
  expect(pathOfRun('s3://bucket/{job}/{run}', run)).toBe('s3://bucket/leads/r7');
});

test('a path without them is the same for every run', () => {
  expect(pathOfRun('/out/leads', run)).toBe('/out/leads');
});

test('a try of the first rows has a folder of its own', () => {
  expect(pathOfRun('/out/{run}', { ...run, isTry: true })).toBe('/out/r7/try');
});
