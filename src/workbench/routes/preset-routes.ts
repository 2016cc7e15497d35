import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ColumnPreset } from '../api/rows.ts';
import { putOwnPreset, readOwnPresets } from '../presets/own-presets.ts';

const Put = z.object({
  label: z.string().trim().min(1).max(60),
  columns: z.array(z.string().max(1_000)).min(1).max(2_000),
});

/** Columns that the user keeps under a name, for every list of the folder. */
export function addPresetRoutes(api: FastifyInstance): void {
  api.get('/presets', async (): Promise<readonly ColumnPreset[]> => await readOwnPresets());
  api.put('/presets', async (request): Promise<ColumnPreset> => {
    const { label, columns } = Put.parse(request.body);
    return await putOwnPreset(label, columns);
  });
}
