import type { ChangingWorld } from './world.ts';

/** What happens on a night, and how it has to end. */
export interface Night {
  /** What somebody has done to the list. */
  readonly list?: (world: ChangingWorld) => void;
  /** `some fail`: every second call that is due. */
  readonly trouble?:
    | 'down'
    | 'key revoked'
    | 'emptied'
    | 'some fail'
    | 'budget of 5'
    | 'killed twice';
  /** A person publishes the result that was held. */
  readonly isAccepted?: boolean;
  readonly exitCode: number;
}

const restoreAndCorrect = (world: ChangingWorld) => {
  world.restore();
  world.correct();
};

/** The thirty nights. Answers of the first night expire on the twelfth, and those of that one on the 24th. */
export const nights: readonly Night[] = [
  { list: (world) => world.add(28), exitCode: 0 },
  { exitCode: 0 },
  { list: (world) => world.reorder(), exitCode: 0 },
  { list: (world) => world.add(4), exitCode: 0 },
  { list: (world) => world.remove(3), exitCode: 0 },
  { list: restoreAndCorrect, exitCode: 0 },
  { list: (world) => world.add(6), trouble: 'down', exitCode: 69 },
  { exitCode: 0 },
  { list: (world) => world.add(8), trouble: 'budget of 5', exitCode: 75 },
  { list: (world) => world.remove(2), exitCode: 0 },
  { list: (world) => world.add(2), trouble: 'key revoked', exitCode: 77 },
  { trouble: 'emptied', exitCode: 4 },
  { exitCode: 0 },
  { list: (world) => world.reorder(), exitCode: 0 },
  { list: (world) => world.add(4), trouble: 'some fail', exitCode: 3 },
  { exitCode: 0 },
  { list: (world) => world.add(6), trouble: 'killed twice', exitCode: 0 },
  { list: restoreAndCorrect, exitCode: 0 },
  { list: (world) => world.remove(4), exitCode: 0 },
  { list: (world) => world.add(6), trouble: 'down', exitCode: 69 },
  { list: (world) => world.add(6), trouble: 'down', exitCode: 69 },
  { list: (world) => world.remove(6), exitCode: 0 },
  { exitCode: 0 },
  { trouble: 'emptied', isAccepted: true, exitCode: 4 },
  { exitCode: 0 },
  { list: (world) => world.correct(), exitCode: 0 },
  { list: (world) => world.add(8), trouble: 'budget of 5', exitCode: 75 },
  { trouble: 'killed twice', exitCode: 0 },
  { list: (world) => world.reorder(), exitCode: 0 },
  { exitCode: 0 },
];
