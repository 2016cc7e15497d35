/** A column of the list with more different values is not offered as a filter (facet). */
export const mostFacetValues = 200;

export const mostCellsPerRequest = 10_000;
