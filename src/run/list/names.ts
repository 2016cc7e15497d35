import { existsSync } from 'node:fs';
import type { IdentifierKind } from '../../core/contract/identifier-kinds.ts';
import type { NamedCell, RowPlan } from '../../core/identify/identify-row.ts';
import { foldName } from '../../core/names/fold-name.ts';
import type { NameSuggestion, RowRegister } from '../../core/names/row-register.ts';
import type { RowCandidate } from '../../core/rules/next-candidate.ts';
import { formatNumber } from '../../core/values/format.ts';
import type { ResolvedJob } from '../../job/resolve-job.ts';
import { openRegister, type RegisterFacts } from '../../register/open-register.ts';

/** A person reads only so many of them, and each takes some 5 ms. */
const mostExplained = 1_000;

const reasons = {
  name_ambiguous: 'Several companies may be meant.',
  name_not_found: 'No active company in the register has this name.',
};
const leftToPerson =
  'One company has this name, and `names.accept: suggest` leaves the choice to you.';

interface RowToName {
  candidates: readonly RowCandidate[];
  reject?: { readonly reason: string; readonly message: string } | undefined;
  register?: RowRegister | undefined;
}

type NamesJob = Pick<ResolvedJob, 'register' | 'isRegisterNamed' | 'names' | 'identify'>;

/** The register of the user says something about a list only if the list may have ABNs or names. */
export function usesRegister(job: NamesJob, { identify, name }: RowPlan): boolean {
  if (job.names || job.isRegisterNamed) return true;
  const mayKnow = name !== undefined || identify.some(({ as }) => as === 'abn' || as === 'auto');
  return !job.identify && mayKnow && existsSync(job.register);
}

/** Resolves names while the list is read, so the price is known before the first call. */
export function openNames({ register: path, names }: NamesJob) {
  const register = openRegister(path);
  const counts = { unique: 0, name_ambiguous: 0, name_not_found: 0 };
  let explained = 0;

  const suggest = ({ text, place }: NamedCell) => {
    explained += 1;
    if (explained > mostExplained) return [];
    return register.suggest(text, place).map(
      ({ foundName: name, kind, value, state, postcode, isActive, why }): NameSuggestion => ({
        ...{ name, kind, value, state, postcode, status: statusOf(isActive), why },
      }),
    );
  };

  return {
    sources: register.sources,

    /** Adds candidates as the last ones, or says why there are none. Returns what it decided. */
    resolve(row: RowToName, named: NamedCell): string {
      const result = register.resolve(named.text, named.place);
      counts['chosen' in result ? 'unique' : result.reject] += 1;
      const isAccepted = 'chosen' in result && names?.accept !== 'suggest';
      if (isAccepted) {
        const found = result.chosen.map(({ kind, value, name }): RowCandidate => {
          const folds = new Set([foldName(named.text), foldName(name)]);
          return [kind as IdentifierKind, value, [...folds]];
        });
        const isNew = ([kind, value]: RowCandidate) =>
          !row.candidates.some((known) => known[0] === kind && known[1] === value);
        row.candidates = [...row.candidates, ...found.filter(isNew)];
        return found.map(([, value]) => `${value}\n`).join('');
      }
      if (row.candidates.length > 0) return '';
      const reason = 'reject' in result ? result.reject : 'name_ambiguous';
      const message = 'reject' in result ? reasons[result.reject] : leftToPerson;
      row.reject = { reason, message };
      const suggestions = suggest(named);
      if (suggestions.length > 0) row.register = { suggestions };
      return '';
    },

    /** Adds what the register knows about the first ABN of the row. */
    describe(row: RowToName) {
      const [, abn] = row.candidates.find(([kind]) => kind === 'abn') ?? [];
      const facts = abn === undefined ? undefined : register.find('abn', abn);
      if (facts) row.register = { entity: entityOf(facts) };
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

function statusOf(isActive: boolean) {
  return isActive ? 'active' : 'cancelled';
}

function entityOf({ name, isActive, type, state, postcode, gst, acn }: RegisterFacts) {
  return { status: statusOf(isActive), name, entityType: type, state, postcode, gst, acn } as const;
}
