import { join } from 'node:path';

/** The service as a program of its own, for `startServer`. */
export const fastService = join(import.meta.dirname, 'fast-service.ts');
