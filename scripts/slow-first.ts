import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests in these folders start processes or browsers and wait for them, or run whole jobs. */
const slowFolder = /\/test\/(?:browser|cli|faults|guards|journeys|run|scripts|service|ui)\//;

/**
 * Starts the slowest files first, so that all workers end at about the same time. Vitest itself knows
 * durations only from earlier runs, which a fresh clone does not have.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => slowFolder.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
