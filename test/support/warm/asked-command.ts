/** One command line, as it is sent to a process that waits for it. */
export interface AskedCommand {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Stands around the exit code at the end of what a command has printed, on both streams. */
export const endMark = '\u001e';
