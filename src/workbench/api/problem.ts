import type { ErrorCode } from '../../errors.ts';

/** What the page shows of anything that went wrong: what happened, and what to do next. */
export interface ApiProblem {
  readonly code: ErrorCode | 'BUG';
  readonly message: string;
  readonly remedy: string;
}
