import { existsSync } from 'node:fs';
import { z } from 'zod';
import { parseCall } from '../core/contract/call.ts';
import { listKinds } from '../core/contract/identifier-kinds.ts';
import { cleanCell } from '../core/identify/clean-cell.ts';
import { readings } from '../core/identify/identifier.ts';
import { suppressionKeys, withService } from '../core/rules/suppression.ts';
import { count, string, strings, yesOrNo } from '../core/values/fields.ts';
import { capitalised, counted } from '../core/values/format.ts';
import { knownIds } from '../engine/ledger/care/find-forgotten.ts';
import { openLedger, openLedgerToRead, openNamesToRead } from '../engine/ledger/open-ledger.ts';
import { scanFolder } from '../facts/folder.ts';
import { describeRedis } from '../integrations/share/redis-errors.ts';
import { correctionsPath } from '../job/corrections.ts';
import type { JobLedger, ResolvedJob, ResolvedService } from '../job/resolved-job.ts';
import { otherCells, readIdentifierList } from '../lists/read-suppressed.ts';
import { fromHere } from '../platform/files/local-path.ts';
import { packageVersion } from '../platform/package-path.ts';
import { allowEntities } from '../register/forget-entities.ts';
import { forget as forgetEverywhere, type SharedAnswers } from '../run/forget/forget.ts';
import { readJob, readPastJob } from '../run/jobs/read-job.ts';
import { createReporter } from '../ui/report/report-sink.ts';
import { jobOf, options } from './ledger.ts';
import { command } from './parts/command.ts';
import { rateAddress, redisOf } from './parts/connect.ts';
import { withLeasedLedger } from './parts/lease-ledger.ts';
import { choice, flag, or, text, texts, usage } from './parts/options.ts';
import { listenForSignals } from './run/interruption.ts';
import { factsText, nameJobFromAnywhere } from './terminal/text.ts';

export const ForgetJson = z
  .strictObject({
    ledger: string('The ledger.'),
    dryRun: yesOrNo('True for a dry run: nothing was changed.'),
    companies: count('Companies in the ledger that the given identifiers name.'),
    people: count(
      'People in the ledger that the given identifiers name, and the people of these companies.',
    ),
    answers: count('Removed answers.'),
    rows: count('Rows with emptied cells.'),
    entities: count('Entities removed from the register of company names.'),
    written: strings('Rewritten results.'),
    removed: strings(
      'Removed, because they cannot be rewritten: results of pruned runs, and copies of the ledger from before an upgrade.',
    ),
    left: strings('Files with the forgotten data that only you can change: lists, backups, logs.'),
    notReached: strings('Places that may contain the data; `forget` does not change them.'),
    released: count('With --undo: identifiers that runs may look up again.'),
  })
  .meta({ id: 'ForgetJson' });

export const forget = command({
  options: {
    ...options,
    identifiers: texts(capitalised(listKinds('or', 's', 'company id', 'person id'))),
    file: text('List of identifiers, in any format that Dossier reads'),
    as: or('auto', choice('Kind of identifier', [...readings, 'person'])),
    undo: flag('Allow lookups again; removed data does not come back'),
    dryRun: flag('Show what would be removed, without changing anything'),
  },
  examples: {
    '$0 forget acme.com.au --dry-run': 'show what would be removed, and what only you can remove',
    '$0 forget acme.com.au p_7f3k2m': 'forget a company with its people, and one person',
    '$0 forget --file erasure-requests.csv --job nightly.yaml':
      "forget a whole list, in a job's ledger",
    '$0 forget acme.com.au --undo': 'allow runs to look it up again',
  },
  epilogue:
    'Removes the named companies and people from the ledger and its log, the register of company names, from published and held results, PostgreSQL, S3, Redis and the snapshot. A salted hash of each identifier stays, so they are not fetched again. Results are cleaned for jobs whose file is in this folder, in jobs/ or known to the ledger, or is named with --job. If the command is killed, the next `forget` finishes its work.',
  async facts(args, terminal): Promise<z.output<typeof ForgetJson>> {
    const job = jobOf(args);
    const { undo, dryRun } = args;
    if (undo && dryRun) throw usage('--undo cannot be combined with --dry-run');
    const readWith = await readKeys(args.identifiers ?? [], args.file, args.as, terminal.warn);
    const { signal } = listenForSignals();
    const name = `forget${undo ? ' --undo' : dryRun ? ' --dry-run' : ''}`;
    return await withLeasedLedger(
      job,
      name,
      terminal,
      async (leased) => {
        const atService = readServices(job);
        if (undo) return await undone(job, readWith((ids) => ids).map(atService));
        const { jobs, listsAlone, services, otherLedgers, places } = jobsOn(job, args.job);
        const { damaged, similar, lists, tooShort, unknownJobs, otherWriters, ...done } =
          await forgetEverywhere({
            ledger: job.ledger,
            register: job.register,
            keys: readWith((ids) => knownIds(job.ledger, ids)).map(atService),
            maybe:
              args.as === 'auto' ? (args.identifiers ?? []).flatMap(idKeys).map(atService) : [],
            jobs,
            isDryRun: dryRun,
            places,
            sharedAnswers: ({ name }) =>
              services.get(name)?.flatMap((one) => sharedAnswers(one) ?? []) ?? [],
            version: packageVersion(),
            createReport: createReporter(nameJobFromAnywhere).createReport,
            signal: leased?.signal ?? signal,
          });
        const notReached = [
          ...lists.map(
            (list) => `The name of a list: ${list}. Its runs and results keep the name.`,
          ),
          ...otherLedgers.map(
            (path) => `${fromHere(path)}, the ledger of other jobs. ${again('ledger')}`,
          ),
          ...otherWriters.map(
            (place) => `Another ledger, which wrote ${fromHere(place)}. ${forgetThere}`,
          ),
          ...unknownJobs.map((name) =>
            listsAlone.includes(name)
              ? `Results of the list ${name}, which ran in another folder. Run forget again there.`
              : `Results of ${name}, whose job file is not here. ${again('job')}`,
          ),
          ...lineIf(
            damaged,
            `${counted(damaged, 'damaged answer')}. Repair them with \`dossier ledger merge <backup>\`, then run forget again.`,
          ),
          ...lineIf(
            similar.length,
            `Values that may name others, so they stay: ${similar.join(', ')}.`,
          ),
          ...lineIf(
            tooShort.length,
            `Texts with ${tooShort.join(' or ')}, which is too short to search for.`,
          ),
          ...otherCopies,
        ];
        return { ...done, dryRun, notReached, released: 0 };
      },
      { signal, removesOldCopies: !undo && !dryRun },
    );
  },
  text({ written, removed, left, notReached, released, ...counts }, page, { undo, dryRun }) {
    if (undo) {
      const hint =
        released === 0 ? ' Use the same identifiers as in the earlier `dossier forget`.' : '';
      return [`${counted(released, 'identifier')} may be looked up again.${hint}`];
    }
    const lines = (title: string, items: readonly string[]) =>
      items.length === 0
        ? []
        : ['', page.bold(title), ...items.flatMap((item) => page.wrap(fromHere(item), '  '))];
    const { entities, companies, people, answers, rows } = counts;
    const isUnknown = companies + people + answers + rows + entities === 0;
    return [
      ...factsText(counts, page),
      ...(isUnknown ? ['', 'The ledger has no data about these identifiers.'] : []),
      ...lines(dryRun ? 'Would be rewritten' : 'Rewritten', written),
      ...lines(
        'Results of pruned runs and old copies of the ledger; `forget` removes them',
        removed,
      ),
      ...lines('Files that contain or may contain the data; only you can change them', left),
      ...lines('Places that may contain the data; `forget` does not change them', notReached),
    ];
  },
});

const lineIf = (count: number, line: string) => (count === 0 ? [] : [line]);

const forgetThere = 'Its next run may bring the data back; run forget there, too.';

const again = (flag: string) => `Run forget again with --${flag}.`;

const otherCopies = [
  'Backups of the ledger, exports with --output and copies in other folders.',
  'Log files, and messages sent by notify.',
  'Backups, replicas, dead rows and old versions in PostgreSQL and S3; shared answers in Redis, unless its job and key are here.',
];

const hint =
  'check the spelling, set the kind with --as, and name a person by profile page or person id instead of e-mail address';

function idKeys(text: string): string[] {
  return [`person ${cleanCell(text)}`, `id ${cleanCell(text)}`];
}

/** `main:7` is the id 7 at the service `main` of services.yaml. */
function readServices({ ledger: path }: JobLedger) {
  using ledger = openLedgerToRead(path);
  const services = ledger?.services.byName() ?? new Map();
  return (key: string) => withService(key, services);
}

/** The returned function reads unclear texts as the ids that `known` accepts. */
async function readKeys(
  given: readonly string[],
  file: string | undefined,
  as: Parameters<typeof suppressionKeys>[1],
  warn: (sentence: string) => void,
) {
  const keys = new Set<string>();
  const unclear = new Map<string, string>();
  for (const text of given) {
    const found = suppressionKeys(text, as);
    if (found.length === 0) unclear.set(cleanCell(text), '');
    for (const key of found) keys.add(key);
  }
  if (file !== undefined) {
    await readIdentifierList(file, as, (key) => keys.add(key), undefined, unclear);
  }
  if (keys.size + unclear.size === 0) {
    throw usage('forget needs identifiers, or --file with a list of them');
  }
  return (known: (ids: readonly string[]) => readonly string[]) => {
    if (unclear.size === 0) return [...keys];
    const ids = known([...unclear.keys()].flatMap(idKeys));
    for (const key of ids) {
      keys.add(key);
      unclear.delete(key.slice(key.indexOf(' ') + 1));
    }
    const [other, place] = [...unclear][0] ?? [];
    if (other !== undefined && (place === '' || keys.size === 0)) {
      const message = `${JSON.stringify(other)} is not an identifier, and the ledger has no such id`;
      throw usage(`${message}; ${hint}`);
    }
    if (file !== undefined && place) warn(otherCells(file, unclear.size, place));
    return [...keys];
  };
}

async function undone(job: ResolvedJob, keys: readonly string[]) {
  using ledger = openLedger(job.ledger, { mustExist: true });
  const released = ledger.inTransaction(() => ledger.forgotten.remove(keys));
  const allowed = await allowEntities(job.register, keys);
  return {
    ledger: job.ledger,
    dryRun: false,
    companies: 0,
    people: 0,
    answers: 0,
    rows: 0,
    entities: 0,
    written: [],
    removed: [],
    left: [],
    notReached: [],
    released: Math.max(released, allowed),
  };
}

/** Undefined also without the service key, which is part of the names in Redis. */
function sharedAnswers(service: ResolvedService): SharedAnswers | undefined {
  const address = redisOf(service);
  const rate = rateAddress(service);
  if (!address || !rate.key) return undefined;
  return {
    name: `shared answers in ${describeRedis(address)}`,
    async forget({ callTexts, search }) {
      const { openRedis, shareKeys } = await import('../integrations/share/redis.ts');
      const { createAnswerStore } = await import('../integrations/share/shared-answers.ts');
      const { callName } = await import('../integrations/share/shared-calls.ts');
      const redis = await openRedis(address);
      try {
        const calls = callTexts.map((text) => callName(parseCall(text)));
        await createAnswerStore(redis, shareKeys(rate.service, rate.key)).forget(
          calls,
          search.holds,
        );
      } finally {
        redis.disconnect();
      }
    },
  };
}

function jobsOn({ ledger: path }: JobLedger, named: string | undefined) {
  using ledger = openLedgerToRead(path);
  const { jobs, lists } = scanFolder(process.cwd());
  const found = new Map<string, ResolvedJob>();
  const services = new Map<string, readonly ResolvedService[]>();
  const otherLedgers = new Set<string>();
  // Of several jobs with the same name, the last wins, so the job given with `--job` comes last.
  // In the ledger of a user, jobs may be in any folder.
  const elsewhere = (ledger?.runs.jobFiles() ?? []).filter((file) => existsSync(file));
  const files = [...elsewhere, ...lists, ...jobs, ...(named === undefined ? [] : [named])];
  for (const given of files) {
    try {
      const job = readPastJob(given, {});
      if (job.ledger !== path) otherLedgers.add(job.ledger);
      else if (ledger?.runs.knows(job.name, job.list).job) found.set(job.name, job);
      services.set(job.name, readJob(given, {}).services);
    } catch {
      // Broken job files and jobs without a service do not stop a forget.
    }
  }
  using names = openNamesToRead(path);
  const listsAlone = (ledger?.runs.jobs() ?? []).filter(
    (name) => !found.has(name) && names?.fileOf(name) === undefined,
  );
  // Such as one sheet of a workbook: the ledger does not know which.
  for (const name of listsAlone) {
    const job = readPastJob(name, { ledger: path });
    const [list = job.list] = names?.knows(name, '').lists ?? [];
    if (!existsSync(job.output.path)) continue;
    const corrections = correctionsPath(undefined, list, process.cwd());
    found.set(name, { ...job, list, corrections });
  }
  return {
    jobs: found,
    listsAlone,
    services,
    otherLedgers: [...otherLedgers].filter((other) => existsSync(other)),
    // The page moves lists to `removed`.
    places: [...files, 'removed'],
  };
}
