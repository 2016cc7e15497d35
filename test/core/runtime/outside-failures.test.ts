import { expect, test } from 'vitest';
import { describeFailure } from '../../../src/core/runtime/outside-failures.ts';

const withCode = (code: string, message = 'long technical text') =>
  Object.assign(new Error(message), { code });

test.each([
  [withCode('ECONNREFUSED'), 'connection refused'],
  [withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), 'certificate not trusted: self-signed'],
  [withCode('E_NEW'), 'E_NEW'],
  [new Error('outer', { cause: withCode('ECONNRESET') }), 'connection lost'],
  [new AggregateError([new Error('x'), withCode('ECONNREFUSED')]), 'connection refused'],
  [new Error('plain words'), 'plain words'],
  [new TypeError(''), 'TypeError'],
  ['not an error', 'unknown failure'],
])('%s is told as %j', (error, text) => expect(describeFailure(error)).toBe(text));
