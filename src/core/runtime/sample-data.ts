/** Written in place of a service URL. */
export const sampleData = 'embedded';
