import type { MetadataRecord } from '../metadata.ts';
import type { Step } from '../step.ts';
import type { Surroundings } from '../surroundings.ts';

/** The metadata exchange. Source: extensions, Metadata exchange */
export class Metadata {
  readonly surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.surroundings = surroundings;
  }

  answer(): Step {
    return { status: 200, json: this.announcedRecords(this.surroundings.records()) };
  }

  announcedRecords(records: readonly MetadataRecord[]): readonly unknown[] {
    return records;
  }
}
