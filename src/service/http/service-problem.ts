import { type ProblemCode, problems } from '../../contract/problem.ts';

/** Thrown to answer a request with the error object. */
export class ServiceProblem extends Error {
  override readonly name = 'ServiceProblem';
  readonly code: ProblemCode;

  constructor(code: ProblemCode) {
    super(problems[code].message);
    this.code = code;
  }
}
