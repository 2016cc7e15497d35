import type { CompanyIdentifiers } from '../../../core/contract/company-identifiers.ts';
import { parseIdentifiers } from '../../../core/rules/match-company.ts';
import type { RowCandidate } from '../../../core/rules/next-candidate.ts';
import { expiredOutcome, suppressedOutcome } from '../../../core/rules/row-outcome.ts';
import type { Exclusions } from '../../../core/rules/suppression.ts';
import { readAnswerJson } from '../../../core/values/parse-json.ts';
import type { Bodies } from '../calls/bodies.ts';
import type { Services } from '../calls/services.ts';
import { forgottenIn } from '../care/forgotten.ts';
import { clockIn } from '../runs/clock.ts';
import type { Statements } from '../statements.ts';

export interface FoundCompany {
  readonly candidates: string;
  readonly fetched_at: number;
  readonly company_id: string;
  readonly answerId: number;
  readonly serviceId: number | null;
}

/** What outputs leave out: suppressed, forgotten and expired companies and people. */
export type Excluded = ReturnType<ReturnType<typeof excludedIn>>;

export function excludedIn(statements: Statements, bodies: Bodies, services: Services) {
  const forgotten = forgottenIn(statements);
  const clock = clockIn(statements);
  return (exclusions: Exclusions | undefined, now: number) => {
    const suppression = forgotten.suppression(exclusions);
    const companiesSince = now - (exclusions?.companiesMs ?? now);
    const countedAt = clock.countedAt(now);
    return {
      isEmpty:
        suppression.isEmpty &&
        !Number.isFinite(exclusions?.companiesMs ?? Number.POSITIVE_INFINITY),
      peopleSince: now - (exclusions?.peopleMs ?? now),
      countedAt,
      whyExcluded(
        { candidates, fetched_at, company_id, answerId, serviceId }: FoundCompany,
        identifiers?: () => CompanyIdentifiers,
      ) {
        if (countedAt(answerId, fetched_at) < companiesSince) return expiredOutcome;
        if (suppression.isEmpty) return undefined;
        const parsed = JSON.parse(candidates) as RowCandidate[];
        if (parsed.some(([kind, value]) => suppression.has({ kind, value })))
          return suppressedOutcome;
        const read = () => {
          const body = bodies.readOf(answerId);
          return services.provider(serviceId).identifiers(body && readAnswerJson(body));
        };
        const company = parseIdentifiers(company_id, (identifiers ?? read)());
        const isGone = suppression.hasCompany(company, services.identityOf(serviceId));
        return isGone ? suppressedOutcome : undefined;
      },
      shownPeople: (people: readonly unknown[]) =>
        suppression.isEmpty ? people : people.filter((person) => !suppression.hasPerson(person)),
    };
  };
}
