import { createHasher } from './checksums.ts';

/** What `hasherIn` opens in its thread. */
export const serve = createHasher;
