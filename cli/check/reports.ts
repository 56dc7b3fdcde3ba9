import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formats } from '../../reports/formats.ts';
import type { Run } from '../../reports/run.ts';
import type { CheckOptions, ReportRequest } from '../options.ts';
import { announceOnGithub } from './github.ts';

/** Writes the reports that every run leaves in its folder, and those asked for by name; in a step of GitHub Actions it says there how the run went. */
export function writeReports(run: Run, { out, report = [] }: Pick<CheckOptions, 'out' | 'report'>): void {
  for (const { format, file } of [...always(out), ...report]) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, formats[format].write(run));
  }
  announceOnGithub(run, {
    env: process.env,
    write: (text) => process.stdout.write(text),
    complain: (sentence) => process.stderr.write(`svc-conformance: ${sentence}\n`),
  });
}

function always(out: string): readonly ReportRequest[] {
  return [
    { format: 'json', file: join(out, 'report.json') },
    { format: 'markdown', file: join(out, 'report.md') },
    { format: 'junit', file: join(out, 'junit.xml') },
    { format: 'html', file: join(out, 'report.html') },
  ];
}
