import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsTo, reached, registerEndpoint, scheduleTask } from '../proofs.ts';
import { at, listAt } from '../service.ts';

export const callsMistakes: Batch = {
  'endpoints.query-of-the-first-one-there': {
    source: 'extensions: Registered external endpoint, row url',
    breaks: 'The address called is that of the endpoint, also where another one differs from it in the query alone.',
    kind: 'copy',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const known = new Map<string, string>();
      return (areas, delivery, callee) => {
        const [bare = ''] = callee.endpoint.url.split('?');
        const url = known.get(bare) ?? callee.endpoint.url;
        known.set(bare, url);
        return right(areas, delivery, { ...callee, endpoint: { ...callee.endpoint, url } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [], always({ status: 200 }));
      for (const id of ['one', 'two'])
        await registerEndpoint(service, 'externalEndpoint', { id, url: `${host.url}/hook?to=${id}` });
      for (const id of ['one', 'two']) await service.edda.sendToEndpoint(id);
      const calls = await reached(host, 2);
      return !calls.some(({ target }) => target.endsWith('to=two'));
    },
  },

  'actions.context-is-what-is-selected': {
    source: 'extensions: Action content payload',
    breaks: 'The context object is the one whose module it is, also where what is selected is of the same SoftType.',
    kind: 'value',
    variant: replaces('triggers', 'ribbonPayload', async (right, areas, call, reading, body, selected) => {
      const payload = await right(areas, call, reading, body, selected);
      const context = await reading.object(call.space.id, String(body['contextObjectId']));
      if (selected === undefined || context?.softType !== selected.softType) return payload;
      const selectedObject = { $oid: selected.oid };
      return { ...payload, contentPayload: { selectedObject, contextObject: selectedObject } };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'act', extensionType: 'ExternalAction' }]);
      const [one, other] = [
        await service.edda.make('Part', { name: 'a' }),
        await service.edda.make('Part', { name: 'b' }),
      ];
      const body = { kind: 'ribbon', objectId: one.oid, contextObjectId: other.oid };
      await service.edda.post('/api/space/main/externalAction/act', body);
      return at(callsTo(host)[0]?.envelope?.payload, '/contentPayload/contextObject/$oid') !== other.oid;
    },
  },

  'tasks.directory-by-the-file-name': {
    source: 'extensions: External task links, row inputDir',
    breaks: 'inputDir leads to the directory of the input, also where another job had an input of the same name.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      const known = new Map<string, string>();
      return (areas, spaceId, jobId, inputPath, token) =>
        right(areas, spaceId, jobId, inputPath, token).map((link) => {
          if (link.id !== 'inputDir') return link;
          const key = `${spaceId} ${inputPath.split('/').at(-1) ?? ''}`;
          const url = known.get(key) ?? link.url;
          known.set(key, url);
          return { ...link, url };
        });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      for (const directory of ['one', 'two']) await scheduleTask(service, { inputPath: `${directory}/in.csv` });
      const calls = await reached(host, 2);
      const urls = calls.flatMap(({ envelope }) =>
        listAt(envelope?.payload, '/links').filter((link) => at(link, '/id') === 'inputDir'),
      );
      return !urls.some((link) => String(at(link, '/url')).endsWith('/two'));
    },
  },
};
