import { expect, test } from 'vitest';
import { draftJob, redraftFindings, tellsFindings } from '../../../src/job/from-list/draft-job.ts';

const of = (column: string, share: number) => ({
  ...{ hasHeader: true, rowsSeen: 10, key: undefined, isSure: true },
  facts: [{ column, filled: 10, share, samples: ['acme.com.au'] }],
  columns: { identify: [{ column, index: 0, as: 'fqdn' as const, share }] },
});
const draft = (findings: ReturnType<typeof of>) =>
  draftJob({
    ...{ ...findings, name: 'leads', inputPath: 'leads.xlsx', form: {}, jobPath: 'leads.yaml' },
    ...{ country: 'AU', hasPeople: false },
  });

test('a draft tells of its list as it would have been drafted for it', () => {
  const before = draft(of('Website', 0.4));
  const now = { ...of('Website', 0.9), rowsSeen: 70 };
  expect(redraftFindings(before, now)).toBe(draft(now));
});

test('a job file that was written by hand keeps its comments', () => {
  const text =
    '# What we pay\nname: leads\nidentify:\n  - column: Website # the best\n    as: fqdn\n';
  expect(tellsFindings(text)).toBe(false);
  expect(redraftFindings(text, of('Website', 0.9))).toBe(text);
});
