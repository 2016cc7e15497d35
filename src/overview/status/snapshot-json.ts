import { z } from 'zod';

const count = (about: string) => z.int().nonnegative().describe(about);

/** The snapshots of a ledger, as `status` and `ledger info` tell them with --json. */
export const SnapshotJson = z
  .strictObject({
    address: z.string().describe('`ledger.snapshot` of the job.'),
    storedAt: z.iso.datetime().nullable().describe('When it was stored; null before the first.'),
    ageSeconds: z.int().nullable().describe('How long ago that was.'),
    answers: z.int().nullable().describe('Answers in it.'),
    object: z.string().nullable().describe('The object that it is, compressed with zstd.'),
    bytes: z.int().nullable().describe('Size of the object.'),
    holder: z
      .strictObject({
        job: z.string().describe('What the lease was taken for: a job, or a command.'),
        host: z.string().describe('Name of the machine.'),
        pid: z.int().describe('Its process id on that machine.'),
        since: z.iso.datetime().describe('When it was taken, by the clock of that machine.'),
      })
      .nullable()
      .describe('Who uses the ledger; null where nobody does.'),
    here: z
      .enum(['current', 'other', 'missing'])
      .nullable()
      .describe(
        'The ledger of this machine: that of the snapshot, another one, or none; null where the store could not be asked.',
      ),
    callsAtRisk: count('Answers of the ledger of this machine that are in no snapshot.'),
    trouble: z.string().nullable().describe('Why the store could not be asked.'),
  })
  .meta({ id: 'SnapshotJson' });
