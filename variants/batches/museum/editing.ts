import { setImmediate } from 'node:timers/promises';
import { headerNames, mediaTypes } from '../../../contract/names.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Operation, OperationsRun } from '../../../reference-server/areas/operations.ts';
import { isArrayMember } from '../../../reference-server/areas/soft-type.ts';
import { Refusal, Undone } from '../../../reference-server/http/refusal.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import type { Content, StoredObject } from '../../../reference-server/ports/store.ts';
import { together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, operationsPath, versionHeader } from '../service.ts';

const versionName = headerNames.version.toLowerCase();

/** How long a cache takes that is a host of its own. */
const writeBackMs = 3;

/** Merges, replacements and lists of operations. */
const edits: Batch = {
  'merge.falsy-values-dropped': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge edits every field that its body names, whatever value the field gets.',
    kind: 'value',
    variant: replaces('contents', 'editsFrom', (right, areas, call, softType, view, body) =>
      right(areas, call, softType, view, isContent(body) ? withoutFalsy(body) : body),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'a', confidential: true });
      await edda.merge(made, 1, { confidential: false });
      return at(await edda.read(made), '/data/confidential') === true;
    },
  },

  'put.optional-members-stay': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A PUT removes every field that its body leaves out.',
    kind: 'copy',
    variant: replaces('editing', 'replaceContent', (_right, _areas, old, given) => ({ ...old, ...given })),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'a', note: 'b' });
      await edda.replace(made, 1, { title: 'c' });
      return at(await edda.read(made), '/data/note') === 'b';
    },
  },

  'operations.falsy-value-is-none': {
    source: 'core: Patch operation, value',
    breaks: 'An add carries the value that it names, be it false, zero or an empty text.',
    kind: 'value',
    variant: replaces('operations', 'operationOf', (right, areas, item, place) =>
      right(areas, isContent(item) && item['op'] !== 'remove' && !item['value'] ? without(item, 'value') : item, place),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'a' });
      const { status } = await edda.operate(made, 1, [{ op: 'add', path: '/confidential', value: false }]);
      return status >= 400;
    },
  },

  'operations.failed-list-half-applied': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A request that fails leaves nothing behind of what stood before the operation that failed.',
    kind: 'combination',
    variant: (classes) => {
      const runs = new Map<Content, OperationsRun>();
      return together(
        replaces('operations', 'applyOperations', (right, areas, run, operations) => {
          runs.set(run.object.content, run);
          return right(areas, run, operations);
        }),
        replaces('operations', 'operateObject', async (right, areas, call, writing) => {
          try {
            return await right(areas, call, writing);
          } catch (error) {
            const run = runs.get(call.object.content);
            if (!(error instanceof Refusal) || run === undefined) throw error;
            await areas.versioning.storeEdit(writing, call.object, call.object.version, run.root);
            return areas.messages.problemAnswer(call, error);
          } finally {
            runs.delete(call.object.content);
          }
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'a' });
      await edda.operate(made, 1, [
        { op: 'add', path: '/note', value: 'b' },
        { op: 'add', path: '/title', value: 'c' },
      ]);
      return at(await edda.read(made), '/data/note') === 'b';
    },
  },

  'operations.replace-adds': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A replace needs a target that is there.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, place) => {
      const isAbsent = target.kind === 'member' && target.value === undefined;
      return isAbsent ? areas.operations.addValue(run, target, value, place) : right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'a' });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/note', value: 'b' }])).status === 204;
    },
  },

  'operations.only-the-last-one-tells': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A request fails when any of its operations does, not the last one alone.',
    kind: 'place',
    variant: replaces('operations', 'applyOperations', async (right, areas, run, operations) => {
      for (const operation of operations.slice(0, -1)) await right(areas, run, [operation]).catch(forgive);
      await right(areas, run, operations.slice(-1));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'a' });
      const operations = [
        { op: 'replace', path: '/remark', value: 'b' },
        { op: 'add', path: '/note', value: 'c' },
      ];
      return (await edda.operate(made, 1, operations)).status === 204;
    },
  },

  'operations.escapes-in-wrong-order': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'In a JSON Pointer ~01 stands for ~1, because a slash is unescaped before a tilde.',
    kind: 'value',
    variant: replaces('operations', 'pointerTokens', (right, areas, path) => {
      if (path === '' || right(areas, path) === undefined) return right(areas, path);
      const tokens = path.slice(1).split('/');
      return tokens.map((token) => token.replaceAll('~0', '~').replaceAll('~1', '/'));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'a' });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/scale~1~01', value: 'b' }])).status !== 204;
    },
  },

  'operations.number-is-a-position': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'A number in a path is the id of an entry and never its place in the array.',
    kind: 'place',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const position = Number(token);
      if (!Number.isSafeInteger(position)) return right(areas, run, port, token);
      const [entry] = await run.writing.entries(run.object.oid, port, { from: position, to: position + 1 });
      return entry;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'a', files: [{ name: 'b' }, { name: 'c' }, { name: 'd' }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'add', path: `/files/${id}/comment`, value: 'e' }]);
      return at(await edda.read(made), '/data/files/0/comment') !== 'e';
    },
  },
};

/** What counts changes, and what is told of them. */
const versions: Batch = {
  'version.stays-for-appended-entries': {
    source: 'core: Versioning 2',
    breaks: 'Each edit gives the object its next version, one that touches nothing but an array too.',
    kind: 'place',
    variant: replaces('versioning', 'versionAfterOperations', (right, areas, object, operations) => {
      const isMeant = operations.every((operation) => namesArray(areas, object, operation));
      return isMeant ? object.version : right(areas, object, operations);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'a' });
      await edda.operate(made, 1, [{ op: 'add', path: '/files', value: { name: 'b' } }]);
      return at(await edda.read(made), '/version') === 1;
    },
  },

  'version.stays-for-edited-entry': {
    source: 'core: Versioning 2',
    breaks: 'Each edit gives the object its next version, one below an entry too.',
    kind: 'place',
    variant: replaces('versioning', 'versionAfterOperations', (right, areas, object, operations) => {
      const isMeant = operations.every((operation) => tokensOf(operation).length > 2);
      return isMeant ? object.version : right(areas, object, operations);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'a', files: [{ name: 'b' }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'add', path: `/files/${id}/comment`, value: 'c' }]);
      return at(await edda.read(made), '/version') === 1;
    },
  },

  'version.refused-once-passes-then': {
    source: 'core: Errors 1',
    breaks: 'A version that is not that of the server conflicts, however often it is sent.',
    kind: 'moment',
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
      const made = await edda.make('Document', { title: 'a' });
      await edda.merge(made, 1, { note: 'b' });
      await edda.merge(made, 1, { note: 'c' });
      return (await edda.merge(made, 1, { note: 'd' })).status === 204;
    },
  },

  'version.compared-before-the-write': {
    source: 'core: Versioning 3',
    breaks: 'Of edits that were made for one version and come at once, one passes.',
    kind: 'moment',
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
      const made = await edda.make('Document', { title: 'a' });
      const answers = await Promise.all(many(12, (number) => edda.merge(made, 1, { note: String(number) })));
      return answers.filter(({ status }) => status === 204).length > 1;
    },
  },

  'version.ignored-by-operations-in-batch': {
    source: 'core: Versioning 3',
    breaks: 'Every way to edit compares versions, a list of operations inside a batch too.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isMeant = 'isSibling' in call && call.headers['content-type'] === mediaTypes.operations;
      return isMeant ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'a' });
      await edda.merge(made, 1, { note: 'b' });
      const headers = { ...versionHeader(1), 'Content-Type': mediaTypes.operations };
      const body = [{ op: 'add', path: '/remark', value: 'c' }];
      return (await edda.batch([{ method: 'PATCH', href: operationsPath(made), headers, body }])).status === 200;
    },
  },

  'read.kept-after-the-write': {
    source: 'core: SoftType read response, version',
    breaks: 'A read shows the object as the last accepted edit left it.',
    kind: 'moment',
    variant: (classes) => {
      const kept = new Map<string, Map<string, Answer>>();
      return together(
        replaces('memory', 'rememberedRead', async (right, areas, call, reading, object, view, assemble) => {
          const variant = `${view.id} ${areas.memory.rightsOf(call)}`;
          const known = kept.get(object.oid)?.get(variant);
          if (known !== undefined) return known;
          const answer = await right(areas, call, reading, object, view, assemble);
          void keepLate(areas, kept, object.oid, variant, answer);
          return answer;
        }),
        replaces('memory', 'forgetReads', (right, areas, spaceId, oid) => {
          kept.delete(oid);
          right(areas, spaceId, oid);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'a' });
      for (let version = 1; version <= 60; version += 1) {
        const merge = { isUnderWay: true };
        const merged = edda.merge(made, version, { note: String(version) }).finally(() => (merge.isUnderWay = false));
        // one of the reads is answered just before the merge, however long that takes, and kept just after it
        while (merge.isUnderWay) await edda.read(made);
        await merged;
        for (let reads = 0; reads < 5; reads += 1)
          if (at(await edda.read(made), '/version') !== version + 1) return true;
      }
      return false;
    },
  },

  'batch.parts-survive': {
    source: 'core: Batch rules 1',
    breaks: 'When one operation of a batch fails, none of the others stays.',
    kind: 'combination',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      try {
        return await right(areas, call, writing, table);
      } catch (error) {
        if (error instanceof Undone) return error.answer;
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'a' });
      const edit = { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'b' } };
      await edda.batch([edit, edit]);
      return at(await edda.read(made), '/data/note') === 'b';
    },
  },

  'create.location-of-another-scheme': {
    source: 'core: Errors 201',
    breaks: 'The Location of what was created is a URI under which it can be read.',
    kind: 'value',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const location = `https://${call.headers['host'] ?? ''}${answer.headers?.['Location'] ?? ''}`;
      return { ...answer, headers: { ...answer.headers, Location: location } };
    }),
    async shows({ edda }) {
      const body = { title: 'a' };
      const { headers } = await edda.post('/api/space/main/softtype/Document/documentInput', body);
      return headers.get('location')?.startsWith('https:') ?? true;
    },
  },
};

/** Mistakes that others made about content, versions and change sets. */
export const editingExhibits: Batch = { ...edits, ...versions };

function withoutFalsy(body: Content): Content {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value === null || Boolean(value)));
}

function without(content: Content, name: string): Content {
  return Object.fromEntries(Object.entries(content).filter(([own]) => own !== name));
}

function forgive(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}

function tokensOf(operation: unknown): readonly unknown[] {
  return listAt(operation, '/tokens');
}

/** Whether the operation goes to an array port or to an entry of one. */
function namesArray({ configuration }: Areas, { spaceId, softType }: StoredObject, operation: unknown): boolean {
  const [name] = tokensOf(operation);
  const members = configuration.spaces.get(spaceId)?.template.softTypes.get(softType)?.members;
  const isAdd = (operation as Operation).op === 'add';
  return isAdd && tokensOf(operation).length < 3 && isArrayMember(members?.get(String(name)));
}

/** As a cache does that is a host of its own: its answer to a write comes when others had a turn. */
async function keepLate(
  { clock }: Areas,
  kept: Map<string, Map<string, Answer>>,
  oid: string,
  variant: string,
  answer: Answer,
): Promise<void> {
  await clock.sleep(writeBackMs, { tag: 'write-back' });
  const own = kept.get(oid) ?? new Map<string, Answer>();
  kept.set(oid, own.set(variant, answer));
}
