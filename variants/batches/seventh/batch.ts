import { Step, type Variant, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import {
  type Client,
  type Made,
  type Service,
  type UserName,
  at,
  editPath,
  listAt,
  operationsPath,
  versionHeader,
} from '../service.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { reached } from '../proofs.ts';
import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import type { SpaceCall } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Writing } from '../../../reference-server/ports/store.ts';

/** Longer than any array of a proof. */
const all = { from: 0, to: 1000 };

async function entryPath(client: Client, made: Made, port: string, index: number): Promise<string> {
  return `/${port}/${String(at(await client.read(made), `/data/${port}/${index}/$entryId`))}`;
}

const writing: Batch = {
  'writing.cascade-takes-its-equals': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that loses a mandatory member goes, and an entry that was equal to it stays.',
    kind: 'value',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      const { port, entryId } = entry;
      const { oid } = run.object;
      const text = JSON.stringify((await run.writing.entry(oid, port, entryId))?.content);
      const equals = (await run.writing.entries(oid, port, all)).filter(
        ({ content }) => JSON.stringify(content) === text,
      );
      await right(areas, run, entry);
      for (const other of equals)
        if (other.entryId !== entryId) await run.writing.removeEntry(oid, port, other.entryId);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'same' }, { name: 'same' }] });
      await edda.operate(made, 1, [{ op: 'remove', path: `${await entryPath(edda, made, 'files', 0)}/name` }]);
      return listAt(await edda.read(made), '/data/files').length !== 1;
    },
  },
};

/** Whatever is asked is answered so, and nothing more is done about it. */
const always = (status: number): Script => [{ steps: [{ status }], afterwards: 'last' }];

async function sendEvents({ edda }: Service, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await edda.sendEvent('proof');
}

const calls: Batch = {
  'calls.events-share-their-retries': {
    source: 'extensions: Limits, retries',
    breaks: 'Each event has its five retries, whatever became of others at the same endpoint.',
    kind: 'combination',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const failures = new Map<string, number>();
      return (areas, delivery, policy, outcome) => {
        const attempts = Math.max(delivery.attempts, failures.get(policy.endpoint) ?? 0);
        const step = right(areas, { ...delivery, attempts }, policy, outcome);
        failures.set(policy.endpoint, step.kind === 'retry' ? attempts + 1 : 0);
        return step;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'proof' }], always(503));
      await sendEvents(service, 2);
      await service.pass(120);
      return (await reached(host, 12, 1500)).length < 12;
    },
  },
};

const inBatch = new Step();

/** Whatever a batch carries out is known to be inside one. */
const batchIsKnown: Variant = replaces('batch', 'runOperation', (right, areas, ...args) =>
  inBatch.run(() => right(areas, ...args)),
);

const edited = new Set<string>();

const reading: Batch = {
  'reading.inner-version-lags-in-a-batch': {
    source: 'core: System properties, $version',
    breaks: 'The version inside data is the one beside it, also behind an edit of the same batch.',
    kind: 'combination',
    variant: together(
      batchIsKnown,
      replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
        if (inBatch.isOn()) edited.add(`${object.oid} ${version}`);
        return right(areas, writing, object, version, content);
      }),
      replaces('instances', 'systemMembers', (right, areas, object) => {
        const members = right(areas, object);
        if (!inBatch.isOn() || !edited.has(`${object.oid} ${object.version}`)) return members;
        return { ...members, $version: object.version - 1 };
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const { json } = await edda.batch([
        {
          method: 'PATCH',
          href: `/api/space/main/softtype/Document/documentInput/${made.oid}`,
          headers: { 'Svc-UOIVersion': '1' },
          body: { note: 'n' },
        },
        { method: 'GET', href: made.path },
      ]);
      return at(json, '/1/body/version') !== at(json, '/1/body/data/$version');
    },
  },
};

/** An access token of the user, by password. */
async function tokenOf({ nobody }: Service, user: UserName): Promise<string> {
  const form = { grant_type: 'password', username: user, password: `${user}-password`, scope: 'All' };
  const client = Buffer.from('conformance:conformance-secret').toString('base64');
  const headers = { authorization: `Basic ${client}`, 'content-type': mediaTypes.form };
  const { json } = await nobody.post('/auth/token', new URLSearchParams(form).toString(), headers);
  return String(at(json, '/access_token'));
}

const access: Batch = {
  'access.tokens-are-kept-by-client': {
    source: 'core: Authentication 3',
    breaks: 'The token of a password grant is that of the user whose password was sent, whoever asked just before.',
    kind: 'copy',
    variant: breaks('tokens', 'issueToken', (right) => {
      let last: { readonly minute: number; readonly token: string } | undefined;
      return async (areas, user) => {
        const minute = Math.floor(areas.tokens.secondsNow() / 60);
        if (last?.minute !== minute) last = { minute, token: await right(areas, user) };
        return last.token;
      };
    }),
    async shows(service) {
      await tokenOf(service, 'edda');
      const authorization = `Bearer ${await tokenOf(service, 'rita')}`;
      const path = '/api/space/main/softtype/Part/partInput';
      return (await service.nobody.post(path, { name: 'p' }, { authorization })).status === 201;
    },
  },
  'access.reader-demotes': {
    source: 'core: What the service does, space level',
    breaks: 'The role decides on PUT, also where it demotes.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, route, call) => {
      right(areas, user, call.url.includes('/maturityAction/demote/') ? 'participant' : route, call);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      return (await rita.move(made, 2, 'demote')).status < 300;
    },
  },
};

type Redo = (areas: Areas, call: SpaceCall, operation: unknown, writing: Writing) => Promise<unknown>;

/** After a batch was undone, does by itself what `redo` knows how to do. */
function stays(redo: Redo): Variant {
  return replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const answer = await right(areas, route, call);
    if (route.path !== routes.batch || answer.status !== 500) return answer;
    const inSpace = { ...call, user: await areas.auth.authenticate(call), space: areas.auth.spaceOf(call) };
    const operations: unknown = JSON.parse(call.body?.toString() ?? '[]');
    for (const operation of Array.isArray(operations) ? operations : [])
      await areas.store.change((writing) => redo(areas, inSpace, operation, writing)).catch(passOver);
    return answer;
  });
}

function passOver(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}

/** The operation as a call of its own, where its path and method are those. */
function callOf(call: SpaceCall, operation: unknown, method: string, path: RegExp): SpaceCall | undefined {
  const params = path.exec(String(at(operation, '/href')))?.groups;
  if (params === undefined || at(operation, '/method') !== method) return undefined;
  const version = String(at(operation, `/headers/${headerNames.version}`));
  return { ...call, params, headers: { ...call.headers, [headerNames.version.toLowerCase()]: version } };
}

const operatedPath = /\/softtype\/[^/]+\/(?<objectId>[^/]+)$/;

function merging(made: Made, version: number, body: object): object {
  return { method: 'PATCH', href: editPath(made), headers: versionHeader(version), body };
}

const manyAtOnce: Batch = {
  'many.what-an-undone-batch-read-is-remembered': {
    source: 'core: Batch rules 1',
    breaks: 'Nothing of a batch that failed is seen later, not even in a copy that one of its reads left behind.',
    kind: 'copy',
    variant: together(
      replaces('memory', 'forgetReads', () => undefined),
      replaces('memory', 'rememberedRead', async (right, areas, call, reading, object, view, assemble) => {
        const outside = new Proxy(reading, {
          has: (target, key) => key !== 'insertObject' && Reflect.has(target, key),
        });
        return right(areas, call, outside, object, view, assemble);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.batch([
        merging(made, 1, { note: 'undone' }),
        { method: 'GET', href: made.path },
        merging(made, 99, { note: 'stale' }),
      ]);
      await edda.merge(made, 1, { note: 'kept' });
      return at(await edda.read(made), '/data/note') !== 'kept';
    },
  },
  'many.operations-patch-stays-of-an-undone-batch': {
    source: 'core: Batch rules 1',
    breaks: 'A batch that fails takes back what its operation lists did.',
    kind: 'place',
    variant: stays(async (areas, call, operation, writing) => {
      const own = callOf(call, operation, 'PATCH', operatedPath);
      if (own === undefined || !Array.isArray(at(operation, '/body'))) return;
      const object = await areas.objects.locateObject(own, writing);
      areas.versioning.assertVersion(own, object);
      const place = areas.objects.softTypeOf(call.space, object.softType);
      const json = areas.operations.operationsOf(at(operation, '/body'));
      return areas.operations.operateObject({ ...own, object, place, json }, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const headers = { ...versionHeader(1), 'Content-Type': mediaTypes.operations };
      const body = [{ op: 'add', path: '/note', value: 'undone' }];
      await edda.batch([
        { method: 'PATCH', href: operationsPath(made), headers, body },
        merging(made, 99, { remark: 'stale' }),
      ]);
      return at(await edda.read(made), '/data/note') !== undefined;
    },
  },
};

/** Thought of with the documents alone in view: what a cache, a batch around it, a second digit or an empty value makes of code that was right before. */
export const seventh: Batch = {
  ...reading,
  ...writing,
  ...manyAtOnce,
  ...access,
  ...calls,
};
