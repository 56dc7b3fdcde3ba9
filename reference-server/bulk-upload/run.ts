import type { Answer, Call, Service } from '../service.ts';
import { bulkReportOf, type BulkFile, type BulkReport } from './report.ts';
import { entriesOf } from './source.ts';
import type { BulkRun } from './upload-file.ts';

/** Source: extensions, File routes, rows 5 to 7; ledger bulk-route-prefix */
export const bulkPath = '/admin/fileupload';

/** POST of a run, answered when it is over. Source: ledger bulk-response. @throws {Refusal} 400, 401, 404, 415: no file was touched */
export async function bulkUpload(service: Service, call: Call): Promise<Answer> {
  const { behaviours } = service;
  await behaviours.requireAdministrationKey(service, call);
  const area = behaviours.bulkAreaOf(service, call);
  const request = behaviours.bulkRequestFrom(service, call);
  const target = behaviours.bulkTargetOf(service, request);
  const source = await behaviours.bulkSourceOf(service, request);
  const report = await behaviours.runBulkUpload(service, { source, request, area, target });
  return { status: 200, body: report };
}

/** One file after the other: whatever their number and sizes, the bytes of one are on their way at a time. */
export async function runBulkUpload(service: Service, run: BulkRun): Promise<BulkReport> {
  const { behaviours, clock } = service;
  const startedAt = clock.now();
  const files: BulkFile[] = [];
  for (const entry of await entriesOf(run.source)) files.push(await behaviours.uploadSourceFile(service, run, entry));
  const report = bulkReportOf({ ...run.request, area: run.area }, files, startedAt, clock.now());
  return behaviours.writesLog(run.request) ? logged(service, run, report) : report;
}

/** The files are in place by now, so that a log which cannot be written is told of and undoes nothing. */
async function logged(service: Service, { source }: BulkRun, report: BulkReport): Promise<BulkReport> {
  try {
    await service.behaviours.writeBulkLog(service, source, report);
    return report;
  } catch (error) {
    service.log.error({ err: error, source }, 'the log of a bulk upload could not be written');
    const detail = error instanceof Error ? error.message : String(error);
    return { ...report, errors: [...report.errors, { error: `the log could not be written: ${detail}` }] };
  }
}
