import { randomUUID } from 'node:crypto';
import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import { Undone } from '../../../reference-server/http/refusal.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { documentsPath, named } from '../proofs.ts';
import { at, type Client, listAt, many } from '../service.ts';
import { changes, during, mapEntries, mapTexts, withoutValue } from '../variant-parts.ts';

/** What a body reader takes at once. */
const pieceBytes = 16 * 1024;

/** As wide as many a database column. */
const columnChars = 255;

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

export const createMistakes: Mistakes = {
  'create.nothing-of-a-chunked-body': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'What a create answers 201 to is there, however its body was transferred.',
    variant: changes('dispatcher', 'carryOutWrite', (answer, _areas, _route, { headers }) => {
      if (answer.status === 201 && headers['transfer-encoding'] !== undefined) throw new Undone(answer);
      return answer;
    }),
    async shows({ edda }) {
      const body = new Blob([JSON.stringify({ title: 't' })]).stream();
      const made = await edda.send('POST', documentsPath, { headers: { 'content-type': mediaTypes.json }, body });
      return made.status === 201 && (await edda.get(made.headers.get('location') ?? '')).status === 404;
    },
  },
  'create.drops-empty-texts-of-a-list': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'A list of values has them all when it is created, an empty text among them.',
    variant: during('editing', 'createObject', (step) =>
      changes('contents', 'contentFrom', (input) => {
        if (!step.isOn()) return input;
        const pairs = Object.entries(input.content).map(
          ([name, value]) => [name, Array.isArray(value) ? value.filter((one) => one !== '') : value] as const,
        );
        return { ...input, content: Object.fromEntries(pairs) };
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { keywords: ['a', '', 'b'] });
      return listAt(await edda.read(made), '/data/keywords').length !== 3;
    },
  },
  'create.inner-object-of-the-first-entry': {
    source: 'core: Endpoint table, POST softtype; SoftType read response',
    breaks: 'Each entry reads with what was given for it, the object inside a second one too.',
    variant: changes('contents', 'inputFrom', (input) =>
      mapEntries(input, (entries) => {
        const { origin } = entries.find(({ content }) => isContent(content['origin']))?.content ?? {};
        return entries.map((entry) =>
          isContent(entry.content['origin']) ? { ...entry, content: { ...entry.content, origin } } : entry,
        );
      }),
    ),
    async shows({ edda }) {
      const files = ['a', 'b'].map((place) => ({ name: place, origin: { place } }));
      const made = await edda.make('Document', { files });
      return at(await edda.read(made), '/data/files/1/origin/place') !== 'b';
    },
  },
  'create.backslashes-taken-for-escapes': {
    source: 'core: Endpoint table, POST softtype; SoftType read response',
    breaks: 'A text is read with the backslashes that it was created with.',
    variant: changes('contents', 'contentFrom', (input, _areas, call) =>
      call.method === 'POST'
        ? { ...input, content: mapTexts(input.content, (text) => text.replaceAll('\\', '')) as Content }
        : input,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'a\\b' });
      return at(await edda.read(made), '/data/title') === 'ab';
    },
  },
  'create.zero-in-entries-is-none': {
    source: 'core: Endpoint table, POST softtype; SoftType read response',
    breaks: 'A number of an entry is read as it was given, zero too.',
    variant: changes('contents', 'contentFrom', (input, _areas, call) =>
      call.method !== 'POST'
        ? input
        : mapEntries(input, (entries) =>
            entries.map((entry) => ({ ...entry, content: withoutValue(entry.content, 0) })),
          ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'a', scale: 0 }] });
      return at(await edda.read(made), '/data/files/0/scale') === undefined;
    },
  },
  'create.other-schema-keeps-mandatory-alone': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'What is created by another input schema has all the content that was sent.',
    variant: changes('contents', 'contentFrom', (input, _areas, call, softType, view) => {
      if (call.method !== 'POST' || view === softType.inputs.values().next().value) return input;
      const kept = Object.entries(input.content).filter(([name]) => softType.members.get(name)?.mandatory === true);
      return { ...input, content: Object.fromEntries(kept) };
    }),
    async shows({ edda }) {
      const path = '/api/space/main/softtype/Document/documentBrief';
      const created = await edda.post(path, { title: 't', note: 'n' });
      const read = await edda.get(created.headers.get('location') ?? '');
      return at(read.json, '/data/note') === undefined;
    },
  },
  'creating.version-under-another-schema': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'A create answers with the version, whichever input schema it was made by.',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const { headers = {}, ...answer } = await right(areas, call, writing);
      const { Location = '' } = headers;
      const [first] = call.place.softType.inputs.values();
      return { ...answer, headers: call.place.view === first ? headers : { Location } };
    }),
    async shows({ edda }) {
      const made = await edda.post('/api/space/main/softtype/Document/documentBrief', { title: 't' });
      return made.headers.get(headerNames.version) === null;
    },
  },
  'writing.entry-texts-end-at-four-bytes': {
    source: 'core: Endpoint table, POST',
    breaks: 'A text in an entry is kept whole, whatever its characters.',
    variant: replaces('contents', 'withEntryIds', (right, areas, items) =>
      right(areas, items).map((content) => cutAtAstral(content) as typeof content),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'a😀b' }] });
      return at(await edda.read(made), '/data/files/0/name') !== 'a😀b';
    },
  },
  'creates.location-by-another-schema': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'The Location of a new instance leads to it, through whatever input schema it was made.',
    variant: changes('editing', 'createObject', (answer, _areas, call) => {
      const { softType, view } = call.place;
      const [first] = softType.inputs.values();
      if (view === first) return answer;
      const oid = answer.headers?.['Location']?.split('/').at(-1) ?? '';
      const Location = `/api/space/${call.space.id}/softtype/${softType.id}/${view.id}/${oid}`;
      return { ...answer, headers: { ...answer.headers, Location } };
    }),
    async shows({ edda }) {
      const answer = await edda.post('/api/space/main/softtype/Part/partBrief', { name: 'p' });
      return (await edda.get(answer.headers.get('location') ?? '')).status !== 200;
    },
  },
  'create.same-content-of-another-user': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'A create makes an object of its own, also where somebody else has just sent the same content.',
    variant: breaks('editing', 'createObject', (right) => {
      let last: { text: string; user: string; answer: Awaited<ReturnType<typeof right>> } | undefined;
      return async (areas, call, writing) => {
        const text = `${call.url} ${JSON.stringify(call.json)}`;
        if (last !== undefined && last.text === text && last.user !== call.user.name) return last.answer;
        const answer = await right(areas, call, writing);
        last = { text, user: call.user.name, answer };
        return answer;
      };
    }),
    async shows({ edda, emil }) {
      const one = await edda.make('Document', { title: 'same' });
      return (await emil.make('Document', { title: 'same' })).oid === one.oid;
    },
  },
  'body.characters-cut-in-two': {
    source: 'core: Endpoint table, POST',
    breaks: 'What is created holds the content that was sent, long texts of any alphabet too.',
    museum: true,
    variant: replaces('messages', 'jsonBodyOf', (right, areas, call) => {
      if (call.body === undefined || call.body.length <= pieceBytes) return right(areas, call);
      return right(areas, { ...call, body: Buffer.from(piecesOf(call.body).map(String).join('')) });
    }),
    async shows({ edda }) {
      const note = `${'é'.repeat(9000)}x${'é'.repeat(9000)}`;
      const made = await edda.make('Document', { note });
      return at(await edda.read(made), '/data/note') !== note;
    },
  },
  'editing.texts-of-entries-lose-returns': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'The text of an entry is kept letter by letter, line ends included.',
    variant: replaces('contents', 'withEntryIds', (right, areas, items) => {
      const plain = (value: unknown) => (typeof value === 'string' ? value.replaceAll('\r\n', '\n') : value);
      const contents = items.map(({ content, ...item }) => ({
        ...item,
        content: Object.fromEntries(Object.entries(content).map(([name, value]) => [name, plain(value)])),
      }));
      return right(areas, contents);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'f', comment: 'a\r\nb' }] });
      return at(await edda.read(made), '/data/files/0/comment') !== 'a\r\nb';
    },
  },
  'editing.numbers-have-single-precision': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'A number is read as it was written, with all digits that JSON numbers commonly have.',
    variant: changes('contents', 'inputFrom', (input, _areas, _rules, softType) => {
      const pairs = Object.entries(input.content).map(([name, value]) => {
        const isNumber = softType.members.get(name)?.kind === 'number' && typeof value === 'number';
        return [name, isNumber ? Math.fround(value) : value] as const;
      });
      return { ...input, content: Object.fromEntries(pairs) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { weight: 0.1 });
      return at(await edda.read(made), '/data/weight') !== 0.1;
    },
  },
  'editing.long-comments-cut': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'What is created is the content that was sent, also where a text in an entry is long.',
    variant: replaces('contents', 'withEntryIds', (right, areas, items) => {
      return right(areas, items).map((content) => {
        const { comment } = content;
        return typeof comment === 'string' ? { ...content, comment: comment.slice(0, columnChars) } : content;
      });
    }),
    async shows({ edda }) {
      const comment = 'x'.repeat(columnChars + 1);
      const made = await edda.make('Document', { files: [{ name: 'name', comment }] });
      return at(await edda.read(made), '/data/files/0/comment') !== comment;
    },
  },
  'editing.create-from-a-used-object': {
    source: 'core: Endpoint table, POST softtype',
    breaks:
      'A new instance has the content that its body gives, and nothing of the instance that was created before it.',
    variant: breaks('contents', 'contentFrom', (right) => {
      const used = new Map<string, Content>();
      return (areas, call, softType, view, body) => {
        const input = right(areas, call, softType, view, body);
        if (call.method !== 'POST') return input;
        const before = used.get(softType.id) ?? {};
        used.set(softType.id, input.content);
        const members = Object.entries(input.content).map(([name, value]) => [name, fillFrom(before[name], value)]);
        return { ...input, content: Object.fromEntries(members) };
      };
    }),
    async shows({ edda }) {
      await edda.make('Document', { title: 'first', dimensions: { width: '1', height: '2' } });
      const made = await edda.make('Document', { title: 'second', dimensions: { width: '3' } });
      return at(await edda.read(made), '/data/dimensions/height') !== undefined;
    },
  },
  'creating.location-of-a-neighbour': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'The location of a create leads to what it has created, also while others create.',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      let last: string | undefined;
      return async (areas, route, call) => {
        const answer = await right(areas, route, call);
        if (answer.status !== 201 || call.params['inputSchemaId'] === undefined) return answer;
        last = answer.headers?.['Location'];
        await pause(2);
        return { ...answer, headers: { ...answer.headers, Location: last ?? '' } };
      };
    }),
    async shows({ edda }) {
      const made = await Promise.all(many(12, (number) => edda.make('Part', { name: `n${number}` })));
      return new Set(made.map(({ oid }) => oid)).size < made.length;
    },
  },
  'create.texts-of-entries-are-cut': {
    source: 'core: Endpoint table, POST',
    breaks: 'A text inside an entry is kept whole, as one of the object itself is.',
    variant: replaces('contents', 'withEntryIds', (right, areas, items) =>
      right(areas, items).map((content) => mapTexts(content, (text) => text.slice(0, 255)) as Content),
    ),
    async shows({ edda }) {
      const comment = 'x'.repeat(300);
      const made = await edda.make('Document', { files: [{ name: 'n', comment }] });
      return at(await edda.read(made), '/data/files/0/comment') !== comment;
    },
  },
  'create.equal-entries-are-one': {
    source: 'core: Endpoint table, POST',
    breaks: 'Two entries of one content are two entries.',
    variant: replaces('contents', 'withEntryIds', (right, areas, items) => {
      const distinct = new Map(items.map((item) => [JSON.stringify(item.content), item]));
      return right(areas, [...distinct.values()]);
    }),
    survives:
      'Whether an array may hold one content twice is for the model to say: what becomes of equal entries is recorded.',
    async shows({ edda }) {
      const contacts = [{ name: 'twin' }, { name: 'twin' }, { name: 'other' }];
      const made = await edda.make('Document', { contacts });
      return listAt(await edda.read(made), '/data/contacts').length !== 3;
    },
  },
  'create.lists-hold-a-value-once': {
    source: 'core: Endpoint table, POST',
    breaks: 'A list of plain values reads as it was written, with what stands in it twice.',
    variant: changes('contents', 'contentFrom', (input) => {
      const { keywords } = input.content;
      if (!Array.isArray(keywords)) return input;
      return { ...input, content: { ...input.content, keywords: [...new Set<unknown>(keywords)] } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { keywords: ['a', 'b', 'a'] });
      return listAt(await edda.read(made), '/data/keywords').length !== 3;
    },
  },
  'create.quoted-version': {
    source: 'core: Errors',
    breaks: 'The version header of a 201 holds the version, which is an integer.',
    variant: changes('editing', 'createObject', (answer) => ({
      ...answer,
      headers: { ...answer.headers, [headerNames.version]: '"1"' },
    })),
    async shows({ edda }) {
      const answer = await edda.post('/api/space/main/softtype/Part/partInput', { name: 'part' });
      return answer.headers.get(headerNames.version) !== '1';
    },
  },
  'creating.once-is-enough': {
    source: 'core: Errors 201',
    breaks:
      'The Location of a create is that of the object it made, also where one with the same content was made just before.',
    variant: breaks('editing', 'createObject', (right) => {
      const answers = new Map<string, { readonly answer: Answer; readonly at: number }>();
      return async (areas, call, writing) => {
        const key = JSON.stringify([call.user.name, call.url, call.json]);
        const before = answers.get(key);
        const now = areas.clock.now();
        if (before !== undefined && now - before.at < 5000) return before.answer;
        const answer = await right(areas, call, writing);
        answers.set(key, { answer, at: now });
        return answer;
      };
    }),
    async shows({ edda }) {
      const make = () => edda.make('Document', { title: 'twice' });
      return (await make()).oid === (await make()).oid;
    },
  },
  'create.location-of-what-it-refers-to': {
    source: 'core: Errors, row 201',
    breaks: 'The Location of a create is that of the new object, and not of the one that it refers to.',
    variant: changes('editing', 'createObject', (answer, areas, call) => {
      const items = Object.values(Object(call.json)).flatMap((value) => (Array.isArray(value) ? value : []));
      const oid = items.map((item) => at(item, '/value/$oid')).find((value) => typeof value === 'string');
      if (oid === undefined) return answer;
      return { ...answer, headers: { ...answer.headers, Location: areas.objects.locationOf(call.space.id, oid) } };
    }),
    async shows({ edda }) {
      const part = await edda.make('Part');
      const describes = [{ value: { $oid: part.oid } }];
      return (await edda.make('Document', { describes })).oid === part.oid;
    },
  },
  'create.version-behind-the-request': {
    source: 'core: Errors, row 201',
    breaks: 'The version header of a create holds the version of the object, whatever version the request speaks of.',
    variant: changes('editing', 'createObject', (answer, _areas, call) => {
      const given = call.headers['svc-uoiversion'];
      if (given === undefined) return answer;
      return { ...answer, headers: { ...answer.headers, [headerNames.version]: String(Number(given) + 1) } };
    }),
    async shows({ edda }) {
      const path = '/api/space/main/softtype/Document/documentInput';
      const made = await edda.post(path, { title: 't' }, { [headerNames.version]: '4' });
      return made.headers.get(headerNames.version) === '5';
    },
  },
  'versioning.entries-of-a-creation': {
    source: 'core: Errors 201',
    breaks: 'The version header of a creation has the version of the object, also when it was created with entries.',
    variant: changes('editing', 'createObject', async (answer, areas, call, writing) => {
      const oid = answer.headers?.['Location']?.split('/').at(-1) ?? '';
      const object = await writing.object(call.space.id, oid);
      const hasEntries = isContent(call.json) && Object.values(call.json).some((value) => Array.isArray(value));
      if (object === undefined || !hasEntries) return answer;
      await writing.updateObject(object.spaceId, oid, areas.versioning.nextVersion(object.version), object.content);
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'entries', files: named(2) });
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'create.location-of-another-scheme': {
    source: 'core: Errors 201',
    breaks: 'The Location of what was created is a URI under which it can be read.',
    museum: true,
    variant: changes('editing', 'createObject', (answer, _areas, call) => {
      const location = `https://${call.headers['host'] ?? ''}${answer.headers?.['Location'] ?? ''}`;
      return { ...answer, headers: { ...answer.headers, Location: location } };
    }),
    async shows({ edda }) {
      const body = { title: 'a' };
      const { headers } = await edda.post(documentsPath, body);
      return headers.get('location')?.startsWith('https:') ?? true;
    },
  },
  'create.location-in-the-first-space': {
    source: 'core: Errors 201',
    breaks: 'The Location is the URI of the object, which is in the space that it was made in.',
    variant: changes('editing', 'createObject', (answer, areas, call) => {
      const [first = ''] = areas.configuration.spaces.keys();
      const location = String(answer.headers?.['Location']).replace(`/space/${call.space.id}/`, `/space/${first}/`);
      return { ...answer, headers: { ...answer.headers, Location: location } };
    }),
    async shows({ otto }) {
      const made = await otto.post('/api/space/depot/softtype/Dossier/dossierInput', { title: 't' });
      return made.status === 201 && !made.headers.get('location')?.includes('/depot/');
    },
  },
  'create.fails-in-another-space': {
    source: 'core: Endpoint table, POST softtype; Errors 201',
    breaks: 'A create is answered 201 in every space.',
    variant: replaces('editing', 'createObject', (right, areas, call, writing) => {
      if (call.space.id !== 'main') throw new TypeError('no table of that name');
      return right(areas, call, writing);
    }),
    shows: async ({ otto }) =>
      (await otto.post('/api/space/depot/softtype/Dossier/dossierInput', { title: 't' })).status === 500,
  },
  'create.undone-in-another-space': {
    source: 'core: Errors 201',
    breaks: 'The Location of a create leads to the object in every space.',
    variant: changes('dispatcher', 'carryOutWrite', (answer, _areas, { path }, { space }) => {
      if (answer.status === 201 && path === routes.create && space.id !== 'main') throw new Undone(answer);
      return answer;
    }),
    async shows({ otto }) {
      const made = await otto.make('Dossier', { title: 't' });
      return (await otto.get(made.path)).status === 404;
    },
  },
  'create.twice-beside-another': {
    source: 'core: Endpoint table, POST',
    breaks: 'A create makes one object, also while another create is under way.',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      let pending = 0;
      return async (areas, route, call) => {
        if (route.path !== routes.create) return right(areas, route, call);
        const isAlone = pending === 0;
        pending += 1;
        try {
          await pause(5);
          if (!isAlone) await right(areas, route, call);
          return await right(areas, route, call);
        } finally {
          pending -= 1;
        }
      };
    }),
    async shows({ edda }) {
      const title = `at once ${randomUUID()}`;
      await Promise.all([edda.post(documentsPath, { title }), edda.post(documentsPath, { title })]);
      return (await countOf(edda, title)) > 2;
    },
  },
};

/** Texts end before the first character that needs four bytes, at any depth. */
function cutAtAstral(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/[\u{10000}-\u{10ffff}][^]*$/u, '');
  if (Array.isArray(value)) return value.map(cutAtAstral);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cutAtAstral(member)]));
}

function piecesOf(bytes: Buffer): readonly Buffer[] {
  return many(Math.ceil(bytes.length / pieceBytes), (number) =>
    bytes.subarray((number - 1) * pieceBytes, number * pieceBytes),
  );
}

/** The value with those members that only the other one has, where both are objects. */
function fillFrom(before: unknown, value: unknown): unknown {
  return isContent(before) && isContent(value) ? { ...before, ...value } : value;
}

async function countOf(client: Client, text: string): Promise<number> {
  const { json } = await client.get(`/api/space/main/instances/Document?text=${encodeURIComponent(text)}`);
  return listAt(json, '/data').length;
}
