export const defaultStorePath = 'output/store.db';
