import { useEffect, useState } from 'preact/hooks';

/** What the address bar holds beside the view: `#/result/leads.yaml?search=acme&row=12`. */
export function paramsAt(hash: string): URLSearchParams {
  const start = hash.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : hash.slice(start + 1));
}

/** A step is what the back button of the browser undoes; anything else replaces the address. */
export function putParams(params: URLSearchParams, { isStep }: { readonly isStep: boolean }): void {
  const [path = ''] = location.hash.split('?');
  const text = params.toString();
  const hash = `${path}${text === '' ? '' : `?${text}`}`;
  if (hash === location.hash) return;
  if (isStep) history.pushState(null, '', hash);
  else history.replaceState(null, '', hash);
  // The browser tells nobody of an address that a script has put.
  dispatchEvent(new HashChangeEvent('hashchange'));
}

export function useParams(): URLSearchParams {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = () => setHash(location.hash);
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return paramsAt(hash);
}
