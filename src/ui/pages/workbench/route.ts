import { useEffect, useState } from 'preact/hooks';

/** Stored in the URL, so reload and the back button work. */
export type Route =
  | { readonly view: 'lists' }
  | { readonly view: 'read'; readonly job: string }
  | { readonly view: 'result'; readonly job: string; readonly run?: string }
  | { readonly view: 'history' | 'settings'; readonly job?: string };

let address = '';

/** A hash such as `#main` is a position in the view, not a view. */
function viewAddress() {
  if (!/^#[a-z]/.test(location.hash)) address = location.hash;
  return address;
}

function useAddress() {
  const [shown, setShown] = useState(viewAddress);
  useEffect(() => {
    const onChange = () => setShown(viewAddress());
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return shown;
}

/** `#/result/leads.yaml?search=acme&row=12` */
export function currentParams(hash = viewAddress()): URLSearchParams {
  return new URLSearchParams(hash.split('?').slice(1).join('?'));
}

export function useParams(): URLSearchParams {
  return currentParams(useAddress());
}

export function putParams(params: URLSearchParams, isStep: boolean): void {
  const [path] = viewAddress().split('?');
  const hash = `${path || '#'}${params.size === 0 ? '' : `?${params}`}`;
  if (hash === viewAddress()) return;
  if (isStep) history.pushState(null, '', hash);
  else history.replaceState(null, '', hash);
  // Browsers send no event for `pushState`.
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** `jobs/leads.yaml → leads`, `leads.csv → leads.csv` */
export function titleOf(job: string): string {
  return (job.split('/').at(-1) ?? job).replace(/\.ya?ml$/i, '');
}

/** `#/result/leads.yaml/r7` */
export function linkTo(to: { view: Route['view']; job?: string | undefined; run?: string }) {
  const words = to.view === 'lists' ? [] : [to.view, to.job ?? [], to.run ?? []].flat();
  return `#/${words.map(encodeURIComponent).join('/')}`;
}

export function useRoute(): Route {
  const [path = ''] = useAddress().replace(/^#\/?/, '').split('?');
  const [view, job, run] = path.split('/').map(decode);
  if (view === 'history' || view === 'settings') return { view, ...(job && { job }) };
  if (view === 'read' && job) return { view, job };
  if (view === 'result' && job) return { view, job, ...(run && { run }) };
  return { view: 'lists' };
}

/** A word that a user typed without encoding stays as it is. */
function decode(word: string) {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
