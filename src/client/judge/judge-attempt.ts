import type { CallRequest } from '../../contract/call.ts';
import type { Redact } from '../../runtime/log/redact.ts';
import type { HttpAnswer } from '../wire/exchange.ts';
import { classifyAnswer } from './classify-answer.ts';
import type { Verdict } from './verdict.ts';

/** What came of an attempt: of its answer, or of a failure that needs no rule. Words of the service are tidied. */
export function judgeAttempt(
  call: CallRequest,
  result: HttpAnswer | Verdict,
  redact: Redact,
  isProven: boolean,
): Verdict {
  const verdict = 'kind' in result ? result : classifyAnswer(call, result, isProven);
  if ('message' in verdict) return { ...verdict, message: tidyText(verdict.message, redact) };
  if ('reason' in verdict) return { ...verdict, reason: tidyText(verdict.reason, redact) };
  return verdict;
}

const maxLength = 300;

/** Foreign text made fit for a log, a cell and a terminal: one line, no secret, not endless. */
export function tidyText(text: string, redact: Redact): string {
  // The key goes first: cutting or joining could leave a part that is no longer recognised.
  const line = redact(text)
    .slice(0, 100 * maxLength)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  if (line.length <= maxLength) return line;
  return `${line.slice(0, maxLength - 1).toWellFormed()}…`;
}
