import { headerNames } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { firstFile, mergeOf, operationsOf, putOf, tokenOf, withContacts } from '../proofs.ts';
import { at, encoded, listAt, versionHeader } from '../service.ts';
import { changes, during, isRefusal, perRun, perServer, whole } from '../variant-parts.ts';

const meetingMs = 15;
const failing = { method: 'GET', href: '/api/space/main/softtype/none' };
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export const fresh17WritingMistakes: Mistakes = {
  'fresh17a.refused-count': {
    source: 'core: Versioning 2',
    breaks: 'An edit raises the version by one, also where another one was refused before.',
    variant: together(
      replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        try {
          return await right(areas, route, call);
        } catch (error) {
          const { objectId } = call.params;
          if (isRefusal(error, 422) && objectId !== undefined) refusedOf(areas).add(objectId);
          throw error;
        }
      }),
      changes('versioning', 'versionAfterMerge', (version, areas, object) =>
        refusedOf(areas).delete(object.oid) ? version + 1 : version,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.merge(made, 1, { title: 5 });
      await edda.merge(made, 1, { note: 'n' });
      return at(await edda.read(made), '/version') === 3;
    },
  },
  'fresh17a.narrow-schema-cuts-references': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge under a narrow input schema leaves the references which that does not know.',
    variant: replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const { softType, view } = call.place;
      const known = new Set(view.names.values());
      for (const [port, { kind }] of softType.members)
        if (kind === 'references' && !known.has(port)) await writing.replaceEntries(call.object.oid, port, []);
      return answer;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part');
      const made = await edda.make('Document', { title: 't', describes: [{ value: { $oid: oid } }] });
      const path = `/api/space/main/softtype/Document/documentBrief/${made.oid}`;
      await edda.send('PATCH', path, { headers: versionHeader(1), body: { note: 'n' } });
      return listAt(await edda.read(made), '/data/describes').length === 0;
    },
  },
  'fresh17a.other-types-keep-references': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A PUT removes references that its body leaves out, of an object of any SoftType.',
    variant: replaces('editing', 'arraysAfterPut', (right, areas, softType, given) => {
      const all = [...right(areas, softType, given)];
      const isKept = (port: string) => softType.members.get(port)?.kind === 'references' && !given.has(port);
      return new Map(softType.id === 'Document' ? all : all.filter(([port]) => !isKept(port)));
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document');
      const made = await edda.make('Part', { describedBy: [{ value: { $oid: oid } }] });
      await edda.replace(made, 1, { name: 'p' });
      return listAt(await edda.read(made), '/data/describedBy').length === 1;
    },
  },
  'fresh17a.put-in-batch-merges-objects': {
    source: 'core: Batch rules 5; Endpoint table, PUT',
    breaks: 'A PUT of a batch replaces an object member as a whole, its members that are absent go.',
    variant: during('batch', 'carryOutOperation', (step) =>
      replaces('editing', 'replaceContent', (right, areas, old, given) => {
        const content = right(areas, old, given);
        if (!step.isOn()) return content;
        const members = Object.entries(content).map(([name, value]) =>
          isContent(value) && isContent(old[name]) ? [name, { ...old[name], ...value }] : [name, value],
        );
        return Object.fromEntries(members);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', dimensions: { width: 'w', height: 'h' } });
      await edda.batch([putOf(made, 1, { title: 't', dimensions: { width: 'v' } })]);
      return at(await edda.read(made), '/data/dimensions/height') === 'h';
    },
  },
  'fresh17a.moves-checked-ahead': {
    source: 'core: Versioning 3; Errors rule 1',
    breaks: 'A promote and a merge for one version that meet: one of them is refused.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (!route.path.includes('/promote/')) return right(areas, route, call);
      const current = () =>
        areas.store.read((reading) => reading.object(call.params['spaceId'] ?? '', call.params['objectId'] ?? ''));
      const before = await current();
      const name = headerNames.version.toLowerCase();
      if (before === undefined || call.headers[name] !== String(before.version)) return right(areas, route, call);
      await sleep(meetingMs);
      const version = String((await current())?.version);
      return right(areas, route, { ...call, headers: { ...call.headers, [name]: version } });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const [moved, merged] = await Promise.all([edda.move(made, 1), edda.merge(made, 1, { note: 'n' })]);
      return moved.status < 300 && merged.status < 300;
    },
  },
  'fresh17a.rollback-by-snapshot': {
    source: 'core: Batch rules 1; Versioning 2',
    breaks: 'A batch that is rolled back takes no edit along that another request made meanwhile.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (route.path !== routes.batch || call.body === undefined) return right(areas, route, call);
      const operations = listAt(JSON.parse(call.body.toString()), '');
      const oids = operations.flatMap((each) => String(at(each, '/href')).split('/'));
      const before = await areas.store.read((reading) =>
        Promise.all(oids.map((oid) => reading.object(call.params['spaceId'] ?? '', oid))),
      );
      const answer = await right(areas, route, call);
      if (answer.status !== 500) return answer;
      await sleep(meetingMs);
      await areas.store.change(async (writing) => {
        for (const object of before) {
          if (object === undefined) continue;
          await writing.updateObject(object.spaceId, object.oid, object.version, object.content);
          areas.memory.forgetReads(object.spaceId, object.oid);
        }
      });
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await Promise.all([
        edda.batch([mergeOf(made, 1, { note: 'undone' }), failing]),
        edda.merge(made, 1, { note: 'kept' }),
      ]);
      return at(await edda.read(made), '/version') === 1;
    },
  },
  'fresh17a.batch-dates-are-now': {
    source: 'core: Operations-based PATCH rules 7; Batch operation, headers',
    breaks: 'A dated element that an operation of a batch replaces gets the date of the information filter.',
    variant: during('batch', 'runOperation', (step) =>
      replaces('contents', 'effectivityOf', (right, areas, call) =>
        step.isOn() ? new Date(areas.clock.now()).toISOString() : right(areas, call),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '1' });
      const time = '2031-02-03T04:05:06Z';
      const body = [operationsOf(made, 1, [{ op: 'replace', path: '/price', value: '2' }])];
      await edda.post('/api/space/main/batch', body, { [headerNames.informationFilter]: encoded({ time }) });
      return !JSON.stringify(at(await edda.read(made), '/data/price')).includes('2031');
    },
  },
  'fresh17a.cascade-of-names-alone': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry without what its model demands goes, in arrays of every SoftType.',
    variant: replaces('operations', 'complies', (right, areas, members, content) =>
      members.has('name') || members.has('$oid') ? right(areas, members, content) : true,
    ),
    async shows({ edda }) {
      const made = await edda.make('Requirement', { verifications: [{ method: 'm', result: 'r' }] });
      await edda.operate(made, 1, [{ op: 'remove', path: '/verifications/1/method' }]);
      return listAt(await edda.read(made), '/data/verifications').length === 1;
    },
  },
  'fresh17a.add-over-falsy-in-entry': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add fails on a member of an entry that exists, be its value false or nought.',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, place) => {
      const isFalsy = target.kind === 'member' && [0, false, ''].some((each) => each === target.value);
      if (!isFalsy || target.row.entry === undefined) return right(areas, run, target, value, place);
      return areas.operations.replaceValue(run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n', final: false }] });
      const file = await firstFile(edda, made);
      return (await edda.operate(made, 1, [{ op: 'add', path: `${file}/final`, value: true }])).status < 300;
    },
  },
  'fresh17a.nested-removal-takes-parent': {
    source: 'core: Operations-based PATCH rules 9 and 3',
    breaks: 'A path with a slash at its end removes the entry of an inner array that it names, and no more.',
    variant: replaces('operations', 'applyOperation', (right, areas, run, operation, place) => {
      const { op, tokens } = operation;
      const isInner = op === 'remove' && tokens.length === 5 && tokens[4] === '';
      return right(areas, run, isInner ? { ...operation, tokens: tokens.slice(0, 2) } : operation, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n', revisions: [{ text: 'a' }, { text: 'b' }] }] });
      const file = await firstFile(edda, made);
      await edda.operate(made, 1, [{ op: 'remove', path: `${file}/revisions/1/` }]);
      return listAt(await edda.read(made), '/data/files').length === 0;
    },
  },
  'fresh17a.put-clears-before-check': {
    source: 'core: Errors 409; Errors rule 1',
    breaks: 'A PUT that is refused for its version takes nothing away.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        const isPut = route.method === 'PUT' && route.path === routes.merge;
        if (!isPut || !isRefusal(error, 409) || call.body === undefined) throw error;
        const { objectId = '', spaceId = '', definitionId = '' } = call.params;
        const given = Object.keys(JSON.parse(call.body.toString()) as object);
        const members = areas.configuration.spaces.get(spaceId)?.template.softTypes.get(definitionId)?.members ?? [];
        await areas.store.change(async (writing) => {
          for (const [port, { kind }] of members)
            if (['entries', 'references'].includes(kind) && !given.includes(port))
              await writing.replaceEntries(objectId, port, []);
        });
        areas.memory.forgetReads(spaceId, objectId);
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await withContacts(edda, 2);
      await edda.replace(made, 7, { title: 't' });
      return listAt(await edda.read(made), '/data/contacts').length === 0;
    },
  },
  'fresh17a.first-edit-after-restart-uncompared': {
    source: 'core: Versioning 3; Errors rule 1',
    breaks: 'Versions are compared after a restart as before.',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const known = knownOf(areas);
      areas.versioning.versionHeaderOf(call);
      if (!known.has(object.oid) && object.version > 1) {
        known.add(object.oid);
        return object.version;
      }
      known.add(object.oid);
      return right(areas, call, object);
    }),
    async shows({ edda, restart }) {
      const made = await edda.make('Document');
      await edda.merge(made, 1, { note: 'n' });
      await restart();
      return (await edda.merge(made, 1, { note: 'm' })).status === 204;
    },
  },
  'fresh17a.moves-uncompared': {
    source: 'core: Versioning 3; States and transitions',
    breaks: 'An edit for the version before a move is refused, as one for the version before an edit is.',
    variant: together(
      replaces('versioning', 'assertVersion', (right, areas, call, object) => {
        const since = beforeMoves(areas).get(object.oid) ?? object.version;
        const sent = areas.versioning.versionHeaderOf(call);
        const isStale = sent >= since && sent < object.version && call.method === 'PATCH';
        return isStale ? object.version : right(areas, call, object);
      }),
      during('maturity', 'promoteObject', (step) =>
        replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
          const before = beforeMoves(areas);
          if (!step.isOn()) before.delete(object.oid);
          else if (!before.has(object.oid)) before.set(object.oid, object.version);
          await right(areas, writing, object, version, content);
        }),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      return (await edda.merge(made, 1, { note: 'n' })).status === 204;
    },
  },
  'fresh17a.moves-of-deleted-accepted': {
    source: 'core: Errors 404',
    breaks: 'An object that was deleted cannot be promoted.',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      const deleted = new Set<string>();
      return async (areas, route, call) => {
        const { objectId = '' } = call.params;
        try {
          const answer = await right(areas, route, call);
          if (call.method === 'DELETE') deleted.add(objectId);
          return answer;
        } catch (error) {
          if (!route.path.includes('/promote/') || !deleted.has(objectId) || !isRefusal(error, 404)) throw error;
          return areas.versioning.editedAnswer(2);
        }
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.delete(made.path);
      return (await edda.move(made, 1)).status === 204;
    },
  },
  'fresh17a.deleted-with-target': {
    source: 'core: Batch rules 5, DELETE',
    breaks: 'A DELETE deletes its target, and not the objects which refer to it.',
    variant: replaces('editing', 'deleteObject', async (right, areas, call, writing) => {
      const { oid } = call.object;
      for (const [id, { members }] of call.space.template.softTypes) {
        const ports = [...members].filter(([, { kind }]) => kind === 'references').map(([port]) => port);
        for (const one of await writing.objectsHolding(call.space.id, id, '', 100_000))
          for (const port of ports) {
            const all = await writing.entries(one.oid, port, whole);
            if (one.oid === oid || !all.some(({ content }) => at(content, '/value/$oid') === oid)) continue;
            await areas.editing.eraseObject(writing, one);
            break;
          }
      }
      return right(areas, call, writing);
    }),
    async shows({ edda }) {
      const part = await edda.make('Part');
      const made = await edda.make('Document', { title: 't', describes: [{ value: { $oid: part.oid } }] });
      await edda.delete(part.path);
      return (await edda.get(made.path)).status === 404;
    },
  },
  'fresh17a.location-by-input-schema': {
    source: 'core: Errors 201; Common request headers, Location',
    breaks: 'The address of a new object leads to it, whichever input schema it was created by.',
    variant: changes('editing', 'createObject', (answer, _areas, { place, params }) => {
      const [first] = place.softType.inputs.keys();
      if (place.view.id === first) return answer;
      const { Location = '' } = answer.headers ?? {};
      const oid = Location.split('/').at(-1) ?? '';
      const path = `/api/space/${params['spaceId']}/softtype/${place.softType.id}/${place.view.id}/${oid}`;
      return { ...answer, headers: { ...answer.headers, Location: path } };
    }),
    async shows({ edda }) {
      const answer = await edda.post('/api/space/main/softtype/Part/partBrief', { name: 'p' });
      return (await edda.get(answer.headers.get('location') ?? '')).status === 404;
    },
  },
  'fresh17a.jwt-below-api-alone': {
    source: 'core: Authentication 1; Endpoint table, POST multi-create',
    breaks: 'A JWT opens the routes without the prefix of the API as it opens the others.',
    variant: replaces('auth', 'authenticate', async (right, areas, call) => {
      const credentials = areas.auth.credentialsOf(call.headers);
      const isJwt = credentials?.scheme === 'bearer' && credentials.token.split('.').length === 3;
      if (isJwt && call.url.startsWith('/space/') && call.method === 'POST') throw new Refusal(401, 'No such token.');
      return right(areas, call);
    }),
    async shows(service) {
      const authorization = `Bearer ${await tokenOf(service, 'edda')}`;
      const body = [{ $id: 'p', $softType: 'Part', data: { name: 'p' } }];
      return (await service.edda.post('/space/main/softtype', body, { authorization })).status === 401;
    },
  },
  'fresh17a.held-before-access': {
    source: 'core: Authentication 6; Errors 304',
    breaks: 'Who may not read a resource is refused, even if he names its tag.',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      const tags = new Map<string, string>();
      return async (areas, route, call) => {
        const tag = tags.get(call.url);
        const given = call.headers['if-none-match'];
        if (call.method === 'GET' && tag !== undefined && given === tag) return { status: 304, headers: { ETag: tag } };
        const answer = await right(areas, route, call);
        const { ETag } = answer.headers ?? {};
        if (ETag !== undefined) tags.set(call.url, ETag);
        return answer;
      };
    }),
    async shows({ cora, edda }) {
      const tag = (await cora.get('/api/collection/health')).headers.get('etag') ?? '';
      return (await edda.get('/api/collection/health', { 'If-None-Match': tag })).status === 304;
    },
  },
  'fresh17a.tag-is-length': {
    source: 'core: Versioning 4',
    breaks: 'Changed data has another tag, also where it is as long as before.',
    variant: replaces('caching', 'etagOf', (_right, _areas, representation) => `"${representation.length}"`),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      await cora.put(path, undefined, { displayName: 'aa' });
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(path, undefined, { displayName: 'bb' });
      return (await cora.get(path, { 'If-None-Match': tag })).status === 304;
    },
  },
};

const refusedOf = perServer(() => new Set<string>());
const beforeMoves = perServer(() => new Map<string, number>());
const knownOf = perRun(() => new Set<string>());
