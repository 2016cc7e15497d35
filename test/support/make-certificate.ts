import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

/** A certificate that signs itself, for `IP:127.0.0.1` or `DNS:service.invalid`; needs openssl. */
export function makeCertificate(name: `${'IP' | 'DNS'}:${string}`): { key: Buffer; cert: Buffer } {
  using folder = temporaryFolder();
  const [keyFile, certFile] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')];
  const subject = ['-subj', `/CN=${name.split(':')[1]}`, '-addext', `subjectAltName=${name}`];
  const files = ['-keyout', keyFile, '-out', certFile];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', ...kind, '-days', '1', ...subject, ...files], {
    stdio: 'ignore',
  });
  return { key: readFileSync(keyFile), cert: readFileSync(certFile) };
}
