/** As the service wrote them; empty if it has none. */
export interface CompanyIdentifiers {
  readonly abn: string;
  readonly acn: string;
  readonly fqdn: string;
  readonly website: string;
  readonly network: string;
  readonly socialNetwork: string;
}
