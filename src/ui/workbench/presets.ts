import { mkdir, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { outputTrouble, writeFileAtomically } from '../../core/runtime/files/atomic-file.ts';
import type { ColumnPreset } from './api/rows.ts';
import { inTurn } from './find-job.ts';

/** Columns saved under a name for every list of the folder, as `.dossier/presets.json` holds them. */
const OwnPresets = z.array(
  z.object({ name: z.string(), label: z.string(), columns: z.array(z.string()).min(1) }),
);

const Put = z.object({
  label: z.string().trim().min(1).max(60),
  columns: z.array(z.string().max(1_000)).min(1).max(2_000),
});

const path = join('.dossier', 'presets.json');

export function addPresetRoutes(api: FastifyInstance): void {
  const writeInTurn = inTurn();
  api.get('/presets', async (): Promise<readonly ColumnPreset[]> => (await readPresets()) ?? []);
  api.put('/presets', (request): Promise<ColumnPreset> => {
    const { label, columns } = Put.parse(request.body);
    return writeInTurn(() => putPreset({ name: nameOf(label), label, columns }));
  });
}

/** Undefined if there is no such file, or it is damaged. */
async function readPresets(): Promise<readonly ColumnPreset[] | undefined> {
  try {
    return OwnPresets.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** A preset of the same name is replaced. */
async function putPreset(preset: ColumnPreset): Promise<ColumnPreset> {
  const known = await readPresets();
  const others = known?.filter(({ name }) => name !== preset.name) ?? [];
  try {
    await mkdir(dirname(path), { recursive: true });
    // A damaged file may still be repaired by hand.
    if (!known) await rename(path, `${path}.damaged`).catch(() => {});
    await writeFileAtomically(path, `${JSON.stringify([...others, preset], undefined, 2)}\n`);
  } catch (error) {
    throw outputTrouble(path, error);
  }
  return preset;
}

/** `For sales → own-for-sales`: apart from the presets that Dossier brings. */
function nameOf(label: string): string {
  const words = label
    .normalize('NFKD')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return `own-${words?.join('-') ?? 'columns'}`;
}
