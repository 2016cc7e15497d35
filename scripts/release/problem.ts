/** A reason not to release: what is the matter, and what to do about it. */
export interface Problem {
  readonly what: string;
  readonly remedy: string;
}

export function listProblems(problems: readonly Problem[]): string {
  return problems.map(({ what, remedy }) => `  ${what}\n    ${remedy}\n`).join('');
}
