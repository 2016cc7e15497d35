import fc from 'fast-check';

/** Text of any code points. The unit `binary` of fast-check needs a second of CPU before its first text. */
export function anyText(maxLength = 10): fc.Arbitrary<string> {
  const point = fc.oneof(fc.nat(0x7f), fc.nat(0xffff), fc.nat(0x10_ffff));
  return fc
    .array(point, { maxLength })
    .map((points) => String.fromCodePoint(...points).toWellFormed());
}
