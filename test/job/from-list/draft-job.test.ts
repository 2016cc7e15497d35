import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  changeIdentify,
  changeJobText,
  draftJob,
  type JobDraft,
  withoutFindings,
} from '../../../src/job/from-list/draft-job.ts';
import type { Job } from '../../../src/job/job-schema.ts';
import { loadJob, parseJob } from '../../../src/job/load-job.ts';
import { anyText } from '../../support/any-text.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const draft: JobDraft = {
  name: 'leads',
  inputPath: 'leads.csv',
  form: {},
  hasHeader: true,
  rowsSeen: 50,
  facts: [
    {
      column: 'Website',
      filled: 50,
      repeated: 0,
      identifiers: 0,
      share: 0.98,
      samples: ['acme.com'],
    },
  ],
  isSure: true,
  key: undefined,
  columns: {
    identify: [{ index: 0, column: 'Website', as: 'fqdn', share: 0.98 }],
    country: undefined,
  },
};

const env = { DOSSIER_URL: 'https://api.example.com' };

function load(changes: Partial<JobDraft>): Job {
  using folder = temporaryFolder();
  const path = join(folder.path, 'draft.yaml');
  writeFileSync(path, draftJob({ ...draft, ...changes }));
  return loadJob(path, env).job;
}

test('a draft names the key of the rows, or says how to set one', () => {
  expect(load({ key: 'Record: ID' }).input.key).toEqual(['Record: ID']);
  expect(load({}).input.key).toBeUndefined();
  expect(draftJob(draft)).toContain('The row_key is a hash of the identifiers');
  const uncommented = draftJob(draft).replace('# key: crm_id', 'key: crm_id');
  expect(uncommented).toMatch(/^ {2}key: crm_id$/m);
});

test('the settings for nightly runs in a draft load once they are uncommented', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'draft.yaml');
  const text = draftJob(draft).replaceAll(/^( *)# (price|notify|ledger): /gm, '$1$2: ');
  writeFileSync(path, text);
  const { job } = loadJob(path, { ...env, SLACK_WEBHOOK: 'https://chat.example.com/x' });
  expect(job).toMatchObject({
    service: { price: { currency: 'AUD' } },
    expect: { rowsDrop: { text: '<= 20%' } },
    notify: { on: ['failed', 'expectation'] },
    ledger: { path: 'ledger.db', mustExist: true },
  });
});

test.each([
  'Company: website',
  '# of employees',
  '- dash',
  'null',
  '0123',
  "it's",
  `\${HOME}`,
  '$$',
  '*star',
  'tab\tin',
  'two\nlines',
  ' spaces ',
  'a #b',
  '~',
  'Ünïcödé 株式会社 🏢',
  '\u0085\u2028',
  '\u0007',
])('a column called %j keeps its name', (column) => {
  const identify = [{ index: 0, column, as: 'auto' as const, share: 1 }];
  const job = load({
    columns: { identify, country: { index: 1, column, share: 1 } },
    facts: [{ column, filled: 1, repeated: 0, identifiers: 0, share: 1, samples: [column] }],
    inputPath: column,
  });
  expect(job.identify).toEqual([{ column, as: 'auto' }]);
  expect(job.country).toEqual({ column, default: 'AU' });
  expect(job.input.path).toBe(column);
});

const piece = fc.constantFrom(
  ...[
    '\n',
    '\r\n',
    '\r',
    '\t',
    ' ',
    '  ',
    ': ',
    ' #',
    '"',
    "'",
    '\\',
    '$',
    '%',
    '|',
    '>',
    '- ',
    '{',
    ']',
  ],
  ...[
    'Website of the company',
    'please fill in',
    '株式会社',
    '\u0085',
    '\u2028',
    '\ufeff',
    '---',
    '...',
  ],
);
const header = fc
  .array(fc.oneof(piece, anyText(6)), { minLength: 1, maxLength: 12 })
  .map((pieces) => pieces.join(''))
  .filter((text) => text.trim() !== '');

test('any header makes a draft that loads with that header, also after a change on the page', () => {
  const load = (text: string) => parseJob('draft.yaml', text, env).job;
  fc.assert(
    fc.property(header, (column) => {
      const identify = [{ index: 0, column, as: 'auto' as const, share: 1 }];
      const country = { index: 1, column, share: 1 };
      const facts = draft.facts.map((one) => ({ ...one, column, samples: [column] }));
      const text = draftJob({ ...draft, columns: { identify, country }, facts, key: column });
      const job = load(text);
      expect(job.identify).toEqual([{ column, as: 'auto' }]);
      expect(job.country).toMatchObject({ column });
      expect(job.input.key).toEqual([column]);
      const changed = changeIdentify(withoutFindings(text), [{ column, as: 'fqdn' }]);
      expect(load(changed).identify).toEqual([{ column, as: 'fqdn' }]);
      const other = changeIdentify(draftJob(draft), [{ column, as: 'abn' }]);
      expect(load(other).identify).toEqual([{ column, as: 'abn' }]);
      const moved = changeJobText(other, [{ path: ['input', 'key'], value: column }]);
      expect(load(moved).input.key).toEqual([column]);
      expect(load(changeJobText(moved, [])).identify).toEqual([{ column, as: 'abn' }]);
    }),
    { numRuns: 60 },
  );
});

test('a draft for another reading of the list drops its notes about the list', () => {
  const text = draftJob(draft);
  const left = withoutFindings(text);
  expect(left).not.toMatch(/Contents of the columns|are identifiers/);
  expect(left).toContain('file with `dossier plan`');
  const byHand = '# What we pay\nname: leads\nidentify:\n  - column: Website # the best\n';
  expect(withoutFindings(byHand)).toBe(byHand);
});
