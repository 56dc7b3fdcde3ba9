import { callOf, sample, type Outcome, type Request } from './patch-sample.fixture.ts';
import { Refusal } from '../http/refusal.ts';
import type { Answer, SpaceCall } from '../http/call.ts';
import type { Areas } from '../areas.ts';
import { carryOut } from './carry-out.fixture.ts';
import { routes } from '../../contract/routes.ts';
import type { Route } from '../http/route.ts';
import { lockPath } from './locks.ts';
import { maturityPath } from './objects.ts';
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

const routeOf: Readonly<Record<Action, readonly [method: Route['method'], path: string]>> = {
  promoteObject: ['PUT', maturityPath('promote')],
  demoteObject: ['PUT', maturityPath('demote')],
  lockObject: ['POST', lockPath],
  unlockObject: ['DELETE', lockPath],
  mergeObject: ['PATCH', routes.merge],
  putObject: ['PUT', routes.merge],
  operateObject: ['PATCH', routes.operations],
  deleteObject: ['DELETE', routes.instanceShort],
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
      return carryOut(service, ...routeOf[action], call).then(outcome, makeRefusal);
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
