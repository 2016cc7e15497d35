/** Tests in these folders start processes or browsers and wait for them, or run whole jobs. */
export const slowFolder =
  /\/test\/(?:browser|cli|deploy|faults|guards|journeys|run|scripts|service|ui)\//;
