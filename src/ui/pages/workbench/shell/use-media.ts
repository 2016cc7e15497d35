import { useEffect, useState } from 'preact/hooks';

/** Whether the window fits a query such as `(min-width: 60rem)`, as it is resized. */
export function useMedia(query: string): boolean {
  const [isFitting, setFitting] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const update = () => setFitting(media.matches);
    update();
    media.addEventListener('change', update);
    return () => media.removeEventListener('change', update);
  }, [query]);
  return isFitting;
}
