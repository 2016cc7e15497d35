/** A column of the list with more values is not a facet. */
export const mostFacetValues = 200;

/** Corrected cells in one request. */
export const mostCellsPerRequest = 10_000;
