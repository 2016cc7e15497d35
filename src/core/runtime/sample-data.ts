/** Stands in the place of an address: the bundled service over sample data answers, free and offline. */
export const sampleData = 'embedded';
