import type { FastifyInstance } from 'fastify';
import { scanFolder } from '../../overview/jobs/scan-folder.ts';
import type { ListCard } from '../api/lists.ts';

export function addListRoutes(api: FastifyInstance): void {
  api.get('/lists', (): ListCard[] => {
    const { jobs, lists } = scanFolder(process.cwd());
    return [
      ...jobs.map((path) => ({ path, kind: 'job' as const })),
      ...lists.map((path) => ({ path, kind: 'list' as const })),
    ];
  });
}
