import type { YAMLError } from 'yaml';

const unexpected = `this does not belong here; is a quote or bracket missing before it? Quotes belong around a value that begins with >, and inside { } around \${…}`;

/** Messages for common mistakes in YAML. The parser's own messages speak of tokens. */
const explanations: Partial<Record<YAMLError['code'], string>> = {
  BAD_ALIAS: 'a name after * or & is missing or malformed; quote a value that begins with them',
  BAD_DQ_ESCAPE: 'in double quotes \\ begins an escape; write \\\\ or use single quotes',
  BAD_INDENT: 'this line is not indented like the lines it belongs to',
  BAD_SCALAR_START: 'a value may not begin with this character; put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'two values stand on one line, or a colon needs quotes around its value',
  DUPLICATE_KEY: 'this key was given before; only one can count',
  MISSING_CHAR: 'a closing quote or bracket, a comma, or the space after a colon is missing',
  MULTILINE_IMPLICIT_KEY: 'a key must be followed by a colon on its own line',
  MULTIPLE_DOCS: 'a file holds one job; this --- begins another',
  TAB_AS_INDENT: 'a tab stands where YAML wants spaces',
  TAG_RESOLVE_FAILED: 'tags that begin with ! are not read here; put the value in quotes',
  UNEXPECTED_TOKEN: unexpected,
};

/**
 * Explains the errors of the parser. Unexpected tokens after the first error are left out, because
 * one mistake gives many of them.
 */
export function explainSyntax(errors: readonly YAMLError[]): { offset: number; text: string }[] {
  return errors
    .filter(({ code }, index) => index === 0 || code !== 'UNEXPECTED_TOKEN')
    .map(({ code, pos }) => ({
      offset: pos[0],
      text: explanations[code] ?? `this is not YAML (${code})`,
    }));
}
