import { isContent, itemsOf } from '../../../reference-server/areas/content.ts';
import { isPort } from '../../../reference-server/areas/operations.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { StoredEntry } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always } from '../proofs.ts';
import { at, editPath, listAt, movePath, versionHeader } from '../service.ts';

const referring = new Set(['describes', 'describedBy', 'satisfiedBy', 'affected']);

export const versionMistakes: Batch = {
  'versions.thirty-two-bits': {
    source: 'core: Versioning 3',
    breaks: 'A version is compared whole: one that is 2 to the 32nd higher is another one.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (right, areas, sent, current) =>
      right(areas, Number.isSafeInteger(sent) ? sent | 0 : sent, current),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.merge(made, 4_294_967_297, { title: 'u' })).status === 204;
    },
  },

  'versions.references-do-not-count': {
    source: 'core: Versioning 2',
    breaks: 'Each edit raises the version, also one that touches references alone.',
    kind: 'place',
    variant: replaces('versioning', 'versionAfterOperations', (right, areas, object, operations) => {
      const paths = operations.map((operation) => String(at(operation, '/path')).split('/')[1] ?? '');
      const isRelation = paths.length > 0 && paths.every((name) => referring.has(name));
      return isRelation ? object.version : right(areas, object, operations);
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'n' });
      const made = await edda.make('Document', { title: 't' });
      await edda.operate(made, 1, [{ op: 'add', path: '/describes/-', value: { id: 'x', value: { $oid: part.oid } } }]);
      return at(await edda.read(made), '/version') !== 2;
    },
  },

  'versions.taken-from-the-body': {
    source: 'core: Errors rule 2',
    breaks: 'Without the version header a PUT is refused, whatever its body says of the version.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isAbsent = call.headers['svc-uoiversion'] === undefined;
      const body: unknown = isAbsent && call.body !== undefined ? areas.messages.jsonBodyOf(call) : undefined;
      return at(body, '/$version') === object.version ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.replace(made, undefined, { $version: 1, title: 'u' })).status === 204;
    },
  },

  'versions.needless-in-a-batch-that-edited': {
    source: 'core: Common request headers, Svc-UOIVersion',
    breaks: 'A PATCH needs the version, also in a batch that has edited its object before.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) =>
      call.headers['svc-uoiversion'] === undefined &&
      at(call, '/isChangedHere') !== undefined &&
      isChanged(call, object.oid)
        ? object.version
        : right(areas, call, object),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const href = editPath(made);
      const edits = [
        { method: 'PATCH', href, headers: versionHeader(1), body: { note: 'a' } },
        { method: 'PATCH', href, body: { note: 'b' } },
      ];
      return (await edda.batch(edits)).status === 200;
    },
  },

  'versions.repeated-request-passes': {
    source: 'core: Errors rule 1',
    breaks: 'An edit made for a former version is refused, also when it is the very one that was made for it before.',
    kind: 'copy',
    variant: breaks('versioning', 'assertVersion', (right) => {
      const accepted = new Set<string>();
      return (areas, call, object) => {
        const key = `${call.method} ${call.url} ${call.headers['svc-uoiversion']} ${call.body?.toString() ?? ''}`;
        if (accepted.has(key)) return object.version;
        const version = right(areas, call, object);
        accepted.add(key);
        return version;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { title: 'u' });
      return (await edda.merge(made, 1, { title: 'u' })).status !== 409;
    },
  },

  'maturity.two-versions-with-a-validation': {
    source: 'core: States and transitions',
    breaks: 'A promote at version n answers n+1, also when an extension was asked about it.',
    kind: 'combination',
    variant: replaces('maturity', 'promoteObject', (right, areas, call, writing) => {
      const twice = within(areas, { maturity: { versionAfterPromote: (object) => object.version + 2 } });
      return right((call.verdicts?.size ?? 0) > 0 ? twice : areas, call, writing);
    }),
    async shows(service) {
      await service.host(
        () => [
          {
            id: 'check',
            extensionType: 'ExternalValidation',
            capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
          },
        ],
        always({ status: 200, json: { isValid: true, message: '' } }),
      );
      const made = await service.edda.make('Document', { title: 't' });
      return (await service.edda.move(made, 1)).headers.get('svc-uoiversion') !== '2';
    },
  },

  'maturity.no-version-at-the-end': {
    source: 'core: Endpoint table, PUT promote',
    breaks: 'A promote answers with the new version, also where it leads to the last state.',
    kind: 'place',
    variant: replaces('maturity', 'promoteObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const { states, current } = call.place;
      return states.at(-2) === current ? { status: answer.status } : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      return (await edda.put(movePath(made), 2)).headers.get('svc-uoiversion') !== '3';
    },
  },
};

export const editingMistakes: Batch = {
  'merge.inner-members-of-another-object': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge gives an object the members of its body, and none of what was merged into another one.',
    kind: 'copy',
    variant: breaks('editing', 'mergePatch', (right) => {
      let shared: object = {};
      return (areas, target, edits) => {
        const merged = right(areas, target === undefined ? shared : target, edits);
        if (target === undefined) shared = merged;
        return merged;
      };
    }),
    async shows({ edda }) {
      const one = await edda.make('Document', { title: 't' });
      const other = await edda.make('Document', { title: 't' });
      await edda.merge(one, 1, { dimensions: { width: '1' } });
      await edda.merge(other, 1, { dimensions: { height: '2' } });
      return at(await edda.read(other), '/data/dimensions/width') !== undefined;
    },
  },

  'operations.twice-with-two-roles': {
    source: 'core: Endpoint table, PATCH (operations)',
    breaks: 'A list of operations is applied once, also for a user who holds a role on two participants.',
    kind: 'role',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      for (const _role of areas.auth.rolesOf(run.call.user, run.call.space)) await right(areas, run, target, contents);
    }),
    async shows({ emil }) {
      const made = await emil.make('Document', { title: 't' });
      await emil.operate(made, 1, [{ op: 'add', path: '/files/-', value: { name: 'n' } }]);
      return listAt(await emil.read(made), '/data/files').length !== 1;
    },
  },

  'operations.second-removal-unchecked': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'After each removal the parent entry is checked, after the second one of a list as well.',
    kind: 'place',
    variant: breaks('operations', 'removeTarget', (right) => {
      const before = new WeakSet<object>();
      return async (areas, run, target) => {
        if (!before.has(run)) {
          before.add(run);
          return right(areas, run, target);
        }
        await right(within(areas, { operations: { complies: () => true } }), run, target);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'a' }, { name: 'b' }] });
      const ids = listAt(await edda.read(made), '/data/files').map((file) => String(at(file, '/$entryId')));
      await edda.operate(
        made,
        1,
        ids.map((id) => ({ op: 'remove', path: `/files/${id}/name` })),
      );
      return listAt(await edda.read(made), '/data/files').length > 0;
    },
  },

  'operations.position-where-no-id-is': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'A position names no entry, also where no entry has that id any more.',
    kind: 'value',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const found = await right(areas, run, port, token);
      const position = Number(token);
      if (found !== undefined || !Number.isSafeInteger(position) || position < 1) return found;
      const [entry] = await run.writing.entries(run.object.oid, port, { from: position, to: position + 1 });
      return entry;
    }),
    async shows({ edda }) {
      const files = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
      const made = await edda.make('Document', { title: 't', files });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/` }]);
      const edit = [{ op: 'replace', path: `/files/${id}/name`, value: 'x' }];
      return (await edda.operate(made, 2, edit)).status === 204;
    },
  },

  'operations.id-with-something-behind-it': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'An entry is addressed by its id and not by a text that begins with it.',
    kind: 'value',
    variant: replaces('operations', 'entryAt', (right, areas, run, port, token) =>
      right(areas, run, port, /^[1-9]\d*/.exec(token)?.[0] ?? token),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'a' }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      const edit = [{ op: 'replace', path: `/files/${id}abc/name`, value: 'x' }];
      return (await edda.operate(made, 1, edit)).status === 204;
    },
  },

  'operations.entry-of-another-array': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'An id names an entry of the array in its path, also when the list named that id in another array before.',
    kind: 'copy',
    variant: breaks('operations', 'entryAt', (right) => {
      const known = new WeakMap<object, Map<string, StoredEntry>>();
      return async (areas, run, port, token) => {
        const own = await right(areas, run, port, token);
        const entries = known.get(run) ?? new Map<string, StoredEntry>();
        known.set(run, entries);
        const [kept] = [...entries].filter(([key]) => key.endsWith(`/${token}`) && !key.startsWith(`${port}/`));
        if (own !== undefined) entries.set(`${port}/${token}`, own);
        return own === undefined ? own : (kept?.[1] ?? own);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', {
        title: 't',
        files: [{ name: 'a' }],
        contacts: [{ name: 'b', role: 'r' }],
      });
      const read = await edda.read(made);
      await edda.operate(made, 1, [
        { op: 'replace', path: `/files/${String(at(read, '/data/files/0/$entryId'))}/name`, value: 'x' },
        { op: 'replace', path: `/contacts/${String(at(read, '/data/contacts/0/$entryId'))}/name`, value: 'y' },
      ]);
      return at(await edda.read(made), '/data/contacts/0/role') !== 'r';
    },
  },

  'operations.administrators-overwrite': {
    source: 'core: Errors rule 3',
    breaks: 'An add on a member that exists fails, whatever role its sender has.',
    kind: 'role',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, at) => {
      const isHigh = areas.auth.rolesOf(run.call.user, run.call.space).includes('administrator');
      return right(
        areas,
        run,
        isHigh && target.kind === 'member' ? { ...target, value: undefined } : target,
        value,
        at,
      );
    }),
    async shows({ alma }) {
      const made = await alma.make('Document', { title: 't', note: 'n' });
      return (await alma.operate(made, 1, [{ op: 'add', path: '/note', value: 'm' }])).status === 204;
    },
  },

  'operations.marker-before-inner-items': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'What is added with the end marker is the last entry, in an array inside an entry too.',
    kind: 'combination',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, place) => {
      await right(areas, run, target, value, place);
      const { row, steps } = target;
      if (target.kind !== 'array' || isPort(target) || !target.marker || row.entry === undefined) return;
      const name = steps.at(-1)?.name ?? '';
      const entry = await run.writing.entry(run.object.oid, row.entry.port, row.entry.entryId);
      const items = itemsOf(entry?.content ?? {}, name);
      if (entry === undefined || items.length < 2) return;
      const moved = { ...entry.content, [name]: [...items.slice(-1), ...items.slice(0, -1)] };
      await run.writing.updateEntry(run.object.oid, row.entry.port, row.entry.entryId, moved);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', revisions: [{ text: 'a' }] }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'add', path: `/files/${id}/revisions/-`, value: { text: 'b' } }]);
      return at(await edda.read(made), '/data/files/0/revisions/0/text') === 'b';
    },
  },

  'operations.replaces-what-it-has-added': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'An object is no value of a replace, also when the list has added it before.',
    kind: 'copy',
    variant: breaks('operations', 'replaceValue', (right) => {
      return async (areas, run, target, value, place) => {
        const name = target.steps[0]?.name ?? '';
        const isFresh = run.object.content[name] === undefined && isContent(run.root[name]);
        if (!isContent(value) || target.kind !== 'member' || target.steps.length !== 1 || !isFresh)
          return right(areas, run, target, value, place);
        await areas.operations.addValue(run, { ...target, value: undefined }, value, place);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answer = await edda.operate(made, 1, [
        { op: 'add', path: '/dimensions', value: { width: '1' } },
        { op: 'replace', path: '/dimensions', value: { width: '2' } },
      ]);
      return answer.status === 204;
    },
  },

  'operations.administrators-replace-arrays': {
    source: 'core: Operations-based PATCH rules 1',
    breaks: 'A list is applied as operations, which append, whoever sends it.',
    kind: 'role',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      const isHigh = areas.auth.rolesOf(run.call.user, run.call.space).includes('administrator');
      if (isHigh) await run.writing.replaceEntries(run.object.oid, target.steps.at(-1)?.name ?? '', []);
      await right(areas, run, target, contents);
    }),
    async shows({ alma }) {
      const made = await alma.make('Document', { title: 't', files: [{ name: 'a' }] });
      await alma.operate(made, 1, [{ op: 'add', path: '/files/-', value: { name: 'b' } }]);
      return listAt(await alma.read(made), '/data/files').length !== 2;
    },
  },

  'operations.index-in-an-inner-array': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'Nothing is inserted at an index, in an array inside an entry neither.',
    kind: 'place',
    variant: replaces('operations', 'targetOf', async (right, areas, run, operation) => {
      const { tokens } = operation;
      const isIndexed = operation.op === 'add' && tokens.length === 4 && /^\d+$/.test(tokens[3] ?? '');
      if (!isIndexed) return right(areas, run, operation);
      return right(areas, run, { ...operation, tokens: tokens.slice(0, 3) });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', revisions: [{ text: 'a' }] }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      const add = [{ op: 'add', path: `/files/${id}/revisions/0`, value: { text: 'b' } }];
      return (await edda.operate(made, 1, add)).status === 204;
    },
  },
};

function isChanged(call: object, oid: string): boolean {
  const ask: unknown = Reflect.get(call, 'isChangedHere');
  return typeof ask === 'function' && Reflect.apply(ask, undefined, [oid]) === true;
}

export const batchMistakes: Batch = {
  'batch.href-of-an-inner-host': {
    source: 'core: What the service does, gateway',
    breaks: 'A client talks to the gateway alone: the href of a promote in a batch leads there too.',
    kind: 'combination',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      if (call.params['levelId'] === undefined || !isContent(body)) return body;
      return { ...body, href: `http://node-1.internal:8080${String(body['href'])}` };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answer = await edda.batch([{ method: 'PUT', href: movePath(made), headers: versionHeader(1) }]);
      return String(at(answer.json, '/0/body/href')).includes('internal');
    },
  },

  'batch.query-left-behind': {
    source: 'core: Batch rules 2',
    breaks: 'A GET in a batch is the GET of its href, with the filter in its query.',
    kind: 'place',
    variant: replaces(
      'batch',
      'pathOfHref',
      (right, areas, batch, href) => right(areas, batch, href)?.split('?', 1)[0],
    ),
    async shows({ edda }) {
      const files = [{ name: 'a', category: 'drawing' }, { name: 'b' }];
      const made = await edda.make('Document', { title: 't', files });
      const answer = await edda.batch([{ method: 'GET', href: `${made.path}?softTypeFilterId=drawings` }]);
      return listAt(answer.json, '/0/body/data/files').length === 2;
    },
  },

  'batch.five-hundred-at-most': {
    source: 'core: Limits',
    breaks: 'A batch has no hard limit: more than five hundred operations are carried out.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationsOf', (right, areas, body) => {
      const operations = right(areas, body);
      if (operations.length > 500) throw new Refusal(400, 'A batch has 500 operations at most.');
      return operations;
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'n' });
      const reads = Array.from({ length: 501 }, () => ({ method: 'GET', href: made.path }));
      return (await edda.batch(reads)).status !== 200;
    },
  },

  'batch.later-merges-are-plain-successes': {
    source: 'core: Batch result, statusCode',
    breaks: 'The status of a merge in a batch is that of a merge, behind the first operation as well.',
    kind: 'place',
    variant: breaks('batch', 'operationResult', (right) => {
      const seen = new Set<string>();
      return (areas, call, answer) => {
        const result = right(areas, call, answer);
        const isLater = seen.has(call.correlationId);
        seen.add(call.correlationId);
        return isLater && call.method === 'PATCH' && result.statusCode === 204
          ? { ...result, statusCode: 200 }
          : result;
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Part', { name: 'a' }), await edda.make('Part', { name: 'b' })];
      const merges = [one, other].map((made) => ({
        method: 'PATCH',
        href: editPath(made),
        headers: versionHeader(1),
        body: { note: 'n' },
      }));
      return at((await edda.batch(merges)).json, '/1/statusCode') !== 204;
    },
  },
};
