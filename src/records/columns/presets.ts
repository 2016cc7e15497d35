/** A choice of columns that has a name. */
export interface ColumnPreset {
  readonly about: string;
  /** Columns of each table by name or pattern, in the order in which they are written. */
  readonly companies: readonly string[];
  readonly people: readonly string[];
}

export const presetNames = ['all', 'lead-list'] as const;
export type PresetName = (typeof presetNames)[number];

/** The choices that Dossier brings along. */
export const columnPresets: Readonly<Record<PresetName, ColumnPreset>> = {
  all: { about: 'Every column.', companies: ['*'], people: ['*'] },
  'lead-list': {
    about: 'What a list for sales needs, with the columns of your own list.',
    companies: [
      'company_name',
      'company_fqdn',
      'company_industry_codes_abn',
      'company_industries',
      'company_employee_count',
      'company_company_size',
      'company_revenue',
      'company_year_founded',
      'company_hq_location',
      'company_states',
      'company_hq_country',
      'company_phones',
      'company_emails',
      'company_website',
      'company_network',
      'company_tagline',
      'company_description',
      'status',
      'match',
      'reason',
      'message',
      'row_key',
      'input_*',
    ],
    people: [
      'company_name',
      'position',
      'seniority_name',
      'department_name',
      'network',
      'has_email',
      'has_phone',
      'has_mobile',
      'country',
      'company_id',
      'person_id',
      'row_keys',
    ],
  },
};

export function isPreset(name: string): name is PresetName {
  return (presetNames as readonly string[]).includes(name);
}
