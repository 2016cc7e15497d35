import type { FastifyInstance } from 'fastify';
import { scanFolder } from '../../overview/jobs/scan-folder.ts';

/** A job or a list of the folder. */
export interface ListCard {
  /** Its path from the folder. */
  readonly path: string;
  readonly kind: 'job' | 'list';
}

export function addListRoutes(api: FastifyInstance): void {
  api.get('/lists', (): ListCard[] => {
    const { jobs, lists } = scanFolder(process.cwd());
    return [
      ...jobs.map((path) => ({ path, kind: 'job' as const })),
      ...lists.map((path) => ({ path, kind: 'list' as const })),
    ];
  });
}
