import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedDocuments } from './docs/generated-documents.ts';

for (const [path, text] of Object.entries(await generatedDocuments())) {
  writeFileSync(join(import.meta.dirname, '..', path), text);
  process.stdout.write(`wrote ${path}\n`);
}
