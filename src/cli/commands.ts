/**
 * All commands in the order of the help: arguments, what it does, and its file. Only the command that is named is
 * loaded, so help stays quick.
 */
export const commands = {
  ui: ['[folder]', 'Open the workbench in the browser', async () => (await import('./ui.ts')).ui],
  run: [
    '<job>',
    'Run a job or a bare list; run it again to resume',
    async () => (await import('./run.ts')).run,
  ],
  plan: [
    '<job>',
    'Show what a run would do and cost; makes no call',
    async () => (await import('./plan.ts')).plan,
  ],
  fix: [
    '<job> [file]',
    'Take in a fixed rejects file and run its rows',
    async () => (await import('./fix.ts')).fix,
  ],
  status: [
    '[job]',
    'Show where runs stand, also while they run',
    async () => (await import('./status.ts')).status,
  ],
  changes: [
    '<job>',
    'Show what changed between two runs of a job',
    async () => (await import('./changes.ts')).changes,
  ],
  export: [
    '<job>',
    'Write the files of a run again; makes no call',
    async () => (await import('./export.ts')).exportCommand,
  ],
  lookup: [
    '<identifier>',
    'Show one company, and with --people its people',
    async () => (await import('./lookup.ts')).lookup,
  ],
  spend: [
    '[jobs...]',
    'Show what was paid, in requests and money',
    async () => (await import('./spend.ts')).spend,
  ],
  identify: [
    '[file]',
    'Say what each value of a list is; makes no call',
    async () => (await import('./identify.ts')).identify,
  ],
  init: [
    '<file>',
    'Draft a job file from a list, by looking at its columns',
    async () => (await import('./init.ts')).init,
  ],
  check: [
    '<job>',
    'Check job, input, ledger, output, key and service; pays for nothing',
    async () => (await import('./check.ts')).check,
  ],
  'ledger info': [
    '[job]',
    'Show what takes up room in the ledger, and which jobs have run on it',
    async () => (await import('./ledger.ts')).info,
  ],
  'ledger backup': [
    '<file> [job]',
    'Copy the ledger, even while runs go on, and check the copy',
    async () => (await import('./ledger.ts')).backup,
  ],
  'ledger merge': [
    '<file> [job]',
    'Take over the answers of another ledger, which is only read',
    async () => (await import('./ledger.ts')).merge,
  ],
  'ledger prune': [
    '[job]',
    'Remove old runs and answers that no job uses any more; the file shrinks',
    async () => (await import('./ledger.ts')).prune,
  ],
  'ledger check': [
    '[job]',
    'Check the whole ledger: the file, what refers to what, the checksum of each answer',
    async () => (await import('./ledger.ts')).check,
  ],
  serve: [
    '',
    'Serve the Company Data Service from a store',
    async () => (await import('./serve.ts')).serve,
  ],
  load: [
    '[files..]',
    "Put companies and people (JSONL) into the service's store",
    async () => (await import('./serve.ts')).load,
  ],
  schema: [
    '',
    'Print the JSON Schema of the job file, or what a table of the results holds',
    async () => (await import('./schema.ts')).schema,
  ],
  completion: [
    '<shell>',
    'Print a script that lets a shell complete commands and flags',
    async () => (await import('./completion.ts')).completion,
  ],
} as const;

/** Commands that the help explains; it only names the others. */
export const everyday: readonly string[] = Object.keys(commands).slice(0, 9);
