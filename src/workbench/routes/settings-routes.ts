import { mkdir, readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { outputTrouble, writeFileAtomically } from '../../runtime/files/atomic-file.ts';
import type { WorkbenchSettings } from '../api/settings.ts';

/**
 * In the folder and not in the browser, which forgets them when the page is served at another port, as it
 * is every time.
 */
const file = 'output/workbench.json';

const Settings = z.object({
  askAbove: z
    .object({ calls: z.number().min(0), money: z.number().min(0) })
    .default({ calls: 1_000, money: 100 }),
});

export function addSettingsRoutes(api: FastifyInstance): void {
  api.get('/settings', (): Promise<WorkbenchSettings> => readSettings());
  api.put('/settings', async (request): Promise<WorkbenchSettings> => {
    const settings = Settings.parse(request.body);
    const path = resolve(file);
    await mkdir(dirname(path), { recursive: true }).catch((error) => {
      throw outputTrouble(dirname(path), error);
    });
    await writeFileAtomically(path, `${JSON.stringify(settings, null, 2)}\n`);
    return settings;
  });
}

async function readSettings(): Promise<WorkbenchSettings> {
  try {
    return Settings.parse(JSON.parse(await readFile(resolve(file), 'utf8')));
  } catch {
    // Not there yet, or spoilt by hand: the defaults ask more often, never less.
    return Settings.parse({});
  }
}
