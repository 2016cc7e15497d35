/** The last run of :job, up to :runId, that has searched for the people of a company. */
export function lastSearch(companyId: string, country: string): string {
  return `(
    select max(l.run_id) from search l join run u on u.id = l.run_id and u.job = :job
    where l.company_id = ${companyId} and l.country = ${country} and l.run_id <= :runId)`;
}
