import { expect, vi } from 'vitest';
import { slowFolder } from './slow-folder.ts';

// Journeys start real processes; other work on the machine makes them slow, not wrong. A test of
// functions that takes so long is.
if (slowFolder.test(expect.getState().testPath ?? '')) vi.setConfig({ testTimeout: 60_000 });
else vi.resetConfig();
