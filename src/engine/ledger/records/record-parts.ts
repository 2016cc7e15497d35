import type { RecordedRun } from '../../../core/columns/run-records.ts';
import type { Takes } from '../../../core/rules/next-candidate.ts';
import { IdSet } from '../../../core/values/id-set.ts';
import { memo } from '../../../core/values/memo.ts';
import { readAnswerJson } from '../../../core/values/parse-json.ts';
import { providerOf } from '../../providers/providers.ts';
import type { Bodies, BodyLocation } from '../calls/bodies.ts';
import type { Services } from '../calls/services.ts';
import type { Lists } from '../rows/lists.ts';
import type { Statements } from '../statements.ts';

export type RecordParts = ReturnType<typeof recordPartsIn>;

export function recordPartsIn(
  statements: Statements,
  bodies: Bodies,
  lists: Lists,
  services: Services,
) {
  const { db, value } = statements;
  const endOf = value<number | undefined>(
    `select coalesce(finished_at, last_started_at) from run where id = ?`,
  );
  const timeOfEnd = memo((runId: number) => {
    const end = endOf(runId);
    return end === undefined ? null : new Date(end).toISOString();
  });
  const openRows = memo((runId: number): OpenRows => {
    const ids = new IdSet();
    const candidateIndexes = new Map<number, number>();
    const waiting = db.prepare<[number], { rowId: number; candidateIndex: number }>(
      `select row_id as rowId, candidate_or_page as candidateIndex from waiting where run_id = ? and search_id is null`,
    );
    for (const { rowId, candidateIndex } of waiting.iterate(runId)) {
      ids.add(rowId);
      if (candidateIndex > 0) candidateIndexes.set(rowId, candidateIndex);
    }
    return { ids, candidateIndexes };
  });
  const askedService = memo((identity: string): AskedService => {
    const service = services.named(identity);
    return { name: service.name ?? service.url, takes: providerOf(service).takes };
  });
  const nameOf = (serviceId: number | null) => {
    const service = serviceId === null ? undefined : services.get(serviceId);
    return service ? (service.name ?? service.url) : null;
  };
  return {
    nameOf,
    askedBy: (run: RecordedRun) => run.services.map(askedService),
    openRows: ({ id }: RecordedRun) => openRows(id),
    lists,
    services,
    bodies,
    readJson(
      run: RecordedRun,
      stored: BodyLocation & { readonly answerId: number | null },
    ): unknown {
      const body = bodies.read(stored);
      if (body) return readAnswerJson(body);
      if (stored.answerId !== null) run.onDamage?.(stored.answerId);
      return undefined;
    },
    timeOf(run: RecordedRun, changedRun: number | null): string | null {
      if (changedRun === null) return null;
      // The ledger may not have the current run's end yet.
      if (changedRun === run.id) return new Date(run.finishedAt ?? run.lastStartedAt).toISOString();
      return timeOfEnd(changedRun);
    },
    refresh() {
      openRows.clear();
      askedService.clear();
    },
  };
}

interface OpenRows {
  readonly ids: IdSet;
  /** Of rows whose first candidate missed. */
  readonly candidateIndexes: ReadonlyMap<number, number>;
}

interface AskedService {
  readonly name: string;
  readonly takes: Takes;
}
