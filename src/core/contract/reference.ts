export type NameTable = Readonly<Record<string, string>>;

export interface ReferenceNames {
  readonly seniority: NameTable;
  readonly department: NameTable;
}

/** The service documents only the names of 1 and 7. */
export const seniorityNames = {
  1: 'Board Member / Director',
  2: 'Owner / Founder',
  3: 'C-Suite',
  4: 'VP / Director',
  5: 'Manager',
  6: 'Other',
  7: 'No Data',
} as const;

/** The service documents only six of these names, without ids. */
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
