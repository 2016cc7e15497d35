import type { ReportShare } from '../../../report/data/share-data.ts';
import { Section } from '../../parts/section.tsx';
import { Breakable } from '../../parts/text/breakable.tsx';
import { count, counted, duration, moment } from '../../parts/text/format.ts';
import { Tile } from '../../parts/tile.tsx';

/** What other machines do with the same key, shown while a shared run goes on. */
export function Share({ share }: { readonly share: ReportShare }) {
  const { calls, workers, members, rate } = share;
  const machines = new Set(members.map(({ machine }) => machine)).size;
  return (
    <Section
      id="share"
      title={`${counted(machines, 'machine shares', 'machines share')} this key`}
      lead={stateOf(share)}
    >
      <dl class="tiles">
        <Tile name="Calls waiting" value={count(calls.waiting)} />
        <Tile name="Calls under way" value={count(calls.active)} />
        <Tile name="Workers" value={count(workers)} />
        <Tile
          name="Left in the last second"
          value={rate ? decimal(rate.used) : '–'}
          about={rate ? `of ${decimal(rate.allowed)}` : 'nothing limits it'}
        />
      </dl>
      <div class="card scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Machine</th>
              <th scope="col">What</th>
              <th scope="col" class="roomy">
                Since
              </th>
              <th scope="col" class="roomy">
                Version
              </th>
              <th scope="col" class="number">
                Calls at once
              </th>
            </tr>
          </thead>
          <tbody>
            {members.map(({ id, kind, job, machine, version, since, concurrency }) => (
              <tr key={id}>
                <td>
                  <Breakable text={machine} />
                </td>
                <td>
                  {kind} <Breakable text={job} />
                </td>
                <td class="nowrap roomy">{moment(since)}</td>
                <td class="roomy">{version}</td>
                <td class="number">{concurrency === 0 ? 'only waits' : count(concurrency)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

const reasons = {
  'other job': 'The lowest rate that is asked for holds.',
  throttled: 'The rate is lowered, since the service has throttled calls.',
  policy: 'The rate is lowered, since the service says that it allows no more.',
  quota: 'The rate is lowered, since little is left of the quota of the service.',
} as const;

function stateOf({ throttledMs, loweredBy, workers, calls }: ReportShare): string {
  if (throttledMs > 0) return `Throttled: no request leaves for ${duration(throttledMs)}.`;
  if (workers === 0 && calls.waiting > 0) return 'No worker is there to make the calls.';
  return loweredBy ? reasons[loweredBy] : 'All requests together keep to one rate.';
}

/** `8.47 → 8.5`, `0.0167 → 0.02` */
function decimal(value: number): string {
  return String(Number(value.toFixed(value < 1 ? 2 : 1)));
}
