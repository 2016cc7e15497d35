import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose tests start processes and wait for them. */
const slow = ['faults', 'journeys', 'cli', 'service', 'guards', 'report'];

/**
 * Begins with the files that take longest, so that no worker is still busy when the others are done.
 * Vitest knows how long a file took only where it has run before, which in a fresh clone is nowhere.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const index = slow.findIndex((folder) => moduleId.includes(`/test/${folder}/`));
  return index < 0 ? slow.length : index;
}
