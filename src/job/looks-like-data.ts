/**
 * Whether a file that is no job holds rows instead: lines of one width, or JSON line by line. People
 * mix up the two arguments, and YAML would complain about every line.
 */
export function looksLikeData(text: string): boolean {
  const lines = text.split(/\r?\n/, 20).filter((line) => line.trim() !== '');
  if (lines.some((line) => /^(#|---|%)|^[\w-]+:(\s|$)/.test(line))) return false;
  if (lines[0]?.startsWith('{')) {
    return lines.length > 1 && lines.every((line) => /^\{.*\}$/.test(line.trim()));
  }
  return lines.some((line) => /[,;\t|]/.test(line)) || lines.length > 1;
}
