import type { MetadataRecord } from '../metadata.ts';
import type { Step } from '../step.ts';
import { HostArea } from '../surroundings.ts';

/** The metadata exchange. Source: extensions, Metadata exchange */
export class Metadata extends HostArea {
  answer(): Step {
    return { status: 200, json: this.announcedRecords(this.surroundings.records()) };
  }

  announcedRecords(records: readonly MetadataRecord[]): readonly unknown[] {
    return records;
  }
}
