/**
 * What CHANGELOG.md says of a version, without its heading: `## 0.2.0` or `## 0.2.0 - 2026-12-01`.
 * Undefined where no heading names the version; empty where nothing stands below it.
 */
export function notesOf(changelog: string, version: string): string | undefined {
  const lines = changelog.split('\n');
  const start = lines.findIndex((line) => isHeadingOf(line, version));
  if (start < 0) return undefined;
  const end = lines.findIndex((line, index) => index > start && line.startsWith('## '));
  return lines
    .slice(start + 1, end < 0 ? undefined : end)
    .join('\n')
    .trim();
}

function isHeadingOf(line: string, version: string): boolean {
  const [mark, name] = line.split(' ');
  return mark === '##' && name === version;
}
