import { setTimeout as sleep } from 'node:timers/promises';
import { mediaTypes } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { breaks, type MethodName, replaces, together, type Variant } from '../../breaks.ts';
import { keepsAnswers } from '../../kept-answers.ts';
import type { Mistakes } from '../mistake.ts';
import { documentsPath, part, readCreated, readOf } from '../proofs.ts';
import { at, type Client, listAt, many } from '../service.ts';
import {
  changes,
  during,
  isInstanceRead,
  mapMembers,
  mapTexts,
  sharesReads,
  stampOf,
  stampsAllBut,
} from '../variant-parts.ts';

const timeWithOffset = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/;

/** Versions by object as the last write left them, kept or not. */
const written = new Map<string, number>();

const edit = { headers: { 'Svc-UOIVersion': '1' }, body: { note: 'changed' } };

export const readDataMistakes: Mistakes = {
  'reading.nothing-is-an-array': {
    source: 'core: SoftType read response, data',
    breaks: 'The content reads as it was written: what was an object without members is no array.',
    variant: changes('instances', 'assembleInstance', (body) => ({
      ...body,
      data: mapMembers(body.data, (members) =>
        members.map(([name, value]) => [name, isContent(value) && Object.keys(value).length === 0 ? [] : value]),
      ) as typeof body.data,
    })),
    async shows({ edda }) {
      const made = await edda.make('Document', { dimensions: {} });
      return Array.isArray(at(await edda.read(made), '/data/dimensions'));
    },
  },
  'reading.late-fill-of-a-cache': {
    source: 'core: SoftType read response, version',
    breaks: 'A read behind an edit shows what the edit left, also where another read was under way during the edit.',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      const kept = new Map<string, Answer>();
      return async (areas, route, call) => {
        if (isInstanceRead(route)) {
          const key = JSON.stringify([call.headers['authorization'], call.headers['svc-informationfilter'], call.url]);
          const known = kept.get(key);
          if (known !== undefined) {
            areas.auth.authorize(await areas.auth.authenticate(call), route.access, call);
            return known;
          }
          const answer = await right(areas, route, call);
          await sleep(5);
          kept.set(key, answer);
          return answer;
        }
        try {
          return await right(areas, route, call);
        } finally {
          if (route.method !== 'GET') kept.clear();
        }
      };
    }),
    async shows({ edda }) {
      for (let tries = 0; tries < 6; tries += 1) {
        const made = await edda.make('Document');
        await Promise.all([edda.read(made), edda.merge(made, 1, { note: 'n' })]);
        if (at(await edda.read(made), '/version') !== 2) return true;
      }
      return false;
    },
  },
  'reading.power-of-ten-overlooked': {
    source: 'core: SoftType read response, data',
    breaks: 'A number that is taken is the same in each notation of JSON.',
    variant: replaces('messages', 'jsonBodyOf', (right, areas, call) => {
      right(areas, call);
      const cut = (_name: string, value: unknown, { source = '' }: { readonly source?: string } = {}): unknown =>
        typeof value === 'number' && /^-?\d+[eE]/.test(source) ? Number.parseInt(source, 10) : value;
      return JSON.parse(call.body?.toString('utf8') ?? 'null', cut);
    }),
    async shows({ edda }) {
      const headers = { 'content-type': mediaTypes.json };
      const made = await edda.send('POST', documentsPath, { headers, body: '{"title":"t","pageCount":1e2}' });
      return at((await edda.get(made.headers.get('location') ?? '')).json, '/data/pageCount') === 1;
    },
  },
  'reading.nul-ends-a-text': {
    source: 'core: SoftType read response, data',
    breaks: 'A text that is taken is read as it was written, one with U+0000 in it too.',
    variant: changes('messages', 'jsonBodyOf', (json) => mapTexts(json, (text) => text.split('\u0000', 1)[0] ?? '')),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'a\u0000b' });
      return at(await edda.read(made), '/data/note') === 'a';
    },
  },
  'reading.kept-behind-operations': {
    source: 'core: SoftType read response, version',
    breaks:
      'A read behind an edit shows what it left, also where an operations PATCH is all that was written since the last read.',
    variant: keepsAnswers(
      isInstanceRead,
      ({ method, path }) => method === 'PATCH' && !path.includes('{inputSchemaId}'),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.read(made);
      await edda.operate(made, 1, [{ op: 'replace', path: '/title', value: 'n' }]);
      return at(await edda.read(made), '/version') !== 2;
    },
  },
  'reading.kept-behind-demotes': {
    source: 'core: SoftType read response, version',
    breaks:
      'A read behind a demote shows the version that it left, also where nothing else was written since the last read.',
    variant: keepsAnswers(isInstanceRead, ({ path }) => path.includes('/demote/')),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const move = (action: string, version: number) =>
        edda.put(`/api/space/main/maturityAction/${action}/${made.oid}/release/engineering`, version);
      await move('promote', 1);
      await edda.read(made);
      await move('demote', 2);
      return at(await edda.read(made), '/version') !== 3;
    },
  },
  'reading.href-in-a-batch': {
    source: 'core: SoftType read response',
    breaks: 'The href of an instance is its own URI, also where a batch has read it.',
    variant: changes('instances', 'assembleInstance', (body, _areas, call) =>
      call.isSibling === undefined ? body : { ...body, href: `/api/space/${call.space.id}/batch` },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const { json } = await edda.batch([readOf(made)]);
      return at(json, '/0/body/href') !== made.path;
    },
  },
  'reading.href-of-what-a-multi-create-made': {
    source: 'core: SoftType read response, href',
    breaks: 'An object reads with the URI of itself, whatever route made it.',
    variant: marksCreated('multiCreate', 'multiCreate'),
    async shows({ edda }) {
      const { json } = await edda.multiCreate([part('a')]);
      return isLedAstray(edda, await readCreated(edda, json, 0));
    },
  },
  'reading.href-of-what-a-batch-made': {
    source: 'core: SoftType read response, href',
    breaks: 'An object reads with the URI of itself, be it made by an operation of a batch.',
    variant: marksCreated('batch', 'runBatch'),
    async shows({ edda }) {
      const { json } = await edda.batch([{ method: 'POST', href: documentsPath, body: { title: 't' } }]);
      return isLedAstray(edda, (await edda.get(String(at(json, '/0/body/href')))).json);
    },
  },
  'reading.href-of-what-was-promoted': {
    source: 'core: SoftType read response, href',
    breaks: 'An object reads with the URI of itself behind a promote as well.',
    variant: together(
      stampsAllBut('promoteObject'),
      changes('instances', 'assembleInstance', (instance, _areas, _call, _reading, object) =>
        stampOf(object.content, object.version) === object.version ? instance : withoutApi(instance),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      return isLedAstray(edda, await edda.read(made));
    },
  },
  'reading.numbers-have-six-digits': {
    source: 'core: SoftType read response',
    breaks: 'A number reads as it was written, however small.',
    variant: changes('instances', 'dataOf', (data) => {
      const rounded = Object.entries(data).map(
        ([name, value]) => [name, typeof value === 'number' ? Number(value.toFixed(6)) : value] as const,
      );
      return { ...data, ...Object.fromEntries(rounded) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { weight: 0.000_000_25 });
      return at(await edda.read(made), '/data/weight') !== 0.000_000_25;
    },
  },
  'reading.integers-of-32-bits': {
    source: 'core: SoftType read response',
    breaks: 'What an instance holds is in its data, also a number that 32 bits do not hold.',
    variant: changes('instances', 'dataOf', (data) => {
      for (const [name, value] of Object.entries(data))
        if (typeof value === 'number' && Number.isInteger(value)) Reflect.set(data, name, value | 0);
      return data;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'large', pageCount: 3_000_000_000 });
      return at(await edda.read(made), '/data/pageCount') !== 3_000_000_000;
    },
  },
  'reading.long-texts-cut': {
    source: 'core: SoftType read response',
    breaks: 'What was written is read, also a text of five thousand characters.',
    variant: changes('contents', 'inputFrom', (input) => {
      const members = Object.entries(input.content).map(([name, value]) => [
        name,
        typeof value === 'string' ? value.slice(0, 4000) : value,
      ]);
      return { ...input, content: Object.fromEntries(members) };
    }),
    async shows({ edda }) {
      const note = 'long '.repeat(1000);
      const made = await edda.make('Document', { title: 'long', note });
      return at(await edda.read(made), '/data/note') !== note;
    },
  },
  'reading.empty-values-omitted': {
    source: 'core: SoftType read response, row data',
    breaks: 'The content has every member with a value, also one of zero or false.',
    variant: changes('instances', 'dataOf', (data) => {
      const full = Object.entries(data).filter(
        ([, value]: readonly [string, unknown]) => value !== 0 && value !== false,
      );
      return Object.fromEntries(full) as typeof data;
    }),
    async shows({ edda }) {
      const read = await edda.read(await edda.make('Document', { pageCount: 0, confidential: false }));
      return at(read, '/data/pageCount') !== 0 || at(read, '/data/confidential') !== false;
    },
  },
  'reading.zero-left-out': {
    source: 'core: SoftType read response',
    breaks: 'What an instance holds is in its data, a count of nothing as well.',
    variant: replaces('instances', 'dataOf', (right, areas, ...args) => {
      const data = { ...right(areas, ...args) };
      for (const [name, value] of Object.entries(data)) if (value === 0) Reflect.deleteProperty(data, name);
      return data;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'zero', pageCount: 0 });
      return at(await edda.read(made), '/data/pageCount') !== 0;
    },
  },
  'reading.empty-text-in-nested-entry': {
    source: 'core: SoftType read response',
    breaks: 'What an instance holds is in its data, a text without characters inside an entry of an entry as well.',
    variant: replaces('entries', 'entryOut', (right, areas, space, member, entry) => {
      const members = Object.entries(entry.content).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map(withoutEmptyTexts) : value,
      ]);
      return right(areas, space, member, { ...entry, content: Object.fromEntries(members) });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', {
        title: 'empty',
        files: [{ name: 'one', revisions: [{ text: '', author: 'somebody' }] }],
      });
      return at(await edda.read(made), '/data/files/0/revisions/0/text') !== '';
    },
  },
  'reading.text-that-looks-like-a-time': {
    source: 'core: SoftType read response, row data',
    breaks: 'A text is read as it was written, also one that happens to be a time with an offset.',
    variant: changes('instances', 'dataOf', (data) => {
      const members = Object.entries(data).map(([name, value]) => [
        name,
        typeof value === 'string' && timeWithOffset.test(value) ? new Date(value).toISOString() : value,
      ]);
      return { ...data, ...Object.fromEntries(members) };
    }),
    async shows({ edda }) {
      const note = '2024-05-06T07:08:09+02:00';
      const made = await edda.make('Document', { note });
      return at(await edda.read(made), '/data/note') !== note;
    },
  },
  'answer.length-in-characters': {
    source: 'core: SoftType read response',
    breaks: 'A read answers with all of its JSON, texts of any alphabet too.',
    museum: true,
    variant: changes('messages', 'finish', ({ body, ...finished }) => {
      const text = finished.raw ?? (body === undefined ? undefined : JSON.stringify(body));
      if (typeof text !== 'string' || Buffer.byteLength(text) === text.length)
        return body === undefined ? finished : { ...finished, body };
      const headers = { 'Content-Type': mediaTypes.json, ...finished.headers };
      return { ...finished, headers, raw: Buffer.from(text).subarray(0, text.length) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'é' });
      return (await edda.read(made)) === undefined;
    },
  },
  'reading.keywords-as-set': {
    source: 'core: SoftType read response',
    breaks:
      'The data of a read is the content of the instance: a list of plain values that holds one twice holds it twice.',
    variant: changes('contents', 'inputFrom', (input) => {
      const pairs = Object.entries(input.content).map(([name, value]) => [
        name,
        Array.isArray(value) ? [...new Set<unknown>(value)] : value,
      ]);
      return { ...input, content: Object.fromEntries(pairs) as typeof input.content };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'score', keywords: ['do', 're', 'do'] });
      return listAt(await edda.read(made), '/data/keywords').length !== 3;
    },
  },
  'reading.version-of-two-digits-is-text': {
    source: 'core: SoftType read response',
    breaks: 'The version is an integer, from the tenth on as well.',
    variant: changes('instances', 'assembleInstance', (read) =>
      read.version < 10 ? read : Object.assign({ ...read }, { version: String(read.version) }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Part');
      for (const version of many(9, (number) => number)) await edda.merge(made, version, { note: `${version}` });
      return typeof at(await edda.read(made), '/version') !== 'number';
    },
  },
  'reading.number-in-four-bytes': {
    source: 'core: SoftType read response',
    breaks: 'A number is read as it was written, to its last digit.',
    variant: changes('instances', 'dataOf', (data) => {
      const members = Object.entries(data).map(([name, value]) => [
        name,
        typeof value === 'number' && !Number.isInteger(value) ? Math.fround(value) : value,
      ]);
      return { ...data, ...Object.fromEntries(members) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'number', weight: 12.34 });
      return at(await edda.read(made), '/data/weight') !== 12.34;
    },
  },
  'reading.the-text-null-is-no-value': {
    source: 'core: SoftType read response',
    breaks: 'The text of four letters that spells null is a value like any other.',
    variant: changes(
      'instances',
      'dataOf',
      (data) => Object.fromEntries(Object.entries(data).filter(([, value]) => value !== 'null')) as typeof data,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'null' });
      return at(await edda.read(made), '/data/note') !== 'null';
    },
  },
  'reading.version-of-what-was-undone': {
    source: 'core: SoftType read response',
    breaks: 'The version of a read is the current one, also after a batch that raised it was undone.',
    variant: together(
      replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
        await right(areas, writing, object, version, content);
        written.set(object.oid, version);
      }),
      changes('instances', 'assembleInstance', (instance, _areas, _call, _reading, object) => {
        const version = written.get(object.oid) ?? object.version;
        return { ...instance, version, data: { ...instance.data, $version: version } };
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Part');
      await edda.batch([
        { method: 'PATCH', href: `/api/space/main/softtype/Part/partInput/${made.oid}`, ...edit },
        { method: 'GET', href: '/api/space/main/softtype/none' },
      ]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'reading.object-of-the-entry-before': {
    source: 'core: SoftType read response, row data',
    breaks: 'An entry that has no object shows none, whatever the entry before it has.',
    variant: changes('instances', 'dataOf', (data) => {
      const fill = (entry: unknown, index: number): unknown => {
        const before = at(data, `/files/${index - 1}/origin`);
        return isContent(entry) && !('origin' in entry) && before !== undefined ? { ...entry, origin: before } : entry;
      };
      return Array.isArray(data['files']) ? { ...data, files: data['files'].map(fill) } : data;
    }),
    async shows({ edda }) {
      const files = [{ name: 'a', origin: { place: 'p' } }, { name: 'b' }];
      return at(await edda.read(await edda.make('Document', { files })), '/data/files/1/origin') !== undefined;
    },
  },
  'reading.schema-of-who-reads-at-the-same-time': {
    source: 'core: Endpoint table, GET softtype',
    breaks: 'A read is shaped by the output schema of its own path, whoever reads the object at the same moment.',
    variant: sharesReads((route, { params, user, query }) =>
      isInstanceRead(route) ? [params.objectId, user.name, query].join(' ') : undefined,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'n' });
      const narrow = `/api/space/main/softtype/Document/documentSummary/${made.oid}`;
      const [, read] = await Promise.all([edda.read(made), edda.get(narrow)]);
      return at(read.json, '/data/note') === 'n';
    },
  },
  'reading.list-to-the-hundredth': {
    source: 'core: SoftType read response, data',
    breaks: 'A list that is shown whole with a few values is so with more than a hundred.',
    variant: changes(
      'instances',
      'dataOf',
      (data) =>
        Object.fromEntries(
          Object.entries(data).map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, 100) : value]),
        ) as typeof data,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { keywords: many(101, (number) => `k${number}`) });
      return listAt(await edda.read(made), '/data/keywords').length !== 101;
    },
  },
  'reading.short-numbers-in-entries': {
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
};

function withoutEmptyTexts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== ''));
}

/** What was created while the method did its work reads with a path that leads nowhere. */
function marksCreated<Name extends 'multiCreate' | 'batch'>(name: Name, method: MethodName<Name>): Variant {
  return together(
    during(name, method, (step) =>
      changes('editing', 'startContent', (content) => (step.isOn() ? { ...content, $marked: true } : content)),
    ),
    changes('instances', 'assembleInstance', (instance, _areas, _call, _reading, object) =>
      object.content['$marked'] === undefined ? instance : withoutApi(instance),
    ),
  );
}

function withoutApi<T extends { readonly href: string }>(instance: T): T {
  return { ...instance, href: instance.href.replace(/^\/api/, '') };
}

async function isLedAstray(client: Client, read: unknown): Promise<boolean> {
  return (await client.get(String(at(read, '/href')))).status === 404;
}

function withoutPrecision(value: object): object {
  const short = (member: unknown): unknown =>
    typeof member === 'number' && !Number.isInteger(member) ? Math.fround(member) : member;
  return mapMembers(value, (members) => members.map(([name, member]) => [name, short(member)])) as object;
}
