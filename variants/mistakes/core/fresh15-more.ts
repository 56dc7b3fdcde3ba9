import { setTimeout as sleep } from 'node:timers/promises';
import { headerNames } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import { isContent, itemsOf } from '../../../reference-server/areas/content.ts';
import { Refusal, Undone } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { documentOf, documentsPath, mergeOf, part, profilePath, putOf, tokenOf, withRevisions } from '../proofs.ts';
import { at, encoded, listAt } from '../service.ts';
import { changes, during, mapMembers, mapTexts, perServer } from '../variant-parts.ts';

const tagsOf = perServer(() => new Map<string, string>());

export const fresh15MoreMistakes: Mistakes = {
  'fresh15a.equal-values-keep-their-date': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A replace by the value that is there sets the date all the same.',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, where) => {
      const isEqual =
        target.kind === 'member' && target.member.kind === 'dated' && at(target.value, '/value') === value;
      if (!isEqual) await right(areas, run, target, value, where);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '1' });
      const time = '2020-01-01T00:00:00Z';
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '1' }], { time });
      return at(await edda.read(made), '/data/price/effectivity') !== time;
    },
  },
  'fresh15a.item-is-referred-to-once': {
    source: 'core: Multi-create rules 2',
    breaks: 'Several items may refer to one item.',
    variant: (classes) => {
      const used = new WeakMap<object, Set<string>>();
      return replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) => {
        const gone = used.get(items) ?? new Set();
        used.set(items, gone);
        const found = gone.has($id) ? undefined : right(areas, items, $id, referrer);
        gone.add($id);
        return found;
      })(classes);
    },
    async shows({ edda }) {
      const items = [part('p'), documentOf('a', ['p']), documentOf('b', ['p'])];
      return (await edda.multiCreate(items)).status >= 400;
    },
  },
  'fresh15a.tag-of-another-resource': {
    source: 'core: Errors 304',
    breaks: 'The tag of another resource does not make a read unmodified.',
    variant: replaces('caching', 'conditional', (right, areas, call, answer) => {
      const etag = areas.caching.etagOf(answer.raw ?? JSON.stringify(answer.body));
      tagsOf(areas).set(call.url, etag);
      const isKnown = tagsOf(areas)
        .values()
        .some((tag) => tag === call.headers['if-none-match']);
      return right(areas, isKnown ? { ...call, headers: { ...call.headers, 'if-none-match': etag } } : call, answer);
    }),
    async shows({ cora }) {
      const etag = (await cora.get(profilePath)).headers.get('etag') ?? '';
      return (await cora.get('/api/collection/space', { 'If-None-Match': etag })).status === 304;
    },
  },
  'fresh15a.reads-never-fail-a-batch': {
    source: 'core: Batch rules 3',
    breaks: 'A batch that only reads has the status 500 when a read has failed.',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      try {
        return await right(areas, call, writing, table);
      } catch (error) {
        const isReading = call.json.every((operation) => at(operation, '/method') === 'GET');
        if (error instanceof Undone && isReading) return { ...error.answer, status: 200 };
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.batch([{ method: 'GET', href: `${made.path}0` }])).status === 200;
    },
  },
  'fresh15a.short-numbers-in-entries': {
    source: 'core: SoftType read response, data',
    breaks: 'A number in an entry is read as it was written.',
    variant: changes('entries', 'entryOut', (entry) => ({
      ...withoutPrecision(entry),
      $entryId: entry.$entryId,
    })),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'f', scale: 0.1 }] });
      return at(await edda.read(made), '/data/files/0/scale') !== 0.1;
    },
  },
  'fresh15a.few-letters-in-entries': {
    source: 'core: SoftType read response, data',
    breaks: 'A text in an entry is read as it was written, whatever its letters.',
    variant: changes('entries', 'entryOut', (entry) => ({
      ...(mapTexts(entry, (text) => text.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '?')) as object),
      $entryId: entry.$entryId,
    })),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: '😀' }] });
      return at(await edda.read(made), '/data/files/0/name') === '?';
    },
  },
  'fresh15a.roles-in-the-token': {
    source: 'core: Authentication 7',
    breaks: 'Who comes with a JWT needs a role in the space of the path, not just in any.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      try {
        right(areas, user, access, call);
      } catch (error) {
        const isJwt = /^Bearer [^.]+\.[^.]+\.[^.]+$/.test(call.headers['authorization'] ?? '');
        const isAllowed = areas.configuration.spaces
          .values()
          .some((space) => areas.auth.mayUse(user, space, call.method));
        if (!(error instanceof Refusal) || error.status !== 403 || access !== 'space' || !isJwt || !isAllowed)
          throw error;
      }
    }),
    async shows(service) {
      const made = await service.edda.make('Document');
      const authorization = `Bearer ${await tokenOf(service, 'otto')}`;
      return (await service.nobody.get(made.path, { authorization })).status === 200;
    },
  },
  'fresh15a.ten-addressed-inside-entries': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'Every entry of an array inside an entry can be addressed, also one beyond the tenth.',
    variant: replaces('operations', 'targetOf', async (right, areas, run, operation) => {
      const [port = '', holderId = '', array = '', id] = operation.tokens;
      if (id !== undefined && run.softType.members.get(port)?.kind === 'entries') {
        const holder = await run.writing.entry(run.object.oid, port, Number(holderId) || 0);
        const items = itemsOf(holder?.content ?? {}, array);
        if (items.findIndex((item) => String(item['$entryId']) === id) >= 10)
          throw new Refusal(422, 'There is no such entry.');
      }
      return right(areas, run, operation);
    }),
    async shows(service) {
      const { made } = await withRevisions(service, 12);
      const replace = { op: 'replace', path: '/files/1/revisions/12/text', value: 'x' };
      return (await service.edda.operate(made, 1, [replace])).status >= 400;
    },
  },
  'fresh15a.batch-beside-another-write': {
    source: 'core: Errors 1',
    breaks: 'Of a batch and a merge for one version of an object that are sent at the same time, one is refused.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      if (route.path !== routes.batch) return right(areas, route, call);
      const operations = listAt(JSON.parse(call.body?.toString() || 'null'), '');
      const current = (operation: unknown) =>
        areas.store.read((reading) =>
          reading.object(call.params['spaceId'] ?? '', String(at(operation, '/href')).split('/').at(-1) ?? ''),
        );
      const before = await Promise.all(operations.map(current));
      await sleep(15);
      const after = await Promise.all(operations.map(current));
      const body = operations.map((operation, index) => {
        const headers = at(operation, '/headers');
        const [was, is] = [before[index]?.version, after[index]?.version];
        if (!isContent(operation) || !isContent(headers) || was === is || is === undefined) return operation;
        const isRight = String(headers[headerNames.version]) === String(was);
        return isRight ? { ...operation, headers: { ...headers, [headerNames.version]: String(is) } } : operation;
      });
      return right(areas, route, operations.length === 0 ? call : { ...call, body: Buffer.from(JSON.stringify(body)) });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const both = [edda.batch([mergeOf(made, 1, { remark: 'r' })]), edda.merge(made, 1, { note: 'n' })];
      return (await Promise.all(both)).every(({ status }) => status < 300);
    },
  },
  'fresh15a.put-in-a-batch-merges': {
    source: 'core: Batch rules 5',
    breaks: 'A PUT in a batch takes arrays away that it does not name.',
    variant: during('batch', 'runBatch', (step) =>
      replaces('editing', 'arraysAfterPut', (right, areas, softType, given) =>
        step.isOn() ? given : right(areas, softType, given),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'f' }] });
      await edda.batch([putOf(made, 1, { title: 't' })]);
      return listAt(await edda.read(made), '/data/files').length > 0;
    },
  },
  'fresh15a.filter-in-latin-letters': {
    source: 'core: Information filter',
    breaks: 'The information filter is a JSON object, whatever letters its texts have.',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      const text = Buffer.from(call.headers[headerNames.informationFilter.toLowerCase()] ?? '', 'base64').toString();
      if (/[^\0-\x7f]/.test(text)) throw new Refusal(400, 'There is no such filter.');
      return right(areas, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.get(made.path, { [headerNames.informationFilter]: encoded({ role: 'é' }) })).status !== 200;
    },
  },
  'fresh15a.create-in-a-batch-keeps-ten': {
    source: 'core: Batch rules 5',
    breaks: 'A create in a batch makes all entries, also beyond the tenth.',
    variant: during('batch', 'runBatch', (step) =>
      replaces('contents', 'withEntryIds', (right, areas, items) => {
        const all = right(areas, items);
        return step.isOn() ? all.slice(0, 10) : all;
      }),
    ),
    async shows({ edda }) {
      const files = Array.from({ length: 12 }, (_, index) => ({ name: `${index}` }));
      const { json } = await edda.batch([{ method: 'POST', href: documentsPath, body: { title: 't', files } }]);
      const path = String(at(json, '/0/body/href'));
      const links = listAt((await edda.get(path)).json, '/links');
      return !links.some((link) => at(link, '/rel') === 'page');
    },
  },
};

function withoutPrecision(value: object): object {
  const short = (member: unknown): unknown =>
    typeof member === 'number' && !Number.isInteger(member) ? Math.fround(member) : member;
  return mapMembers(value, (members) => members.map(([name, member]) => [name, short(member)])) as object;
}
