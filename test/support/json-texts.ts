import fc from 'fast-check';

const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 2 });

/** Any JSON, with blanks at all allowed places. */
const anyJson = fc
  .tuple(fc.json({ maxDepth: 4 }), fc.infiniteStream(fc.oneof(fc.constant(''), space)))
  .map(([text, spaces]) => {
    const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^[\]{},:"]+/g) ?? [];
    return tokens.map((token) => spaces.next().value + token).join('') + spaces.next().value;
  });

/** Text that resembles JSON. */
const nearlyJson = fc.string({
  unit: fc.constantFrom(...'{}[]:,"\\/-+.eEu0123456789abnrt \n', '"id":', 'true', 'null', 'é'),
  maxLength: 12,
});

const plainValues = ['null', 'true', 'false', '7', '"c_1"', '"acme.com.au"', '"acme"'];
const oddValues = [
  ...['0', '-0', '1.50', '-12e3', '1E400', '98765432109876543210', '" "', '""', '[]', '{}'],
  ...['"caf\\u00e9"', '"https:\\/\\/acme.com.au"', '"\\ud800"', '"\\b\\f\\n\\r\\t"'],
];
const flawedValues = [
  ...['01', '1.', '.5', '+1', '1e', 'nul', 'truE', '[1,]', '{"a":1,}', '{"a"}', ''],
  ...['"\\x"', '"\\u12g4"', '"\\u123"', '"\t"', '"\u001f"', "'a'"],
];

const value = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...plainValues) },
  fc.constantFrom(...oddValues),
  fc.string({ unit: 'binary', maxLength: 5 }).map((text) => JSON.stringify(text)),
  anyJson,
);
const valueOrFlaw = fc.oneof({ weight: 20, arbitrary: value }, fc.constantFrom(...flawedValues));

/** Objects with these keys among others, some of them twice or written with escapes. */
function objectsWith(keys: readonly string[], inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const escaped = keys.map((key) => key.replace(/^./, (sign) => `\\u00${hexOf(sign)}`));
  const key = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...keys) },
    { weight: 4, arbitrary: fc.constantFrom('__proto__', 'name', '') },
    fc.constantFrom(...escaped),
  );
  const field = fc
    .tuple(key, space, space, inner)
    .map(([name, before, after, text]) => `${before}"${name}"${after}:${text}`);
  return fc.array(field, { maxLength: 8 }).map((fields) => `{${fields.join(',')}}`);
}

function hexOf(sign: string): string {
  return sign.charCodeAt(0).toString(16);
}

/** Changes a few bytes, or cuts the text off. */
function damaged(texts: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  const place = fc.nat({ max: 300 });
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 3 }),
    nearlyJson.map((text) => Buffer.from(text)),
  );
  return fc.tuple(texts, place, fc.nat({ max: 3 }), bytes).map(([text, at, dropped, added]) => {
    const whole = Buffer.from(text);
    const cut = at % (whole.length + 1);
    return Buffer.concat([whole.subarray(0, cut), added, whole.subarray(cut + dropped)]);
  });
}

/** Bodies of all sorts, most of them JSON or close to it, with these keys in many. */
export function bodiesWith(
  keys: readonly string[],
  keysWithin: readonly string[] = keys,
): fc.Arbitrary<Buffer> {
  const within = objectsWith(keysWithin, value);
  const texts = fc.oneof(
    { weight: 6, arbitrary: objectsWith(keys, fc.oneof(valueOrFlaw, valueOrFlaw, within)) },
    anyJson,
    nearlyJson,
  );
  const cutOff = fc.tuple(texts, fc.nat({ max: 40 })).map(([text, bytes]) => {
    return Buffer.from(text).subarray(0, -bytes);
  });
  return fc.oneof(
    { weight: 4, arbitrary: texts.map((text) => Buffer.from(text)) },
    damaged(texts),
    cutOff,
    fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
  );
}
