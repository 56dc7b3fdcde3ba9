import { Refusal, Undone } from '../../../reference-server/http/refusal.ts';
import { breaks, within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, type Client, type Received, versionHeader } from '../service.ts';

export const batchMistakes: Batch = {
  'batch.equal-reads-once': {
    source: 'core: Batch rules 3',
    breaks: 'The answer has one result for each operation, also where two of them read the same.',
    kind: 'combination',
    variant: replaces('batch', 'batchOperationsOf', (right, areas, body) => {
      const operations = right(areas, body);
      const texts = operations.map((operation) => JSON.stringify(operation));
      return operations.filter(
        (operation, index) => at(operation, '/method') !== 'GET' || texts.indexOf(texts[index] ?? '') === index,
      );
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'twice' });
      const operation = { method: 'GET', href: made.path };
      return listAt((await edda.batch([operation, operation])).json, '').length !== 2;
    },
  },

  'batch.committed-by-fifty': {
    source: 'core: Batch rules 1',
    breaks: 'When one operation of a batch fails none counts, also when more than fifty went well before it.',
    kind: 'value',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      try {
        return await right(areas, call, writing, table);
      } catch (error) {
        if (!(error instanceof Undone)) throw error;
        const failed = listAt(error.answer.body, '').findIndex((result) => at(result, '/statusCode') !== 424);
        if (failed < 50) throw error;
        return error.answer;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'fifty' });
      const operations = many(51, (number) => ({
        method: 'PATCH',
        href: editPath(made),
        headers: versionHeader(number === 51 ? 1 : number),
        body: { note: `edit ${number}` },
      }));
      await edda.batch(operations);
      return at(await edda.read(made), '/version') !== 1;
    },
  },

  'batch.multi-status': {
    source: 'core: Batch rules 3',
    breaks: 'A batch of which an operation failed is answered with 500.',
    kind: 'place',
    variant: replaces('batch', 'batchStatus', (right, areas, results) => {
      const status = right(areas, results);
      return status === 500 && results.length > 1 ? 207 : status;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'multi' });
      const operations = [1, 9].map((version) => ({
        method: 'PATCH',
        href: editPath(made),
        headers: versionHeader(version),
        body: { note: 'edited' },
      }));
      return (await edda.batch(operations)).status !== 500;
    },
  },
};

export const multiCreateMistakes: Batch = {
  'multi-create.two-that-refer-to-each-other': {
    source: 'core: Multi-create rules 2',
    breaks: 'Items may refer to each other, in a circle too.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const targets = inputs.map(({ arrays }) => JSON.stringify([...arrays.values()]));
      const refers = (from: number, to: number): boolean => targets[from]?.includes(items[to]?.oid ?? '') ?? false;
      for (const one of items.keys())
        for (const other of items.keys())
          if (one !== other && refers(one, other) && refers(other, one))
            throw new Refusal(422, 'The items cannot be brought into an order.');
      return right(areas, call, writing, items, inputs);
    }),
    async shows({ edda }) {
      const items = [
        { $id: 'part', $softType: 'Part', data: { name: 'part', describedBy: [referenceTo('document', 'Document')] } },
        {
          $id: 'document',
          $softType: 'Document',
          data: { title: 'document', describes: [referenceTo('part', 'Part')] },
        },
      ];
      return (await edda.multiCreate(items)).status >= 400;
    },
  },

  'multi-create.ids-of-an-earlier-request': {
    source: 'core: Multi-create item',
    breaks:
      'An $id counts inside its request: a reference leads to the item beside it, and not to one of an earlier request.',
    kind: 'copy',
    variant: breaks('multiCreate', 'storedTarget', (right) => {
      const known = new Map<string, string>();
      return (areas, item) => {
        const key = `${item.softType.id} ${item.$id}`;
        const target = known.get(key) ?? right(areas, item);
        known.set(key, target);
        return target;
      };
    }),
    async shows({ edda }) {
      await createPair(edda);
      const [part = '', document = ''] = listAt((await createPair(edda)).json, '').map((item) =>
        String(at(item, '/href')),
      );
      const read = await edda.get(document);
      return at(read.json, '/data/describes/0/value/$oid') !== part.split('/').at(-1);
    },
  },

  'multi-create.entries-of-late-items': {
    source: 'core: Multi-create rules 1',
    breaks: 'All instances are created with what their data holds, also those behind the first twenty-five.',
    kind: 'place',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const inserted = inputs.map((input, index) => (index < 25 ? input : { ...input, arrays: new Map() }));
      return right(areas, call, writing, items, inserted);
    }),
    async shows({ edda }) {
      const data = { title: 'late', files: [{ name: 'one' }] };
      const items = many(26, (number) => ({ $id: `d${number}`, $softType: 'Document', data }));
      const href = String(at((await edda.multiCreate(items)).json, '/25/href'));
      return listAt((await edda.get(href)).json, '/data/files').length !== 1;
    },
  },
};

export const accessMistakes: Batch = {
  'auth.role-of-another-space': {
    source: 'core: Authentication 7',
    breaks: 'A space route needs a role in that space, also where its user was let into another one before.',
    kind: 'copy',
    variant: breaks('auth', 'mayUse', (right) => {
      const allowed = new Set<string>();
      return (areas, user, space, method) => {
        const key = `${user.name} ${method}`;
        if (right(areas, user, space, method)) allowed.add(key);
        return allowed.has(key);
      };
    }),
    async shows({ edda, otto }) {
      const made = await edda.make('Document', { title: 'main' });
      await otto.read(await otto.make('Dossier', { title: 'depot' }));
      return (await otto.get(made.path)).status === 200;
    },
  },

  'auth.nobody-at-the-administration': {
    source: 'core: Authentication 6',
    breaks: 'A missing token gives 401, at the routes of the administration too.',
    kind: 'place',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        const isAnonymous = error instanceof Refusal && error.status === 401 && !call.headers['authorization'];
        throw isAnonymous && call.url.startsWith('/api/admin/') ? new Refusal(403, 'Access is denied.') : error;
      }
    }),
    async shows({ nobody }) {
      return (await nobody.post('/api/admin/svcExtension', {})).status !== 401;
    },
  },

  'auth.token-of-somebody-else': {
    source: 'core: Authentication 5',
    breaks: 'A personal access token is a password for its own user name only.',
    kind: 'role',
    variant: replaces('auth', 'userOfCredentials', (right, areas, credentials) => {
      const isBasic = credentials.scheme === 'basic' && areas.configuration.users.has(credentials.name);
      return right(areas, isBasic ? { scheme: 'bearer', token: credentials.secret } : credentials);
    }),
    async shows({ edda, nobody }) {
      await edda.upload('own.txt', 'own');
      const authorization = `Basic ${Buffer.from('rita:svcpat-edda-7d1c0b9e5a').toString('base64')}`;
      return (await nobody.get('/api/space/main/fs/file/own.txt', { authorization })).status === 200;
    },
  },
};

const profilePath = '/api/collection/user/profile';

export const cachingMistakes: Batch = {
  'caching.tag-by-the-second': {
    source: 'core: Versioning 4',
    breaks: 'Data that has changed is sent anew, also when it changed twice within a second.',
    kind: 'moment',
    variant: breaks('caching', 'conditional', (right) => {
      const modified = new Map<string, { readonly text: string; readonly second: number }>();
      return (areas, call, answer) => {
        if (!call.url.startsWith(profilePath)) return right(areas, call, answer);
        const text = JSON.stringify(answer.body);
        const before = modified.get(call.url);
        const second = before?.text === text ? before.second : Math.floor(areas.clock.now() / 1000);
        modified.set(call.url, { text, second });
        return right(within(areas, { caching: { etagOf: () => `"${second}"` } }), call, answer);
      };
    }),
    async shows({ cora }) {
      await cora.send('PUT', profilePath, { body: { displayName: 'One' } });
      const etag = (await cora.get(profilePath)).headers.get('etag') ?? '';
      await cora.send('PUT', profilePath, { body: { displayName: 'Two' } });
      return (await cora.get(profilePath, { 'if-none-match': etag })).status === 304;
    },
  },

  'openapi.document-of-another-space': {
    source: 'core: What the service does',
    breaks:
      'The dynamic definition is of the SoftTypes of its space, also where that of another space was asked for before.',
    kind: 'copy',
    variant: breaks('openApi', 'dynamicDocument', (right) => {
      let first: ReturnType<typeof right> | undefined;
      return (areas, space) => (first ??= right(areas, space));
    }),
    async shows({ edda }) {
      await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !(await edda.get('/space/depot/SoftType/dynamic/softtype.openApi')).text.includes('Dossier');
    },
  },
};

function referenceTo(instanceRef: string, softTypeId: string): object {
  return { id: 'reference', value: { instanceRef, softTypeId } };
}

function createPair(client: Client): Promise<Received> {
  return client.multiCreate([
    { $id: 'part', $softType: 'Part', data: { name: 'part' } },
    { $id: 'document', $softType: 'Document', data: { title: 'document', describes: [referenceTo('part', 'Part')] } },
  ]);
}
