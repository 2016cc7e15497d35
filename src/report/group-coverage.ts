import { companyColumns } from '../records/table-columns.ts';
import type { FieldGroup } from './data/report-data.ts';

const groupNames: Readonly<Record<string, string>> = {
  social_media: 'Social media',
  industry_codes: 'Registers and industry codes',
  reviews_rating: 'Reviews',
  web_traffic: 'Web traffic',
  technographics: 'Technology',
};

/** How often each field of the interface is filled, in the groups in which the interface has them. */
export function groupCoverage(filled: readonly number[]): FieldGroup[] {
  const groups = new Map<string, { name: string; about: string; filled: number }[]>();
  for (const [index, { path, description }] of companyColumns.entries()) {
    // The last column is ours: it holds what the interface does not name.
    if (path.length === 0) continue;
    const name = groupOf(path);
    const fields = groups.get(name) ?? [];
    fields.push({ name: path.join('.'), about: description, filled: filled[index] ?? 0 });
    groups.set(name, fields);
  }
  return [...groups].map(([name, fields]) => ({ name, fields }));
}

/** `['name'] → Profile`, `['nextGen', 'web_traffic', 'summary', …] → Web traffic` */
export function groupOf(path: readonly string[]): string {
  const [first = '', second = ''] = path;
  const holder = first === 'nextGen' ? second : first;
  const isNested = path.length > (first === 'nextGen' ? 2 : 1);
  if (first === 'nextGen' && holder === 'social_media') return 'Social media in detail';
  return (isNested ? groupNames[holder] : undefined) ?? (first === 'nextGen' ? 'More' : 'Profile');
}
