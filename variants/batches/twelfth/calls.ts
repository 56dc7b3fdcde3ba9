import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, type Received, type Service } from '../service.ts';
import { callsAfter, validator } from './proofs.ts';
import { callsTo, claimsIn } from '../proofs.ts';

/** The JSON value without members that hold nothing. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isContent(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== '');
  return Object.fromEntries(members.map(([name, member]) => [name, withoutEmpty(member)]));
}

const action = { id: 'a', extensionType: 'ExternalAction' };

function runAction({ edda }: Service, body: object): Promise<Received> {
  return edda.post('/api/space/main/externalAction/a', body);
}

/** A job whose task reads that file, acknowledged. */
async function jobWith(
  service: Service,
  inputPath: string,
): Promise<{ readonly path: string; readonly links: unknown }> {
  const host = await service.host(() => [{ id: 't', extensionType: 'ExternalTask' }]);
  const job = await service.edda.post('/api/space/main/dx', { recordId: 't', inputPath });
  await service.pass(1);
  return { path: job.headers.get('location') ?? '', links: callsTo(host)[0]?.envelope?.payload?.['links'] };
}

function urlOf(links: unknown, id: string): string {
  const all: readonly unknown[] = Array.isArray(links) ? links : [];
  return String(
    at(
      all.find((link) => at(link, '/id') === id),
      '/url',
    ),
  );
}

export const calls: Batch = {
  'envelope.nothing-of-nothing-is-sent': {
    source: 'extensions: Events 1',
    breaks: 'The configured content is sent as it is, with its nulls and its empty texts.',
    kind: 'value',
    variant: replaces('requests', 'payloadOf', (right, areas, ...args) => withoutEmpty(right(areas, ...args))),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e' }]);
      await service.edda.sendEvent('e', { deep: { none: null, empty: '' } });
      await service.pass(1);
      const sent = callsTo(host)[0]?.envelope?.payload?.['contentPayload'];
      return at(sent, '/deep/none') !== null || at(sent, '/deep/empty') !== '';
    },
  },
  'token.lives-an-hour-at-most': {
    source: 'extensions: Limits, token validity',
    breaks: 'A token stays valid for tokenLifeTime minutes, be they more than an hour.',
    kind: 'value',
    variant: replaces('requests', 'impersonationToken', (right, areas, userName, minutes) =>
      right(areas, userName, Math.min(minutes, 60)),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e' }]);
      const listed = await service.cora.get('/api/admin/svcExtension');
      const path = `/api/admin/svcExtension/${String(at(listed.json, '/data/0/id'))}`;
      const apiKey = Buffer.alloc(64, 7).toString('base64');
      await service.cora.put(path, undefined, { hostUri: host.url, apiKey, tokenLifeTime: 600 });
      await service.edda.sendEvent('e');
      await service.pass(1);
      const claims = claimsIn(callsTo(host)[0]);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) < 600 * 60;
    },
  },
  'token.is-used-until-it-ends': {
    source: 'extensions: Authentication 4',
    breaks: 'The token of a call is valid for tokenLifeTime minutes from then, not for what is left of an earlier one.',
    kind: 'copy',
    variant: breaks('requests', 'impersonationToken', (right) => {
      const kept = new Map<string, { readonly token: Promise<string>; readonly until: number }>();
      return (areas, userName, minutes) => {
        const key = `${userName} ${minutes}`;
        const known = kept.get(key);
        if (known !== undefined && areas.clock.now() < known.until) return known.token;
        const token = right(areas, userName, minutes);
        kept.set(key, { token, until: areas.clock.now() + (minutes - 1) * 60_000 });
        return token;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e' }]);
      await service.edda.sendEvent('e');
      await service.pass(50 * 60);
      await service.edda.sendEvent('e');
      const [first, second] = await callsAfter(service, host, 2, 1);
      return at(claimsIn(first), '/exp') === at(claimsIn(second), '/exp');
    },
  },
  'action.version-of-the-first-run': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The version in the payload of an action is that which the selected object has now.',
    kind: 'copy',
    variant: breaks('triggers', 'ribbonPayload', (right) => {
      const known = new Map<string, number>();
      return async (areas, call, reading, body, selected) => {
        const payload = await right(areas, call, reading, body, selected);
        if (selected === undefined) return payload;
        const svcUOIVersion = known.get(selected.oid) ?? selected.version;
        known.set(selected.oid, svcUOIVersion);
        return { ...payload, svcUOIVersion };
      };
    }),
    async shows(service) {
      const { edda } = service;
      const host = await service.host(() => [action]);
      const made = await edda.make('Document', { title: 't' });
      await runAction(service, { kind: 'ribbon', objectId: made.oid });
      await edda.merge(made, 1, { note: 'n' });
      await runAction(service, { kind: 'ribbon', objectId: made.oid });
      return Number(callsTo(host)[1]?.envelope?.payload?.['svcUOIVersion']) !== 2;
    },
  },
  'action.batch-of-a-form-becomes-an-object': {
    source: 'extensions: Payloads by extension type, text on the action content payload',
    breaks: 'A form that sends a batch hands on an array.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const payload = right(areas, body);
      const content = at(payload, '/contentPayload');
      return Array.isArray(content) ? { ...payload, contentPayload: { ...content } } : payload;
    }),
    async shows(service) {
      const host = await service.host(() => [action]);
      const contentPayload = [{ method: 'GET', href: '/api/space/main/softtype/x' }];
      const route = { requestedRoute: '/api/space/main/batch', httpVerb: 'POST' };
      await runAction(service, { kind: 'form', ...route, contentPayload });
      return !Array.isArray(callsTo(host)[0]?.envelope?.payload?.['contentPayload']);
    },
  },
  'task.links-end-at-a-number-sign': {
    source: 'extensions: External task links',
    breaks: 'The link of the input file leads to it, whatever its name holds.',
    kind: 'combination',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) => ({ ...link, url: link.url.replaceAll('%23', '#') })),
    ),
    async shows(service) {
      await service.edda.upload('in%231.txt', 'input');
      const { links } = await jobWith(service, 'in#1.txt');
      return (await (await fetch(urlOf(links, 'inputFile'))).text()) !== 'input';
    },
  },
  'task.log-of-a-failed-one-is-lost': {
    source: 'extensions: External task status',
    breaks: 'A task that reports that it failed or was cancelled may give a log path, which the job has.',
    kind: 'combination',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, reported) =>
      right(areas, job, status, status === 'Completed' ? reported : {}),
    ),
    async shows(service) {
      const { edda } = service;
      const { path } = await jobWith(service, 'in.txt');
      await edda.put(`${path}/status/Canceled`, undefined, { logFilePath: 'logs/x.log' });
      return at((await edda.get(path)).json, '/logFilePath') !== 'logs/x.log';
    },
  },
  'validation.text-counts-as-yes': {
    source: 'extensions: Errors 5',
    breaks: 'isValid is a boolean; the text "false" is malformed and lets nothing pass.',
    kind: 'value',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) => {
      if (outcome.kind !== 'answered' || !/"isValid":"/.test(outcome.body)) return right(areas, outcome);
      return right(areas, { ...outcome, body: outcome.body.replace(/"isValid":"[^"]*"/, '"isValid":true') });
    }),
    async shows({ edda, host }) {
      const made = await edda.make('Document', { title: 't' });
      await host(() => [validator('v')], [{ steps: [{ json: { isValid: 'false', message: 'no' } }] }]);
      return (await edda.move(made, 1)).status < 300;
    },
  },
};
