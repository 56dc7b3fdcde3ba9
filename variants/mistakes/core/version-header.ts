import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { headerNames, mediaTypes } from '../../../contract/names.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Space, User } from '../../../reference-server/configuration.ts';
import type { Call } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Content, StoredObject } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import { always, awaitCalls, validator } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { at, editPath, many, movePath, operationsPath, versionHeader } from '../service.ts';
import { changes, during } from '../variant-parts.ts';

const versionName = headerNames.version.toLowerCase();

/** Level and version of the last promote, by object id. */
const lastPromotes = new Map<string, { readonly levelId: string; readonly version: number }>();

/** Version of the object when the request came, where the wrong server has noted it. */
const seenHeader = 'x-version-at-arrival';

/** Marks what waits in the bin. */
const binMember = '$deletedAt';

const staleVersions = new WeakMap<object, Map<string, number>>();

export const versionHeaderMistakes: Mistakes = {
  'versioning.put-of-parts-without-a-version': {
    source: 'core: Versioning 3; Errors',
    breaks: 'A PUT without the version header gets 412, whatever its SoftType.',
    variant: uncomparedAt(({ method }, sent) => method === 'PUT' && sent === undefined),
    shows: async ({ edda }) => (await edda.replace(await edda.make('Part'), undefined, { name: 'p' })).status < 300,
  },
  'versioning.operations-on-parts-without-a-version': {
    source: 'core: Versioning 3; Errors',
    breaks: 'An operations PATCH without the version header gets 412, whatever its SoftType.',
    variant: uncomparedAt(({ headers }, sent) => isOfOperations(headers) && sent === undefined),
    async shows({ edda }) {
      return (await edda.operate(await edda.make('Part'), undefined, nameReplaced)).status < 300;
    },
  },
  'versioning.operations-on-parts-compare-nothing': {
    source: 'core: Versioning 3; Errors',
    breaks: 'An operations PATCH with another version than the current one gets 409, whatever its SoftType.',
    variant: uncomparedAt(({ headers }, sent) => isOfOperations(headers) && sent !== undefined),
    async shows({ edda }) {
      return (await edda.operate(await edda.make('Part'), 7, nameReplaced)).status < 300;
    },
  },
  'versioning.nothing-to-merge': {
    source: 'core: Errors',
    breaks: 'A PATCH without the version header gets 412, one with an empty object as well.',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isEmpty = call.method === 'PATCH' && call.body?.toString().trim() === '{}';
      return isEmpty && call.headers['svc-uoiversion'] === undefined ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.merge(made, undefined, {})).status !== 412;
    },
  },
  'editing.operations-on-what-was-deleted': {
    source: 'core: Errors',
    breaks: 'What was deleted is not found, by an operations PATCH neither.',
    variant: together(
      replaces('editing', 'eraseObject', async (_right, _areas, writing, { spaceId, oid, version, content }) => {
        await writing.updateObject(spaceId, oid, version, { ...content, [binMember]: true });
      }),
      changes('objects', 'locateObject', (object, _areas, call) => {
        const isOperations = call.method === 'PATCH' && call.params['inputSchemaId'] === undefined;
        if (object.content[binMember] === undefined || isOperations) return object;
        throw new Refusal(404, `There is no object ${object.oid}.`);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'bin' });
      await edda.delete(made.path);
      return (await edda.operate(made, 1, [{ op: 'add', path: '/note', value: 'late' }])).status !== 404;
    },
  },
  'writing.versions-count-modulo-two-to-the-32': {
    source: 'core: Errors 1',
    breaks: 'A version that differs is a mismatch, also where it has the same lowest 32 bits.',
    variant: replaces('versioning', 'sameVersion', (right, areas, sent, current) =>
      right(areas, Math.trunc(sent) | 0, current),
    ),
    async shows({ edda }) {
      const made = await edda.make('Part');
      return (await edda.merge(made, 2 ** 32 + 1, { name: 'q' })).status !== 409;
    },
  },
  'versioning.late-edit-of-other-members': {
    source: 'core: Errors, rules 1',
    breaks:
      'An edit for another version than that of the object is refused, also where it touches what nobody changed.',
    variant: (classes) => {
      const earlier = new Map<string, Content>();
      return together(
        replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
          earlier.set(`${object.oid} ${object.version}`, object.content);
          return right(areas, writing, object, version, content);
        }),
        replaces('versioning', 'assertVersion', (right, areas, call, object) => {
          const sent = areas.versioning.versionHeaderOf(call);
          const old = sent < object.version ? earlier.get(`${object.oid} ${sent}`) : undefined;
          if (old !== undefined && touchesNothingNew(call, areas.messages.jsonBodyOf(call), old, object))
            return object.version;
          return right(areas, call, object);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'n' });
      await edda.merge(made, 1, { note: 'other' });
      return (await edda.merge(made, 1, { remark: 'late' })).status < 300;
    },
  },
  'maturity.stale-promote-of-another-level': {
    source: 'core: Errors 1',
    breaks: 'A promote for an older version is refused, also when only another level was promoted since.',
    variant: together(
      changes('maturity', 'promoteObject', (answer, _areas, call) => {
        lastPromotes.set(call.object.oid, { levelId: call.place.id, version: call.object.version + 1 });
        return answer;
      }),
      replaces('versioning', 'assertVersion', (right, areas, call, object) => {
        const last = lastPromotes.get(object.oid);
        const isOtherLevel = call.url.includes('/promote/') && last?.levelId !== call.params['levelId'];
        if (!isOtherLevel || last?.version !== object.version) return right(areas, call, object);
        const isBefore = areas.versioning.versionHeaderOf(call) === object.version - 1;
        return isBefore ? object.version : right(areas, call, object);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'levels' });
      await edda.move(made, 1);
      return (await edda.move(made, 1, 'promote', 'approval')).status !== 409;
    },
  },
  'version.refused-once-passes-then': {
    source: 'core: Errors 1',
    breaks: 'A version that is not that of the server conflicts, however often it is sent.',
    museum: true,
    variant: (classes) => {
      const refused = new Set<string>();
      return replaces('versioning', 'assertVersion', (right, areas, call, object) => {
        const key = `${object.oid} ${call.headers[versionName] ?? ''}`;
        if (refused.has(key)) return object.version;
        try {
          return right(areas, call, object);
        } catch (error) {
          if (error instanceof Refusal && error.status === 409) refused.add(key);
          throw error;
        }
      })(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.merge(made, 1, { note: 'b' });
      await edda.merge(made, 1, { note: 'c' });
      return (await edda.merge(made, 1, { note: 'd' })).status === 204;
    },
  },
  'versioning.copy-of-before-the-operations': {
    source: 'core: Errors 1',
    breaks:
      'A version is compared with that of the object now, also where operations have made it since the last read.',
    variant: together(
      changes('operations', 'operateObject', (answer, areas, call) => {
        staleVersionsOf(areas.outgoing).set(call.object.oid, call.object.version);
        return answer;
      }),
      replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
        staleVersionsOf(areas.outgoing).delete(object.oid);
        return right(areas, writing, object, version, content);
      }),
      replaces('versioning', 'assertVersion', (right, areas, call, object) => {
        const copy = staleVersionsOf(areas.outgoing).get(object.oid);
        const isOperations = call.params['inputSchemaId'] === undefined;
        if (!isOperations && copy !== undefined && areas.versioning.versionHeaderOf(call) === copy)
          return object.version;
        return right(areas, call, object);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'stale' });
      await edda.operate(made, 1, [{ op: 'add', path: '/note', value: 'first' }]);
      return (await edda.merge(made, 1, { note: 'second' })).status !== 409;
    },
  },
  'versions.repeated-request-passes': {
    source: 'core: Errors rule 1',
    breaks: 'An edit made for a former version is refused, also when it is the very one that was made for it before.',
    variant: breaks('versioning', 'assertVersion', (right) => {
      const accepted = new Set<string>();
      return (areas, call, object) => {
        const key = `${call.method} ${call.url} ${call.headers['svc-uoiversion']} ${call.body?.toString() ?? ''}`;
        if (accepted.has(key)) return object.version;
        const version = right(areas, call, object);
        accepted.add(key);
        return version;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.merge(made, 1, { title: 'u' });
      return (await edda.merge(made, 1, { title: 'u' })).status !== 409;
    },
  },
  'versioning.again-by-the-same-correlation': {
    source: 'core: Errors, rule 1',
    breaks:
      'An edit for a version that is no longer the present one gets 409, also when its correlation id came before.',
    variant: breaks('versioning', 'assertVersion', (right) => {
      const latest = new Map<string, string>();
      return (areas, call, object) => {
        if (call.correlationGiven && latest.get(object.oid) === call.correlationId) return object.version;
        const version = right(areas, call, object);
        latest.set(object.oid, call.correlationId);
        return version;
      };
    }),
    survives:
      'Common request headers, X-Correlation-Id: it is unique per request, so that who sends one twice asks for what is not described.',
    async shows({ edda }) {
      const made = await edda.make('Document');
      const headers = { ...versionHeader(1), [headerNames.correlationId]: 'again' };
      await edda.send('PATCH', editPath(made), { headers, body: { note: 'a' } });
      return (await edda.send('PATCH', editPath(made), { headers, body: { note: 'b' } })).status === 204;
    },
  },
  'versioning.administrators-need-no-version': {
    source: 'core: Errors 1',
    breaks: 'A version that is not that of the server gives 409, whatever role sends it.',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      if (call.headers['svc-uoiversion'] === undefined || !isAdministrator(areas, call))
        return right(areas, call, object);
      return object.version;
    }),
    async shows({ alma, edda }) {
      const made = await edda.make('Document');
      return (await alma.merge(made, 7, { note: 'n' })).status !== 409;
    },
  },
  'versioning.none-asked-for-behind-a-write': {
    source: 'core: Errors, rule 2',
    breaks: 'The version is needed on PUT and PATCH, also where the batch itself has just changed the object.',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isKnown = 'isChangedHere' in call && (call.isChangedHere as (oid: string) => boolean)(object.oid);
      return isKnown && call.headers['svc-uoiversion'] === undefined ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document');
      const href = `/api/space/main/softtype/Document/documentInput/${oid}`;
      const edit = { method: 'PATCH', href, body: { note: 'n' } };
      return (await edda.batch([{ ...edit, headers: { 'Svc-UOIVersion': '1' } }, edit])).status === 200;
    },
  },
  'batch.version-of-the-request-for-all': {
    source: 'core: Errors, rule 2',
    breaks: 'An operation needs a version of its own, also when the batch request came with one.',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const version = batch.headers['svc-uoiversion'];
      return { ...(version !== undefined && { 'svc-uoiversion': version }), ...right(areas, batch, operation) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const edit = { method: 'PATCH', href: editPath(made), body: { note: 'n' } };
      return (await edda.post('/api/space/main/batch', [edit], versionHeader(1))).status === 200;
    },
  },
  'versioning.demote-without-version': {
    source: 'core: Errors 2',
    breaks: 'Without its version header a PUT is refused with 412, a demote like every other.',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isBare = call.headers[headerNames.version.toLowerCase()] === undefined;
      return isBare && call.url.includes('/demote/') ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'demote' });
      await edda.move(made, 1);
      return (await edda.put(movePath(made, 'demote'), undefined)).status !== 412;
    },
  },
  'version.header-of-the-batch': {
    source: 'core: Errors 2',
    breaks: 'An operation without the version header is refused by 412, whatever header the batch has itself.',
    variant: replaces('batch', 'operationHeaders', (right, areas, call, operation) => ({
      ...(call.headers[versionName] !== undefined && { [versionName]: call.headers[versionName] }),
      ...right(areas, call, operation),
    })),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const operation = { method: 'PATCH', href: editPath(made), body: { title: 'u' } };
      const answer = await edda.post('/api/space/main/batch', [operation], { [headerNames.version]: '1' });
      return at(answer.json, '/0/statusCode') !== 412;
    },
  },
  'batch.without-a-version': {
    source: 'core: Errors, rule 2; Batch operation, headers',
    breaks: 'A PUT or PATCH without a version fails as an operation of a batch too.',
    variant: during('batch', 'runBatch', (batch) =>
      replaces('versioning', 'assertVersion', (right, areas, call, object) =>
        batch.isOn() && call.headers[versionName] === undefined ? object.version : right(areas, call, object),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'unversioned' });
      const body = { note: 'new' };
      return (await edda.batch([{ method: 'PATCH', href: editPath(made), body }])).status === 200;
    },
  },
  'batch.moves-without-a-version': {
    source: 'core: Errors 2',
    breaks: 'A promote in a batch needs the version header as one by itself does.',
    variant: during('batch', 'runBatch', (batch) =>
      replaces('versioning', 'assertVersion', (right, areas, call, object) => {
        const isMove = batch.isOn() && call.url.includes('/maturityAction/');
        return isMove && call.headers[versionName] === undefined ? object.version : right(areas, call, object);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.batch([{ method: 'PUT', href: movePath(made) }])).status === 200;
    },
  },
  'versions.taken-from-the-body': {
    source: 'core: Errors rule 2',
    breaks: 'Without the version header a PUT is refused, whatever its body says of the version.',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isAbsent = call.headers['svc-uoiversion'] === undefined;
      const body: unknown = isAbsent && call.body !== undefined ? areas.messages.jsonBodyOf(call) : undefined;
      return at(body, '/$version') === object.version ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.replace(made, undefined, { $version: 1, title: 'u' })).status === 204;
    },
  },
  'versioning.compared-before-the-turn': {
    source: 'core: Errors, row 409',
    breaks:
      'A move that was made for an older version is refused, also where the object changed while an extension was asked.',
    variant: comparedAtArrival(),
    async shows(service) {
      const { edda } = service;
      const host = await service.host(
        [{ ...validator, id: 'check' }],
        always({ status: 200, json: { isValid: true, message: '' }, delayMs: 400 }),
      );
      const made = await edda.make('Document');
      const move = edda.move(made, 1);
      await awaitCalls(host);
      const edit = await edda.merge(made, 1, { note: 'n' });
      return edit.status === 204 && (await move).status === 204;
    },
  },
  'versioning.the-lock-is-enough': {
    source: 'core: Errors, row 409',
    breaks: 'A stale version is a conflict, also for the user who holds the lock.',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const sent = areas.versioning.versionHeaderOf(call);
      const isHolders = 'user' in call && isContent(call.user) && object.content['$lockedBy'] === call.user['name'];
      return isHolders && sent > 0 && sent < object.version ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.merge(made, 1, { note: 'a' });
      await edda.post(`/api/space/main/lock/${made.oid}`);
      return (await edda.merge(made, 1, { note: 'b' })).status < 300;
    },
  },
  'versioning.none-for-the-second-level-in-a-batch': {
    source: 'core: Errors 412',
    breaks: 'A PUT without the version header is answered 412, a maturity action inside a batch too.',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isMove = call.params['levelId'] === 'approval' && 'isSibling' in call;
      return isMove && call.headers['svc-uoiversion'] === undefined ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const batch = await edda.batch([{ method: 'PUT', href: movePath(made, 'promote', 'approval') }]);
      return at(batch.json, '/0/statusCode') !== 412;
    },
  },
  'operations.version-spent-by-a-failure': {
    source: 'core: Versioning 3',
    breaks: 'The version is compared with that of the object: a list that failed has not changed it.',
    variant: failuresSpendVersions(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'failed', note: 'there' });
      await edda.operate(made, 1, [{ op: 'add', path: '/note', value: 'again' }]);
      return (await edda.merge(made, 1, { note: 'new' })).status === 409;
    },
  },
  'version.compared-before-the-write': {
    source: 'core: Versioning 3',
    breaks: 'Of edits that were made for one version and come at once, one passes.',
    museum: true,
    variant: (classes) => {
      const begun = new WeakMap<object, number>();
      const last = new Map<string, { readonly former: number; readonly at: number }>();
      let edits = 0;
      return together(
        replaces('dispatcher', 'answer', async (right, areas, call, work) => {
          begun.set(call.headers, edits);
          await setImmediate();
          return right(areas, call, work);
        }),
        replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
          await right(areas, writing, object, version, content);
          edits += 1;
          last.set(object.oid, { former: object.version, at: edits });
        }),
        replaces('versioning', 'assertVersion', (right, areas, call, object) => {
          const edit = last.get(object.oid);
          const wasRight = edit !== undefined && call.headers[versionName] === String(edit.former);
          return wasRight && (begun.get(call.headers) ?? edits) < edit.at ? object.version : right(areas, call, object);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document');
      const answers = await Promise.all(many(12, (number) => edda.merge(made, 1, { note: String(number) })));
      return answers.filter(({ status }) => status === 204).length > 1;
    },
  },
  'version.ignored-by-operations-in-batch': {
    source: 'core: Versioning 3',
    breaks: 'Every way to edit compares versions, a list of operations inside a batch too.',
    museum: true,
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isMeant = 'isSibling' in call && call.headers['content-type'] === mediaTypes.operations;
      return isMeant ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.merge(made, 1, { note: 'b' });
      const headers = { ...versionHeader(1), 'Content-Type': mediaTypes.operations };
      const body = [{ op: 'add', path: '/remark', value: 'c' }];
      return (await edda.batch([{ method: 'PATCH', href: operationsPath(made), headers, body }])).status === 200;
    },
  },
  'writing.promotes-compare-before-their-turn': {
    source: 'core: Versioning 3',
    breaks: 'Of two promotes for one version that come at once, one is a conflict.',
    variant: together(
      replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        const { spaceId = '', objectId = '' } = call.params;
        if (!call.url.includes('/maturityAction/promote/')) return right(areas, route, call);
        const object = await areas.store.read((reading) => reading.object(spaceId, objectId));
        await setTimeout(20);
        return right(areas, route, { ...call, headers: { ...call.headers, [seenHeader]: String(object?.version) } });
      }),
      replaces('versioning', 'assertVersion', (right, areas, call, object) =>
        call.headers[seenHeader] !== undefined && call.headers[seenHeader] === call.headers[versionName]
          ? object.version
          : right(areas, call, object),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const answers = await Promise.all([edda.move(made, 1), edda.move(made, 1)]);
      return answers.every(({ status }) => status === 204);
    },
  },
  'versioning.not-compared-in-a-batch': {
    source: 'core: Versioning 3',
    breaks: 'The version of an edit is compared, also when the edit is an operation of a batch.',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isOperation = 'isSibling' in call;
      return isOperation && areas.versioning.versionHeaderOf(call) < object.version
        ? object.version
        : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.merge(made, 1, { note: 'first' });
      const href = `/api/space/main/softtype/Document/documentInput/${made.oid}`;
      const stale = {
        method: 'PATCH',
        href,
        headers: { [headerNames.version]: '1' },
        body: { note: 'second' },
      };
      return (await edda.batch([stale])).status !== 500;
    },
  },
  'versioning.equal-up-to-127': {
    source: 'core: Versioning 3',
    breaks: 'The version that was read last is the version, also beyond 127, where boxed integers are no longer one.',
    variant: replaces(
      'versioning',
      'sameVersion',
      (right, areas, sent, current) => current <= 127 && right(areas, sent, current),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      for (let version = 1; version < 128; version += 1) await edda.merge(made, version, { note: `n${version}` });
      return (await edda.merge(made, 128, { note: 'last' })).status === 409;
    },
  },
  'versioning.version-to-come': {
    source: 'core: Versioning 3',
    breaks: 'A version that the object has not reached yet is not that of the server.',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) => sent >= current),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'ahead' });
      return (await edda.merge(made, 2, { note: 'too soon' })).status !== 409;
    },
  },
};

/** Whether a merge names nothing that has changed since the object was as it is told. */
function touchesNothingNew(call: Call, body: unknown, old: Content, { content }: StoredObject): boolean {
  if (call.method !== 'PATCH' || !isContent(body) || !call.headers['content-type']?.startsWith(mediaTypes.json))
    return false;
  return Object.entries(body).every(
    ([name, value]) => !Array.isArray(value) && isDeepStrictEqual(old[name], content[name]),
  );
}

/** A server that looks whether the version is right when a request arrives, and not again when it is its turn. */
function comparedAtArrival(): Variant {
  const arrived = new AsyncLocalStorage<number | undefined>();
  return together(
    replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const { spaceId = '', objectId = '' } = call.params;
      const isEdit = call.method === 'PUT' || call.method === 'PATCH';
      if (!isEdit || objectId === '') return right(areas, route, call);
      const object = await areas.store.read((reading) => reading.object(spaceId, objectId));
      return arrived.run(object?.version, () => right(areas, route, call));
    }),
    replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      right(areas, call, { ...object, version: arrived.getStore() ?? object.version });
      return object.version;
    }),
  );
}

function failuresSpendVersions(): Variant {
  const failed = new Set<string>();
  return together(
    replaces('operations', 'operateObject', async (right, areas, call, writing) => {
      try {
        return await right(areas, call, writing);
      } catch (error) {
        failed.add(call.object.oid);
        throw error;
      }
    }),
    replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      if (failed.delete(object.oid)) throw new Refusal(409, 'The object is at another version.');
      return right(areas, call, object);
    }),
  );
}

/** Versions that a cache has of objects, by what is made anew with the server. */
function staleVersionsOf(server: object): Map<string, number> {
  const versions = staleVersions.get(server) ?? new Map<string, number>();
  staleVersions.set(server, versions);
  return versions;
}

function isAdministrator({ auth }: Areas, call: Call & { readonly user?: unknown; readonly space?: unknown }): boolean {
  return auth.rolesOf(call.user as User, call.space as Space).includes('administrator');
}

const nameReplaced = [{ op: 'replace', path: '/name', value: 'p' }] as const;

/** The version that such a request sends about a Part is not looked at. */
function uncomparedAt(isMeant: (call: Call, sent: string | undefined) => boolean): Variant {
  return replaces('versioning', 'assertVersion', (right, areas, call, object) =>
    object.softType === 'Part' && isMeant(call, call.headers[versionName])
      ? object.version
      : right(areas, call, object),
  );
}

function isOfOperations(headers: Call['headers']): boolean {
  return headers['content-type']?.startsWith(mediaTypes.operations) === true;
}
