import type { EngineSetup, Load } from '../../simulator/traffic/engine.ts';
import type { Ground } from '../../simulator/traffic/ground.ts';

export const connections = 50;
/** Three pages. */
export const entriesOfEach = 27;
/** On average: a reader sends four, an editor who meets nobody sends two. */
export const requestsPerJourney = 3;
/** That all editors edit. */
export const hotObjects = 4;
export const firstVersion = 2;
export const objectIds: readonly string[] = Array.from({ length: 50 }, (_, index) => `6f1d0c3a-${1000 + index}`);

export const ground: Ground = {
  seed: 1,
  space: 'main',
  softType: {
    definitionId: 'Document',
    inputSchemaId: 'documentInput',
    outputSchemaId: 'documentOutput',
    scalars: ['note', 'title'],
    arrayPort: { member: 'files', portId: 'files', text: 'comment' },
  },
  payloads: [{}],
  bodies: [{}],
  entries: [{}],
  objects: objectIds.map((oid) => ({ oid, version: firstVersion, entries: entriesOfEach })),
};

/** As long as a token of the reference server. */
export const authorization = `Bearer ${'measured.'.repeat(40)}`;
export const informationFilter = btoa('{}');

/** Every second journey reads an object and its pages, every other one edits one of four that all edit. */
export function setupFor(baseUrl: string, load: Load, seconds: number): EngineSetup {
  return {
    baseUrl,
    ground,
    load,
    mix: { mixVersion: 1, journeys: { reader: { weight: 1 }, 'editor-pair': { weight: 1 } } },
    durationMs: seconds * 1000,
    rampMs: 0,
    seed: 1,
    authorizationOf: () => authorization,
    informationFilter,
    timeoutMs: 30_000,
    signal: new AbortController().signal,
  };
}
