import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { Undone } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, Step, together, type Variant } from '../../breaks.ts';
import { awaitCalls, validator } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { mergeOf, operationsOf, promoteOf, putOf, readOf, withContacts, withRevisions } from '../proofs.ts';
import { at, listAt } from '../service.ts';
import { changes, during, type EntryOut, isInstanceRead, isRefusal, perServer, whole } from '../variant-parts.ts';

const lastReads = perServer(() => new Map<string, Answer>());
const lastPages = perServer(() => new Map<string, Answer>());
const erasedInBatch = perServer(() => new Set<string>());
const batchPut = new Step();

const notesErased = replaces('editing', 'deleteObject', async (right, areas, call, writing) => {
  if (call.isSibling !== undefined) erasedInBatch(areas).add(call.object.oid);
  return right(areas, call, writing);
});

function isBatch({ path }: { readonly path: string }): boolean {
  return path.endsWith('/batch');
}

function bodyOf({ body }: { readonly body: Buffer | undefined }): unknown {
  return JSON.parse(body?.toString() ?? 'null');
}

const laterPages = perServer(() => new Map<string, readonly EntryOut[]>());

/** Keeps entries of later pages of some arrays, until a write of its own route changes the object. */
function keepsLaterPages(isMeant: (isInner: boolean) => boolean): Variant {
  return together(
    breaks('paging', 'assemblePage', (right) => async (areas, call, reading, object, view, section, page, filter) => {
      const found = await right(areas, call, reading, object, view, section, page, filter);
      const isKept = page > 0 && filter === undefined && call.isSibling === undefined;
      if (!isKept || !isMeant(section.items !== undefined)) return found;
      const key = `${object.oid} ${view.id} ${section.path} ${page}`;
      const data = laterPages(areas).get(key) ?? found.data;
      laterPages(areas).set(key, data);
      return { ...found, data: [...data] };
    }),
    during('batch', 'runBatch', (step) =>
      replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
        await right(areas, writing, object, version, content);
        if (step.isOn()) return;
        for (const key of laterPages(areas).keys()) if (key.startsWith(object.oid)) laterPages(areas).delete(key);
      }),
    ),
  );
}

const uncommitted = perServer(() => new Map<string, Answer>());
const failing = { method: 'GET', href: '/api/space/main/softtype/nowhere' };

export const batchBesideRoutesMistakes: Mistakes = {
  'batch.reads-the-deleted': {
    source: 'core: Errors, 404',
    breaks: 'An object that is gone is not found, by a batch that read it once neither.',
    variant: breaks('batch', 'carryOutOperation', (right) => {
      const kept = new Map<string, Answer>();
      return async (areas, operation, writing) => {
        const { call, route } = operation;
        if (!isInstanceRead(route)) return right(areas, operation, writing);
        const key = `${call.user.name} ${call.url}`;
        try {
          const answer = await right(areas, operation, writing);
          kept.set(key, answer);
          return answer;
        } catch (error) {
          const known = kept.get(key);
          if (known === undefined || !isRefusal(error, 404)) throw error;
          return known;
        }
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.batch([readOf(made)]);
      await edda.delete(made.path);
      return (await edda.batch([readOf(made)])).status === 200;
    },
  },
  'batch.leaves-the-copies-of-its-space': {
    source: 'core: Batch',
    breaks: 'What a batch has edited reads as it is now, also where nobody but the batch has written in the space.',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      let copies = new Map<string, Answer>();
      return async (areas, route, call) => {
        const isRead = call.method === 'GET' && /\/softtype\//.test(call.url) && !('if-none-match' in call.headers);
        const { authorization, [headerNames.informationFilter.toLowerCase()]: filter } = call.headers;
        const key = `${call.url} ${authorization} ${filter}`;
        const held = copies;
        const answer = (isRead ? held.get(key) : undefined) ?? (await right(areas, route, call));
        if (isRead && answer.status === 200) held.set(key, answer);
        if (call.method !== 'GET' && route.path !== routes.batch) copies = new Map();
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'before' });
      await edda.read(made);
      await edda.batch([putOf(made, 1, { title: 'behind' })]);
      return at(await edda.read(made), '/data/title') === 'before';
    },
  },
  'batch.read-of-what-it-deleted': {
    source: 'core: Batch rules 5; Errors 404',
    breaks: 'What a batch deleted is not found any more, by whoever read it before either.',
    variant: together(
      replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        const key = `${call.url} ${call.headers['authorization']}`;
        try {
          const answer = await right(areas, route, call);
          if (route.method === 'GET' && route.path === routes.instanceShort) lastReads(areas).set(key, answer);
          return answer;
        } catch (error) {
          const kept = route.method === 'GET' ? lastReads(areas).get(key) : undefined;
          if (isRefusal(error, 404) && kept && erasedInBatch(areas).has(call.params['objectId'] ?? '')) return kept;
          throw error;
        }
      }),
      notesErased,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.read(made);
      await edda.batch([{ method: 'DELETE', href: made.path }]);
      return (await edda.get(made.path)).status === 200;
    },
  },
  'batch.page-of-what-it-deleted': {
    source: 'core: Batch rules 5; Errors 404',
    breaks: 'Pages of what a batch deleted are not found any more, by whoever read them before either.',
    variant: together(
      replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        const key = `${call.url} ${call.headers['authorization']}`;
        try {
          const answer = await right(areas, route, call);
          if (route.path === routes.page) lastPages(areas).set(key, answer);
          return answer;
        } catch (error) {
          const kept = lastPages(areas).get(key);
          if (isRefusal(error, 404) && kept && erasedInBatch(areas).has(call.params['objectId'] ?? '')) return kept;
          throw error;
        }
      }),
      notesErased,
    ),
    async shows({ edda }) {
      const made = await withContacts(edda, 1);
      await edda.page(made, 'contacts', 0);
      await edda.batch([{ method: 'DELETE', href: made.path }]);
      return (await edda.page(made, 'contacts', 0)).status === 200;
    },
  },
  'batch.put-keeps-references': {
    source: 'core: Batch rules 5; Endpoint table, PUT',
    breaks: 'A PUT in a batch takes away references that its payload does not have.',
    variant: together(
      breaks(
        'editing',
        'putObject',
        (right) => (areas, call, writing) =>
          call.isSibling === undefined ? right(areas, call, writing) : batchPut.run(() => right(areas, call, writing)),
      ),
      changes('editing', 'arraysAfterPut', (arrays, _areas, softType, given) =>
        batchPut.isOn()
          ? new Map(
              [...arrays].filter(([port]) => given.has(port) || softType.members.get(port)?.kind !== 'references'),
            )
          : arrays,
      ),
    ),
    async shows({ edda }) {
      const { oid } = await edda.make('Part');
      const made = await edda.make('Document', { describes: [{ value: { $oid: oid } }] });
      await edda.batch([putOf(made, 1, { title: 't' })]);
      return listAt(await edda.read(made), '/data/describes').length > 0;
    },
  },
  'batch.deletion-of-nothing-does-not-fail-it': {
    source: 'core: Batch rules 3',
    breaks: 'A batch with a deletion that fails is answered with 500.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const answer = await right(areas, route, call);
      if (!isBatch(route) || answer.status !== 500) return answer;
      const results = listAt(answer.body, '');
      const failed = results.findIndex((result) => at(result, '/statusCode') !== 424);
      const operations = listAt(bodyOf(call), '');
      if (at(operations[failed], '/method') !== 'DELETE' || at(results[failed], '/statusCode') !== 404) return answer;
      const others = await right(areas, route, {
        ...call,
        body: Buffer.from(JSON.stringify(operations.toSpliced(failed, 1))),
      });
      return { ...others, body: listAt(others.body, '').toSpliced(failed, 0, results[failed]) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.batch([readOf(made), { method: 'DELETE', href: `${made.path}x` }])).status === 200;
    },
  },
  'batch.statuses-of-siblings-as-text': {
    source: 'core: Batch result, statusCode',
    breaks: 'The status of an operation that another one took along is an integer.',
    variant: changes('batch', 'siblingResult', ({ statusCode, ...result }) => ({
      ...result,
      statusCode: String(statusCode) as unknown as number,
    })),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const { json } = await edda.batch([readOf(made), { method: 'GET', href: `${made.path}x` }]);
      return typeof at(json, '/0/statusCode') !== 'number';
    },
  },
  'batch.escaped-name': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A member whose name has an escaped slash is replaced in a batch as alone.',
    variant: during('batch', 'carryOutOperation', (step) =>
      changes('operations', 'pointerTokens', (tokens) =>
        step.isOn() ? tokens?.map((token) => token.replaceAll('~1', '/')) : tokens,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { 'scale/~1': 'a' });
      const operation = operationsOf(made, 1, [{ op: 'replace', path: '/scale~1~01', value: 'b' }]);
      return (await edda.batch([operation])).status !== 200;
    },
  },
  'batch.charset-of-operations': {
    source: 'core: Operations-based PATCH rules 1',
    breaks: 'Operations in a batch are told by their media type, whatever parameters it has.',
    survives: 'that the type is told with a parameter too is not said',
    variant: changes('batch', 'operationHeaders', (headers) => {
      const type = headers['content-type'] ?? '';
      return type.includes(';') ? { ...headers, 'content-type': 'application/json' } : headers;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const operation = operationsOf(made, 1, [{ op: 'add', path: '/note', value: 'n' }]);
      const headers = { ...operation.headers, 'Content-Type': 'application/json-patch+json; charset=utf-8' };
      return (await edda.batch([{ ...operation, headers }])).status !== 200;
    },
  },
  'batch.correlation-id-only-a-guid': {
    source: 'core: Common request headers, X-Correlation-Id',
    breaks: 'The correlation id of a batch is passed on to a validation, also where it is no GUID.',
    variant: replaces('dispatcher', 'carryOut', (right, areas, route, call) => {
      const isGuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(call.correlationId);
      return right(areas, route, isBatch(route) && !isGuid ? { ...call, correlationId: randomUUID() } : call);
    }),
    async shows(service) {
      const host = await service.host([validator]);
      const made = await service.edda.make('Document');
      await service.edda.post('/api/space/main/batch', [promoteOf(made, 1)], { 'X-Correlation-Id': 'order 66' });
      const [call] = await awaitCalls(host);
      return call?.envelope?.id !== 'order 66';
    },
  },
  'batch.tag-refused': {
    source: 'core: Batch operation, headers',
    breaks: 'An operation of a batch may carry headers of ETags.',
    survives: 'What a tag in an operation says of an object, which has none, is open; it is remarked on.',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const names = Object.keys(operation.headers).map((name) => name.toLowerCase());
      if (names.includes('if-none-match')) throw new Refusal(400, 'No conditions in a batch.');
      return right(areas, batch, operation);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const { status } = await edda.batch([{ ...readOf(made), headers: { 'If-None-Match': '"other"' } }]);
      return status !== 200;
    },
  },
  'batch.tag-of-nobody-is-held': {
    source: 'core: Batch operation, headers; Errors 304',
    breaks: 'A read in a batch is not modified for those alone who bring its tag, not for whoever brings one.',
    survives: 'What a tag in an operation says of an object, which has none, is open; it is remarked on.',
    variant: changes('batch', 'operationResult', (result, _areas, call) => {
      const isTagged = call.method === 'GET' && call.headers['if-none-match'] !== undefined;
      return isTagged && result.statusCode === 200 ? { statusCode: 304 } : result;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const { json } = await edda.batch([{ ...readOf(made), headers: { 'If-None-Match': '"other"' } }]);
      return at(json, '/0/statusCode') === 304;
    },
  },
  'pages.later-one-kept-over-a-batch': {
    source: 'core: Page response, data; Batch rules 2',
    breaks: 'A later page has the entries as a batch has left them, though it was read before.',
    variant: keepsLaterPages((isInner) => !isInner),
    async shows({ edda }) {
      const made = await withContacts(edda, 12);
      const id = String(at((await edda.page(made, 'contacts', 1)).json, '/data/0/$entryId'));
      await edda.batch([operationsOf(made, 1, [{ op: 'replace', path: `/contacts/${id}/name`, value: 'new' }])]);
      return at((await edda.page(made, 'contacts', 1)).json, '/data/0/name') !== 'new';
    },
  },
  'pages.inner-one-kept-over-a-batch': {
    source: 'core: Page response, data; Batch rules 2',
    breaks:
      'A later page of an array inside an entry has the entries as a batch has left them, though it was read before.',
    variant: keepsLaterPages((isInner) => isInner),
    async shows(service) {
      const { made, port } = await withRevisions(service, 12);
      const id = String(at((await service.edda.page(made, port, 1)).json, '/data/0/$entryId'));
      await service.edda.batch([operationsOf(made, 1, [{ op: 'replace', path: `/${port}/${id}/text`, value: 'new' }])]);
      return at((await service.edda.page(made, port, 1)).json, '/data/0/text') !== 'new';
    },
  },
  'batch.reads-of-a-failed-batch-are-kept': {
    source: 'core: Batch rules 1',
    breaks: 'What a batch has read of its own edits is gone when it is rolled back.',
    variant: together(
      replaces('dispatcher', 'carryOutWrite', async (right, areas, route, call, writing) => {
        const isOperation = call.isSibling !== undefined;
        if (!isOperation) uncommitted(areas).clear();
        const answer = await right(areas, route, call, writing);
        if (isOperation && isInstanceRead(route)) uncommitted(areas).set(`${call.user.name} ${call.url}`, answer);
        return answer;
      }),
      changes('batch', 'runBatch', (answer, areas) => {
        uncommitted(areas).clear();
        return answer;
      }),
      replaces('dispatcher', 'carryOutRead', (right, areas, route, call, reading) => {
        const kept = isInstanceRead(route) && uncommitted(areas).get(`${call.user.name} ${call.url}`);
        return kept ? Promise.resolve(kept) : right(areas, route, call, reading);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'one' });
      await edda.batch([mergeOf(made, 1, { note: 'two' }), readOf(made), failing]);
      return at(await edda.read(made), '/data/note') === 'two';
    },
  },
  'batch.failure-of-multi-create-told-whole': {
    source: 'core: Batch rules 3',
    breaks: 'A batch that fails with a multi-create among its operations tells a result for each of them.',
    variant: replaces('batch', 'runBatch', async (right, areas, call, ...rest) => {
      try {
        return await right(areas, call, ...rest);
      } catch (error) {
        const isTogether = call.json.some((operation) => String(at(operation, '/href')).endsWith('softtype'));
        if (!(error instanceof Undone) || !isTogether) throw error;
        throw new Undone({ status: 500, body: { message: 'internal' } });
      }
    }),
    async shows({ edda }) {
      const together = { method: 'POST', href: '/api/space/main/softtype', body: [] };
      const answer = await edda.batch([failing, together]);
      return !Array.isArray(answer.json);
    },
  },
  'batch.arrays-inside-whole-in-a-batch': {
    source: 'core: Server side paging 1; Batch rules 6',
    breaks: 'A read in a batch holds ten entries of an array inside an entry, like every read.',
    variant: during('batch', 'runOperation', (step) =>
      replaces('entries', 'nestedReadRange', (right, areas) => (step.isOn() ? whole : right(areas))),
    ),
    async shows(service) {
      const { made } = await withRevisions(service, 12);
      const answer = await service.edda.batch([readOf(made)]);
      return listAt(answer.json, '/0/body/data/files/0/revisions').length > 10;
    },
  },
  'batch.read-names-the-batch': {
    source: 'core: SoftType read response, href; Batch rules 6',
    breaks: 'What a batch reads names the URI of the instance, not that of the request under way.',
    variant: replaces('dispatcher', 'carryOutWrite', async (right, areas, route, call, writing) => {
      const answer = await right(areas, route, call, writing);
      if (call.isSibling === undefined || !isInstanceRead(route) || !isContent(answer.body)) return answer;
      const { raw: _raw, ...told } = answer;
      return { ...told, body: { ...answer.body, href: routes.batch.replace('{spaceId}', call.space.id) } };
    }),
    async shows({ edda }) {
      const answer = await edda.batch([readOf(await edda.make('Document'))]);
      return String(at(answer.json, '/0/body/href')).endsWith('/batch');
    },
  },
};
