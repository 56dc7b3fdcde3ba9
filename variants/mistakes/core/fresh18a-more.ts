import { setTimeout as sleep } from 'node:timers/promises';
import { routes } from '../../../contract/routes.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { isoTime } from '../../../reference-server/rfc3339.ts';
import { replaces, Step, together } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import {
  documentOf,
  documentsPath,
  mergeOf,
  named,
  operationsOf,
  pageLinks,
  part,
  readCreated,
  tokenOf,
  withContacts,
} from '../proofs.ts';
import { at, encoded, listAt, many } from '../service.ts';
import { changes, decodeIfEncoded, keeps, mapTexts, perServer, whole } from '../variant-parts.ts';

const astral = /[\u{10000}-\u{10ffff}]/gu;
const operationsOfOneChangeSet = 50;

const latestCall = perServer((): { log?: { info(fields: object, message: string): void } } => ({}));
const grantsUnderWay = perServer((): { count: number; token?: Promise<string> } => ({ count: 0 }));
const itemsUnderWay = perServer(() => ({ count: 0, items: new Map<string, unknown>() }));
const tagsOfSecond = perServer(() => new Map<string, { second: number; etag: string }>());

export const fresh18aMoreMistakes: Mistakes = {
  'fresh18a.other-definitions-lose-astral-characters': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'A second SoftType keeps texts as they are written, whatever plane their characters are of.',
    variant: replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) =>
      right(
        areas,
        rules,
        softType,
        view,
        softType.id === 'Document' ? body : mapTexts(body, (text) => text.replaceAll(astral, '?')),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Part', { note: 'a😀b' });
      return at(await edda.read(made), '/data/note') !== 'a😀b';
    },
  },
  'fresh18a.no-cascade-in-other-definitions': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that lost what it cannot do without is removed, in a second SoftType as well.',
    variant: (() => {
      const step = new Step();
      return together(
        replaces('operations', 'operateObject', (right, areas, call, writing) =>
          call.place.id === 'Document' ? right(areas, call, writing) : step.run(() => right(areas, call, writing)),
        ),
        replaces('operations', 'complies', (right, areas, members, content) =>
          step.isOn() ? true : right(areas, members, content),
        ),
      );
    })(),
    async shows({ edda }) {
      const made = await edda.make('Part', { usages: named(2) });
      const id = String(at(await edda.read(made), '/data/usages/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/usages/${id}/name` }]);
      return listAt(await edda.read(made), '/data/usages').length === 2;
    },
  },
  'fresh18a.add-over-an-empty-value': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'Add fails on a member that exists, also where its value is false, zero or an empty text.',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, where) => {
      const isEmpty = target.value === false || target.value === 0 || target.value === '';
      return right(
        areas,
        run,
        target.kind === 'member' && isEmpty ? { ...target, value: undefined } : target,
        value,
        where,
      );
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { confidential: false });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/confidential', value: true }])).status < 300;
    },
  },
  'fresh18a.references-are-added-in-front': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A reference that is added is the last of its array.',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      await right(areas, run, target, contents);
      if (!('member' in target) || target.member.kind !== 'references') return;
      const port = target.steps.at(-1)?.name ?? '';
      const all = await run.writing.entries(run.object.oid, port, whole);
      const added = all.slice(-contents.length);
      await run.writing.replaceEntries(run.object.oid, port, [...added, ...all.slice(0, -contents.length)]);
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Part'), await edda.make('Part')];
      const made = await edda.make('Document', { describes: [{ value: { $oid: one.oid } }] });
      await edda.operate(made, 1, [{ op: 'add', path: '/describes/-', value: { value: { $oid: other.oid } } }]);
      return at(await edda.read(made), '/data/describes/0/value/$oid') === other.oid;
    },
  },
  'fresh18a.dates-of-a-batch-are-those-of-the-clock': {
    source: 'core: Operations-based PATCH rules 7; Batch operation, headers',
    breaks: 'Replace in a batch dates an element by the information filter that the batch was sent with.',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) =>
      'isChangedHere' in call ? isoTime(areas.clock.now()) : right(areas, call),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '10' });
      const filter = { 'Svc-InformationFilter': encoded({ time: '2031-01-01T00:00:00Z' }) };
      const body = [operationsOf(made, 1, [{ op: 'replace', path: '/price/value', value: '12' }])];
      const { status } = await edda.post('/api/space/main/batch', body, filter);
      const read = await edda.read(made);
      return status === 200 && !String(at(read, '/data/price/effectivity')).startsWith('2031');
    },
  },
  'fresh18a.offset-of-a-date-is-dropped': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The date of an element is that of the information filter, in whatever time zone that is written.',
    variant: changes('contents', 'effectivityOf', (text) => text.replace(/[+-]\d\d:\d\d$/, 'Z')),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '10' });
      const time = '2031-01-01T10:00:00+02:00';
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '12' }], { time });
      return Date.parse(String(at(await edda.read(made), '/data/price/effectivity'))) !== Date.parse(time);
    },
  },
  'fresh18a.batch-in-several-change-sets': {
    source: 'core: Batch rules 1',
    breaks: 'All operations of a batch are one change set, also of a batch with many.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const operations = route.path === routes.batch ? listOf(call.body) : [];
      if (operations.length <= operationsOfOneChangeSet) return right(areas, route, call);
      const results: unknown[] = [];
      let status = 200;
      let answer: Answer | undefined;
      for (let from = 0; from < operations.length; from += operationsOfOneChangeSet) {
        const some = operations.slice(from, from + operationsOfOneChangeSet);
        if (status !== 200) results.push(...some.map(() => ({ statusCode: 424 })));
        else {
          answer = await right(areas, route, { ...call, body: Buffer.from(JSON.stringify(some)) });
          results.push(...listAt(answer.body, ''));
          status = answer.status;
        }
      }
      return { ...answer, status, body: results };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const many50 = many(50, (number) => mergeOf(made, number, { note: `n${number}` }));
      await edda.batch([...many50, mergeOf(made, 1, { note: 'x' })]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'fresh18a.query-in-a-batch-is-decoded-twice': {
    source: 'core: Batch operation, href; Server side paging 5',
    breaks: 'A read in a batch is filtered by the value that its address holds, percent signs included.',
    variant: changes('batch', 'pathOfHref', (path) => {
      const [before, query] = path?.split(/\?(.*)/s) ?? [];
      return query === undefined ? path : `${before}?${decodeIfEncoded(query)}`;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'f', category: 'a&b%20' }] });
      const query = `?softTypeFilterId=byCategory&fileGroup.category=${encodeURIComponent('a&b%20')}`;
      const { json } = await edda.batch([{ method: 'GET', href: made.path + query }]);
      return listAt(json, '/0/body/data/files').length !== 1;
    },
  },
  'fresh18a.batch-reads-link-no-inner-pages': {
    source: 'core: Batch rules 6; Server side paging 2',
    breaks: 'A read in a batch is the full one, with links to the pages of arrays inside entries.',
    variant: changes('hypermedia', 'linksOf', (links, _areas, call) =>
      'isChangedHere' in call ? links.filter(({ sectionPath }) => sectionPath?.includes('/') !== true) : links,
    ),
    async shows({ edda }) {
      const revisions = many(12, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { files: [{ name: 'f', revisions }] });
      const { json } = await edda.batch([{ method: 'GET', href: made.path }]);
      return pageLinks(at(json, '/0/body')).length === 0;
    },
  },
  'fresh18a.later-references-keep-temporary-ids': {
    source: 'core: Multi-create rules 2',
    breaks: 'Every reference of an item leads to the object that its target became, however many there are.',
    variant: replaces('multiCreate', 'createItems', async (right, areas, call, writing, items, inputs) => {
      await right(areas, call, writing, items, inputs);
      const names = new Map(items.map(({ oid, $id }) => [oid, $id]));
      for (const { oid, softType } of items)
        for (const [port, member] of softType.members) {
          if (member.kind !== 'references') continue;
          for (const { entryId, content } of await writing.entries(oid, port, { ...whole, from: 10 })) {
            const target = isContent(content['value']) ? names.get(String(content['value']['$oid'])) : undefined;
            if (target !== undefined)
              await writing.updateEntry(oid, port, entryId, { ...content, value: { $oid: target } });
          }
        }
    }),
    async shows({ edda }) {
      const ids = many(11, (number) => `p${number}`);
      const answer = await edda.multiCreate([...ids.map((id) => part(id)), documentOf('d', ids)]);
      const oid = String(at(answer.json, '/11/href')).split('/').at(-1) ?? '';
      const page = await edda.page({ definition: 'Document', oid, path: '' }, 'describes', 1);
      return at(page.json, '/data/0/value/$oid') === 'p11';
    },
  },
  'fresh18a.temporary-ids-are-compared-as-numbers': {
    source: 'core: Multi-create item, $id',
    breaks: 'Temporary ids are texts: those that spell one number differently name different items.',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) => {
      const isNumber = (text: string | undefined) => text !== undefined && /^\d+(?:\.\d+)?$/.test(text);
      return isNumber($id)
        ? items.find((item) => isNumber(item.$id) && Number(item.$id) === Number($id))
        : right(areas, items, $id, referrer);
    }),
    async shows({ edda }) {
      const { json } = await edda.multiCreate([part('1'), part('01'), documentOf('d', ['01'])]);
      const target = String(at(await readCreated(edda, json, 2), '/data/describes/0/value/$oid'));
      return String(at(json, '/1/href')).split('/').at(-1) !== target;
    },
  },
  'fresh18a.temporary-ids-are-shared-by-requests': {
    source: 'core: Multi-create item, $id',
    breaks: 'A temporary id names an item of its own request, also while another request uses the same one.',
    variant: together(
      replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        if (route.path !== routes.multiCreate) return right(areas, route, call);
        const underWay = itemsUnderWay(areas);
        underWay.count += 1;
        try {
          await sleep(10);
          return await right(areas, route, call);
        } finally {
          underWay.count -= 1;
          if (underWay.count === 0) underWay.items.clear();
        }
      }),
      changes('multiCreate', 'identifyItems', (items, areas) => {
        const known = itemsUnderWay(areas).items;
        for (const item of items) if (item.$id !== undefined && !known.has(item.$id)) known.set(item.$id, item);
        return items;
      }),
      replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) => {
        const known = itemsUnderWay(areas).items.get($id) as (typeof items)[number] | undefined;
        return known ?? right(areas, items, $id, referrer);
      }),
    ),
    async shows({ edda }) {
      const both = await Promise.all(
        ['a', 'b'].map((name) => edda.multiCreate([part('p', name), documentOf('d', ['p'])])),
      );
      const targets = await Promise.all(
        both.map(async ({ json }) => at(await readCreated(edda, json, 1), '/data/describes/0/value/$oid')),
      );
      return targets[0] === targets[1];
    },
  },
  'fresh18a.reader-may-demote': {
    source: 'core: What the service does; Authentication 6',
    breaks: 'Whose role allows no PUT may not demote.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) =>
      right(areas, user, access, call.url.includes('/maturityAction/demote/') ? { ...call, method: 'GET' } : call),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      return (await rita.move(made, 2, 'demote')).status < 300;
    },
  },
  'fresh18a.other-schema-links-for-everybody': {
    source: 'core: What the service does, hypermedia',
    breaks: 'Links are those of what the user may do, whichever output schema shows the object.',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const editor = areas.configuration.users.get('alma');
      const [first] = areas.objects.softTypeOf(call.space, object.softType).outputs.values();
      const user = view === first || editor === undefined ? call.user : editor;
      return right(areas, { ...call, user }, object, view, slices, filter);
    }),
    async shows({ edda, rita }) {
      const made = await withContacts(edda, 1);
      const read = await rita.get(`/api/space/main/softtype/Document/documentSummary/${made.oid}`);
      return listAt(read.json, '/links').some((link) => at(link, '/method') === 'PATCH');
    },
  },
  'fresh18a.grants-at-once-share-a-token': {
    source: 'core: Authentication 3',
    breaks: 'Each of two users who ask for a token at the same time gets one of their own.',
    variant: together(
      replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        if (!route.path.endsWith('/token')) return right(areas, route, call);
        const state = grantsUnderWay(areas);
        state.count += 1;
        try {
          await sleep(10);
          return await right(areas, route, call);
        } finally {
          state.count -= 1;
          if (state.count === 0) delete state.token;
        }
      }),
      replaces('tokens', 'issueToken', (right, areas, user) => {
        const state = grantsUnderWay(areas);
        if (state.count === 0) return right(areas, user);
        state.token ??= right(areas, user);
        return state.token;
      }),
    ),
    async shows(service) {
      const [one, other] = await Promise.all([tokenOf(service, 'edda'), tokenOf(service, 'rita')]);
      return one === other;
    },
  },
  'fresh18a.log-of-the-latest-request': {
    source: 'core: Common request headers, X-Correlation-Id',
    breaks: 'Every line about a request carries its own correlation id, while others are under way as well.',
    variant: together(
      replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        await sleep(3);
        return right(areas, route, call);
      }),
      replaces('messages', 'logStart', (right, areas, call) => {
        latestCall(areas).log = call.log;
        return right(areas, call);
      }),
      replaces('messages', 'logEnd', (right, areas, call, answer, ms) => {
        const log = latestCall(areas).log as typeof call.log | undefined;
        return right(areas, { ...call, log: log ?? call.log }, answer, ms);
      }),
    ),
    async shows(service) {
      const ids = many(4, (number) => `request-${number}`);
      await Promise.all(ids.map((id) => service.edda.post(documentsPath, { title: id }, { 'x-correlation-id': id })));
      const logs = await Promise.all(ids.map((id) => service.log(id)));
      return logs.some((log) => !log.includes('201'));
    },
  },
  'fresh18a.etag-of-the-second': {
    source: 'core: Versioning 4',
    breaks: 'Data that has changed is sent, also where it was changed within a second of the last read.',
    variant: replaces('caching', 'conditional', (right, areas, call, answer) => {
      const { headers = {} } = right(areas, call, answer);
      const key = `${call.headers['authorization']} ${call.url}`;
      const second = Math.floor(areas.clock.now() / 1000);
      const known = tagsOfSecond(areas).get(key);
      const etag = known?.second === second ? known.etag : (headers['ETag'] ?? '');
      tagsOfSecond(areas).set(key, { second, etag });
      const all = { ...headers, ETag: etag };
      if (call.headers['if-none-match'] === etag) return areas.caching.notModified(all);
      return { ...answer, headers: { ...answer.headers, ...all } };
    }),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      const first = await cora.get(path);
      await cora.put(path, undefined, { displayName: 'another' });
      return (await cora.get(path, { 'if-none-match': first.headers.get('etag') ?? '' })).status === 304;
    },
  },
  'fresh18a.openapi-of-the-space-that-asked-first': {
    source: 'core: What the service does, OpenAPI',
    breaks: 'The dynamic definition is that of the SoftTypes of the space in its path.',
    variant: keeps('openApi', 'readDynamicOpenApi', () => ''),
    async shows({ edda }) {
      await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !(await edda.get('/space/depot/SoftType/dynamic/softtype.openApi')).text.includes('Dossier');
    },
  },
};

function listOf(body: Buffer | undefined): readonly unknown[] {
  try {
    return listAt(JSON.parse(body?.toString() ?? ''), '');
  } catch {
    return [];
  }
}
