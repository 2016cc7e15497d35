import { statSync } from 'node:fs';
import { z } from 'zod';
import { type Reading, readings } from '../core/identify/identifier.ts';
import { placeOf } from '../core/names/choose-entity.ts';
import { formatDuration } from '../core/values/duration.ts';
import { count, string, stringOrNull, time, yesOrNo } from '../core/values/fields.ts';
import { formatNumber } from '../core/values/format.ts';
import { loadRegister } from '../register/load-register.ts';
import { openRegister } from '../register/open-register.ts';
import { jobOf } from './ledger.ts';
import { command } from './parts/command.ts';
import { argument, choice, flag, path, text, usage } from './parts/options.ts';
import { listenForSignals } from './run/interruption.ts';
import { factsText } from './terminal/text.ts';

const options = {
  register: path('The register (default: DOSSIER_REGISTER, or that of the user)'),
};

function pathOf({ register }: { readonly register: string | undefined }) {
  return register ?? jobOf({ job: undefined, ledger: undefined }).register;
}

export const RegisterLoadJson = z.strictObject({
  register: string('The register that was written.'),
  loaded: z.array(
    z.strictObject({
      source: string('abn, companies, business or own.'),
      part: string('Number of a bulk file, or name of an own list. Loading it again replaces it.'),
      file: string('The file.'),
      records: count('Records read.'),
      entities: count('Entities loaded.'),
      names: count('Names loaded.'),
      individuals: count('Sole traders left out.'),
      forgotten: count('Forgotten entities left out.'),
      unknown: count('Business names left out, because their entity is not loaded.'),
    }),
  ),
  bytes: count('Size of the register.'),
  seconds: z.number().describe('Duration.'),
});

export const load = command({
  options: {
    ...options,
    files: {
      describe:
        'ABN Bulk Extract (.zip or .xml), ASIC companies or business names, or your own list',
      read: (given) => given as string[],
    },
    name: text('Column with the company names of your own list'),
    column: text('Column with the identifiers of your own list'),
    as: choice('Kind of those identifiers (default: auto)', readings),
    withIndividuals: flag('Load sole traders, too; they are persons'),
  },
  examples: {
    '$0 register load public_split_1_10.zip public_split_11_20.zip': 'load the ABN Bulk Extract',
    '$0 register load crm.csv --name Company --column Website --as fqdn':
      'load your own list, so names find domains',
  },
  async facts(args, { progress, note }): Promise<z.output<typeof RegisterLoadJson>> {
    const { files = [], name, column, as = 'auto' as Reading, withIndividuals } = args;
    if (files.length === 0) throw usage('register load needs at least one file');
    if ((name === undefined) !== (column === undefined)) {
      throw usage('name both columns of your own list: --name and --column');
    }
    const { signal } = listenForSignals(undefined, 'the register is as it was');
    const register = pathOf(args);
    const startedAt = performance.now();
    const secondsNow = () => (performance.now() - startedAt) / 1_000;
    const loaded = await loadRegister(register, files, {
      own: name === undefined || column === undefined ? undefined : { name, column, as },
      withIndividuals,
      signal,
      onProgress: (records, share) =>
        progress.show(() => {
          const seconds = secondsNow();
          const left = formatDuration(Math.round((seconds / share) * (1 - share)) * 1_000);
          const rate = formatNumber(Math.round(records / seconds));
          return `${formatNumber(records)} records  ${rate} a second  about ${left} left`;
        }, share),
    });
    if (withIndividuals) note('Sole traders are persons: privacy law applies to this register.');
    const bytes = statSync(register).size;
    return { register, loaded, bytes, seconds: Number(secondsNow().toFixed(1)) };
  },
  text: factsText,
});

export const RegisterInfoJson = z.strictObject({
  register: string('The register.'),
  bytes: count('Size of the file.'),
  entities: count('Entities, over all sources.'),
  names: count('Names, over all sources.'),
  sources: z.array(
    z.strictObject({
      title: string('What it is.'),
      part: string('Number of a bulk file, or name of an own list.'),
      file: string('The file it was loaded from.'),
      extractedAt: stringOrNull('When its publisher made it, if the file says so.'),
      loadedAt: time('When it was loaded.'),
      entities: count('Its entities.'),
      names: count('Its names.'),
    }),
  ),
  licences: z.array(z.string()).describe('Terms and attribution of the sources.'),
});

export const info = command({
  options,
  examples: { '$0 register info': 'show sources, dates, counts, size and licences' },
  async facts(args): Promise<z.output<typeof RegisterInfoJson>> {
    const file = pathOf(args);
    using register = openRegister(file);
    const { parts, sources } = register;
    const sum = (field: 'entities' | 'names') =>
      parts.reduce((total, part) => total + part[field], 0);
    return {
      register: file,
      bytes: statSync(file).size,
      entities: sum('entities'),
      names: sum('names'),
      sources: parts.map(({ kind: _, licence: _licence, ...source }) => source),
      licences: [...new Set(sources.flatMap(({ licence }) => licence ?? []))],
    };
  },
  text: factsText,
});

export const RegisterFindJson = z.strictObject({
  name: string('The name that was looked for.'),
  result: string('`unique`, or why none is certain: `name_ambiguous`, `name_not_found`.'),
  candidates: z.array(
    z.strictObject({
      chosen: yesOrNo('Whether the name means this one for certain.'),
      identifier: string('Its ABN or other identifier.'),
      name: string('Its main name.'),
      found: string('The name by which it was found.'),
      state: stringOrNull('State.'),
      postcode: stringOrNull('Postcode.'),
      status: string('active or cancelled.'),
      type: stringOrNull('Type of entity.'),
      why: string('How the names differ, and what else agrees.'),
      score: count('From 0 to 100.'),
    }),
  ),
});

export const find = command({
  options: {
    ...options,
    name: argument('A company name'),
    state: text('State of the company, such as NSW'),
    postcode: text('Postcode of the company'),
  },
  examples: {
    '$0 register find "acme pty ltd" --state NSW': 'show the best candidates, with reasons',
  },
  async facts(args): Promise<z.output<typeof RegisterFindJson>> {
    using register = openRegister(pathOf(args));
    const { name } = args;
    const place = placeOf(args.state, args.postcode);
    const result = register.resolve(name, place);
    const chosen = 'chosen' in result ? result.chosen : [];
    const isChosen = (kind: string, value: string) =>
      chosen.some((one) => one.kind === kind && one.value === value);
    const candidates = register.suggest(name, place).map((one) => ({
      chosen: isChosen(one.kind, one.value),
      identifier: one.value,
      name: one.name,
      found: one.foundName,
      state: one.state,
      postcode: one.postcode,
      status: one.isActive ? 'active' : 'cancelled',
      type: one.type,
      why: one.why,
      score: one.score,
    }));
    return { name, result: 'reject' in result ? result.reject : 'unique', candidates };
  },
  exitCode: ({ candidates }) => (candidates.length === 0 ? 3 : 0),
  text: ({ result, candidates }, page) => [
    `${outcomes[result]}`,
    ...page.table(
      candidates.map(({ chosen, identifier, name, found, state, postcode, why }) => ({
        chosen: chosen ? '*' : '',
        identifier,
        name: found === name ? name : `${name} (${found})`,
        place: `${state ?? ''} ${postcode ?? ''}`.trim(),
        why,
      })),
    ),
  ],
});

const outcomes: Readonly<Record<string, string>> = {
  unique: 'The name means the company marked with *.',
  name_ambiguous: 'Several companies may be meant.',
  name_not_found: 'No active company has exactly this name. The closest names:',
};
