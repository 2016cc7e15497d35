import { join } from 'node:path';

/** The path of the fast service, for `startServer`. */
export const fastService = join(import.meta.dirname, 'fast-service.ts');
