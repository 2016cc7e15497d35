const ledger = () => import('./ledger.ts');
const register = () => import('./register.ts');
const services = () => import('./services.ts');
const serve = () => import('./serve.ts');

/** In the order of the help. Only the file of the named command is loaded, so help stays fast. */
export const commands = {
  ui: ['[folder]', 'Open the workbench in the browser', () => import('./ui.ts')],
  run: ['<job>', 'Run a job or a list; run it again to resume', () => import('./run.ts')],
  plan: ['<job>', 'Show what a run would do and cost; makes no call', () => import('./plan.ts')],
  fix: [
    '<job> [file]',
    'Look up the rows that you corrected in a rejects file',
    () => import('./fix.ts'),
  ],
  status: [
    '[job]',
    'Show the state of runs, including those in progress',
    () => import('./status.ts'),
  ],
  changes: ['<job>', 'Show what changed between two runs of a job', () => import('./changes.ts')],
  export: ['<job>', 'Write the files of a run again; makes no call', () => import('./export.ts')],
  lookup: [
    '<identifier>',
    'Look up one company; --people adds its people',
    () => import('./lookup.ts'),
  ],
  spend: ['[jobs...]', 'Show spending, in calls and money', () => import('./spend.ts')],
  identify: [
    '[file]',
    'Show how each value of a list is read; makes no call',
    () => import('./identify.ts'),
  ],
  init: ['<file>', 'Draft a job file from the columns of a list', () => import('./init.ts')],
  check: [
    '<job>',
    'Check job, input, ledger, output, key and service; pays for nothing',
    () => import('./check.ts'),
  ],
  services: ['', 'Show the services of services.yaml: key, price, calls, budget, rate', services],
  'services check': ['<name>', 'Make one call to a service, and say what it cost', services],
  'services try': [
    '<adapter>',
    'Show what an adapter asks, and what it makes of a saved answer; makes no call',
    services,
  ],
  'ledger info': ['[job]', 'Show the jobs in the ledger, and what takes up its space', ledger],
  'ledger backup': [
    '<file> [job]',
    'Copy the ledger, even during runs, and check the copy',
    ledger,
  ],
  'ledger merge': ['<file> [job]', 'Copy answers from another ledger into this one', ledger],
  'ledger prune': [
    '[job]',
    'Remove old runs and answers that no job uses any more; the file shrinks',
    ledger,
  ],
  'ledger upgrade': ['[job]', 'Upgrade a ledger of an older version, and keep a copy', ledger],
  'ledger check': [
    '[job]',
    'Check the whole ledger: file, references and the checksum of each answer',
    ledger,
  ],
  forget: [
    '[identifiers...]',
    'Remove companies and people from the ledger and from all results',
    () => import('./forget.ts'),
  ],
  audit: ['[job]', 'Show who did what with a ledger, and when', ledger],
  'register load': [
    '[files..]',
    'Load company names from public registers or your own lists, to find ABNs by name',
    register,
  ],
  'register info': ['', 'Show sources, dates, size and licences of the register', register],
  'register find': ['<name>', 'Show which companies a name may mean', register],
  serve: ['', 'Run your own Company Data Service, with sample data or data from `load`', serve],
  load: ['[files..]', "Load companies and people (JSONL) into the service's store", serve],
  schema: [
    '',
    'Print the JSON Schema of the job file, or the columns of a result table',
    () => import('./schema.ts'),
  ],
} as const;

export const commandGroups = {
  ledger: 'Manage the ledger',
  register: 'Manage the register of company names',
  services: 'Show and check services',
} as const;

/** The help describes these commands and only names the others. */
export const everyday: readonly string[] = [
  'ui',
  'run',
  'plan',
  'fix',
  'status',
  'changes',
  'export',
  'lookup',
  'spend',
] satisfies (keyof typeof commands)[];
