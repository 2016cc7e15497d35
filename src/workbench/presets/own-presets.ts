import { mkdir, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { outputTrouble, writeFileAtomically } from '../../runtime/files/atomic-file.ts';
import type { ColumnPreset } from '../api/rows.ts';

/** Columns that were chosen in the page and kept under a name, as `.dossier/presets.json` holds them. */
const OwnPresets = z.array(
  z.object({ name: z.string(), label: z.string(), columns: z.array(z.string()).min(1) }),
);

const pathFromFolder = join('.dossier', 'presets.json');

/** Those of the working directory; none where there is no file of them, or it is damaged. */
export async function readOwnPresets(): Promise<readonly ColumnPreset[]> {
  return (await readFileOfPresets()) ?? [];
}

/** Undefined where there is no such file, or nobody could read it. */
async function readFileOfPresets(): Promise<readonly ColumnPreset[] | undefined> {
  try {
    return OwnPresets.parse(JSON.parse(await readFile(pathFromFolder, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Keeps columns under a label; one of the same name is replaced. */
export async function putOwnPreset(
  label: string,
  columns: readonly string[],
): Promise<ColumnPreset> {
  const preset = { name: nameOf(label), label, columns };
  const known = await readFileOfPresets();
  const others = known?.filter(({ name }) => name !== preset.name) ?? [];
  try {
    await mkdir(dirname(pathFromFolder), { recursive: true });
    // A damaged file may still be mended by hand.
    if (!known) await rename(pathFromFolder, `${pathFromFolder}.damaged`).catch(() => {});
    await writeFileAtomically(
      pathFromFolder,
      `${JSON.stringify([...others, preset], undefined, 2)}\n`,
    );
  } catch (error) {
    throw outputTrouble(pathFromFolder, error);
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
