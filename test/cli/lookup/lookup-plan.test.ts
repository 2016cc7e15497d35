import { expect, test } from 'vitest';
import { planLookup } from '../../../src/cli/lookup/lookup-plan.ts';

const given = {
  identifier: 'shop.acme.com.au',
  as: 'auto' as const,
  country: undefined,
  people: false,
  seniority: undefined,
  department: undefined,
  position: undefined,
  job: undefined,
  url: 'embedded',
};

test('an identifier is cleaned, with its second guess after it', () => {
  expect(planLookup(given).question).toEqual({
    text: 'shop.acme.com.au',
    candidates: [
      ['fqdn', 'acme.com.au'],
      ['fqdn', 'shop.acme.com.au'],
    ],
    country: 'AU',
  });
});

test('a country may be written as people write it', () => {
  expect(planLookup({ ...given, country: 'viet nam' }).question.country).toBe('VN');
});

test('people are searched only with --people, one page by default', () => {
  expect(planLookup(given).job.people).toBeUndefined();
  expect(planLookup({ ...given, people: true }).job.people).toEqual({
    searches: [{ seniority: undefined, department: undefined, position: undefined }],
    pageSize: 50,
    maxPerCompany: 50,
  });
});

test('the searches of a job count until the command line names its own', () => {
  const asJob = { ...given, url: 'embedded', people: true, job: 'jobs/demo.yaml' };
  expect(planLookup(asJob).job.people?.searches).toHaveLength(4);
  const own = planLookup({ ...asJob, seniority: ['owner', '3'], maxPeople: 5 }).job.people;
  expect(own?.searches.map(({ seniority }) => seniority)).toEqual(['2', '3']);
  expect(own?.maxPerCompany).toBe(5);
});

test.each([
  [{ identifier: 'jane@gmail.com' }, 'IDENTIFIER_REJECTED', /freemail/],
  [{ identifier: '' }, 'IDENTIFIER_REJECTED', /blank/],
  [{ identifier: 'acme', as: 'abn' as const }, 'IDENTIFIER_REJECTED', /abn_length/],
  [{ country: 'Mars' }, 'USAGE', /--country Mars: The service does not cover/],
  [{ seniority: ['3'] }, 'USAGE', /add --people/],
  [{ maxPeople: 10 }, 'USAGE', /add --people/],
  [{ people: true, seniority: ['Chef'] }, 'USAGE', /--seniority "Chef": expected .*3 C-Suite/],
  [{ people: true, department: ['18'] }, 'USAGE', /--department "18": expected .*11 Marketing/],
  [{ job: 'missing.yaml' }, 'JOB_INVALID', /missing.yaml does not exist/],
])('%j is refused before anything is asked', (wrong, code, message) => {
  const plan = () => planLookup({ ...given, ...wrong });
  expect(plan).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
});
