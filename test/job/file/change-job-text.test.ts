import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { changeIdentify, changeJobText } from '../../../src/job/from-list/draft-job.ts';
import { expandVariables } from '../../../src/job/read-address.ts';

const written = `# Above all
name: leads
budget: # asked of finance
  perStart: 10 # in March

# Behind the budget
people:
# At the end
`;

describe('a changed job file', () => {
  test('keeps the services that it names from services.yaml', () => {
    const price = [{ path: ['service', 'price', 'company'], value: 1 }];
    for (const service of ['main', '[ours, main]']) {
      expect(() => changeJobText(`service: ${service}\n`, price)).toThrow(/services\.yaml/);
    }
    expect(parse(changeJobText('service:\n', price))).toEqual({
      service: { price: { company: 1 } },
    });
  });

  test('keeps its comments in place', () => {
    const text = changeJobText(written, [
      { path: ['budget', 'perStart'], value: 20 },
      // There is a key with nothing behind it.
      { path: ['people', 'seniority'], value: ['C-Suite'] },
      { path: ['country'], value: 'NZ' },
    ]);
    expect(text).toContain('  perStart: 20 # in March\n');
    for (const comment of written.match(/#.*/g) ?? []) expect(text).toContain(comment);
    expect(text).toMatch(/^# Behind the budget$/m);
    expect(parse(text)).toEqual({
      name: 'leads',
      budget: { perStart: 20 },
      people: { seniority: ['C-Suite'] },
      country: 'NZ',
    });
  });

  test('loses a group with its last value, and nothing if there is none', () => {
    const text = changeJobText(written, [
      { path: ['budget', 'perStart'], value: undefined },
      { path: ['service', 'price'], value: undefined },
    ]);
    expect(parse(text)).toEqual({ name: 'leads', people: null });
  });

  test('keeps what was said about a column that moves', () => {
    const text =
      'name: a\nidentify:\n  - column: web # ours\n  - column: abn # theirs\n    as: abn\n';
    const changed = changeIdentify(text, [
      { column: 'abn', as: 'auto' },
      { column: 'new', as: 'fqdn' },
      { column: 'web', as: 'fqdn' },
    ]);
    expect(changed).toBe(
      'name: a\nidentify:\n  - column: abn # theirs\n    as: auto\n  - column: new\n    as: fqdn\n  - column: web # ours\n    as: fqdn\n',
    );
  });

  test('stores any text unchanged, even if YAML or variables would change it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (name) => {
        const text = changeIdentify(
          changeJobText(written, [{ path: ['input', 'key'], value: name }]),
          [{ column: name, as: 'auto' }],
        );
        const read = parse(text);
        const expanded = (value: string) => expandVariables(value, {});
        expect(expanded(read.input.key)).toMatchObject({ text: name });
        expect(expanded(read.identify[0].column)).toMatchObject({ text: name });
        expect(read.budget).toEqual({ perStart: 10 });
      }),
      { numRuns: 40 },
    );
  });
});
