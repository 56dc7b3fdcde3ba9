import type { Answer } from '../../../reference-server/http/call.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { tokenOf } from '../proofs.ts';
import { at, editPath, spaceFiles, versionHeader } from '../service.ts';
import { keeps } from './kept.ts';

export const manyMistakes: Batch = {
  'batch.read-of-an-earlier-batch': {
    source: 'core: Batch rules 5',
    breaks: 'A GET in a batch retrieves what is there, not what it retrieved in a batch before.',
    kind: 'copy',
    variant: breaks('batch', 'carryOutOperation', (right) => {
      const kept = new Map<string, Promise<Answer>>();
      return (areas, prepared, writing) => {
        const { method, url, user } = prepared.call;
        if (method !== 'GET') {
          kept.clear();
          return right(areas, prepared, writing);
        }
        const key = `${user.name} ${url}`;
        const answer = kept.get(key) ?? right(areas, prepared, writing);
        answer.then(
          () => kept.set(key, answer),
          () => undefined,
        );
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'before' });
      const read = async () => (await edda.batch([{ method: 'GET', href: made.path }])).json;
      await read();
      await edda.merge(made, 1, { title: 'after' });
      return at(await read(), '/0/body/data/title') !== 'after';
    },
  },

  'batch.version-of-an-undone-edit': {
    source: 'core: Batch rules 1',
    breaks: 'An edit that was rolled back with its batch has raised no version.',
    kind: 'copy',
    variant: (classes) => {
      const written = new Map<string, number>();
      return together(
        replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
          await right(areas, writing, object, version, content);
          written.set(object.oid, version);
        }),
        replaces('versioning', 'assertVersion', (right, areas, call, object) =>
          right(areas, call, { ...object, version: written.get(object.oid) ?? object.version }),
        ),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'undone' });
      const edit = (version: number) => ({
        method: 'PATCH',
        href: editPath(made),
        headers: versionHeader(version),
        body: { note: 'edit' },
      });
      await edda.batch([edit(1), edit(9)]);
      return (await edda.merge(made, 1, { note: 'again' })).status !== 204;
    },
  },

  'batch.version-header-of-the-operation-before': {
    source: 'core: Errors 2',
    breaks: 'An edit in a batch needs a version of its own: that of the operation before is not meant for it.',
    kind: 'copy',
    variant: breaks('batch', 'operationHeaders', (right) => {
      const versions = new WeakMap<object, string>();
      return (areas, batch, operation) => {
        const headers = right(areas, batch, operation);
        const version = headers['svc-uoiversion'] ?? versions.get(batch.headers);
        if (version === undefined) return headers;
        versions.set(batch.headers, version);
        return { ...headers, 'svc-uoiversion': version };
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Document', { title: '1' }), await edda.make('Document', { title: '2' })];
      const body = { note: 'edit' };
      const { status } = await edda.batch([
        { method: 'PATCH', href: editPath(one), headers: versionHeader(1), body },
        { method: 'PATCH', href: editPath(other), body },
      ]);
      return status === 200;
    },
  },

  'batch.same-create-twice': {
    source: 'core: Batch rules 5',
    breaks: 'Each POST of a batch creates an object, also when the next one is word for word the same.',
    kind: 'copy',
    variant: (classes) => {
      let answers = new Map<string, Promise<Answer>>();
      return together(
        replaces('batch', 'runBatch', (right, areas, call, writing, table) => {
          answers = new Map();
          return right(areas, call, writing, table);
        }),
        replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) => {
          const { method, url, body } = prepared.call;
          if (method !== 'POST') return right(areas, prepared, writing);
          const key = `${url} ${String(body)}`;
          const answer = answers.get(key) ?? right(areas, prepared, writing);
          answers.set(key, answer);
          return answer;
        }),
      )(classes);
    },
    async shows({ edda }) {
      const create = { method: 'POST', href: '/api/space/main/softtype/Part/partInput', body: { name: 'twin' } };
      const { json } = await edda.batch([create, create]);
      return at(json, '/0/body/href') === at(json, '/1/body/href');
    },
  },

  'multi-create.ids-of-an-earlier-request': {
    source: 'core: Multi-create item, $id',
    breaks: 'A temporary id stands for an item of its own request, whatever an earlier one gave that id to.',
    kind: 'copy',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, items, $id, referrer) => {
        const own = right(areas, items, $id, referrer);
        const kept = known.get($id);
        const found = kept?.softType === own?.softType ? kept : own;
        known.set($id, found);
        return found;
      };
    }),
    async shows({ edda }) {
      const describes = [{ id: 'r', value: { instanceRef: 'p', softTypeId: 'Part' } }];
      const create = async () => {
        const { json } = await edda.multiCreate([
          { $id: 'p', $softType: 'Part', data: { name: 'part' } },
          { $id: 'd', $softType: 'Document', data: { title: 'document', describes } },
        ]);
        const read = await edda.get(String(at(json, '/1/href')));
        return String(at(json, '/0/href')).endsWith(String(at(read.json, '/data/describes/0/value/$oid')));
      };
      return (await create()) && !(await create());
    },
  },
};

export const accessMistakes: Batch = {
  'tokens.signature-of-the-first': {
    source: 'core: Authentication 2',
    breaks: 'A token needs its signature each time, also when one with the same claims was found right before.',
    kind: 'copy',
    variant: breaks('tokens', 'verifyToken', (right) => {
      const known = new Map<string, string>();
      return async (areas, token) => {
        const unsigned = token.slice(0, token.lastIndexOf('.'));
        const claims = await right(areas, known.get(unsigned) ?? token);
        known.set(unsigned, known.get(unsigned) ?? token);
        return claims;
      };
    }),
    async shows(service) {
      const made = await service.edda.make('Document', { title: 'signed' });
      const token = await tokenOf(service, 'edda');
      const forged = `${token.slice(0, token.lastIndexOf('.'))}.${Buffer.alloc(64).toString('base64url')}`;
      const read = async (bearer: string) =>
        (await service.nobody.get(made.path, { authorization: `Bearer ${bearer}` })).status;
      return (await read(token)) === 200 && (await read(forged)) === 200;
    },
  },

  'auth.secret-without-its-name': {
    source: 'core: Authentication 5',
    breaks:
      'A personal access token is the password of its own user, also when it was shown with the right name before.',
    kind: 'copy',
    variant: breaks('auth', 'userOfCredentials', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return async (areas, credentials) => {
        const kept = credentials.scheme === 'basic' ? known.get(credentials.secret) : undefined;
        const user = await (kept ?? right(areas, credentials));
        if (credentials.scheme === 'basic' && user !== undefined) known.set(credentials.secret, Promise.resolve(user));
        return user;
      };
    }),
    async shows({ edda, nobody }) {
      await edda.upload('named.txt', 'content');
      const read = async (name: string) => {
        const authorization = `Basic ${Buffer.from(`${name}:svcpat-edda-7d1c0b9e5a`).toString('base64')}`;
        return (await nobody.get(`${spaceFiles}/named.txt`, { authorization })).status;
      };
      return (await read('edda')) === 200 && (await read('emil')) === 200;
    },
  },

  'auth.roles-of-another-space': {
    source: 'core: Authentication 7',
    breaks: 'A user needs a role in the space that is asked, not in the one that was asked before.',
    kind: 'copy',
    variant: keeps('auth', 'rolesOf', (user) => user.name),
    async shows({ edda, emil }) {
      const [here, there] = [await edda.make('Part', { name: 'p' }), await edda.make('Dossier', { title: 'd' })];
      return (await emil.get(here.path)).status === 200 && (await emil.get(there.path)).status === 200;
    },
  },

  'auth.let-in-once': {
    source: 'core: What the service does',
    breaks: 'A role decides on each method: whoever has read an object may not delete it for that.',
    kind: 'copy',
    variant: breaks('auth', 'authorize', (right) => {
      const passed = new Set<string>();
      return (areas, user, access, call) => {
        const key = `${user.name} ${call.url}`;
        if (access === 'space' && passed.has(key)) return;
        right(areas, user, access, call);
        passed.add(key);
      };
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 'read' });
      await rita.get(made.path);
      return (await rita.delete(made.path)).status === 204;
    },
  },

  'tokens.granted-again': {
    source: 'core: Authentication 3',
    breaks: 'The token endpoint grants a token that opens, also to a user whose last one has expired.',
    kind: 'copy',
    variant: keeps('tokens', 'issueToken', (user) => user.name),
    async shows(service) {
      const made = await service.edda.make('Document', { title: 'later' });
      await tokenOf(service, 'edda');
      await service.pass(24 * 3600);
      const authorization = `Bearer ${await tokenOf(service, 'edda')}`;
      return (await service.nobody.get(made.path, { authorization })).status === 401;
    },
  },
};
