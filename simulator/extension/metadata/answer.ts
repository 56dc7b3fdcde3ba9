import type { MetadataRecord } from '../metadata.ts';
import type { Step } from '../step.ts';
import type { WorkingHost } from '../working-host.ts';

/** Source: extensions, Metadata exchange */
export function metadataAnswer(host: WorkingHost): Step {
  return { status: 200, json: host.behaviours.announcedRecords(host.records(), host) };
}

export function announcedRecords(
  records: readonly MetadataRecord[],
  _host: Pick<WorkingHost, 'url'>,
): readonly unknown[] {
  return records;
}
