import { isContent } from '../../../reference-server/areas/content.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import type { MetadataRecord } from '../../../simulator/extension/metadata.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, logged, reached, registerEndpoint } from '../proofs.ts';
import { at, hostKey, type Service, signatureOver } from '../service.ts';

const event: readonly Partial<MetadataRecord>[] = [{ id: 'event' }];
const mail: readonly Partial<MetadataRecord>[] = [{ id: 'mail', extensionType: 'Email' }];

async function sendMail({ edda, pass }: Service, body = 'hello'): Promise<void> {
  const mail = { recordId: 'mail', to: 'a@example', subject: 'news', body };
  await edda.post('/api/space/main/externalEmail', mail);
  await pass(1);
}

/** Lets the retries of one call come, so many. */
async function waitForRetries(service: Service, host: Parameters<typeof reached>[0], count: number): Promise<void> {
  for (let retry = 1; retry <= count; retry += 1) {
    await reached(host, retry);
    await service.pass(1, 2 ** retry);
  }
  await reached(host, count + 1);
}

/** Calls to extensions and endpoints: where they go and what they carry. */
export const callMistakes: Batch = {
  'metadata.one-host-for-a-key': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked of the host that is registered, also where another one has the same key.',
    kind: 'copy',
    variant: breaks('metadata', 'metadataRequest', (right) => {
      const hosts = new Map<string, string>();
      return (areas, extension, correlationId) => {
        const hostUri = hosts.get(extension.apiKey) ?? extension.hostUri;
        hosts.set(extension.apiKey, hostUri);
        return right(areas, { ...extension, hostUri }, correlationId);
      };
    }),
    async shows(service) {
      await service.host(() => event);
      const other = await service.host(() => mail);
      return callsOf(other, 'metadata').length === 0;
    },
  },
  'emails.the-text-of-a-former-one': {
    source: 'extensions: Payloads by extension type',
    breaks: 'An email carries its own text, not that of a former one with its address and subject.',
    kind: 'copy',
    variant: breaks('requests', 'payloadOf', (right) => {
      const texts = new Map<string, unknown>();
      return (areas, delivery, token) => {
        const payload = right(areas, delivery, token);
        if (delivery.kind !== 'email' || !isContent(payload)) return payload;
        const key = `${String(payload['to'])} ${String(payload['subject'])}`;
        const body = texts.get(key) ?? payload['body'];
        texts.set(key, body);
        return { ...payload, body };
      };
    }),
    async shows(service) {
      const host = await service.host(() => mail);
      await sendMail(service, 'one');
      await reached(host, 1);
      await sendMail(service, 'other');
      const [, second] = await reached(host, 2);
      return at(second?.envelope?.payload, '/body') === 'one';
    },
  },
  'endpoints.a-header-ends-at-its-colon': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The headers of an endpoint are set on its calls with their whole values.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      const headers = Object.entries(request.headers).map(
        ([name, value]) => [name, value.split(':')[0] ?? ''] as const,
      );
      return { ...request, headers: Object.fromEntries(headers) };
    }),
    async shows(service) {
      const host = await service.host(() => event);
      const headers = [
        { name: 'content-type', value: 'application/json' },
        { name: 'x-origin', value: 'http://a.example:8080' },
      ];
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, headers });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const [call] = await reached(host, 1);
      return call !== undefined && headerValues(call, 'x-origin')[0] !== 'http://a.example:8080';
    },
  },
  'timeouts.below-a-second-there-is-none': {
    source: 'extensions: Extension metadata record',
    breaks: 'The request timeout of a record is a number, of less than a second too.',
    kind: 'value',
    survives: 'Whether fractions of a second count is not said; what is left of this one, when it is cut off, is none.',
    variant: replaces('callees', 'requestTimeoutOf', (right, areas, record) => Math.trunc(right(areas, record)) || 100),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', requestTimeout: 0.5 }], always({ never: true }));
      await service.edda.sendEvent();
      await service.pass(1);
      await reached(host, 1);
      for (let left = 5; left > 0; left -= 1) {
        await service.pass(1);
        if ((await logged(service, 'timeout')).length > 0) return false;
      }
      return true;
    },
  },
  'retries.the-third-attempt-is-encoded-twice': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The content of an event is an object in every attempt to deliver it.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const { payload } = delivery;
      if (attempt < 3 || delivery.kind !== 'event' || !isContent(payload))
        return right(areas, delivery, callee, attempt);
      const contentPayload = JSON.stringify(payload['contentPayload']);
      return right(areas, { ...delivery, payload: { ...payload, contentPayload } }, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host(() => event, [{ steps: [{ status: 503 }, { status: 503 }] }]);
      await service.edda.sendEvent('event', { a: 1 });
      await service.pass(1);
      await waitForRetries(service, host, 2);
      return typeof at(callsTo(host)[2]?.envelope?.payload, '/contentPayload') === 'string';
    },
  },
  'signatures.a-retry-is-signed-with-its-query': {
    source: 'extensions: Authentication 3',
    breaks: 'Every attempt is signed over the route path of the call, the second one of a call with a query too.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      if (attempt < 2 || 'endpoint' in callee) return request;
      const { pathname, search } = new URL(request.url);
      const signature = areas.signing.signPath(callee.extension.apiKey, pathname + search);
      return { ...request, headers: { ...request.headers, Authorization: `Bearer ${signature}` } };
    }),
    async shows(service) {
      const host = await service.host(() => mail, [{ steps: [{ status: 503 }] }]);
      await sendMail(service);
      await waitForRetries(service, host, 1);
      const second = callsTo(host)[1];
      const right = `Bearer ${signatureOver(second?.path ?? '', hostKey)}`;
      return second !== undefined && headerValues(second, 'authorization')[0] !== right;
    },
  },
  'retries.the-last-one-comes-too-late': {
    source: 'extensions: Events 2',
    breaks: 'A call that succeeds in its fifth retry has succeeded.',
    kind: 'value',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const step = right(areas, delivery, policy, outcome);
      return step.kind === 'delivered' && delivery.attempts >= policy.retries ? { kind: 'failed' } : step;
    }),
    async shows(service) {
      const steps = Array.from({ length: 5 }, () => ({ status: 503 }));
      const host = await service.host(() => event, [{ steps }]);
      await service.edda.sendEvent();
      await service.pass(1);
      await waitForRetries(service, host, 5);
      await service.pass(1, 3);
      return (await logged(service, 'failed')).length > 0;
    },
  },
};
