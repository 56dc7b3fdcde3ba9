import { setTimeout as sleep } from 'node:timers/promises';
import { headerNames } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import type { Operation } from '../../../reference-server/areas/operations.ts';
import { isArrayMember } from '../../../reference-server/areas/soft-type.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { Undone } from '../../../reference-server/http/refusal.ts';
import type { StoredObject } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together, within } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { documentOf, mergeOf, multiCreateOf, part, readCreated, reference } from '../proofs.ts';
import { at, editPath, listAt, versionHeader } from '../service.ts';
import { changes, leadsTo, perServer } from '../variant-parts.ts';

/** Ports that the last list of operations has changed, by object. */
const editedPorts = perServer(() => new Map<string, ReadonlySet<string>>());

/** The latest list of operations for an object. */
const underWay = perServer(() => new Map<string, Promise<unknown>>());

const referring = new Set(['describes', 'describedBy', 'satisfiedBy', 'affected']);

export const versioningMistakes: Mistakes = {
  'versioning.no-edit-of-what-was-made-with-others': {
    source: 'core: Versioning 2',
    breaks: 'An edit that is accepted is made, also of an object that was created with others.',
    variant: breaks('dispatcher', 'carryOutWrite', (right) => {
      const made = new Set<string>();
      return async (areas, route, call, writing) => {
        const answer = await right(areas, route, call, writing);
        const hrefs = route.path === routes.multiCreate ? JSON.stringify(answer) : '';
        for (const [, oid = ''] of hrefs.matchAll(/\/softtype\/(?:[^/"]+\/)*([^/"]+)"/g)) made.add(oid);
        if (route.path === routes.merge && made.has(call.params['objectId'] ?? '')) throw new Undone(answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const { json } = await edda.multiCreate([part('a'), part('b')]);
      const read = await readCreated(edda, json, 0);
      const oid = String(at(read, '/data/$oid'));
      const path = `/api/space/main/softtype/Part/partInput/${oid}`;
      const reply = await edda.send('PATCH', path, { headers: versionHeader(1), body: { name: 'c' } });
      return reply.status === 204 && at(await readCreated(edda, json, 0), '/version') === 1;
    },
  },
  'versioning.first-edit-of-a-batch-only': {
    source: 'core: Versioning',
    breaks: 'Each edit of a batch is made for the version of its object, the second one as well as the first.',
    variant: breaks('versioning', 'assertVersion', (right) => {
      const compared = new Map<string, string>();
      return (areas, call, object) => {
        if (!('isChangedHere' in call)) return right(areas, call, object);
        const first = compared.get(call.correlationId);
        if (first === undefined || first === object.oid) {
          compared.set(call.correlationId, object.oid);
          return right(areas, call, object);
        }
        areas.versioning.versionHeaderOf(call);
        return object.version;
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Part', { name: 'one' }), await edda.make('Part', { name: 'other' })];
      const answer = await edda.batch([mergeOf(one, 1, { note: 'right' }), mergeOf(other, 7, { note: 'stale' })]);
      return answer.status === 200;
    },
  },
  'multi-create.second-version-in-a-batch': {
    source: 'core: Versioning',
    breaks:
      'A created object has version 1, also one with references that an operation of a batch created with others.',
    variant: replaces('multiCreate', 'createItems', async (right, areas, call, writing, items, inputs) => {
      await right(areas, call, writing, items, inputs);
      if (call.isChangedHere === undefined) return;
      for (const [index, { oid }] of items.entries()) {
        const object = await writing.object(call.space.id, oid);
        if (object !== undefined && inputs[index]?.arrays.has('describes'))
          await writing.updateObject(call.space.id, oid, 2, object.content);
      }
    }),
    async shows({ edda }) {
      const describes = [reference('part')];
      const body = [
        part('part', 'one'),
        { $id: 'document', $softType: 'Document', data: { title: 'other', describes } },
      ];
      const answer = await edda.batch([multiCreateOf(body)]);
      const read = await edda.get(String(at(answer.json, '/0/body/1/href')));
      return at(read.json, '/version') === 2;
    },
  },
  'reading.inner-version-of-an-undone-batch': {
    source: 'core: Versioning 1',
    breaks: 'The two versions of a read agree, also behind a batch that was rolled back.',
    variant: (classes) => {
      const touched = new Map<string, number>();
      return together(
        replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
          try {
            return await right(areas, call, writing, table);
          } catch (error) {
            for (const operation of call.json) {
              if (at(operation, '/method') !== 'PATCH') continue;
              const oid = String(at(operation, '/href')).split('/').at(-1) ?? '';
              const object = await writing.object(call.space.id, oid);
              if (object !== undefined) touched.set(oid, object.version);
              areas.memory.forgetReads(call.space.id, oid);
            }
            throw error;
          }
        }),
        replaces('instances', 'systemMembers', (right, areas, object) =>
          touched.get(object.oid) === object.version
            ? { ...right(areas, object), $version: object.version + 1 }
            : right(areas, { ...object, version: Math.max(object.version, touched.get(object.oid) ?? 0) }),
        ),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document');
      const headers = { 'Svc-UOIVersion': '1' };
      const href = `/api/space/main/softtype/Document/documentInput/${made.oid}`;
      await edda.batch([
        { method: 'PATCH', href, headers: { ...headers, 'Svc-UOIVersion': '9' }, body: { note: 'n' } },
        { method: 'PATCH', href, headers, body: { note: 'n' } },
      ]);
      const read = await edda.read(made);
      return at(read, '/version') !== at(read, '/data/$version');
    },
  },
  'reading.version-in-a-filtered-summary': {
    source: 'core: Versioning 1',
    breaks: 'The data holds the version of the object, also through a filter and another output schema at once.',
    variant: changes('instances', 'assembleInstance', (body, _areas, call, _reading, _object, _view, filter) => {
      if (filter === undefined || call.params.outputSchemaId === undefined) return body;
      return { ...body, data: { ...body.data, $version: 1 } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'summary' });
      await edda.merge(made, 1, { note: 'edited' });
      const path = made.path.replace('/softtype/', '/softtype/Document/documentSummary/');
      return at((await edda.get(`${path}?softTypeFilterId=drawings`)).json, '/data/$version') !== 2;
    },
  },
  'reading.number-as-text-under-a-filter': {
    source: 'core: Versioning 1',
    breaks: 'The version inside the data is an integer, in a filtered read as well.',
    variant: changes('instances', 'assembleInstance', (instance, _areas, _call, _reading, object, _view, filter) => {
      if (filter === undefined) return instance;
      return { ...instance, data: { ...instance.data, $version: String(object.version) as never } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return at(await edda.read(made, '?softTypeFilterId=drawings'), '/data/$version') !== 1;
    },
  },
  'maturity.second-level-keeps-the-version': {
    source: 'core: Versioning 2',
    breaks: 'A promote raises the version of the object, whichever level it is on.',
    variant: replaces('maturity', 'promoteObject', (right, areas, call, writing) => {
      const still = within(areas, { maturity: { versionAfterPromote: (object) => object.version } });
      return right(call.params['levelId'] === 'approval' ? still : areas, call, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1, 'promote', 'approval');
      return at(await edda.read(made), '/version') !== 2;
    },
  },
  'versions.what-is-taken-back-does-not-count': {
    source: 'core: Versioning 2',
    breaks: 'Each edit increments the version, be it that its second operation takes back what the first one did.',
    survives: 'Whether a write that changes nothing raises the version is not said (no-op-version): recorded.',
    variant: replaces('versioning', 'versionAfterOperations', (right, areas, object, operations) => {
      const [first, second, ...more] = operations;
      const isTakenBack =
        more.length === 0 &&
        at(first, '/op') === 'add' &&
        at(second, '/op') === 'remove' &&
        at(first, '/path') === at(second, '/path');
      return isTakenBack ? object.version : right(areas, object, operations);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.operate(made, 1, [
        { op: 'add', path: '/note', value: 'n' },
        { op: 'remove', path: '/note' },
      ]);
      return at(await edda.read(made), '/version') === 1;
    },
  },
  'operations.deep-ones-raise-no-version': {
    source: 'core: Versioning 2',
    breaks: 'Each edit increments the version, one of an entry inside an entry too.',
    variant: replaces('operations', 'operateObject', (right, areas, call, writing) => {
      const { versioning } = areas;
      const isDeep = call.json.every(({ tokens }) => tokens.length > 3 && tokens[3] !== '-');
      if (!isDeep) return right(areas, call, writing);
      const before = call.object.version;
      return right(areas, call, writing).then(async () => {
        const object = await writing.object(call.space.id, call.object.oid);
        if (object !== undefined) await versioning.storeEdit(writing, object, before, object.content);
        return versioning.editedAnswer(before);
      });
    }),
    async shows({ edda }) {
      const files = [{ name: 'n', revisions: [{ text: 'l', author: 'a' }] }];
      const made = await edda.make('Document', { files });
      const read = await edda.read(made);
      const [file, revision] = [at(read, '/data/files/0/$entryId'), at(read, '/data/files/0/revisions/0/$entryId')];
      const path = `/files/${String(file)}/revisions/${String(revision)}/author`;
      await edda.operate(made, 1, [{ op: 'replace', path, value: 'b' }]);
      return at(await edda.read(made), '/version') !== 2;
    },
  },
  'version.stays-for-appended-entries': {
    source: 'core: Versioning 2',
    breaks: 'Each edit gives the object its next version, one that touches nothing but an array too.',
    museum: true,
    variant: replaces('versioning', 'versionAfterOperations', (right, areas, object, operations) => {
      const isMeant = operations.every((operation) => namesArray(areas, object, operation));
      return isMeant ? object.version : right(areas, object, operations);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.operate(made, 1, [{ op: 'add', path: '/files', value: { name: 'b' } }]);
      return at(await edda.read(made), '/version') === 1;
    },
  },
  'version.stays-for-edited-entry': {
    source: 'core: Versioning 2',
    breaks: 'Each edit gives the object its next version, one below an entry too.',
    museum: true,
    variant: replaces('versioning', 'versionAfterOperations', (right, areas, object, operations) => {
      const isMeant = operations.every((operation) => tokensOf(operation).length > 2);
      return isMeant ? object.version : right(areas, object, operations);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'b' }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'add', path: `/files/${id}/comment`, value: 'c' }]);
      return at(await edda.read(made), '/version') === 1;
    },
  },
  'versioning.references-are-an-edit': {
    source: 'core: Versioning 2',
    breaks: 'A created object has version 1, also one that refers to others.',
    variant: changes('editing', 'createObject', async (answer, _areas, call, writing) => {
      const oid = answer.headers?.['Location']?.split('/').at(-1) ?? '';
      const object = await writing.object(call.space.id, oid);
      if (object !== undefined && (await writing.countEntries(oid, 'describes')) > 0)
        await writing.updateObject(call.space.id, oid, object.version + 1, object.content);
      return answer;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part');
      const made = await edda.make('Document', { title: 'refers', describes: [{ value: { $oid: oid } }] });
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'batch.undone-edit-uses-its-version-up': {
    source: 'core: Versioning 2',
    breaks: 'An edit that was rolled back leaves no gap in the versions.',
    variant: breaks('versioning', 'versionAfterMerge', (right) => {
      const handedOut = new Map<string, number>();
      return (areas, object, body) => {
        const version = Math.max(right(areas, object, body), (handedOut.get(object.oid) ?? 0) + 1);
        handedOut.set(object.oid, version);
        return version;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Part');
      const edit = { method: 'PATCH', href: editPath(made), body: { note: 'n' } };
      await edda.batch([{ ...edit, headers: { [headerNames.version]: '1' } }, edit]);
      return (await edda.merge(made, 1, { note: 'n' })).headers.get(headerNames.version) !== '2';
    },
  },
  'many.references-cost-a-version': {
    source: 'core: Versioning 2',
    breaks: 'An object that a multi-create made has version 1, with references as well.',
    variant: replaces('multiCreate', 'createItems', async (right, areas, call, store, items, inputs) => {
      await right(areas, call, store, items, inputs);
      for (const [index, { oid }] of items.entries()) {
        const refers = [...(inputs[index]?.arrays.values() ?? [])].flat().some((item) => leadsTo(item) !== undefined);
        const object = refers ? await store.object(call.space.id, oid) : undefined;
        if (object !== undefined) await store.updateObject(object.spaceId, oid, 2, object.content);
      }
    }),
    async shows({ edda }) {
      const answer = await edda.multiCreate([part('p'), documentOf('d', ['p'])]);
      return at(await readCreated(edda, answer.json, 1), '/version') !== 1;
    },
  },
  'versions.references-do-not-count': {
    source: 'core: Versioning 2',
    breaks: 'Each edit raises the version, also one that touches references alone.',
    variant: replaces('versioning', 'versionAfterOperations', (right, areas, object, operations) => {
      const paths = operations.map((operation) => String(at(operation, '/path')).split('/')[1] ?? '');
      const isRelation = paths.length > 0 && paths.every((name) => referring.has(name));
      return isRelation ? object.version : right(areas, object, operations);
    }),
    async shows({ edda }) {
      const part = await edda.make('Part');
      const made = await edda.make('Document');
      await edda.operate(made, 1, [{ op: 'add', path: '/describes/-', value: { id: 'x', value: { $oid: part.oid } } }]);
      return at(await edda.read(made), '/version') !== 2;
    },
  },
  'operations.twice-at-a-path-counts-twice': {
    source: 'core: Versioning 2',
    breaks: 'An edit raises the version by one, also where two operations of its list name one path.',
    variant: replaces('versioning', 'versionAfterOperations', (right, areas, object, operations) => {
      const paths = new Set(operations.map((operation) => at(operation, '/path')));
      return right(areas, object, operations) + operations.length - paths.size;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'a' });
      const replace = (value: string) => ({ op: 'replace', path: '/note', value });
      await edda.operate(made, 1, [replace('b'), replace('c')]);
      return at(await edda.read(made), '/version') !== 2;
    },
  },
  'versioning.arrays-are-locked-apart': {
    source: 'core: Errors 1',
    breaks:
      'Of two operations patches for one version that are sent at once one is refused, whatever arrays they change.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (route.path !== routes.operations) return right(areas, route, call);
      const oid = call.params['objectId'] ?? '';
      const version = () =>
        areas.store
          .read((reading) => reading.object(call.params['spaceId'] ?? '', oid))
          .then((object) => object?.version);
      const before = await version();
      const other = underWay(areas).get(oid);
      const ports = portsOf(call.body);
      const edit = async (): Promise<Answer> => {
        await sleep(10);
        await other?.catch(() => undefined);
        const after = await version();
        const isApart =
          ports.size > 0 && after !== before && (editedPorts(areas).get(oid)?.isDisjointFrom(ports) ?? true);
        const isCurrent = call.headers['svc-uoiversion'] === String(before);
        const headers = { ...call.headers, ...(isApart && isCurrent && { 'svc-uoiversion': String(after) }) };
        const answer = await right(areas, route, { ...call, headers });
        editedPorts(areas).set(oid, ports);
        return answer;
      };
      const edited = edit();
      underWay(areas).set(oid, edited);
      return edited;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const both = await Promise.all([
        edda.operate(made, 1, [{ op: 'add', path: '/files/-', value: { name: 'f' } }]),
        edda.operate(made, 1, [{ op: 'add', path: '/contacts/-', value: { name: 'c' } }]),
      ]);
      return both.every(({ status }) => status < 300);
    },
  },
};

function tokensOf(operation: unknown): readonly unknown[] {
  return listAt(operation, '/tokens');
}

/** Whether the operation goes to an array port or to an entry of one. */
function namesArray({ configuration }: Areas, { spaceId, softType }: StoredObject, operation: unknown): boolean {
  const [name] = tokensOf(operation);
  const members = configuration.spaces.get(spaceId)?.template.softTypes.get(softType)?.members;
  const isAdd = (operation as Operation).op === 'add';
  return isAdd && tokensOf(operation).length < 3 && isArrayMember(members?.get(String(name)));
}

/** Ports that a list of operations changes; none where it changes anything else. */
function portsOf(body: Buffer | undefined): ReadonlySet<string> {
  try {
    const operations: unknown = JSON.parse(body?.toString() ?? '');
    const paths = listAt(operations, '').map((operation) => String(at(operation, '/path')).split('/').slice(1));
    if (paths.some((path) => path.length < 2)) return new Set();
    return new Set(paths.map(([port = '']) => port));
  } catch {
    return new Set();
  }
}
