import type { ReportData } from '../../../report/data/report-data.ts';
import { Section } from '../../parts/section.tsx';
import { bytes, count } from '../../parts/text/format.ts';

export function Files({ data }: { readonly data: ReportData }) {
  if (data.files.length === 0) return null;
  return (
    <Section id="files" title="What was written" lead="Beside this page, with a manifest.json.">
      <div class="card scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">File</th>
              <th scope="col" class="number">
                Records
              </th>
              <th scope="col" class="number">
                Size
              </th>
            </tr>
          </thead>
          <tbody>
            {data.files.map((file) => (
              <tr key={file.name}>
                <th scope="row">
                  <a href={file.name}>{file.name}</a>
                </th>
                <td class="number">{count(file.rows)}</td>
                <td class="number">{bytes(file.bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
