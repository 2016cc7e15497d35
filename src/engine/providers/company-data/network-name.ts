type Json = Record<string, unknown>;

/** Answers use `linkedin` or `network`; Dossier uses only `network`. */
export function nameNetwork(answer: unknown): unknown {
  if (!isObject(answer)) return answer;
  const named = nameInHolder(answer);
  if (!isObject(named.nextGen)) return named;
  const nextGen = nameInHolder(named.nextGen);
  return nextGen === named.nextGen ? named : { ...named, nextGen };
}

function nameInHolder(holder: Json): Json {
  const named = rename(holder);
  if (!isObject(named.social_media)) return named;
  const social = rename(named.social_media);
  return social === named.social_media ? named : { ...named, social_media: social };
}

function rename(holder: Json): Json {
  if (!Object.hasOwn(holder, 'linkedin') || holder.network != null) return holder;
  const entries = Object.entries(holder).filter(([key]) => key !== 'network');
  return Object.fromEntries(
    entries.map(([key, value]) => [key === 'linkedin' ? 'network' : key, value]),
  );
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
