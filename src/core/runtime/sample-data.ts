/** Sample data of the bundled service, free and offline. */
export const sampleData = 'embedded';
