import { expect, test } from 'vitest';
import { nameNetwork } from '../../../src/core/contract/network-name.ts';

test('the network field is found under its other name in the company and both social objects', () => {
  const answer = {
    linkedin: 'acme',
    social_media: { linkedin: 'acme' },
    nextGen: { social_media: { linkedin: { handle: 'acme' } } },
  };
  expect(nameNetwork(answer)).toEqual({
    network: 'acme',
    social_media: { network: 'acme' },
    nextGen: { social_media: { network: { handle: 'acme' } } },
  });
});

test('an answer that needs no change is returned itself', () => {
  const answer = { network: 'acme', social_media: {}, nextGen: { social_media: null } };
  expect(nameNetwork(answer)).toBe(answer);
});

test('a deeply nested answer does not overflow the stack', () => {
  const depth = 200_000;
  const answer = JSON.parse(`${'{"nextGen":'.repeat(depth)}1${'}'.repeat(depth)}`);
  expect(nameNetwork(answer)).toBe(answer);
});
