import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, scheduleTask, tokenOf } from '../proofs.ts';
import { at, listAt } from '../service.ts';

export const cachingMistakes: Batch = {
  'tokens.none-beside-a-session': {
    source: 'core: Authentication 1',
    breaks: 'A route takes a personal access token, also of a user who has an access token as well.',
    kind: 'moment',
    variant: breaks('auth', 'userOfCredentials', (right) => {
      const users = new Set<string>();
      return async (areas, credentials) => {
        const user = await right(areas, credentials);
        if (user === undefined || credentials.scheme !== 'bearer') return user;
        if (credentials.token.split('.').length === 3) users.add(user.name);
        else if (users.has(user.name)) return undefined;
        return user;
      };
    }),
    async shows(service) {
      const made = await service.edda.make('Document', { title: 't' });
      await service.nobody.get(made.path, { authorization: `Bearer ${await tokenOf(service, 'edda')}` });
      return (await service.edda.get(made.path)).status === 401;
    },
  },
};

export const filesMistakes: Batch = {
  'files.chunks-rounded': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The chunks of a file are its size divided by that of a chunk and rounded up, however little is left.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      const { totalSize, chunkSize, totalChunks } = chunk;
      if (totalChunks !== Math.max(1, Math.round(totalSize / chunkSize))) throw new Refusal(400, 'Other chunks.');
      right(areas, chunk, currentSize);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('rounded.txt', ['aaaa', 'b'], 1)).status >= 400;
    },
  },
};

export const tasksMistakes: Batch = {
  'tasks.links-of-the-first-space': {
    source: 'extensions: External task links, taskStatus',
    breaks: 'A task reports on its job in the space of that job, also when one of another space was called before.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      let first: string | undefined;
      return (areas, spaceId, ...args) => right(areas, (first ??= spaceId), ...args);
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      await scheduleTask(service);
      await service.edda.post('/api/space/depot/dx', { recordId: 'task', inputPath: 'input.csv' });
      await service.pass(1);
      return linkIn(callsOf(host, 'task')[1]?.json, 'taskStatus').includes('/space/main/');
    },
  },
};

const task = { id: 'task', extensionType: 'ExternalTask' };

function linkIn(call: unknown, id: string): string {
  const link = listAt(call, '/payload/links').find((each) => at(each, '/id') === id);
  return String(at(link, '/url'));
}
