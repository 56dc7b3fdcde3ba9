import { callOf, sample, type Outcome, type Request } from './patch-sample.fixture.ts';
import { Refusal } from '../http/refusal.ts';
import type { Answer, SpaceCall } from '../http/call.ts';
import type { Areas } from '../areas.ts';
import type { Writing } from '../ports/store.ts';
import { storedStates } from './soft-type.ts';

/** Editors of the main space in the bundled seed. */
export type Editor = 'edda' | 'emil';
export type Action =
  | 'promoteObject'
  | 'demoteObject'
  | 'lockObject'
  | 'unlockObject'
  | 'mergeObject'
  | 'putObject'
  | 'operateObject'
  | 'deleteObject';

export interface Asked extends Request {
  readonly by?: Editor;
  readonly process?: string;
  readonly level?: string;
  readonly body?: unknown;
}

/** Writes to objects of the bundled configuration by either editor, for tests of states and locks. */
export interface Writers {
  readonly service: Areas;
  create(definitionId?: string): Promise<string>;
  /** With the version of the object unless another one is asked for. */
  write(action: Action, oid: string, asked?: Asked): Promise<Outcome>;
  /** Version and state of each level; undefined for an object that is gone. */
  standing(oid: string): Promise<Standing | undefined>;
}

export interface Standing {
  readonly version: number;
  readonly states: Readonly<Record<string, string>>;
}

type Write = (areas: Areas, call: SpaceCall, writing: Writing) => Promise<Answer>;

const writeBy: Readonly<Record<Action, Write>> = {
  promoteObject: ({ maturity }, ...given) => maturity.promoteObject(...given),
  demoteObject: ({ maturity }, ...given) => maturity.demoteObject(...given),
  lockObject: ({ locks }, ...given) => locks.lockObject(...given),
  unlockObject: ({ locks }, ...given) => locks.unlockObject(...given),
  mergeObject: ({ editing }, ...given) => editing.mergeObject(...given),
  putObject: ({ editing }, ...given) => editing.putObject(...given),
  operateObject: ({ operations }, ...given) => operations.operateObject(...given),
  deleteObject: ({ editing }, ...given) => editing.deleteObject(...given),
};
const bodies = { Document: { title: 't' }, Part: { name: 'n' } };

export function writers(): Writers {
  const { service, create } = sample();
  const object = (oid: string) => service.store.read((reading) => reading.object('main', oid));
  return {
    service,
    create: (definitionId = 'Document') =>
      definitionId === 'Part'
        ? create(bodies.Part, { definitionId, inputSchemaId: 'partInput' })
        : create(bodies.Document),
    async write(action, oid, asked = {}) {
      const version = (await object(oid))?.version ?? 1;
      const call = callBy(service, oid, { version, ...asked });
      return service.store.change((writing) => writeBy[action](service, call, writing)).then(outcome, makeRefusal);
    },
    async standing(oid) {
      const stored = await object(oid);
      if (stored === undefined) return undefined;
      const states = Object.entries(storedStates(stored)).map(([level, { state }]) => [level, state]);
      return { version: stored.version, states: Object.fromEntries(states) };
    },
  };
}

function callBy(
  service: Areas,
  oid: string,
  { by = 'edda', process = 'release', level = 'engineering', body, ...request }: Asked,
): SpaceCall {
  const call = callOf(service, oid, body, request);
  const user = service.configuration.users.get(by);
  if (user === undefined) throw new Error(`The bundled seed has no user ${by}.`);
  return { ...call, user, params: { ...call.params, processId: process, levelId: level } };
}

function outcome({ status, headers }: Answer): Outcome {
  return { status, version: headers?.['Svc-UOIVersion'] };
}

function makeRefusal(error: unknown): Outcome {
  if (!(error instanceof Refusal)) throw error;
  return { status: error.status, detail: error.message };
}
