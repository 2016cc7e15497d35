import { json } from 'node:stream/consumers';
import { DossierError } from '../../../core/errors.ts';
import { listAddress } from '../../../core/runtime/files/local-path.ts';
import { describeList, inspectSample, sampleList } from '../../overview/lists.ts';
import { type ApartWork, withMissingCells } from './look-at-list.ts';

/*
 * A process that reads or inspects a list for the server. Its work comes through standard input, since every user of
 * the machine sees the arguments of a process. It prints the result, or what is wrong with the list.
 */
async function lookAt(work: ApartWork): Promise<unknown> {
  if ('inspect' in work) return inspectSample(withMissingCells(work.inspect));
  if ('describe' in work) {
    const [job, sample, columns] = work.describe;
    return describeList(job, withMissingCells(sample), columns);
  }
  return await sampleList(listAddress(work.path) ?? work.path, work.form);
}

try {
  const result = await lookAt((await json(process.stdin)) as ApartWork);
  process.stdout.write(JSON.stringify({ result }));
} catch (error) {
  if (!(error instanceof DossierError)) throw error;
  process.stdout.write(JSON.stringify({ code: error.code, message: error.message }));
}
