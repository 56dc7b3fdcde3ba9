import { routes } from '../../../contract/routes.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { documentOf, multiCreateOf, multiCreatePath, pair, part, readCreated, readOf } from '../proofs.ts';
import { at, listAt, many, movePath, versionHeader } from '../service.ts';
import { changes, during, forgive } from '../variant-parts.ts';

const meetingMs = 15;
const failing = { method: 'GET', href: '/api/space/main/softtype/none' };

/** Operations of a batch that failed are carried out by themselves where they are of that kind. */
const survives = (isMeant: (operation: unknown) => boolean) =>
  replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const answer = await right(areas, route, call);
    if (route.path !== routes.batch || answer.status !== 500 || call.body === undefined) return answer;
    const kept = listAt(JSON.parse(call.body.toString()), '').filter(isMeant);
    if (kept.length > 0) await right(areas, route, { ...call, body: Buffer.from(JSON.stringify(kept)) }).catch(forgive);
    return answer;
  });

export const fresh17BatchMistakes: Mistakes = {
  'fresh17a.absolute-href-loses-query': {
    source: 'core: Batch operation, href',
    breaks: 'An operation with a full URI is carried out with the query of that URI.',
    variant: changes('batch', 'pathOfHref', (path, _areas, _batch, href) =>
      href.startsWith('http') ? path?.split('?', 1)[0] : path,
    ),
    async shows({ edda, url }) {
      const files = [
        { name: 'a', category: 'drawing' },
        { name: 'b', category: 'letter' },
      ];
      const made = await edda.make('Document', { title: 't', files });
      const href = new URL(`${made.path}?softTypeFilterId=drawings`, url).href;
      return listAt((await edda.batch([{ method: 'GET', href }])).json, '/0/body/data/files').length === 2;
    },
  },
  'fresh17a.reads-default-schema': {
    source: 'core: Batch rules 2 and 5; Endpoint table, GET softtype',
    breaks: 'A GET of a batch answers by the output schema of its path.',
    variant: during('batch', 'carryOutOperation', (step) =>
      replaces('objects', 'outputViewOf', (right, areas, softType, schemaId) =>
        right(areas, softType, step.isOn() ? undefined : schemaId),
      ),
    ),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't', note: 'n' });
      const href = `/api/space/main/softtype/Document/documentSummary/${oid}`;
      return at((await edda.batch([{ method: 'GET', href }])).json, '/0/body/data/note') === 'n';
    },
  },
  'fresh17a.multi-create-survives': {
    source: 'core: Batch rules 1 and 4',
    breaks: 'A batch that fails leaves nothing of a multi-create among its operations.',
    variant: survives((operation) => at(operation, '/href') === multiCreatePath),
    async shows({ edda }) {
      await edda.batch([multiCreateOf([part('p', 'surviving')]), failing]);
      return (await edda.get('/api/space/main/instances/Part?text=surviving')).text.includes('softtype/');
    },
  },
  'fresh17a.demote-survives': {
    source: 'core: Batch rules 1 and 2',
    breaks: 'A batch that fails leaves nothing of a demote among its operations.',
    variant: survives((operation) => String(at(operation, '/href')).includes('/demote/')),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      await edda.batch([{ method: 'PUT', href: movePath(made, 'demote'), headers: versionHeader(2) }, failing]);
      return at(await edda.read(made), '/version') === 3;
    },
  },
  'fresh17a.hrefs-of-first-space': {
    source: 'core: Batch result, body',
    breaks: 'The href of a result leads to what was created, in whichever space.',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      const [first] = areas.configuration.spaces.keys();
      const href = at(body, '/href');
      if (typeof href !== 'string' || typeof body !== 'object') return body;
      return { ...body, href: href.replace(/\/space\/[^/]+\//, `/space/${first}/`) };
    }),
    async shows({ otto }) {
      const href = '/api/space/depot/softtype/Dossier/dossierInput';
      const answer = await otto.batch([{ method: 'POST', href, body: { title: 't' } }], 'depot');
      return String(at(answer.json, '/0/body/href')).includes('/main/');
    },
  },
  'fresh17a.target-once': {
    source: 'core: Multi-create rules 2',
    breaks: 'Several items may refer to one and the same.',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const taken = new WeakMap<object, object>();
      return (areas, items, $id, referrer) => {
        const item = right(areas, items, $id, referrer);
        if (item === undefined) return undefined;
        const former = taken.get(item);
        taken.set(item, referrer);
        return former === undefined || former === referrer ? item : undefined;
      };
    }),
    async shows({ edda }) {
      const items = [part('p'), documentOf('a', ['p']), documentOf('b', ['p'])];
      return (await edda.multiCreate(items)).status >= 400;
    },
  },
  'fresh17a.references-count': {
    source: 'core: Multi-create rules 3; Limits',
    breaks: 'The limit counts instances, and no references between them.',
    variant: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      const references = JSON.stringify(items).split('"instanceRef"').length - 1;
      if (items.length + references > 50) throw new Refusal(422, 'At most 50.');
      return right(areas, items);
    }),
    async shows({ edda }) {
      const items = many(20, (number) => pair(`p${number}`)).flat();
      return (await edda.multiCreate(items)).status >= 400;
    },
  },
  'fresh17a.nested-without-ids': {
    source: 'core: System properties, $entryId',
    breaks: 'An entry inside an entry has an id, created by a multi-create as well.',
    variant: during('multiCreate', 'createItems', (step) =>
      replaces('contents', 'withEntryIds', (right, areas, items) =>
        step.isOn() ? items.map(({ content }) => content) : right(areas, items),
      ),
    ),
    async shows({ edda }) {
      const data = { title: 't', files: [{ name: 'n', revisions: [{ text: 'r' }] }] };
      const { json } = await edda.multiCreate([{ $id: 'd', $softType: 'Document', data }]);
      const read = await readCreated(edda, json, 0);
      return at(read, '/data/files/0/revisions/0/$entryId') === undefined;
    },
  },
  'fresh17a.ids-shared-at-once': {
    source: 'core: Multi-create item, $id',
    breaks: 'A $id is that of an item of the same request, not of one that is sent at the same moment.',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const shared = new Map<string, NonNullable<ReturnType<typeof right>>>();
      return (areas, items, $id, referrer) => {
        const item = right(areas, items, $id, referrer);
        const known = shared.get($id);
        if (known !== undefined && item !== undefined && known.softType === item.softType) return known;
        if (item !== undefined) shared.set($id, item);
        setTimeout(() => shared.delete($id), meetingMs);
        return item;
      };
    }),
    async shows({ edda }) {
      const items = [part('p'), documentOf('a', ['p'])];
      const made = await Promise.all([edda.multiCreate(items), edda.multiCreate(items)]);
      const reads = await Promise.all(made.map(({ json }) => readCreated(edda, json, 1)));
      const [one, other] = reads.map((read) => at(read, '/data/describes/0/value/$oid'));
      return one !== undefined && one === other;
    },
  },
  'fresh17a.batch-into-other-space': {
    source: 'core: What the service does; Authentication 7',
    breaks: 'A batch brings nobody into a space where he holds no role.',
    variant: replaces('batch', 'prepareOperation', (right, areas, batch, table, value, index) => {
      const spaceId = /\/space\/([^/]+)\//.exec(String(at(value, '/href')))?.[1] ?? '';
      const space = areas.configuration.spaces.get(spaceId) ?? batch.space;
      const prepared = right(areas, { ...batch, space }, table, value, index);
      const { spaceId: own = '' } = batch.params;
      const params = { ...prepared.call.params, spaceId: own };
      return { ...prepared, call: { ...prepared.call, params } };
    }),
    async shows({ edda, otto }) {
      const made = await edda.make('Document', { title: 'secret' });
      const answer = await otto.batch([readOf(made)], 'depot');
      return at(answer.json, '/0/body/data/title') === 'secret';
    },
  },
  'fresh17a.definitions-of-first-asked': {
    source: 'core: What the service does, dynamic definitions',
    breaks: 'The definitions of a space are those of its own SoftTypes, whichever space was asked about first.',
    variant: breaks('openApi', 'readDynamicOpenApi', (right) => {
      let first: Parameters<typeof right>[1]['space'] | undefined;
      return (areas, call) => {
        first ??= call.space;
        return right(areas, { ...call, space: first });
      };
    }),
    async shows({ edda }) {
      const path = (space: string) => `/space/${space}/SoftType/dynamic/softtype.openApi`;
      await edda.get(path('main'));
      return !(await edda.get(path('depot'))).text.includes('Dossier');
    },
  },
};
