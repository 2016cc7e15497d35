import { json } from 'node:stream/consumers';
import { DossierError } from '../../errors.ts';
import { sampleList } from '../../overview/lists/sample-list.ts';
import { listAddress } from '../../runtime/files/local-path.ts';
import type { AskedSample } from './take-sample.ts';

/*
 * A process of its own that reads the beginning of a list for the server. What to read comes through standard
 * input, since everybody on the machine sees the words of a process; it prints the sample or what is wrong with
 * the list.
 */
const { path, form, limits } = (await json(process.stdin)) as AskedSample;
try {
  const sample = await sampleList(listAddress(path, limits) ?? path, form);
  process.stdout.write(JSON.stringify({ sample }));
} catch (error) {
  if (!(error instanceof DossierError)) throw error;
  process.stdout.write(JSON.stringify({ code: error.code, message: error.message }));
}
