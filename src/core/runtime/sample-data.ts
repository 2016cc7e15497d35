/** Used instead of a service URL, for the bundled sample data, which is free and offline. */
export const sampleData = 'embedded';
