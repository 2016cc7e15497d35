import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Call, CallResult } from '../../../src/core/contract/call.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { Manifest } from '../../../src/results/manifest.ts';
import { runJob } from '../../../src/run/run-job.ts';
import { createReporter } from '../../../src/ui/report/report-sink.ts';
import { hitOf, invalid, miss } from '../../support/answers.ts';
import { manifestIn } from '../../support/manifest-in.ts';
import { testJob, wholeList } from '../../support/test-job.ts';

/** Texts that would do something in a page that takes them for more than text. */
export const hostileTexts = [
  '</script><script>globalThis.pwned = 1</script>',
  '<img src=x onerror="globalThis.pwned = 2">',
  '"><svg onload="globalThis.pwned = 3">',
  '<!--<script>',
  "javascript:globalThis.pwned='4'",
  '__proto__',
  '\u2028\u202e{{constructor.constructor("globalThis.pwned = 5")()}}',
  '<style>*{display:none!important}</style>',
];

/** Runs a job over a list and a service that are full of them; report.html is in the folder. */
export async function runOverHostileNames(folder: string): Promise<Manifest> {
  const path = join(folder, 'leads.csv');
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const sites = hostileTexts.flatMap((_, index) => [
    `found${index}.com.au`,
    `absent${index}.com.au`,
    `other${index}.com.au`,
    `refused${index}.com.au`,
    'not a domain <b>at all</b>',
  ]);
  const lines = sites.map((site, index) =>
    [quoted(hostileTexts[index % hostileTexts.length] ?? ''), quoted(site)].join(','),
  );
  writeFileSync(path, ['company,website', ...lines].join('\n'));
  const search = { seniority: '3', department: '2', position: undefined };
  await runJob(
    testJob({
      name: 'hostile',
      identify: [{ column: 'website', as: 'fqdn' }],
      input: { path, ...wholeList },
      people: { searches: [search], pageSize: 9, maxPerCompany: 9 },
      output: { ...testJob().output, path: folder },
      ledger: join(folder, 'ledger.db'),
    }),
    {
      openClient: async () => ({
        send: async (call: Call) => answer(call),
        stop: () => {},
        [Symbol.asyncDispose]: async () => {},
      }),
      createReport: createReporter().createReport,
      clock: systemClock,
      version: '0.0.0',
      signal: new AbortController().signal,
      observer: { onIngest() {}, onStart() {}, onProgress() {}, onExport() {} },
    },
  );
  return manifestIn(folder);
}

function answer(call: Call): CallResult {
  if (call.operation === 'people') {
    const text = hostileTexts[Number(call.companyId.slice(2))] ?? '';
    return hitOf([{ person_id: `p ${text}`, position: text, has_email: true, extra: text }]);
  }
  const [, word, digits] = /^([a-z]+)(\d+)/.exec(call.identifier.value) ?? [];
  const text = hostileTexts[Number(digits)] ?? '';
  if (word === 'absent') return miss;
  if (word === 'refused') return invalid(text);
  const id = `c_${digits}`;
  // Those called other carry another domain than was asked for.
  const fqdn = word === 'other' ? 'elsewhere.com.au' : call.identifier.value;
  const company = { id, name: text, fqdn, hq_country: text, industries: [text], [text]: text };
  return hitOf(company, id);
}
