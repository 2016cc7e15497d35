type Json = Record<string, unknown>;

/**
 * The interface names one field after the professional network. It arrives as `network` or as
 * `linkedin`, in the company, the person and both social objects; inside it is `network` only.
 * Where both are there, both stay and `network` counts, unless it is null. An answer that needs no
 * change is given back as it is.
 */
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
  if (!Object.hasOwn(holder, 'linkedin')) return holder;
  if (holder.network != null) return holder;
  // In the place of the old name, so that a record keeps the order of its fields.
  const entries = Object.entries(holder).filter(([key]) => key !== 'network');
  return Object.fromEntries(
    entries.map(([key, value]) => [key === 'linkedin' ? 'network' : key, value]),
  );
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
