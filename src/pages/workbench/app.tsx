import { useEffect } from 'preact/hooks';
import type { Place } from '../../workbench/api/place.ts';
import { ThemeButton } from '../parts/theme-button.tsx';
import { History } from './history/history.tsx';
import { Lists } from './lists/lists.tsx';
import { Read } from './read/read.tsx';
import { Result } from './result/result.tsx';
import { ask } from './shell/api.ts';
import { PlaceLine } from './shell/place-line.tsx';
import { Problem } from './shell/problem.tsx';
import { linkTo, type Route, useRoute } from './shell/route.ts';
import { useLoaded } from './shell/use-loaded.ts';

/** The whole page: where we are in one line, then one of four views. */
export function App() {
  const route = useRoute();
  const job = 'job' in route ? route.job : undefined;
  const place = useLoaded(`${route.view} ${job}`, (signal) =>
    ask<Place>('place', { query: { job }, signal }),
  );
  // What was spent grows while a run goes on, also one that a terminal has started.
  useEffect(() => {
    const timer = setInterval(place.reload, 10_000);
    return () => clearInterval(timer);
  }, []);
  const isReadOnly = place.value?.isReadOnly === true;
  return (
    <>
      <a class="skip" href="#main">
        Skip to the view
      </a>
      <header>
        <div class="masthead">
          <nav aria-label="Views">
            {!isReadOnly && <ViewLink route={{ view: 'lists' }} current={route} name="Lists" />}
            {!isReadOnly && job !== undefined && (
              <ViewLink route={{ view: 'read', job }} current={route} name="Read" />
            )}
            {job !== undefined && (
              <ViewLink route={{ view: 'result', job }} current={route} name="Result" />
            )}
            {!isReadOnly && <ViewLink route={{ view: 'history' }} current={route} name="History" />}
          </nav>
          <ThemeButton />
        </div>
        {place.value && <PlaceLine place={place.value} />}
        {place.problem && <Problem problem={place.problem} />}
      </header>
      <main id="main">
        <View route={route} isReadOnly={isReadOnly} />
      </main>
    </>
  );
}

interface ViewLinkProps {
  readonly route: Route;
  readonly current: Route;
  readonly name: string;
}

function ViewLink({ route, current, name }: ViewLinkProps) {
  return (
    <a
      href={linkTo(route)}
      {...(current.view === route.view && { 'aria-current': 'page' as const })}
    >
      {name}
    </a>
  );
}

function View({ route, isReadOnly }: { readonly route: Route; readonly isReadOnly: boolean }) {
  switch (route.view) {
    case 'read':
      return <Read job={route.job} />;
    case 'history':
      return <History job={route.job} />;
    case 'result':
      return <Result key={route.job} {...route} isReadOnly={isReadOnly} />;
    default:
      return <Lists />;
  }
}
