import type { RunFacts } from '../../../workbench/api/history.ts';
import type { ListCard } from '../../../workbench/api/lists.ts';
import { StackedBar } from '../../parts/charts/stacked-bar.tsx';
import { bytes, count, counted, moment, percent } from '../../parts/text/format.ts';
import { linkTo } from '../shell/route.ts';

/** A job, or a list that has none yet: what it is, how it went, and the one thing to do next. */
export function Card({ card }: { readonly card: ListCard }) {
  const { path, list, last, problem } = card;
  return (
    <li class={problem ? 'card list-card broken' : 'card list-card'}>
      <h2>
        <a href={linkTo({ view: 'read', job: path })}>{path}</a>
      </h2>
      {list !== null && list !== path && <p class="of-list">{list}</p>}
      {problem ? <BrokenJob text={problem} /> : <Facts card={card} />}
      {last && !problem && <MatchRate last={last} />}
      {!problem && (
        <a class="verb" href={addressOf(card)} aria-label={`${verbOf(card)}: ${path}`}>
          {verbOf(card)}
        </a>
      )}
    </li>
  );
}

function BrokenJob({ text }: { readonly text: string }) {
  const [first = '', ...others] = text.split('\n');
  return (
    <div class="what-is-wrong">
      <p>
        <b>{first}</b>
      </p>
      {others.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}

function Facts({ card: { last, bytes: size, isRunning } }: { readonly card: ListCard }) {
  const sizeText = size === null ? 'The list is not there' : bytes(size);
  if (!last) return <p class="facts">{`${sizeText}, has not run yet`}</p>;
  const rows = counted(last.rows.total, 'row', 'rows');
  const tried = last.limit === null ? rows : `The first ${rows} tried`;
  const when = moment(Date.parse(last.startedAt));
  const words = [
    tried,
    isRunning ? 'runs now' : when,
    ...(last.state === 'held' ? ['held'] : []),
    spend(last),
  ];
  return <p class="facts">{words.join(', ')}</p>;
}

function spend({ sampleData, money, requests }: RunFacts): string {
  if (sampleData) return 'sample data';
  const sums = money.map(({ currency, amount }) => `${currency} ${amount.toFixed(2)}`);
  return sums.length > 0 ? sums.join(', ') : counted(requests, 'request', 'requests');
}

function MatchRate({ last }: { readonly last: RunFacts }) {
  const { total, matched, not_found, invalid, failed, open } = last.rows;
  const parts = { matched, not_found, invalid, failed, open };
  return (
    <div class="match-rate">
      <StackedBar
        parts={Object.entries(parts).map(([status, rows]) => ({
          status: status as keyof typeof parts,
          rows,
        }))}
        whole={total}
      />
      <p>
        <b>{percent(matched, total)}</b> matched
        {open > 0 && `, ${count(open)} open`}
      </p>
    </div>
  );
}

const verbs = {
  watch: 'Watch',
  'go on': 'Go on',
  mend: 'Mend',
  'run again': 'Run again',
  read: 'Read',
} as const;

function verbOf({ verb, last }: ListCard): string {
  return verb === 'mend' ? `${verbs.mend} ${count(last?.rows.invalid ?? 0)}` : verbs[verb];
}

/** Nothing is spent from here: what costs is started where its price stands. */
function addressOf({ verb, path: job }: ListCard): string {
  if (verb === 'read' || verb === 'run again') return linkTo({ view: 'read', job });
  const result = linkTo({ view: 'result', job });
  return verb === 'mend' ? `${result}?status=invalid` : result;
}
