/** What a user is told of an error beside its message. */
export interface ErrorFacts {
  readonly exitCode: number;
  /** What to do next. */
  readonly remedy: string;
}
