import { stdout, writeDocument } from './outlet.ts';
import { ClaimError } from './claim/envelope.ts';
import { openClaim } from './claim/examine.ts';
import { readBytes } from '../contract/named-file.ts';
import { assertOthers } from './make-folder.ts';
import type { ReportTableOptions } from './options.ts';
import { asUsage, UsageError } from './usage.ts';
import { fileWithin } from '../reports/file-within.ts';
import { mostReportBytes, readReport, ReportError } from '../reports/report-file.ts';
import { type Candidate, writeTable } from '../reports/table.ts';

const claimStart = '{"payloadType":';

/** Writes one page that holds runs beside each other, from report.json files or claims. Resolves with 0. @throws {UsageError} a file is neither */
export async function reportTableCommand(files: readonly string[], { out }: ReportTableOptions): Promise<number> {
  assertOthers([out], files);
  writeDocument(out, writeTable(files.map(candidateIn)));
  stdout.write(`${out}\n`);
  return 0;
}

/** What a claim says is shown where its signature holds; to judge it again is left to verify. */
function candidateIn(file: string): Candidate {
  try {
    const bytes = readBytes(
      file,
      (why) => new UsageError(`${file}: ${why}${fileWithin(file, 'report.json')}`),
      mostReportBytes,
    );
    if (bytes.toString('latin1', 0, claimStart.length) !== claimStart) return { report: readReport(file) };
    const { report, predicate, keyId } = openClaim(bytes);
    return { report, version: predicate.implementation.version, signedBy: keyId };
  } catch (error) {
    if (error instanceof ClaimError) throw new UsageError(`${file}: ${error.message}`);
    throw asUsage(error, ReportError);
  }
}
