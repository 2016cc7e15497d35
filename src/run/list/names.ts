import { existsSync } from 'node:fs';
import type { IdentifierKind } from '../../core/contract/identifier-kinds.ts';
import { type NamedCell, namedIn, type RowPlan } from '../../core/identify/identify-row.ts';
import { foldName } from '../../core/names/fold-name.ts';
import type { NameSuggestion } from '../../core/names/row-register.ts';
import type { RegisterRow, RowCandidate } from '../../core/rules/next-candidate.ts';
import { formatNumber } from '../../core/values/format.ts';
import type { IdentifiedRow } from '../../engine/queue/run-queue.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { openRegister, type Register, type RegisterFacts } from '../../register/open-register.ts';

/** A person reads only so many of them, and each takes some 3 ms. */
const mostExplained = 1_000;

const reasons = {
  name_ambiguous: 'Several companies may be meant.',
  name_not_found: 'No active company in the register has this name.',
};
const foreign = 'The company of this name is Australian, and the row is of another country.';
const leftToPerson =
  'One company has this name, and `names.accept: suggest` leaves the choice to you.';

export interface RowToName
  extends Pick<IdentifiedRow, 'key' | 'cells' | 'country' | 'candidates' | 'reject' | 'register'> {
  readonly named?: NamedCell;
  /** Why its other cells do not identify it; says more than a name that is not found. */
  readonly wrong?: IdentifiedRow['reject'];
}

/** What the register makes of a row. */
interface Decided extends Pick<RowToName, 'candidates' | 'reject' | 'register'> {
  /** Part of the fingerprint of the list: a newer register may give it other candidates. */
  readonly text: string;
}

type NamesJob = Pick<
  ResolvedJob,
  'register' | 'isRegisterNamed' | 'acceptNames' | 'identify' | 'skipCancelled'
>;

/** Rows of the last list, under its columns. */
export interface EarlierRows {
  readonly columns: readonly string[];
  readonly find: ((key: string) => RegisterRow | undefined) | undefined;
}

interface NamesOptions {
  readonly before?: EarlierRows | undefined;
  readonly isDraft?: boolean;
}

/** The register of the user says something about a list only if the list may have ABNs or names. */
export function usesRegister(job: NamesJob, { identify, name }: RowPlan): boolean {
  if ((job.identify && name) || job.isRegisterNamed || job.skipCancelled) return true;
  const mayKnow = name !== undefined || identify.some(({ as }) => as === 'abn' || as === 'auto');
  return !job.identify && mayKnow && existsSync(job.register);
}

/** Resolves names while the list is read, so the price is known before the first call. */
export function openNames(
  job: NamesJob,
  columns: readonly string[],
  { before, isDraft = false }: NamesOptions,
) {
  const register = openRegister(job.register);
  const resolver = createResolver(register, job.acceptNames, isDraft ? 0 : mostExplained);
  return {
    sources: register.sources,

    decide(row: RowToName, plan: RowPlan): Decided {
      const { named } = row;
      const earlier = before?.find?.(row.key);
      const accepted =
        named && earlier && before && job.acceptNames !== 'suggest'
          ? acceptedBefore(register, named, earlier, placesIn(plan, columns, before.columns))
          : [];
      const { candidates, reject } = row;
      const resolved = named
        ? resolver.resolve(row, named, accepted)
        : { candidates, reject, text: '' };
      const decided = resolved.reject ? resolved : describe(register, resolved, job.skipCancelled);
      return earlier && keepsRegister(row, decided, earlier)
        ? { ...decided, register: earlier.register }
        : decided;
    },

    notes(): string[] {
      const { unique, name_ambiguous: ambiguous, name_not_found: unknown } = resolver.counts;
      if (unique + ambiguous + unknown === 0) return [];
      const numbers = [`${formatNumber(unique)} unique`, `${formatNumber(ambiguous)} ambiguous`];
      return [
        `Names in the register: ${[...numbers, `${formatNumber(unknown)} unknown`].join(', ')}.`,
      ];
    },
    [Symbol.dispose]: () => register[Symbol.dispose](),
  };
}

function createResolver(
  register: Register,
  acceptNames: NamesJob['acceptNames'],
  mostSuggested: number,
) {
  const counts = { unique: 0, name_ambiguous: 0, name_not_found: 0 };
  let explained = 0;

  const suggest = ({ text, place }: NamedCell) => {
    explained += 1;
    if (explained > mostSuggested) return [];
    return register.suggest(text, place).map(
      ({ foundName: name, kind, value, state, postcode, isActive, why }): NameSuggestion => ({
        name,
        kind,
        value,
        state,
        postcode,
        status: statusOf(isActive),
        why,
      }),
    );
  };

  return {
    counts,
    /** Adds candidates as the last ones, or says why there are none. */
    resolve(
      { country, candidates, reject, wrong }: RowToName,
      named: NamedCell,
      accepted: readonly RowCandidate[],
    ): Decided {
      const known = accepted.length > 0 ? { chosen: accepted } : resolveNow(register, named);
      const isForeign = country !== 'AU' && 'chosen' in known;
      const result = isForeign ? withoutAbns(known.chosen) : known;
      counts['chosen' in result ? 'unique' : result.reject] += 1;
      if ('chosen' in result && acceptNames !== 'suggest') {
        const found = result.chosen;
        const isNew = ([kind, value]: RowCandidate) =>
          !candidates.some((known) => known[0] === kind && known[1] === value);
        const text = found.map(([, value]) => `${value}\n`).join('');
        return { candidates: [...candidates, ...found.filter(isNew)], reject, text };
      }
      if (candidates.length > 0) return { candidates, reject, text: '' };
      const reason = 'reject' in result ? result.reject : 'name_ambiguous';
      const message =
        'chosen' in result ? leftToPerson : isForeign ? foreign : reasons[result.reject];
      const suggestions = suggest(named);
      const shown = suggestions.length > 0 ? { suggestions } : undefined;
      return { candidates, reject: wrong ?? { reason, message }, register: shown, text: '' };
    },
  };
}

function resolveNow(register: Register, named: NamedCell) {
  const result = register.resolve(named.text, named.place);
  if ('reject' in result) return result;
  const facts = result.chosen.flatMap(({ kind, value }) => register.find(kind, value) ?? []);
  return { chosen: facts.map((one) => candidateOf(named, one)) };
}

/** With the names that its answer may have. */
function candidateOf(named: NamedCell, { kind, value, name }: RegisterFacts): RowCandidate {
  return [kind as IdentifierKind, value, [...new Set([foldName(named.text), foldName(name)])]];
}

/** Where the columns of the name were in the last list. */
function placesIn({ name }: RowPlan, columns: readonly string[], before: readonly string[]) {
  const placeOf = (at = -1) => before.indexOf(columns[at] ?? '');
  return (
    name && {
      index: placeOf(name.index),
      state: placeOf(name.state),
      postcode: placeOf(name.postcode),
    }
  );
}

/** What the same name in the same place meant in the last run, unless that is cancelled now. */
function acceptedBefore(
  register: Register,
  named: NamedCell,
  earlier: RegisterRow,
  places: ReturnType<typeof placesIn>,
) {
  if (!places || JSON.stringify(namedIn(earlier.cells, places)) !== JSON.stringify(named))
    return [];
  return earlier.candidates.flatMap((candidate): RowCandidate[] => {
    const [kind, value, folds] = candidate;
    const facts = folds && register.find(kind, value);
    if (!folds || facts?.isActive === false) return [];
    return [facts ? candidateOf(named, facts) : candidate];
  });
}

/** Adds what the register knows about the first ABN of the row. */
function describe(register: Register, decided: Decided, skipCancelled: boolean): Decided {
  const [, abn] = decided.candidates.find(([kind]) => kind === 'abn') ?? [];
  const facts = abn === undefined ? undefined : register.find('abn', abn);
  if (!facts) return decided;
  const described = { ...decided, register: { entity: entityOf(facts) } };
  if (facts.isActive || !skipCancelled) return described;
  const message = `ABN ${abn} is cancelled in the register, and \`skipCancelled\` is set.`;
  const reject = { reason: 'abn_cancelled', message };
  return { ...described, reject, text: `${decided.text}cancelled\n` };
}

/** `dossier fix` leaves unchanged rows as they are, whatever a newer register says. */
function keepsRegister(row: RowToName, { register, reject }: Decided, earlier: RegisterRow) {
  const { cells, register: kept } = earlier;
  const isAlike = register?.entity ? kept?.entity : reject && kept?.suggestions;
  return isAlike && JSON.stringify(cells) === JSON.stringify(row.cells);
}

/** A company of another country only shares its name with the one that has the ABN. */
function withoutAbns(chosen: readonly RowCandidate[]) {
  const others = chosen.filter(([kind]) => kind !== 'abn');
  return others.length > 0 ? { chosen: others } : ({ reject: 'name_not_found' } as const);
}

function statusOf(isActive: boolean) {
  return isActive ? 'active' : 'cancelled';
}

function entityOf({ name, isActive, type, state, postcode, gst, acn }: RegisterFacts) {
  return { status: statusOf(isActive), name, entityType: type, state, postcode, gst, acn } as const;
}
