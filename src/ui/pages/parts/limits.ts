/** A column of the list with more values is not a facet. */
export const mostFacetValues = 200;

export const mostCellsPerRequest = 10_000;
