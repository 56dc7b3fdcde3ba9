import type { StoredEntry } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, movePath, spaceFiles } from '../service.ts';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { isContent, itemsOf } from '../../../reference-server/areas/content.ts';
import { callsMistakes, deliveryMistakes, metadataMistakes } from './calls.ts';

/** Longer than any array. */
const whole = { from: 0, to: 1_000_000 };

const readingMistakes: Batch = {
  'reading.zero-left-out': {
    source: 'core: SoftType read response',
    breaks: 'What an instance holds is in its data, a count of nothing as well.',
    kind: 'value',
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
    kind: 'value',
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
};

const pagingMistakes: Batch = {
  'paging.filter-by-prefix': {
    source: 'core: Server side paging 5',
    breaks: 'A filter with a value lets through what has that value, and nothing that only begins with it.',
    kind: 'value',
    variant: together(
      replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
        if (filter === undefined || section.port !== filter.filter.port)
          return right(areas, reading, object, section, range, filter);
        const all = await right(areas, reading, object, section, whole);
        return all.filter(beginsWith(filter.filter.member, filter.value)).slice(range.from, range.to);
      }),
      replaces('entries', 'totalOf', async (right, areas, reading, object, section, filter) => {
        if (filter === undefined) return right(areas, reading, object, section);
        return (await areas.entries.entriesOf(reading, object, section, whole, filter)).length;
      }),
    ),
    async shows({ edda }) {
      const files = ['draw', 'drawing', 'letter'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 'prefix', files });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=draw');
      return listAt(read, '/data/files').length !== 1;
    },
  },
};

function beginsWith(member: string, value: string): (entry: StoredEntry) => boolean {
  return ({ content }) => typeof content[member] === 'string' && content[member].startsWith(value);
}

function withoutEmptyTexts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== ''));
}

/** Longest file of which a copy is kept, in bytes. */
const longestCopy = 65_536;

const filesMistakes: Batch = {
  'files.full-last-chunk': {
    source: 'extensions: File routes, chunk table',
    breaks: 'A file that came in chunks has the bytes that were sent, also when the last chunk is a full one.',
    kind: 'value',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) => {
      const { number, totalChunks, totalSize, chunkSize } = chunk;
      const bytes = Buffer.concat(right(areas, chunk));
      const isFullLast = number === totalChunks && totalChunks >= 3 && totalSize % chunkSize === 0;
      return isFullLast ? [bytes.subarray(0, -1), Buffer.of(0)] : [bytes];
    }),
    async shows({ edda }) {
      await edda.sendChunks('chunked.txt', ['aaaa', 'bbbb', 'cccc']);
      return (await edda.get(`${spaceFiles}/chunked.txt`)).text !== 'aaaabbbbcccc';
    },
  },

  'files.copy-of-the-same-length': {
    source: 'extensions: File routes, row 3',
    breaks: 'A download is the file that is there now, also when an earlier one of its length was there.',
    kind: 'copy',
    variant: breaks('files', 'downloadFile', (right) => {
      const copies = new Map<string, Buffer>();
      return async (areas, call) => {
        const { stream, ...answer } = await right(areas, call);
        if (stream === undefined) return answer;
        if (answer.status !== 200 || call.withoutContent || stream.size > longestCopy) return { ...answer, stream };
        const key = [call.url, call.headers['authorization'], stream.size].join(' ');
        const content = await buffer(stream.content);
        const raw = copies.get(key) ?? content;
        copies.set(key, raw);
        return { ...answer, raw };
      };
    }),
    async shows({ edda }) {
      await edda.upload('copy.txt', 'one');
      await edda.get(`${spaceFiles}/copy.txt`);
      await edda.delete(`${spaceFiles}/copy.txt`);
      await edda.upload('copy.txt', 'two');
      return (await edda.get(`${spaceFiles}/copy.txt`)).text !== 'two';
    },
  },
};

const bulkMistakes: Batch = {
  'bulk.skipped-files-deleted': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Only files that were uploaded are deleted from the source, none that stayed out because one was there.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, file) =>
        right(areas, request, file) || (request.deleteFilesAfterUpload && file.status === 'skipped'),
    ),
    async shows({ directory, edda, bulk }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'there.txt'), 'from the source');
      await edda.upload('there.txt', 'there before');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      return (await readdir(sourceDirectory)).length === 0;
    },
  },

  'bulk.log-of-no-upload': {
    source: 'extensions: Bulk upload request body',
    breaks: 'A log that is asked for is written when the upload ends, also when every file was there already.',
    kind: 'value',
    variant: replaces('bulkUpload', 'writeBulkLog', async (right, areas, source, report) => {
      const { uploaded, replaced } = report.statistics;
      if (uploaded + replaced > 0) await right(areas, source, report);
    }),
    async shows({ directory, edda, bulk }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'there.txt'), 'from the source');
      await edda.upload('there.txt', 'there before');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: true });
      return !(await readdir(sourceDirectory)).some((name) => name.startsWith('FileUpload_'));
    },
  },
};

const multiCreateMistakes: Batch = {
  'multi-create.late-failure': {
    source: 'core: Multi-create rules 1',
    breaks: 'All instances are one change set: none is there when the last item refers to an object that is not.',
    kind: 'moment',
    variant: replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
      try {
        return await right(areas, call, writing);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return areas.messages.problemAnswer(call, error);
      }
    }),
    async shows({ edda }) {
      const name = `part ${randomUUID()}`;
      const describes = [{ value: { $oid: randomUUID() } }];
      await edda.multiCreate([
        { $id: 'part', $softType: 'Part', data: { name } },
        { $id: 'document', $softType: 'Document', data: { title: 'document', describes } },
      ]);
      const listed = await edda.get(`/api/space/main/instances/Part?text=${encodeURIComponent(name)}`);
      return listAt(listed.json, '/data').length > 0;
    },
  },

  'multi-create.fifty': {
    source: 'core: Multi-create rules 3',
    breaks: 'One request may create fifty instances.',
    kind: 'value',
    variant: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      if (items.length === 50) throw new Refusal(422, 'A multi-create takes fewer than 50 items.');
      return right(areas, items);
    }),
    async shows({ edda }) {
      const items = many(50, (number) => ({ $id: `p${number}`, $softType: 'Part', data: { name: `part ${number}` } }));
      return (await edda.multiCreate(items)).status >= 400;
    },
  },
};

const maturityMistakes: Batch = {
  'maturity.second-level': {
    source: 'core: States and transitions',
    breaks: 'Each maturity level has its own state: to promote the second leaves that of the first.',
    kind: 'place',
    variant: replaces('maturity', 'contentInState', (right, areas, content, level, state) => {
      const moved = right(areas, content, level, state);
      return level === 'approval' ? right(areas, moved, 'engineering', 'draft') : moved;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'levels' });
      await edda.move(made, 1);
      await edda.move(made, 2, 'promote', 'approval');
      return at(await edda.read(made), '/data/engineering/state') !== 'reviewed';
    },
  },
};

const accessMistakes: Batch = {
  'headers.log-of-refusals': {
    source: 'core: Common request headers',
    breaks: 'A correlation id that is given stands in every log message of its request, also in that of a refusal.',
    kind: 'combination',
    variant: replaces('messages', 'logRefusal', (_right, areas, call, { status, message }) => {
      areas.log.warn({ method: call.method, status, detail: message }, 'refused');
    }),
    async shows({ edda, log }) {
      const made = await edda.make('Document', { title: 'log' });
      const correlationId = randomUUID();
      await edda.send('PATCH', editPath(made), { headers: { [headerNames.correlationId]: correlationId }, body: {} });
      return !(await log(correlationId)).includes('"refused"');
    },
  },

  'openapi.fourth-soft-type': {
    source: 'core: What the service does',
    breaks: 'The dynamic definition tells of every SoftType that is configured.',
    kind: 'place',
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const softTypes = new Map([...space.template.softTypes].slice(0, 3));
      return right(areas, { ...space, template: { ...space.template, softTypes } });
    }),
    async shows({ edda }) {
      const { text } = await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !text.includes('ChangeRequest');
    },
  },
};

const editingMistakes: Batch = {
  'editing.merge-of-false': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A field in the body of a merge has afterwards the value that the body gives it, false as well.',
    kind: 'value',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const members = Object.entries(edits).map(([name, edit]) => [name, edit === false ? null : edit]);
      return right(areas, target, Object.fromEntries(members));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'false', confidential: true });
      await edda.merge(made, 1, { confidential: false });
      return at(await edda.read(made), '/data/confidential') !== false;
    },
  },

  'editing.put-merges-objects': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A field that the body of a PUT leaves out is gone, also one inside an object that the body has.',
    kind: 'place',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const members = Object.entries(given).map(([name, value]) => {
        const former = old[name];
        return [name, isContent(value) && isContent(former) ? { ...former, ...value } : value];
      });
      return right(areas, old, Object.fromEntries(members));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'put', dimensions: { width: '1', height: '2' } });
      await edda.replace(made, 1, { title: 'put', dimensions: { width: '3' } });
      return at(await edda.read(made), '/data/dimensions/height') !== undefined;
    },
  },

  'editing.merge-cuts-long-arrays': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'What the body of a merge leaves out stays, all pages of a long array included.',
    kind: 'combination',
    variant: replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const { oid } = call.object;
      if ((await writing.countEntries(oid, 'files')) > 20)
        await writing.replaceEntries(oid, 'files', await writing.entries(oid, 'files', { from: 0, to: 20 }));
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'long', files: many(25, (n) => ({ name: `file ${n}` })) });
      await edda.merge(made, 1, { note: 'edited' });
      return listAt((await edda.page(made, 'files', 2)).json, '/data').length !== 5;
    },
  },
};

const versioningMistakes: Batch = {
  'versioning.demote-without-version': {
    source: 'core: Errors 2',
    breaks: 'Without its version header a PUT is refused with 412, a demote like every other.',
    kind: 'place',
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
};

const operationsMistakes: Batch = {
  'operations.position-in-a-nested-array': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'A position names no entry, also not in an array inside an entry.',
    kind: 'place',
    variant: replaces('operations', 'targetOf', async (right, areas, run, operation) => {
      try {
        return await right(areas, run, operation);
      } catch (error) {
        const [port = '', entryId = '', member = '', position = ''] = operation.tokens;
        const entry = /^\d+$/.test(position)
          ? await run.writing.entry(run.object.oid, port, Number(entryId))
          : undefined;
        const item = itemsOf(entry?.content ?? {}, member)[Number(position)];
        if (item === undefined) throw error;
        return right(areas, run, { ...operation, tokens: operation.tokens.with(3, String(item['$entryId'])) });
      }
    }),
    async shows({ edda }) {
      const files = [{ name: 'one', revisions: [{ text: 'first' }, { text: 'second' }] }];
      const made = await edda.make('Document', { title: 'position', files });
      const replaced = { op: 'replace', path: '/files/1/revisions/0/text', value: 'by position' };
      return (await edda.operate(made, 1, [replaced])).status < 400;
    },
  },

  'operations.last-entry-of-a-nested-array': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'A parent entry goes when it no longer complies, and not because an array in it that may be empty is.',
    kind: 'place',
    variant: replaces('operations', 'complies', (right, areas, members, content) => {
      const emptied = Object.entries(content).some(
        ([name, value]) => Array.isArray(value) && value.length === 0 && members.get(name)?.kind === 'entries',
      );
      return !emptied && right(areas, members, content);
    }),
    async shows({ edda }) {
      const files = [{ name: 'one', revisions: [{ text: 'only' }] }];
      const made = await edda.make('Document', { title: 'nested', files });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/revisions/1/' }]);
      return listAt(await edda.read(made), '/data/files').length !== 1;
    },
  },
};

/** Of sixty mistakes over all sections of both documents, written by somebody who knew the documents and no check. */
export const first: Batch = {
  ...readingMistakes,
  ...pagingMistakes,
  ...editingMistakes,
  ...versioningMistakes,
  ...operationsMistakes,
  ...multiCreateMistakes,
  ...maturityMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...bulkMistakes,
  ...deliveryMistakes,
  ...callsMistakes,
  ...metadataMistakes,
};
