import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { type Variant, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, movePath, spaceFiles, versionHeader } from '../service.ts';
import type { Addressee } from '../../../reference-server/areas/triggered-calls.ts';
import { callsOf, callsTo, changeExtension, named, registerEndpoint, scheduleTask } from '../proofs.ts';
import { keeps } from './kept.ts';
import type { StoredObject } from '../../../reference-server/ports/store.ts';
import { type CurrentStates, statesMember } from '../../../reference-server/areas/soft-type.ts';

const pieces = ['first', 'last'];

const filesMistakes: Batch = {
  'chunks.numbers-of-a-deleted-upload': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'An upload that broke off and was deleted is begun anew with every chunk of it.',
    kind: 'copy',
    variant: breaks('chunks', 'storeChunk', (right) => {
      const known = new Map<string, Map<number, Buffer>>();
      return async (areas, place, chunk) => {
        const key = `${keyOf(place)} ${chunk.totalSize}`;
        const came = known.get(key) ?? new Map<number, Buffer>();
        known.set(key, came);
        const kept = came.get(chunk.number);
        came.set(chunk.number, Buffer.concat(chunk.pieces));
        const progress = await right(areas, place, kept === undefined ? chunk : { ...chunk, pieces: [kept] });
        if (came.size === chunk.totalChunks) known.delete(key);
        return progress;
      };
    }),
    async shows({ edda }) {
      await edda.sendChunk('broken.txt', pieces, 1);
      await edda.delete(`${spaceFiles}/broken.txt`);
      await edda.sendChunks('broken.txt', ['FIRST', 'last']);
      return (await edda.get(`${spaceFiles}/broken.txt`)).text === 'firstlast';
    },
  },
};

function keyOf({ area, segments }: FilePlace): string {
  return JSON.stringify([area, segments]);
}

const manyMistakes: Batch = {
  'batch.version-of-an-undone-edit': {
    source: 'core: Batch rules 1',
    breaks: 'An edit that was rolled back with its batch has raised no version.',
    kind: 'copy',
    variant: (classes) => {
      const written = new Map<string, number>();
      return together(
        replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
          await right(areas, writing, object, version, content);
          written.set(object.oid, version);
        }),
        replaces('versioning', 'assertVersion', (right, areas, call, object) =>
          right(areas, call, { ...object, version: written.get(object.oid) ?? object.version }),
        ),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'undone' });
      const edit = (version: number) => ({
        method: 'PATCH',
        href: editPath(made),
        headers: versionHeader(version),
        body: { note: 'edit' },
      });
      await edda.batch([edit(1), edit(9)]);
      return (await edda.merge(made, 1, { note: 'again' })).status !== 204;
    },
  },
};

const accessMistakes: Batch = {
  'auth.let-in-once': {
    source: 'core: What the service does',
    breaks: 'A role decides on each method: whoever has read an object may not delete it for that.',
    kind: 'copy',
    variant: breaks('auth', 'authorize', (right) => {
      const passed = new Set<string>();
      return (areas, user, access, call) => {
        const key = `${user.name} ${call.url}`;
        if (access === 'space' && passed.has(key)) return;
        right(areas, user, access, call);
        passed.add(key);
      };
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 'read' });
      await rita.get(made.path);
      return (await rita.delete(made.path)).status === 204;
    },
  },
};

const registeredMistakes: Batch = {
  'endpoints.deleted-and-registered-again': {
    source: 'extensions: Registered external endpoint, active',
    breaks: 'An endpoint is active unless its registration says otherwise, whatever a deleted one of its name said.',
    kind: 'copy',
    variant: breaks('registrations', 'endpointFrom', (right) => {
      const said = new Map<unknown, unknown>();
      return (areas, body) => {
        const id = at(body, '/id');
        const active = at(body, '/active') ?? said.get(id);
        said.set(id, active);
        return right(areas, active === undefined ? body : { ...(body as object), active });
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const fields = { url: `${host.url}/hook` };
      await registerEndpoint(service, 'externalEndpoint', { ...fields, active: false });
      await service.cora.delete('/api/admin/externalEndpoint/hook');
      await registerEndpoint(service, 'externalEndpoint', fields);
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host).length === 0;
    },
  },

  'validation.soft-type-before-an-update': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to the SoftTypes that its capabilities list by now.',
    kind: 'copy',
    variant: breaks('validation', 'validatorsFor', (right) => {
      const known = new Map<string, readonly Addressee[]>();
      return async (areas, reading, softTypeId) => {
        const now = await right(areas, reading, softTypeId);
        const gone = (known.get(softTypeId) ?? []).filter(
          ({ recordId }) => !now.some((addressee) => addressee.recordId === recordId),
        );
        const kept = await Promise.all(gone.map((address) => areas.triggeredCalls.addresseeAt(reading, address)));
        const all = [
          ...now,
          ...kept.filter((addressee) => addressee?.callee.active).filter((each) => each !== undefined),
        ];
        known.set(softTypeId, all);
        return all;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [validator('Document')]);
      const promote = async () => service.edda.move(await service.edda.make('Document', { title: 't' }), 1);
      await promote();
      host.setRecords([validator('Part')]);
      await changeExtension(service, { hostUri: host.url });
      await promote();
      return callsOf(host, 'validation').length === 2;
    },
  },
};

const callsMistakes: Batch = {
  'tasks.links-of-the-same-input': {
    source: 'extensions: External task links',
    breaks: 'The links of a task report on its own job, also when another job had the same input.',
    kind: 'copy',
    variant: keeps('requests', 'taskLinks', (spaceId, _jobId, inputPath) => `${spaceId} ${inputPath}`),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      for (let left = 2; left > 0; left -= 1) await scheduleTask(service);
      const statuses = callsOf(host, 'task').map(({ json }) =>
        listAt(json, '/payload/links').find((link) => at(link, '/id') === 'taskStatus'),
      );
      return statuses.length === 2 && at(statuses[0], '/url') === at(statuses[1], '/url');
    },
  },
};

function validator(softTypeId: string) {
  return {
    id: 'validation',
    version: '1.0.0',
    name: 'validation',
    endpoint: '/validation',
    extensionType: 'ExternalValidation',
    category: 'proof',
    capabilities: [{ capabilityType: 'SoftType', capabilities: [softTypeId] }],
  };
}

const readingMistakes: Batch = {
  'reading.deleted-by-its-long-path': {
    source: 'core: Errors 404',
    breaks: 'An object that was deleted is found by no path, also not by the long one by which it was read before.',
    kind: 'copy',
    variant: breaks('objects', 'locateObject', (right) => {
      const seen = new Map<string, StoredObject>();
      return async (areas, call, reading) => {
        const isLong = call.method === 'GET' && call.params['outputSchemaId'] !== undefined;
        const found = await right(areas, call, reading).catch((error: unknown) => {
          const kept = isLong ? seen.get(call.url) : undefined;
          if (kept === undefined) throw error;
          return kept;
        });
        if (isLong) seen.set(call.url, found);
        return found;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'gone' });
      const path = `/api/space/main/softtype/Document/documentSummary/${made.oid}`;
      await edda.get(path);
      await edda.delete(made.path);
      return (await edda.get(path)).status === 200;
    },
  },

  'paging.page-of-another-array': {
    source: 'core: Endpoint table, page GET',
    breaks: 'A page is one of the array that the path names, also when that of another array was read before.',
    kind: 'copy',
    variant: keeps('paging', 'assemblePage', (_call, _reading, object, view, _section, page, filter) =>
      filter === undefined ? `${object.oid} ${object.version} ${view.id} ${page}` : undefined,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'pages', files: named(11), contacts: named(12) });
      await edda.page(made, 'files', 1);
      return listAt((await edda.page(made, 'contacts', 1)).json, '/data').length !== 2;
    },
  },

  'caching.tag-after-a-refused-change': {
    source: 'core: Versioning 4',
    breaks: 'Data that nobody has changed answers 304, also when a change of it was refused meanwhile.',
    kind: 'copy',
    variant: tagOfChangesAsked(),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(path, undefined, { displayName: 5 });
      return (await cora.get(path, { 'If-None-Match': tag })).status !== 304;
    },
  },
};

const writingMistakes: Batch = {
  'maturity.state-of-an-undone-promote': {
    source: 'core: Batch rules 1',
    breaks: 'A promote that was rolled back with its batch was none: the next one leads to the next state.',
    kind: 'copy',
    variant: statesOfWrites(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'undone' });
      await edda.batch([
        { method: 'PUT', href: movePath(made), headers: versionHeader(1) },
        { method: 'PATCH', href: editPath(made), headers: versionHeader(9), body: { note: 'never' } },
      ]);
      await edda.move(made, 1);
      return at(await edda.read(made), '/data/engineering/state') !== 'reviewed';
    },
  },
};

/** An ETag counts the changes that were asked for at the address. */
function tagOfChangesAsked(): Variant {
  return (classes) => {
    const asked = new Map<string, number>();
    let count = 0;
    return together(
      replaces('messages', 'jsonBodyOf', (right, areas, call) => {
        asked.set(call.url, (asked.get(call.url) ?? 0) + 1);
        return right(areas, call);
      }),
      replaces('caching', 'conditional', (right, areas, call, answer) => {
        count = asked.get(call.url) ?? 0;
        return right(areas, call, answer);
      }),
      replaces('caching', 'etagOf', (right, areas, representation) =>
        right(areas, count === 0 ? representation : `${count} ${representation.toString()}`),
      ),
    )(classes);
  };
}

/** The state of a level is the one that was written last, if it was kept or not. */
function statesOfWrites(): Variant {
  return (classes) => {
    const written = new Map<string, CurrentStates>();
    return together(
      replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
        await right(areas, writing, object, version, content);
        written.set(object.oid, (content[statesMember] ?? {}) as CurrentStates);
      }),
      replaces('maturity', 'levelOf', (right, areas, call, object) => {
        const level = right(areas, call, object);
        return { ...level, current: written.get(object.oid)?.[level.id]?.state ?? level.current };
      }),
    )(classes);
  };
}

/** What is kept and ought not to be, or under a key that says too little: caches, copies, indices, and what is left of what was refused, undone or deleted. */
export const twentyFourth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...registeredMistakes,
  ...callsMistakes,
};
