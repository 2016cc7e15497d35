/** What a user is told of an error beside its message. */
export interface ErrorFacts {
  readonly exitCode: number;
  /** What to do next. */
  readonly remedy: string;
  /** The same for the page of the workbench, where the remedy names what only a terminal has. */
  readonly onPage?: string;
}
