import { existsSync } from 'node:fs';
import type { Country } from '../../core/contract/countries.ts';
import type { IdentifierKind } from '../../core/contract/identifier-kinds.ts';
import { type NamedCell, namedIn, type RowPlan } from '../../core/identify/identify-row.ts';
import { foldName } from '../../core/names/fold-name.ts';
import type { NameSuggestion, RowRegister } from '../../core/names/row-register.ts';
import type { RegisterRow, RowCandidate } from '../../core/rules/next-candidate.ts';
import { formatNumber } from '../../core/values/format.ts';
import type { ResolvedJob } from '../../job/resolve-job.ts';
import { openRegister, type RegisterFacts } from '../../register/open-register.ts';

/** A person reads only so many of them, and each takes some 5 ms. */
const mostExplained = 1_000;

const reasons = {
  name_ambiguous: 'Several companies may be meant.',
  name_not_found: 'No active company in the register has this name.',
};
const foreign = 'The company of this name is Australian, and the row is of another country.';
const leftToPerson =
  'One company has this name, and `names.accept: suggest` leaves the choice to you.';

interface RowToName {
  readonly key: string;
  readonly cells: readonly (string | undefined)[];
  readonly named?: NamedCell;
  readonly country?: Country | undefined;
  candidates: readonly RowCandidate[];
  reject?: { readonly reason: string; readonly message: string } | undefined;
  register?: RowRegister | undefined;
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

/** The register of the user says something about a list only if the list may have ABNs or names. */
export function usesRegister(job: NamesJob, { identify, name }: RowPlan): boolean {
  if ((job.identify && name) || job.isRegisterNamed || job.skipCancelled) return true;
  const mayKnow = name !== undefined || identify.some(({ as }) => as === 'abn' || as === 'auto');
  return !job.identify && mayKnow && existsSync(job.register);
}

/** Resolves names while the list is read, so the price is known before the first call. */
export function openNames(
  { register: path, acceptNames, skipCancelled }: NamesJob,
  columns: readonly string[],
  before?: EarlierRows,
) {
  const register = openRegister(path);
  const counts = { unique: 0, name_ambiguous: 0, name_not_found: 0 };
  let explained = 0;
  /** Its facts need not be read again. */
  let lastChosen: RegisterFacts | undefined;

  const suggest = ({ text, place }: NamedCell) => {
    explained += 1;
    if (explained > mostExplained) return [];
    return register.suggest(text, place).map(
      ({ foundName: name, kind, value, state, postcode, isActive, why }): NameSuggestion => ({
        ...{ name, kind, value, state, postcode, status: statusOf(isActive), why },
      }),
    );
  };

  const candidateOf = (named: NamedCell, { kind, value, name }: RegisterFacts): RowCandidate => [
    kind as IdentifierKind,
    value,
    [...new Set([foldName(named.text), foldName(name)])],
  ];

  /** What the same name in the same place meant in the last run, unless that is cancelled now. */
  const acceptedBefore = (named: NamedCell, earlier: RegisterRow, { name }: RowPlan) => {
    const placeOf = (at = -1) => before?.columns.indexOf(columns[at] ?? '') ?? -1;
    if (!name || acceptNames === 'suggest') return [];
    const { index, state, postcode } = name;
    const at = { index: placeOf(index), state: placeOf(state), postcode: placeOf(postcode) };
    if (JSON.stringify(namedIn(earlier.cells, at)) !== JSON.stringify(named)) return [];
    return earlier.candidates.flatMap((candidate): RowCandidate[] => {
      const [kind, value, folds] = candidate;
      const facts = folds && register.find(kind, value);
      if (!folds || facts?.isActive === false) return [];
      return [facts ? candidateOf(named, facts) : candidate];
    });
  };

  /** Adds candidates as the last ones, or says why there are none. */
  const resolve = (row: RowToName, named: NamedCell, accepted: readonly RowCandidate[]) => {
    const known =
      accepted.length > 0 ? { chosen: accepted } : register.resolve(named.text, named.place);
    const isForeign = row.country !== 'AU' && 'chosen' in known;
    const result = isForeign ? withoutAbns(known.chosen) : known;
    counts['chosen' in result ? 'unique' : result.reject] += 1;
    if ('chosen' in result && acceptNames !== 'suggest') {
      const found = result.chosen.map((one) => {
        if (!('kind' in one)) return one;
        lastChosen = one;
        return candidateOf(named, one);
      });
      const isNew = ([kind, value]: RowCandidate) =>
        !row.candidates.some((known) => known[0] === kind && known[1] === value);
      row.candidates = [...row.candidates, ...found.filter(isNew)];
      return found.map(([, value]) => `${value}\n`).join('');
    }
    if (row.candidates.length > 0) return '';
    const reason = 'reject' in result ? result.reject : 'name_ambiguous';
    const message =
      'chosen' in result ? leftToPerson : isForeign ? foreign : reasons[result.reject];
    row.reject = { reason, message };
    const suggestions = suggest(named);
    if (suggestions.length > 0) row.register = { suggestions };
    return '';
  };

  /** Adds what the register knows about the first ABN of the row. */
  const describe = (row: RowToName) => {
    const [, abn] = row.candidates.find(([kind]) => kind === 'abn') ?? [];
    if (abn === undefined) return '';
    const facts = abn === lastChosen?.value ? lastChosen : register.find('abn', abn);
    if (!facts) return '';
    row.register = { entity: entityOf(facts) };
    if (facts.isActive || !skipCancelled) return '';
    row.reject = {
      reason: 'abn_cancelled',
      message: `ABN ${abn} is cancelled in the register, and \`skipCancelled\` is set.`,
    };
    return 'cancelled\n';
  };

  /** `dossier fix` leaves unchanged rows as they are, whatever a newer register says. */
  const keep = (row: RowToName, { cells, register: kept }: RegisterRow) => {
    const isAlike = kept?.suggestions ? row.register?.suggestions : row.register?.entity;
    if (isAlike && JSON.stringify(cells) === JSON.stringify(row.cells)) row.register = kept;
  };

  return {
    sources: register.sources,

    /** Returns what it decided. */
    addTo(row: RowToName, plan: RowPlan): string {
      const { named } = row;
      const earlier = before?.find?.(row.key);
      const accepted = named && earlier ? acceptedBefore(named, earlier, plan) : [];
      let decided = named ? resolve(row, named, accepted) : '';
      if (!row.reject) decided += describe(row);
      if (earlier?.register) keep(row, earlier);
      return decided;
    },

    notes(): string[] {
      const { unique, name_ambiguous: ambiguous, name_not_found: unknown } = counts;
      if (unique + ambiguous + unknown === 0) return [];
      const numbers = [`${formatNumber(unique)} unique`, `${formatNumber(ambiguous)} ambiguous`];
      return [
        `Names in the register: ${[...numbers, `${formatNumber(unknown)} unknown`].join(', ')}.`,
      ];
    },
    [Symbol.dispose]: () => register[Symbol.dispose](),
  };
}

/** A company of another country only shares its name with the one that has the ABN. */
function withoutAbns(chosen: readonly (RegisterFacts | RowCandidate)[]) {
  const others = chosen.filter((one) => ('kind' in one ? one.kind : one[0]) !== 'abn');
  return others.length > 0 ? { chosen: others } : ({ reject: 'name_not_found' } as const);
}

function statusOf(isActive: boolean) {
  return isActive ? 'active' : 'cancelled';
}

function entityOf({ name, isActive, type, state, postcode, gst, acn }: RegisterFacts) {
  return { status: statusOf(isActive), name, entityType: type, state, postcode, gst, acn } as const;
}
