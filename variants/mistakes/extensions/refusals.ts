import { replaces } from '../../breaks.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { awaitCalls, event, first503, quietMs } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { collectionFiles } from '../proofs.ts';
import { at, type Client, hostKey, type Service, spaceFiles } from '../service.ts';
import { doesThough, forgive, tellsThough } from '../variant-parts.ts';

const secret = 'in this file alone';

export const refusalsOfExtensionsMistakes: Mistakes = {
  'refused.upload-of-an-outsider-kept': {
    source: 'extensions: File routes',
    breaks: 'A file whose upload is forbidden is not there.',
    variant: doesThough({ status: 403, method: 'POST', path: '/fs/file/stream' }),
    async shows({ edda, otto }) {
      await otto.upload('a/b.txt', 'text');
      return (await edda.get(`${spaceFiles}/a/b.txt`)).status === 200;
    },
  },
  'refused.collection-file-of-an-editor-kept': {
    source: 'extensions: File routes',
    breaks: 'The collection area takes no file of whoever is no Collection Administrator.',
    variant: doesThough({ status: 403, method: 'POST', path: '/collection/fs/file/stream', by: 'cora' }),
    async shows({ edda, cora }) {
      await edda.upload('x.txt', 'text', collectionFiles);
      return (await cora.get(`${collectionFiles}/x.txt`)).status === 200;
    },
  },
  'refused.forbidden-download-tells': {
    source: 'extensions: File routes',
    breaks: 'Who may not read a file is not told its content, in the refusal neither.',
    variant: tellsThough({ status: 403, method: 'GET', path: '/fs/file/' }),
    async shows({ edda, otto }) {
      await edda.upload('s.txt', secret);
      return (await otto.get(`${spaceFiles}/s.txt`)).text.includes(secret);
    },
  },
  'refused.download-without-token-tells': {
    source: 'extensions: File routes',
    breaks: 'Who shows no token is not told the content of a file, in the refusal neither.',
    variant: tellsThough({ status: 401, method: 'GET', path: '/fs/file/' }),
    async shows({ edda, nobody }) {
      await edda.upload('s.txt', secret);
      return (await nobody.get(`${spaceFiles}/s.txt`)).text.includes(secret);
    },
  },
  'refused.forbidden-listing-tells': {
    source: 'extensions: File areas',
    breaks: 'Who may not list a directory is not told its names, in the refusal neither.',
    variant: tellsThough({ status: 403, method: 'GET', path: '/fs/dir' }),
    async shows({ edda, otto }) {
      await edda.upload('secret-name.txt', secret);
      return (await otto.get('/api/space/main/fs/dir')).text.includes('secret-name');
    },
  },
  'refused.switching-off-by-an-editor-works': {
    source: 'extensions: Registration routes',
    breaks: 'An extension stays switched on when somebody switches it off who may not.',
    variant: doesThough({ status: 403, method: 'PUT', path: '/admin/svcExtension', by: 'cora' }),
    async shows(service) {
      const { cora, edda } = service;
      const host = await service.host([event]);
      const { json } = await cora.get('/api/admin/svcExtension');
      const body = { hostUri: host.url, apiKey: hostKey, tokenLifeTime: 60, active: false };
      await edda.put(`/api/admin/svcExtension/${String(at(json, '/data/0/id'))}`, undefined, body);
      await edda.sendEvent('event');
      await service.pass(1);
      return (await awaitCalls(host, 1, quietMs)).length === 0;
    },
  },
  'refused.event-of-a-reader-sent': {
    source: 'core: Authentication 6',
    breaks: 'A trigger that is forbidden calls nobody.',
    variant: doesThough({ status: 403, method: 'POST', path: '/externalEvent' }),
    async shows(service) {
      const host = await service.host([event]);
      await service.rita.sendEvent('event');
      await service.pass(1);
      return (await awaitCalls(host, 1, quietMs)).length > 0;
    },
  },
  'refused.deletion-of-an-event-cancels': {
    source: 'extensions: Events 3',
    breaks: 'An event goes on when its deletion is forbidden.',
    variant: doesThough({ status: 403, method: 'DELETE', path: '/externalEvent' }),
    shows: (service) => isCancelledBy(service, service.otto),
  },
  'events.deleted-through-another-space': {
    source: 'core: Authentication 7',
    breaks: 'An event is in its space, and is not deleted by way of another one.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        const isMeant = route.method === 'DELETE' && route.path.includes('/externalEvent/');
        if (!isMeant || !(error instanceof Refusal) || error.status !== 404) throw error;
        const authorization = `Bearer ${areas.configuration.users.get('alma')?.pat}`;
        const inMain = { params: { ...call.params, spaceId: 'main' }, headers: { ...call.headers, authorization } };
        await right(areas, route, { ...call, ...inMain }).catch(forgive);
        throw error;
      }
    }),
    shows: (service) => isCancelledBy(service, service.otto, 'depot'),
  },
};

/** Whether an event that waits for its retry does not come any more, once somebody has tried to delete it. */
async function isCancelledBy(service: Service, who: Client, space = 'main'): Promise<boolean> {
  const host = await service.host([event], first503);
  const sent = await service.edda.sendEvent('event');
  await awaitCalls(host);
  await who.delete((sent.headers.get('location') ?? '').replace('/main/', `/${space}/`));
  await service.pass(3);
  return (await awaitCalls(host, 2, 1000)).length < 2;
}
