import { headerNames } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import type { StoredObject } from '../../../reference-server/ports/store.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { replaces, together, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { documentsPath, mergeOf, operationsOf, readOf, withFiles } from '../proofs.ts';
import { at, encoded, listAt, movePath } from '../service.ts';
import { changes, during, perServer } from '../variant-parts.ts';

const sentBatches = perServer(() => new Map<string, { readonly at: number; readonly answer: Answer }>());

export const fresh15BatchMistakes: Mistakes = {
  'fresh15a.whole-addresses-are-not-asked': {
    source: 'core: Authentication 6',
    breaks: 'An operation that the role does not allow is refused, also where its href names scheme and host.',
    variant: unaskedAt((href) => href.startsWith('http')),
    async shows({ rita, url }) {
      const { json } = await rita.batch([{ method: 'POST', href: url + documentsPath, body: { title: 't' } }]);
      return at(json, '/0/statusCode') === 201;
    },
  },
  'fresh15a.no-check-of-the-model': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry without a mandatory member is removed, also by an operation of a batch.',
    variant: during('batch', 'runBatch', (step) =>
      replaces('operations', 'complies', (right, areas, ...args) => step.isOn() || right(areas, ...args)),
    ),
    async shows({ edda }) {
      const made = await withFiles(edda, 1);
      await edda.batch([operationsOf(made, 1, [{ op: 'remove', path: '/files/1/name' }])]);
      return listAt(await edda.read(made), '/data/files').length > 0;
    },
  },
  'fresh15a.dates-of-the-clock': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A replace in a batch sets the date of the information filter that the batch was sent with.',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) =>
      'isSibling' in call ? new Date(areas.clock.now()).toISOString() : right(areas, call),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '1' });
      const replace = operationsOf(made, 1, [{ op: 'replace', path: '/price', value: '2' }]);
      const time = '2020-01-01T00:00:00Z';
      await edda.post('/api/space/main/batch', [replace], { [headerNames.informationFilter]: encoded({ time }) });
      return at(await edda.read(made), '/data/price/effectivity') !== time;
    },
  },
  'fresh15a.versions-of-the-end': {
    source: 'core: Batch result',
    breaks: 'The version of a result is the one that its operation has made, also where a later one edits again.',
    variant: changes('batch', 'batchAnswer', (answer) => {
      const last = new Map<unknown, unknown>();
      for (const result of listAt(answer.body, '')) {
        const made = at(result, '/body/version');
        if (made !== undefined && at(result, '/body/data') === undefined) last.set(at(result, '/body/href'), made);
      }
      const body = listAt(answer.body, '').map((result) => {
        const own = at(result, '/body');
        const isWritten = isContent(result) && isContent(own) && last.has(own['href']) && !('data' in own);
        return isWritten ? { ...result, body: { ...own, version: last.get(own['href']) } } : result;
      });
      return { ...answer, body };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const { json } = await edda.batch([mergeOf(made, 1, { note: 'a' }), mergeOf(made, 2, { note: 'b' })]);
      return at(json, '/0/body/version') === 3;
    },
  },
  'fresh15a.unknown-routes-undo-nothing': {
    source: 'core: Batch rules 1',
    breaks: 'An operation of a route that a batch does not know fails, and undoes the others.',
    variant: replaces(
      'batch',
      'failsBatch',
      (right, areas, outcome) => right(areas, outcome) && !outcome.call.url.endsWith('/batch'),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.batch([mergeOf(made, 1, { note: 'n' }), { method: 'GET', href: '/api/space/main/nothing' }]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'fresh15a.sent-twice-is-done-once': {
    source: 'core: Batch rules 5',
    breaks: 'A batch of creates that is sent again creates again.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (route.path !== routes.batch) return right(areas, route, call);
      const key = JSON.stringify([call.headers['authorization'], call.url, call.body?.toString()]);
      const known = sentBatches(areas).get(key);
      if (known !== undefined && Date.now() - known.at < 2000) return known.answer;
      const answer = await right(areas, route, call);
      const isCreating = listAt(JSON.parse(call.body?.toString() ?? '[]'), '').every(
        (operation) => at(operation, '/method') === 'POST',
      );
      if (isCreating && answer.status === 200) sentBatches(areas).set(key, { at: Date.now(), answer });
      return answer;
    }),
    async shows({ edda }) {
      const create = { method: 'POST', href: documentsPath, body: { title: 't' } };
      const answers = [await edda.batch([create]), await edda.batch([create])];
      return new Set(answers.map(({ json }) => at(json, '/0/body/href'))).size === 1;
    },
  },
  'fresh15a.promote-without-a-version': {
    source: 'core: Errors 2',
    breaks: 'A promote without a version is refused, also in a batch.',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isMeant = 'isSibling' in call && call.url.includes('/maturityAction/');
      return isMeant && call.headers[headerNames.version.toLowerCase()] === undefined
        ? object.version
        : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.batch([{ method: 'PUT', href: movePath(made) }])).status === 200;
    },
  },
  'fresh15a.created-below-its-request': {
    source: 'core: Batch result',
    breaks: 'The href of a create is that of the object.',
    variant: changes('batch', 'writtenBody', (body, _areas, call) => {
      const href = at(body, '/href');
      if (call.method !== 'POST' || typeof href !== 'string' || !isContent(body)) return body;
      return { ...body, href: `${call.url.split('?', 1)[0]}/${href.split('/').at(-1)}` };
    }),
    async shows({ edda }) {
      const { json } = await edda.batch([{ method: 'POST', href: documentsPath, body: { title: 't' } }]);
      return (await edda.get(String(at(json, '/0/body/href')))).status !== 200;
    },
  },
  'fresh15a.read-tells-the-batch': {
    source: 'core: SoftType read response',
    breaks: 'The href of a read in a batch is that of the instance.',
    variant: changes('batch', 'operationResult', (result, _areas, call) =>
      call.method === 'GET' && isContent(result.body) && 'links' in result.body
        ? { ...result, body: { ...result.body, href: `/api/space/${call.space.id}/batch` } }
        : result,
    ),
    async shows({ edda }) {
      const { json } = await edda.batch([readOf(await edda.make('Document'))]);
      return at(json, '/0/body/href') === '/api/space/main/batch';
    },
  },
  'fresh15a.created-is-edited-at-the-end': {
    source: 'core: Versioning 2',
    breaks: 'What a batch creates has version 1, as its result says.',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      const made: StoredObject[] = [];
      const noting = {
        ...writing,
        async insertObject(object: StoredObject) {
          made.push(object);
          await writing.insertObject(object);
        },
      };
      const answer = await right(areas, call, noting, table);
      for (const { spaceId, oid } of made) {
        const object = await writing.object(spaceId, oid);
        if (object !== undefined) await writing.updateObject(spaceId, oid, object.version + 1, object.content);
      }
      return answer;
    }),
    async shows({ edda }) {
      const { json } = await edda.batch([{ method: 'POST', href: documentsPath, body: { title: 't' } }]);
      return at((await edda.get(String(at(json, '/0/body/href')))).json, '/version') === 2;
    },
  },
};

/** Of a batch, operations whose role nobody looks at. */
function unaskedAt(isMeant: (href: string) => boolean): Variant {
  const unasked = new WeakSet<object>();
  return together(
    changes('batch', 'prepareOperation', (prepared, _areas, _batch, _table, operation) => {
      if (isMeant(String(at(operation, '/href')))) unasked.add(prepared);
      return prepared;
    }),
    replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) =>
      unasked.has(prepared)
        ? areas.dispatcher.carryOutWrite(prepared.route, prepared.call, writing)
        : right(areas, prepared, writing),
    ),
  );
}
