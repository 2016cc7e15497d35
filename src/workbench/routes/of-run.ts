import { z } from 'zod';

/** Which job of the folder a request is about: the path of its file, or of a bare list. */
export const OfJob = z.object({ job: z.string() });

/** `r7`, as every view calls a run, as its number. */
export const RunId = z
  .string()
  .regex(/^r\d{1,15}$/, 'a run is called r7')
  .transform((name) => Number(name.slice(1)));

/** Which run of a job: the newest where none is named. */
export const OfRun = OfJob.extend({ run: RunId.optional() });

/** A run that is named. */
export const OfNamedRun = OfJob.extend({ run: RunId });
