import { join } from 'node:path';

export const dossierMain = join(import.meta.dirname, '../../src/main.ts');

export const benchKey = 'key-of-the-bench';

/** For `startServer`. */
export const fastService = join(import.meta.dirname, '../run/fast-service.ts');
