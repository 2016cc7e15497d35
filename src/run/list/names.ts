import type { IdentifierKind } from '../../core/contract/identifier-kinds.ts';
import type { NamedCell } from '../../core/identify/identify-row.ts';
import { foldName } from '../../core/names/fold-name.ts';
import type { RowCandidate } from '../../core/rules/next-candidate.ts';
import { formatNumber } from '../../core/values/format.ts';
import type { ResolvedJob } from '../../job/resolve-job.ts';
import { openRegister } from '../../register/open-register.ts';

/** A person reads only so many of them, and each takes some 5 ms. */
const mostExplained = 1_000;
const suggestionsShown = 3;

const reasons = {
  name_ambiguous: 'Several companies may be meant',
  name_not_found: 'No active company in the register has this name',
};
const leftToPerson =
  'One company has this name, and `names.accept: suggest` leaves the choice to you';

interface RowToName {
  candidates: readonly RowCandidate[];
  reject?: { readonly reason: string; readonly message: string } | undefined;
}

/** Resolves names while the list is read, so the price is known before the first call. */
export function openNames({ register: path, names }: Pick<ResolvedJob, 'register' | 'names'>) {
  const register = openRegister(path);
  const counts = { unique: 0, name_ambiguous: 0, name_not_found: 0 };
  let explained = 0;

  function explain(why: string, { text, place }: NamedCell) {
    explained += 1;
    if (explained > mostExplained)
      return `${why}. \`dossier register find\` shows the closest names.`;
    const found = register.suggest(text, place, suggestionsShown).map((one) => {
      const where = [one.state, one.postcode].filter(Boolean).join(' ');
      return `${one.foundName}, ${one.kind === 'abn' ? 'ABN ' : ''}${one.value} (${[where, one.why].filter(Boolean).join(', ')})`;
    });
    return found.length === 0 ? `${why}.` : `${why}. Closest: ${found.join('; ')}.`;
  }

  return {
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
      const why = 'reject' in result ? reasons[result.reject] : leftToPerson;
      row.reject = { reason, message: explain(why, named) };
      return '';
    },
    notes(): string[] {
      const { unique, name_ambiguous: ambiguous, name_not_found: unknown } = counts;
      const numbers = [`${formatNumber(unique)} unique`, `${formatNumber(ambiguous)} ambiguous`];
      return [
        `Names in the register: ${[...numbers, `${formatNumber(unknown)} unknown`].join(', ')}.`,
      ];
    },
    [Symbol.dispose]: () => register[Symbol.dispose](),
  };
}
