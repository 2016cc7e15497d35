/** Replaces an address: the bundled service answers with sample data, free and offline. */
export const sampleData = 'embedded';
