import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Manifest } from '../../src/results/manifest.ts';

export function manifestIn(folder: string): Manifest {
  return Manifest.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
}
