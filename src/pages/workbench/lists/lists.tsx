import type { ListCard } from '../../../workbench/api/lists.ts';
import { ask } from '../shell/api.ts';
import { Problem } from '../shell/problem.tsx';
import { linkTo } from '../shell/route.ts';
import { useLoaded } from '../shell/use-loaded.ts';

/** Home: the jobs and lists of the folder. */
export function Lists() {
  const { value: cards, problem } = useLoaded('', (signal) => ask<ListCard[]>('lists', { signal }));
  if (problem) return <Problem problem={problem} />;
  return (
    <ul class="cards">
      {cards?.map(({ path }) => (
        <li key={path} class="card">
          <a href={linkTo({ view: 'read', job: path })}>{path}</a>
        </li>
      ))}
    </ul>
  );
}
