import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Step, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, named, tokenOf } from '../proofs.ts';
import { at, editPath, encoded, listAt, many, movePath, spaceFiles, versionHeader } from '../service.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { isoTime } from '../../../reference-server/rfc3339.ts';
import { headerNames } from '../../../contract/names.ts';
import { calledMistakes, deliveredMistakes, recordMistakes, taskMistakes } from './calls.ts';

const mebibyte = 1_048_576;

const fileMistakes: Batch = {
  'files.first-mebibyte': {
    source: 'extensions: File routes, row 3',
    breaks: 'A download is the whole file, also of one that is longer than a mebibyte.',
    kind: 'value',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      const { stream, ...answer } = await right(areas, call);
      if (stream === undefined) return answer;
      if (answer.status !== 200 || call.withoutContent || stream.size <= mebibyte) return { ...answer, stream };
      return { ...answer, raw: (await buffer(stream.content)).subarray(0, mebibyte) };
    }),
    async shows({ edda }) {
      const content = 'a'.repeat(1_200_000);
      await edda.upload('large.txt', content);
      return (await edda.get(`${spaceFiles}/large.txt`)).text.length !== content.length;
    },
  },

  'files.query-token-of-the-space-area': {
    source: 'extensions: Authentication 1',
    breaks: 'A download may have its token in the query, in each of the four areas.',
    kind: 'place',
    variant: replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) => {
      return /^\/api\/space\/[^/]+\/fs\//.test(call.url) ? right(areas, call) : undefined;
    }),
    async shows(service) {
      const base = '/api/space/main/user/fs/file';
      await service.edda.upload('token.txt', 'by token', base);
      const token = await tokenOf(service, 'edda');
      return (await service.nobody.get(`${base}/token.txt?token=${token}`)).status !== 200;
    },
  },
};

const sourceMistakes: Batch = {
  'bulk.same-length-is-same': {
    source: 'extensions: Bulk upload request body',
    breaks: 'With replaceFiles every file that exists is replaced, also by one of its length.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const { size } = await stat(join(run.source, ...entry.path));
      const former = await areas.fileStore.describe(areas.bulkUpload.bulkPlaceOf(run.area, run.target, entry.path));
      if (run.request.replaceFiles && former?.kind === 'file' && former.size === size)
        return { path: entry.path.join('/'), status: 'skipped' };
      return right(areas, run, entry);
    }),
    async shows({ edda, directory, bulk }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'same.txt'), 'new');
      await edda.upload('same.txt', 'old');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, replaceFiles: true });
      return (await edda.get(`${spaceFiles}/same.txt`)).text !== 'new';
    },
  },

  'bulk.one-log-in-a-directory': {
    source: 'extensions: Bulk upload request body',
    breaks: 'A log that is asked for is written when the upload ends, also where that of an earlier upload is.',
    kind: 'moment',
    variant: replaces('bulkUpload', 'writeBulkLog', async (right, areas, source, report) => {
      if ((await logsIn(source)) === 0) await right(areas, source, report);
    }),
    async shows({ directory, bulk }) {
      const sourceDirectory = await directory();
      for (let run = 0; run < 2; run += 1) await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: true });
      return (await logsIn(sourceDirectory)) !== 2;
    },
  },
};

async function logsIn(directory: string): Promise<number> {
  return (await readdir(directory)).filter((name) => name.startsWith('FileUpload_')).length;
}

const writtenMistakes: Batch = {
  'editing.empty-text-is-no-edit': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A field in the body of a merge is edited, also when its new value is a text without characters.',
    kind: 'value',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const members = Object.entries(edits).filter(([, edit]) => edit !== '');
      return right(areas, target, Object.fromEntries(members));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'empty', note: 'before' });
      await edda.merge(made, 1, { note: '' });
      return at(await edda.read(made), '/data/note') === 'before';
    },
  },
};

/** When the first people stood on the moon. */
const longAgo = '1969-07-20T20:17:40Z';

const lately = '2026-02-03T04:05:06Z';

const operationMistakes: Batch = {
  'operations.end-marker-inside-an-entry': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'The end marker may be given behind every array, also behind one inside an entry.',
    kind: 'place',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, pointer) => {
      if (target.kind === 'array' && target.marker && target.row.entry !== undefined)
        throw new Refusal(422, 'There is no entry with the id -.');
      return right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'marker', files: [{ name: 'one', revisions: [] }] });
      const added = { op: 'add', path: '/files/1/revisions/-', value: { text: 'first' } };
      return (await edda.operate(made, 1, [added])).status >= 400;
    },
  },

  'operations.list-takes-a-value-once': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A value that is added to an array is appended, also when the array has it already.',
    kind: 'value',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, pointer) => {
      if (target.kind === 'list' && Array.isArray(target.value) && target.value.includes(value)) return;
      await right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'twice', keywords: ['steel'] });
      await edda.operate(made, 1, [{ op: 'add', path: '/keywords/-', value: 'steel' }]);
      return listAt(await edda.read(made), '/data/keywords').length !== 2;
    },
  },

  'operations.zeros-before-an-id': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'An entry is addressed by its id, and not by another text of the same number.',
    kind: 'value',
    survives:
      'In which texts a path may write an id is not said (entry-id-form); patch.path.unusual-pointers records what becomes of one with a zero before it.',
    variant: replaces('operations', 'entryAt', (right, areas, run, port, token) =>
      right(areas, run, port, token.replace(/^0+/, '')),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'zeros', files: named(1) });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/files/01/name', value: 'other' }])).status < 400;
    },
  },

  'operations.same-value-is-not-dated-anew': {
    source: 'core: Operations-based PATCH rules 7',
    breaks:
      'A dated element that is replaced gets the date of the information filter, also when its value is the same.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, pointer) => {
      if (target.kind === 'member' && target.member.kind === 'dated' && at(target.value, '/value') === value) return;
      await right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'dated', price: '10' });
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '10' }], { time: lately });
      return !isTime(at(await edda.read(made), '/data/price/effectivity'), lately);
    },
  },

  'operations.date-before-1970': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A dated element that is replaced gets the date of the information filter, however long ago that is.',
    kind: 'value',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) => {
      const time = right(areas, call);
      return Date.parse(time) > 0 ? time : isoTime(areas.clock.now());
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'dated', price: '10' });
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '12' }], { time: longAgo });
      return !isTime(at(await edda.read(made), '/data/price/effectivity'), longAgo);
    },
  },
};

function isTime(effectivity: unknown, time: string): boolean {
  return Date.parse(String(effectivity)) === Date.parse(time);
}

/** Longer than any array. */
const whole = { from: 0, to: 1_000_000 };

const readMistakes: Batch = {
  'reading.integers-of-32-bits': {
    source: 'core: SoftType read response',
    breaks: 'What an instance holds is in its data, also a number that 32 bits do not hold.',
    kind: 'value',
    variant: replaces('instances', 'dataOf', (right, areas, ...args) => {
      const data = right(areas, ...args);
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
    kind: 'value',
    variant: replaces('contents', 'inputFrom', (right, areas, ...args) => {
      const input = right(areas, ...args);
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

  'reading.last-state-of-a-level': {
    source: 'core: States and transitions',
    breaks: 'An instance carries the current state of each level, also of one that has come to its last.',
    kind: 'value',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      const levels = areas.objects.softTypeOf(space, object.softType).maturity?.levels ?? [];
      for (const [level, states] of levels)
        if (at(data, `/${level}/state`) === states.at(-1)) Reflect.deleteProperty(data, level);
      return data;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'released' });
      await edda.move(made, 1);
      await edda.move(made, 2);
      return at(await edda.read(made), '/data/engineering/state') !== 'released';
    },
  },
};

const pageMistakes: Batch = {
  'paging.tenth-page': {
    source: 'core: Endpoint table, page GET',
    breaks: 'The page number of the path is read whole: page 10 is not page 1.',
    kind: 'value',
    variant: replaces('paging', 'pageNumberOf', (right, areas, call) => {
      const page = right(areas, call);
      return page < 10 ? page : Number(String(page).slice(0, 1));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'pages', files: named(101) });
      return listAt((await edda.page(made, 'files', 10)).json, '/data').length !== 1;
    },
  },

  'paging.value-decoded-twice': {
    source: 'core: Server side paging 5',
    breaks: 'The value of a filter is what the query says, decoded once.',
    kind: 'value',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
      const applied = right(areas, call, softType, parameter);
      return applied && { ...applied, value: decodedAgain(applied.value) };
    }),
    async shows({ edda }) {
      const files = ['a b', 'a%20b'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 'decoded', files });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=a%2520b');
      return at(read, '/data/files/0/category') !== 'a%20b';
    },
  },

  'paging.ids-in-the-order-of-texts': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An entry that is added is the last one, also the tenth.',
    kind: 'value',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      const entries = await right(areas, reading, object, section, whole, filter);
      return entries
        .toSorted((one, other) => (String(one.entryId) < String(other.entryId) ? -1 : 1))
        .slice(range.from, range.to);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'ten', files: named(9) });
      await edda.operate(made, 1, [{ op: 'add', path: '/files', value: { name: 'added' } }]);
      return at(await edda.read(made), '/data/files/9/name') !== 'added';
    },
  },
};

const sharedMistakes: Batch = {
  'links.promote-where-nothing-matures': {
    source: 'core: What the service does',
    breaks: 'A link is for what can be done with the instance, and a type without levels has nothing to promote.',
    kind: 'place',
    variant: replaces('hypermedia', 'operationLinks', (right, areas, object, softType, view) => {
      const links = right(areas, object, softType, view);
      if (softType.maturity !== undefined) return links;
      const href = `/api/space/${object.spaceId}/maturityAction/promote/${object.oid}/release/engineering`;
      return [...links, { rel: 'promote', href, method: 'PUT' }];
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'plain' });
      return listAt(await edda.read(made), '/links').some((link) => at(link, '/rel') === 'promote');
    },
  },
};

function decodedAgain(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

const replacement = new Step();

const batchedMistakes: Batch = {
  'batch.same-read-twice': {
    source: 'core: Batch rules 6',
    breaks: 'Each read of a batch is answered with the read response, also the second one of the same instance.',
    kind: 'moment',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      const answer = await right(areas, call, writing, table);
      const seen = new Set<unknown>();
      const results = listAt(answer.body, '').map((result, index) => {
        const operation = call.json[index];
        const href = at(operation, '/method') === 'GET' ? at(operation, '/href') : undefined;
        if (href === undefined || !seen.has(href)) return (seen.add(href), result);
        return { statusCode: at(result, '/statusCode') };
      });
      return { ...answer, body: results };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'twice' });
      const { json } = await edda.batch(many(2, () => ({ method: 'GET', href: made.path })));
      return at(json, '/1/body/data/title') !== 'twice';
    },
  },

  'batch.put-merges': {
    source: 'core: Batch rules 5',
    breaks: 'PUT replaces all fields of its target, as an operation of a batch too.',
    kind: 'combination',
    variant: together(
      replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) => {
        const work = () => right(areas, prepared, writing);
        return prepared.call.method === 'PUT' ? replacement.run(work) : work();
      }),
      replaces('editing', 'replaceContent', (right, areas, old, given) => {
        return right(areas, old, replacement.isOn() ? { ...old, ...given } : given);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'put', note: 'before' });
      const body = { title: 'put' };
      await edda.batch([{ method: 'PUT', href: editPath(made), headers: versionHeader(1), body }]);
      return at(await edda.read(made), '/data/note') !== undefined;
    },
  },

  'batch.no-demote': {
    source: 'core: Batch rules 2',
    breaks: 'A batch knows both maturity actions, demote as well as promote.',
    kind: 'place',
    variant: replaces('batch', 'operationRouteOf', (right, areas, table, method, path) => {
      return path.includes('/maturityAction/demote/') ? undefined : right(areas, table, method, path);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'demote' });
      await edda.move(made, 1);
      const operation = { method: 'PUT', href: movePath(made, 'demote'), headers: versionHeader(2) };
      return (await edda.batch([operation])).status !== 200;
    },
  },

  'batch.version-of-the-first-edit': {
    source: 'core: Batch result',
    breaks: 'The result of an edit tells the version that it made, also of the second edit of one object.',
    kind: 'copy',
    variant: breaks('batch', 'writtenBody', (right) => {
      const versions = new Map<string, unknown>();
      return (areas, call, answer) => {
        const body = right(areas, call, answer);
        const { objectId } = call.params;
        const version = at(body, '/version');
        if (objectId === undefined || version === undefined) return body;
        const key = `${call.correlationId} ${objectId}`;
        const known = versions.get(key) ?? version;
        versions.set(key, known);
        return { ...Object(body), version: known };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'edits' });
      const edits = [1, 2].map((version) => ({
        method: 'PATCH',
        href: editPath(made),
        headers: versionHeader(version),
        body: { note: `edit ${version}` },
      }));
      return at((await edda.batch(edits)).json, '/1/body/version') !== 3;
    },
  },
};

const itemMistakes: Batch = {
  'multi-create.equal-items-once': {
    source: 'core: Multi-create rules 1',
    breaks: 'Every item of a multi-create becomes an instance, also one that is like another.',
    kind: 'value',
    variant: replaces('multiCreate', 'identifyItems', (right, areas, items) => {
      const textOf = ({ softType, data }: (typeof items)[number]) => JSON.stringify([softType.id, data]);
      const texts = items.map(textOf);
      return right(
        areas,
        items.filter((_item, index) => texts.indexOf(texts[index] ?? '') === index),
      );
    }),
    async shows({ edda }) {
      const items = ['one', 'two'].map(($id) => ({ $id, $softType: 'Part', data: { name: 'alike' } }));
      return listAt((await edda.multiCreate(items)).json, '').length !== 2;
    },
  },
};

const accessedMistakes: Batch = {
  'auth.reader-creates-many': {
    source: 'core: Authentication 7',
    breaks: 'A role without POST creates nothing, also not by the one route that has no api before it.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isOutside = access === 'space' && call.url.startsWith('/space/');
      return right(areas, user, isOutside ? 'participant' : access, call);
    }),
    async shows({ rita }) {
      const items = [{ $id: 'p', $softType: 'Part', data: { name: 'by a reader' } }];
      return (await rita.multiCreate(items)).status < 400;
    },
  },

  'headers.long-correlation-id': {
    source: 'core: Common request headers',
    breaks: 'A correlation id is passed on as it was given, also one of a hundred characters.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => right(areas, call).slice(0, 64)),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const correlationId = 'correlation'.repeat(9);
      const headers = { [headerNames.correlationId]: correlationId };
      await service.edda.post('/api/space/main/externalEvent', { recordId: 'event' }, headers);
      await service.pass(1);
      return at(callsTo(host)[0]?.json, '/id') !== correlationId;
    },
  },

  'headers.filter-in-another-alphabet': {
    source: 'extensions: Call envelope',
    breaks:
      'An extension gets the settings of the information filter as they were sent, letters beyond ASCII included.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'passedFilter', (right, areas, call) => {
      const text = Buffer.from(right(areas, call), 'base64').toString('latin1');
      return Buffer.from(text).toString('base64');
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const headers = { [headerNames.informationFilter]: encoded({ role: 'Prüferin' }) };
      await service.edda.post('/api/space/main/externalEvent', { recordId: 'event' }, headers);
      await service.pass(1);
      const [call] = callsTo(host);
      const text = Buffer.from(call?.envelope?.informationFilter ?? '', 'base64').toString();
      return call !== undefined && !text.includes('Prüferin');
    },
  },
};

/** Of sixty mistakes about bounds and kinds: the tenth and the eleventh, nothing and empty, what is large, old or comes twice, and the second of two alike. */
export const fifteenth: Batch = {
  ...readMistakes,
  ...pageMistakes,
  ...sharedMistakes,
  ...writtenMistakes,
  ...operationMistakes,
  ...batchedMistakes,
  ...itemMistakes,
  ...accessedMistakes,
  ...fileMistakes,
  ...sourceMistakes,
  ...deliveredMistakes,
  ...calledMistakes,
  ...taskMistakes,
  ...recordMistakes,
};
