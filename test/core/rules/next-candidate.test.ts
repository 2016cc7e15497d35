import { expect, test } from 'vitest';
import { laterCandidates, type RowCandidate } from '../../../src/core/rules/next-candidate.ts';

test('what a name found is looked up only after all services missed by all given identifiers', () => {
  const candidates: RowCandidate[] = [
    ['fqdn', 'acme.com.au'],
    ['id', 'c_1042'],
    ['abn', '57961803396', ['acme']],
  ];
  const takes = [() => true, (kind: string) => kind !== 'id'];
  const calls = laterCandidates({ country: 'AU', candidates }, takes);
  expect(calls.map(({ serviceIndex, call }) => [serviceIndex, call.identifier.kind])).toEqual([
    [0, 'fqdn'],
    [0, 'id'],
    [1, 'fqdn'],
    [0, 'abn'],
    [1, 'abn'],
  ]);
});
