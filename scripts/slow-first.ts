import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { slowFolder } from './slow-folder.ts';

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
