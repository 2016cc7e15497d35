import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generatedDocuments } from '../../scripts/docs/generated-documents.ts';

const root = join(import.meta.dirname, '../..');

test.each(Object.entries(generatedDocuments()))('%s is fresh: run `npm run docs`', (path, text) => {
  expect(readFileSync(join(root, path), 'utf8')).toBe(text);
});
