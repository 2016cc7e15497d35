import { isFull } from './redis-trouble.ts';

/** Each time some answers give way. A Redis that has no room then is filled by others. */
const mostTimes = 5;

/** Does something in Redis; where its memory is full, answers that a run has stored give way first. */
export async function makingRoom<Result>(
  work: () => Promise<Result>,
  relieve: () => Promise<void>,
): Promise<Result> {
  for (let times = 0; ; times += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isFull(error) || times === mostTimes) throw error;
      await relieve();
    }
  }
}
