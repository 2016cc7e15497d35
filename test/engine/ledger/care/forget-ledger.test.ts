import { expect, test } from 'vitest';
import { aliasCalls, parseIdentifiers } from '../../../../src/core/rules/match-company.ts';
import { createSuppression, suppressionKeys } from '../../../../src/core/rules/suppression.ts';
import { searchFor } from '../../../../src/core/rules/value-search.ts';
import { bundleBodies } from '../../../../src/engine/ledger/calls/bodies.ts';
import { joinedKeys, keyedCall } from '../../../../src/engine/ledger/calls/call-key.ts';
import { audited, readAudit } from '../../../../src/engine/ledger/care/audit.ts';
import { examineLedger } from '../../../../src/engine/ledger/care/examine-ledger.ts';
import {
  finishForgetting,
  forgetInLedger,
} from '../../../../src/engine/ledger/care/forget-ledger.ts';
import { mergeLedger } from '../../../../src/engine/ledger/care/merge-ledger.ts';
import { openForMaintenance } from '../../../../src/engine/ledger/file/ledger-file.ts';
import { type Ledger, openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { readIdentifiers } from '../../../../src/engine/providers/read-identifiers.ts';
import { filesWith } from '../../../support/find-value.ts';
import { hitWith, openDatabase } from '../support/answers.ts';
import { careLedger, careService } from './care-ledger.ts';

const abn = '51824753556';
const fill = 'words that fill a bundle '.repeat(20);
const company = (name: string, more: object = {}) => ({
  id: `c_${name}`,
  name,
  fqdn: `${name}.com.au`,
  fill,
  industry_codes: { abn },
  ...more,
});

/** Stores companies and a page of people in one bundle. */
function store(ledger: Ledger, answers: readonly object[]): void {
  const bodies = bundleBodies(
    answers.map((answer) => ({ body: Buffer.from(JSON.stringify(answer)) })),
  );
  ledger.inTransaction(() => {
    const stored = answers.map((answer, index) => {
      const { id, fqdn = '' } = answer as { id?: string; fqdn?: string };
      const call = id
        ? ({
            operation: 'company',
            identifier: { kind: 'fqdn', value: fqdn },
            country: 'AU',
          } as const)
        : ({
            operation: 'people',
            companyId: 'c_beta1',
            country: 'AU',
            from: 0,
            size: 50,
          } as const);
      const [callId = 0] = ledger.calls.idsOf(
        [{ provider: 'company-data', url: careService }],
        [keyedCall(careService, call)],
      );
      const isCompany = id && call.operation === 'company';
      const others = isCompany
        ? aliasCalls(parseIdentifiers(id, readIdentifiers(answer)), call)
        : [];
      const aliasKeys = joinedKeys(careService, others);
      return {
        ...hitWith({ companyId: id ?? null, body: bodies[index] ?? null, aliasKeys }),
        callId,
      };
    });
    ledger.calls.putAnswers(stored);
  });
}

test('other answers of the same bundle stay, without the forgotten value and person', async () => {
  using care = careLedger(0);
  const network = 'gone-person-1';
  // The same person under two ids.
  const gone = ['p_gone1', 'p_again1'].map((person_id) => ({ person_id, network }));
  {
    using ledger = openLedger(care.path);
    const [page = [], other = []] = gone.map((person) => [person, { person_id: 'p_stays' }]);
    const beta = company('beta1', { description: 'bought by ACME1.com.au in 2020' });
    store(ledger, [company('acme1'), beta, company('notacme1'), page]);
    store(ledger, [other]);
  }
  {
    using file = openForMaintenance(care.path, true);
    forgetInLedger(file, ['domain acme1.com.au', 'person p_gone1'], []);
    finishForgetting(file);
  }
  for (const value of [
    'c_acme1',
    ' acme1',
    '"acme1.com.au',
    'ACME1',
    'p_gone1',
    'p_again1',
    network,
  ]) {
    expect(await filesWith(care.folder, value), value).toEqual([]);
  }
  expect(examineLedger(care.path).findings).toEqual([]);
  using ledger = openLedger(care.path);
  const read = (id: number) => JSON.parse(String(ledger.calls.body(id)));
  expect(read(2)).toMatchObject({ id: 'c_beta1', description: 'bought by  in 2020' });
  expect(read(3)).toEqual(company('notacme1'));
  // The next page is asked for by how many people there were.
  for (const page of [4, 5]) expect(read(page)).toEqual([null, { person_id: 'p_stays' }]);

  const forgotten = () => createSuppression(ledger.forgotten.sets());
  const id = (value: string) => ({ kind: 'id', value }) as const;
  expect(forgotten().has({ kind: 'fqdn', value: 'acme1.com.au' })).toBe(true);
  expect(forgotten().has(id('c_acme1'), careService)).toBe(true);
  // Another company has the same number, so it is still looked up.
  expect(forgotten().has({ kind: 'abn', value: abn })).toBe(false);
  expect(ledger.forgotten.remove(['domain acme1.com.au'])).toBe(1);
  expect(forgotten().has(id('c_acme1'), careService)).toBe(false);
  expect(forgotten().hasPerson({ person_id: 'p_gone1' })).toBe(true);
  // The same person may come back under another id.
  expect(forgotten().hasPerson({ network })).toBe(true);
  expect(ledger.forgotten.remove(['person p_gone1'])).toBe(1);
  expect(gone.some(forgotten().hasPerson)).toBe(false);
});

test('pages of the network, profiles and ids of any form are found in answers', () => {
  using care = careLedger(0);
  const others = [company('other1', { employees: 42, note: '42' }), company('short')];
  {
    using ledger = openLedger(care.path);
    const paged = company('paged1', { network: 'paged-pty-ltd' });
    const page = [{ person_id: '7', network: 'jürgen-30' }, { person_id: 'p_stays' }];
    store(ledger, [paged, ...others, { ...company('short1'), id: '42' }, page]);
  }
  {
    using file = openForMaintenance(care.path, true);
    const keys = [
      ...suppressionKeys('linkedin.com/company/paged-pty-ltd', 'auto'),
      ...suppressionKeys('https://www.linkedin.com/in/j%C3%BCrgen-30/', 'auto'),
      ...suppressionKeys('42', 'id'),
    ];
    const { counts } = forgetInLedger(file, keys, []);
    expect(counts).toMatchObject({ companies: 2, people: 1, answers: 2 });
    // A command that finishes a killed one reports what both did.
    expect(forgetInLedger(file, [], []).counts).toEqual(counts);
    finishForgetting(file);
  }
  expect(examineLedger(care.path).findings).toEqual([]);
  using ledger = openLedger(care.path);
  const read = (id: number) => JSON.parse(String(ledger.calls.body(id)));
  expect([2, 3, 5].map(read)).toEqual([...others, [null, { person_id: 'p_stays' }]]);
});

test('a value that reads as a domain is also forgotten as the id of a person', () => {
  using care = careLedger(0);
  const value = 'john.doe.it';
  {
    using ledger = openLedger(care.path);
    store(ledger, [[{ person_id: value, title: 'CFO' }, { person_id: 'p_stays' }]]);
  }
  {
    using file = openForMaintenance(care.path, true);
    const maybe = [`person ${value}`, `id ${value}`];
    const { counts } = forgetInLedger(file, [`domain ${value}`], [], maybe);
    expect(counts.people).toBe(1);
    finishForgetting(file);
  }
  using ledger = openLedger(care.path);
  expect(JSON.parse(String(ledger.calls.body(1)))).toEqual([null, { person_id: 'p_stays' }]);
  // The ledger has no company with this id, so none is forgotten.
  expect(ledger.forgotten.remove([`id ${value}`])).toBe(0);
});

test('other identifiers of a forgotten company are removed from the answers of others', async () => {
  using care = careLedger(0);
  const acme = company('acme1', { network: 'acme-one' });
  const description =
    'of acme1.com.au (ABN 51 824 753 556, linkedin.com/company/acme-one, c_acme1), acme-one';
  const files = ['contract_acme1.com.au.pdf', 'my-acme1.com.au', 'acme1.com.au.zip'];
  const beta = company('beta1', {
    description,
    files,
    industry_codes: { abn: '', parent: 51824753556 },
  });
  {
    using ledger = openLedger(care.path);
    store(ledger, [acme, beta]);
    // The company was also asked for by its ABN, and not found.
    const identifier = { kind: 'abn', value: abn } as const;
    const byAbn = { operation: 'company', identifier, country: 'AU' } as const;
    ledger.inTransaction(() =>
      ledger.calls.idsOf(
        [{ provider: 'company-data', url: careService }],
        [keyedCall(careService, byAbn)],
      ),
    );
  }
  const found = (() => {
    using file = openForMaintenance(care.path, true);
    const forgotten = forgetInLedger(file, ['domain acme1.com.au'], []);
    finishForgetting(file);
    return forgotten;
  })();
  // The name of a page may be a common word, so it is only named.
  expect(found.similar).toEqual(['acme-one', 'my-acme1.com.au', 'acme1.com.au.zip']);
  for (const value of ['c_acme1', abn, '753 556', 'company/acme-one', '_acme1.com.au']) {
    expect(await filesWith(care.folder, value), value).toEqual([]);
  }
  expect(examineLedger(care.path).findings).toEqual([]);
  using ledger = openLedger(care.path);
  expect(JSON.parse(String(ledger.calls.body(2)))).toEqual({
    ...beta,
    description: 'of  (ABN , linkedin.com/company/, ), acme-one',
    files: ['contract_.pdf', 'my-acme1.com.au', 'acme1.com.au.zip'],
    industry_codes: { abn: '', parent: null },
  });
});

const forgottenAnswers = [{ ...company('acme1'), id: 'c_beta1' }, [{ person_id: 'p_1' }]];

test.each([
  ['new', forgottenAnswers],
  // The company was asked for again, and its first answer was pruned.
  ['pruned', forgottenAnswers.toReversed()],
])(
  'a merge of a %s ledger brings neither a forgotten company nor its people',
  async (_, answers) => {
    using care = careLedger(0);
    using backup = careLedger(0);
    {
      using ledger = openLedger(backup.path);
      store(ledger, [...answers, company('stays1')]);
    }
    {
      using file = openForMaintenance(care.path, true);
      forgetInLedger(file, ['domain acme1.com.au'], []);
      finishForgetting(file);
    }
    expect(mergeLedger(care.path, backup.path)).toMatchObject({ taken: 1, forgotten: 2 });
    // All were in one bundle.
    expect(await filesWith(care.folder, 'c_stays1')).not.toEqual([]);
    expect(await filesWith(care.folder, 'acme1')).toEqual([]);
    expect(examineLedger(care.path).findings).toEqual([]);
  },
);

test.each([
  ['domain acme.com', 'jane@ACME.com, www.acme.com/about', 'acme.com.au notacme.com acme.company'],
  ['abn 51824753556', 'ABN 51 824 753 556, 51824753556, ACN 824 753 556', '151824753556'],
  [
    'page acme',
    'linkedin.com/company/acme, linkedin.com%2Fcompany%2Facme',
    'linkedin.com/company/acme-2',
  ],
  ['domain xn--bcher-kva.de', 'xn--bcher-kva.de, bücher.de, b\\u00fccher.de', 'cher.de'],
  ['domain acme.com', 'see\\nacme.com', 'see\\xacme.com'],
  ['domain acme-group.com', 'acme\u2013group.com, ACME\u2011GROUP.COM', 'acme\u00b7group.com'],
  ['id c_1234', 'c_1234', 'c_12345 ac_1234'],
  ['id 42', '', '42 "42"'],
  [
    'profile jürgen-30',
    'in/j%C3%BCrgen-30, "jürgen-30", jürgen-30.pdf',
    'jürgen-300 jürgen-30.com',
  ],
  ['profile bob1', 'linkedin.com/in/bob1, linkedin.com%2Fpub%2Fbob1', 'in/bob12 in/bob1-2 bob1'],
  [
    'domain acme.com.au',
    'contract_acme.com.au, acme.com.au.pdf, acme.com.au_2.pdf, acme.com.au-2.pdf, -acme.com.au',
    'my-acme.com.au my-acme.com.au.pdf öacme.com.au',
  ],
  ['domain acme.com', 'acme.com.csv.gz', 'acme.com.au.pdf acme.com-parts.com'],
])('%s is found in %j and not in %j', (key, texts, others) => {
  for (const text of texts ? texts.split(', ') : [])
    expect(searchFor([key]).holds(text), text).toBe(true);
  for (const text of others.split(' ')) expect(searchFor([key]).holds(text), text).toBe(false);
});

test('the audit only grows, and survives a forget', async () => {
  using care = careLedger(1);
  const job = { name: 'leads', ledger: care.path };
  await audited(job, 'run', () => ({ rows: 2, folder: 'out', exitCode: 3 }), String);
  {
    using file = openDatabase(care.path);
    for (const change of [
      'delete from audit',
      "update audit set user = 'nobody'",
      "insert or replace into audit select id, at, 'nobody', host, command, job, counts, exit_code from audit",
    ]) {
      expect(() => file.value.exec(change)).toThrow('only added to');
    }
  }
  {
    using file = openForMaintenance(care.path, true);
    forgetInLedger(file, ['domain company0.com.au'], []);
    finishForgetting(file);
  }
  expect(readAudit(care.path, 0)).toMatchObject([
    { command: 'run', counts: { rows: 2 }, exitCode: 3 },
  ]);
  expect(readAudit(care.path, Date.now() + 1)).toEqual([]);
});
