import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, movePath, versionHeader } from '../service.ts';

const referring = new Set(['describes', 'describedBy', 'satisfiedBy', 'affected']);

export const versionMistakes: Batch = {
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
};

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
