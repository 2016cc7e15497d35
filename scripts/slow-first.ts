import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests in these folders start processes and wait for them. */
const slowFolder = /\/test\/(?:cli|faults|guards|journeys|report|service)\//;

/**
 * Begins with the files that take longest, so that no worker is still busy when the others are done.
 * Vitest knows how long a file takes only where it has run before, which in a fresh clone is nowhere.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => slowFolder.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
