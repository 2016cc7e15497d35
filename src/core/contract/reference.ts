export type NameTable = Readonly<Record<string, string>>;

export interface ReferenceNames {
  readonly seniority: NameTable;
  readonly department: NameTable;
}

/** The service's interface names only ids 1 and 7. Dossier defines the rest. */
export const seniorityNames = {
  1: 'Board Member / Director',
  2: 'Owner / Founder',
  3: 'C-Suite',
  4: 'VP / Director',
  5: 'Manager',
  6: 'Other',
  7: 'No Data',
} as const;

/** The service's interface gives only six names, without ids. Dossier defines the rest. */
export const departmentNames = {
  1: 'General Management',
  2: 'Sales',
  3: 'Trades',
  4: 'Operations',
  5: 'Engineering',
  6: 'HR',
  7: 'Customer Service',
  8: 'Medicine',
  9: 'Research',
  10: 'Legal',
  11: 'Marketing',
  12: 'Education',
  13: 'Consulting',
  14: 'Finance',
  15: 'Product',
  16: 'Other',
  17: 'No Data',
} as const;
