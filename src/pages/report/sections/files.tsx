import type { ReportData } from '../../../report/data/report-data.ts';
import { Section } from '../../parts/section.tsx';
import { bytes, count } from '../../parts/text/format.ts';

interface FilesProps {
  readonly data: ReportData;
  /** A live page does not link to the files: its server does not serve them. */
  readonly isLive: boolean;
}

export function Files({ data, isLive }: FilesProps) {
  if (data.files.length === 0) return null;
  const where = isLive ? `In ${data.folder ?? 'the folder of the job'}` : 'Beside this page';
  return (
    <Section id="files" title="What was written" lead={`${where}, with a manifest.json.`}>
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
                <th scope="row">{isLive ? file.name : <a href={file.name}>{file.name}</a>}</th>
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
