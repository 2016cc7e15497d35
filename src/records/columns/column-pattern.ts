/** `company_next_gen_*`: a star stands for any text. */
export function columnPattern(written: string): RegExp {
  const escaped = written.split('*').map((part) => part.replace(/[\\^$.+?()[\]{}|/-]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`, 's');
}
