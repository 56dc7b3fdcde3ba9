import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import type { TaskLink } from '../../../reference-server/areas/requests.ts';
import type { Entry } from '../../../simulator/extension/entry.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, scheduleTask } from '../proofs.ts';
import { at, listAt, movePath, versionHeader } from '../service.ts';

const task = { id: 'task', extensionType: 'ExternalTask' };
const action = { id: 'action', extensionType: 'ExternalAction' };
const actionRoute = '/api/space/main/externalAction/action';
const validator = {
  id: 'validation',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

function linkOf(entry: Entry | undefined, id: string): string {
  const links = listAt(entry?.json, '/payload/links');
  return String(
    at(
      links.find((link) => at(link, '/id') === id),
      '/url',
    ),
  );
}

export const taskMistakes: Batch = {
  'tasks.links-by-input': {
    source: 'extensions: External task links',
    breaks: 'The links of a task report to its own job, also when another job had the same input.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      const known = new Map<string, readonly TaskLink[]>();
      return (areas, spaceId, jobId, inputPath, token) => {
        const links = known.get(inputPath) ?? right(areas, spaceId, jobId, inputPath, token);
        known.set(inputPath, links);
        return links;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      await scheduleTask(service);
      const job = await scheduleTask(service);
      return !linkOf(callsOf(host, 'task')[1], 'taskStatus').includes(job);
    },
  },
};

export const payloadMistakes: Batch = {
  'actions.context-that-is-selected': {
    source: 'extensions: Payloads by extension type',
    breaks: 'An action in the context module is told the context object, also when that is what is selected.',
    kind: 'value',
    variant: replaces('triggers', 'ribbonPayload', (right, areas, call, reading, body, selected) => {
      const isSame = body['contextObjectId'] === selected?.oid;
      return right(areas, call, reading, isSame ? { ...body, contextObjectId: undefined } : body, selected);
    }),
    async shows({ host, edda }) {
      const called = await host(() => [action]);
      const { oid } = await edda.make('Document', { title: 'context' });
      await edda.post(actionRoute, { kind: 'ribbon', objectId: oid, contextObjectId: oid });
      return at(callsOf(called, 'action')[0]?.json, '/payload/contentPayload/contextObject/$oid') !== oid;
    },
  },
};

export const deliveryMistakes: Batch = {
  'events.correlation-of-one-call': {
    source: 'extensions: Events 4',
    breaks: 'The correlation id of a request is that of the calls it triggers, of the second one as well.',
    kind: 'combination',
    variant: breaks('triggeredCalls', 'envelopeIdOf', (right) => {
      const used = new Set<string>();
      return (areas, call) => {
        const id = right(areas, call);
        if (used.has(id)) return randomUUID();
        used.add(id);
        return id;
      };
    }),
    async shows({ host, edda }) {
      const called = await host(() => [validator, { ...validator, id: 'other' }]);
      const made = await edda.make('Document', { title: 'correlated' });
      const id = randomUUID();
      const headers = { ...versionHeader(1), [headerNames.correlationId]: id };
      await edda.send('PUT', movePath(made), { headers });
      return callsOf(called, 'validation').some(({ envelope }) => envelope?.id !== id);
    },
  },
};
