import { useLayoutEffect } from 'preact/hooks';
import { Brand } from '../parts/brand.tsx';
import { History } from './history/history.tsx';
import { Lists } from './lists/lists.tsx';
import { Read } from './read/read.tsx';
import { Result } from './result/result.tsx';
import { SettingsView } from './settings.tsx';
import { Problem } from './shell/problem.tsx';
import { linkTo, type Route, titleOf, useRoute } from './shell/route.ts';
import { usePlace } from './shell/use-place.ts';

const viewNames = {
  lists: 'Lists',
  read: 'Read',
  result: 'Result',
  history: 'History',
  settings: 'Settings',
} as const;

/** The whole page: one band with the name of the list and the views, then one of the views. */
export function App() {
  const route = useRoute();
  const job = 'job' in route ? route.job : undefined;
  const { place, problem } = usePlace(job);
  const isReadOnly = place?.isReadOnly === true;
  const title = job === undefined ? undefined : titleOf(job);
  const viewTitle = [title, viewNames[route.view], 'Dossier'].filter(Boolean).join(' · ');
  useLayoutEffect(() => {
    document.title = viewTitle;
    document.documentElement.dataset.theme = place?.theme ?? 'auto';
  }, [viewTitle, place?.theme]);
  const views: readonly Route[] = [
    ...(isReadOnly ? [] : [{ view: 'lists' } as const]),
    ...(isReadOnly || job === undefined ? [] : [{ view: 'read', job } as const]),
    ...(job === undefined ? [] : [{ view: 'result', job } as const]),
    ...(isReadOnly ? [] : [{ view: 'history', ...(job !== undefined && { job }) } as const]),
    ...(isReadOnly ? [] : [{ view: 'settings', ...(job !== undefined && { job }) } as const]),
  ];
  return (
    <>
      <Skip to="main" name="Skip to the view" />
      {route.view === 'read' && <Skip to="run" name="Skip to Run" />}
      <header>
        <div class="band">
          <Brand />
          {title !== undefined && (
            <p class="list-name" title={title}>
              {title}
            </p>
          )}
          <nav aria-label="Views">
            {views.map((view) => (
              <a
                key={view.view}
                href={linkTo(view)}
                {...(route.view === view.view && { 'aria-current': 'page' as const })}
              >
                {viewNames[view.view]}
              </a>
            ))}
          </nav>
        </div>
        {place?.isSample && (
          <p class="sample-line" role="note">
            <b>Sample data</b>: free, offline, and none of your companies.
          </p>
        )}
        {problem && <Problem problem={problem} />}
      </header>
      <main id="main" tabIndex={-1}>
        <View route={route} isReadOnly={isReadOnly} />
      </main>
    </>
  );
}

/** The address names the view, so the link moves the focus and leaves the address alone. */
function Skip({ to, name }: { readonly to: string; readonly name: string }) {
  return (
    <a
      class="skip"
      href={`#${to}`}
      onClick={(event) => {
        event.preventDefault();
        document.getElementById(to)?.focus();
      }}
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
    case 'settings':
      return <SettingsView job={route.job} />;
    default:
      return <Lists />;
  }
}
