import { z } from 'zod';
import type { ShareFacts } from '../../share/view/share-facts.ts';

const count = (description: string) => z.int().nonnegative().describe(description);

const MemberJson = z.strictObject({
  kind: z.enum(['run', 'worker']).describe('A run, or `dossier worker`.'),
  job: z.string().nullable().describe('Name of its job; null for a worker without one.'),
  machine: z.string().describe('Name of the machine.'),
  pid: z.int().describe('Its process id on that machine.'),
  version: z.string().describe('Version of Dossier.'),
  since: z.iso.datetime().describe('When it began, by the clock of its machine.'),
  concurrency: count('Calls that it makes at once; 0 for a run that only waits.'),
});

/** What `status --share --json` prints. */
export const ShareJson = z
  .strictObject({
    service: z.string().describe('Address of the service.'),
    redis: z.string().describe('Where Redis is: host and port.'),
    at: z.iso.datetime().describe('When this was so, by the clock of Redis.'),
    calls: z.strictObject({
      waiting: count('Calls that no worker has taken yet.'),
      active: count('Calls that workers are making.'),
      delayed: count('Calls that wait for a worker of their version, or for room in Redis.'),
    }),
    workers: count('Members that make calls: workers, and runs that bring one.'),
    members: z.array(MemberJson).describe('Runs and workers that are there, the oldest first.'),
    rate: z.strictObject({
      allowed: z
        .number()
        .nullable()
        .describe('Requests a second that may leave, together; null where nothing limits them.'),
      used: z
        .number()
        .nullable()
        .describe('Requests that left in the last second; null where nothing limits them.'),
      loweredBy: z
        .enum(['other job', 'throttled', 'policy', 'quota'])
        .nullable()
        .describe(
          'Why less is allowed than somebody asks for: another asks for less, throttles of the service, the rate that it tells, or what is left of its quota; null where it is not.',
        ),
      asked: z.array(z.number()).describe('The rates that runs and workers ask for, lowest first.'),
    }),
    throttledUntil: z.iso
      .datetime()
      .nullable()
      .describe('No request leaves until then; null where requests may leave.'),
    stop: z
      .strictObject({
        code: z.string().describe('Code of the error, such as `KEY_REFUSED`.'),
        message: z.string().describe('What happened.'),
        machine: z.string().describe('Where it happened.'),
        at: z.iso.datetime().describe('When, by the clock of Redis.'),
      })
      .nullable()
      .describe('Why all runs were stopped within the last minute; null where they were not.'),
    answers: z.strictObject({
      count: count('Answers that Redis keeps for the runs.'),
      bytes: count('Their bytes, compressed.'),
    }),
  })
  .meta({ id: 'ShareJson' });
export type ShareJson = z.output<typeof ShareJson>;

/** What was seen, as `--json` and the text for people tell it. */
export function shareJson(
  { service, redis }: { readonly service: string; readonly redis: string },
  facts: ShareFacts,
): ShareJson {
  const { seenAt, calls, members, workers, rate, throttledUntil, stop, answers } = facts;
  return {
    ...{ service, redis, at: isoOf(seenAt), calls, workers },
    members: members.map(({ kind, job, machine, pid, version, startedAt, concurrency }) => ({
      ...{ kind, job: job ?? null, machine, pid, version, since: isoOf(startedAt), concurrency },
    })),
    rate: {
      allowed: rate.allowed ?? null,
      used: rate.used ?? null,
      loweredBy: rate.loweredBy ?? null,
      asked: [...rate.asked],
    },
    throttledUntil: throttledUntil === undefined ? null : isoOf(throttledUntil),
    stop: stop
      ? { code: stop.code, message: stop.message, machine: stop.machine, at: isoOf(stop.atMs) }
      : null,
    answers,
  };
}

function isoOf(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
