import { DossierError } from '../../errors.ts';
import { sampleList } from '../../overview/lists/sample-list.ts';

/*
 * A process of its own that reads the beginning of a list for the server: its words are the path and the
 * form of the list as JSON, and it prints the sample or what is wrong with the list.
 */
const [, , path = '', form = '{}'] = process.argv;
try {
  process.stdout.write(JSON.stringify({ sample: await sampleList(path, JSON.parse(form)) }));
} catch (error) {
  if (!(error instanceof DossierError)) throw error;
  process.stdout.write(JSON.stringify({ code: error.code, message: error.message }));
}
