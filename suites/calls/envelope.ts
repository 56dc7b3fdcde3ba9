import { randomUUID } from 'node:crypto';
import { headerNames } from '../../contract/names.ts';
import { correlated } from '../../judge/correlated.ts';
import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Call } from '../../judge/extension/call.ts';
import { isObject } from '../../judge/answer.ts';
import { extensionFor, ways } from './types.ts';
import { event, ifAccepted, lasting } from './words.ts';

const textMembers = ['id', 'accessToken', 'baseAddress', 'informationFilter'] as const;
const envelopeMembers: readonly string[] = [...textMembers, 'payload'];
/** Dashes and braces are a matter of spelling. */
const guid = /^\{?[0-9a-f]{8}(-?)(?:[0-9a-f]{4}\1){3}[0-9a-f]{12}\}?$/i;
const manyTriggers = 20;

export const envelopeCases = {
  'calls.extension.post-to-endpoint': scenario(async (context) => {
    const { given, expect, notes } = context;
    for (const endpoint of ['a/b', '/a/b']) {
      const extension = await given.extension({ record: { endpoint } });
      const { call } = await event(context, extension);
      expect(call.method, `method of a call to the endpoint ${endpoint}`).toEqual('POST');
      if (endpoint === 'a/b') expect(call.path, `path below hostUri for the endpoint ${endpoint}`).toEqual('/a/b');
      else if (call.path !== '/a/b') notes.remark(`the endpoint ${endpoint} is called at ${call.path}`);
      const others = extension
        .everything()
        .filter(({ kind, method, path }) => kind !== 'metadata' && !(method === 'POST' && path === call.path));
      expect(
        others.map(({ method, path }) => `${method} ${path}`),
        'requests that are neither metadata nor the call',
      ).toEqual([]);
    }
  }),

  'calls.envelope.all-fields': scenario(async (context) => {
    const of = ways(context);
    const extension = await extensionFor(context, of);
    for (const { type, call: trigger } of of) {
      const { call } = await trigger(extension, randomUUID());
      assertWhole(context, type, call);
    }
  }),

  'calls.envelope.id-from-correlation': scenario(async (context) => {
    const { given, expect, notes } = context;
    const extension = await given.extension();
    const [first, second] = [randomUUID(), randomUUID()];
    for (const id of [first, second, first]) {
      const { call } = await event(context, extension, correlated(id));
      const found = call.envelope.id;
      expect(found?.toLowerCase(), 'id of the envelope, compared with the X-Correlation-Id of the trigger').toEqual(id);
      if (found !== id) notes.remark('the letter case of the correlation id is changed in the envelope');
    }
  }),

  'calls.envelope.id-correlation-verbatim': scenario(async (context) => {
    const { given, expect } = context;
    const extension = await given.extension();
    for (const id of ['conf-42/a.b', 'conformance-'.repeat(5)]) {
      const { call } = await event(context, extension, correlated(id));
      expect(call.envelope.id, 'id of the envelope').toEqual(id);
    }
  }),

  'calls.envelope.id-fresh-guid': scenario(async (context) => {
    const { given, expect, notes } = context;
    const extension = await given.extension();
    const ids = await Promise.all(Array.from({ length: manyTriggers }, () => idWithoutHeader(context, extension)));
    for (const id of ids)
      expect(id, 'id of an envelope whose trigger had no X-Correlation-Id').toSatisfy('a GUID', (text) =>
        guid.test(text ?? ''),
      );
    expect(new Set(ids).size, `different ids of ${manyTriggers} envelopes`).toEqual(manyTriggers);
    notes.observe('letters of generated ids', ids.some((id) => /[A-F]/.test(id ?? '')) ? 'upper case' : 'lower case');
    notes.observe(
      'generated ids have braces',
      ids.some((id) => id?.startsWith('{') ?? false),
    );
    notes.observe(
      'generated ids have dashes',
      ids.some((id) => id?.includes('-') ?? false),
    );
  }),

  'calls.envelope.id-across-types': scenario(async (context) => {
    const { given, expect, notes } = context;
    const of = ways(context);
    const extension = await extensionFor(context, of);
    for (const { type, call: trigger } of of) {
      const id = randomUUID();
      const { triggered, call } = await trigger(extension, id);
      const isTask = type === 'ExternalTask';
      const wanted = isTask ? given.present(triggered.id, 'the id of the job in the answer to the trigger') : id;
      expect(call.envelope.id, `id of the envelope of an ${type} call`).toEqual(wanted);
      notes.observe(`X-Correlation-Id on ${type} calls`, call.header(headerNames.correlationId).join(', ') === wanted);
    }
  }),

  'calls.envelope.base-address': scenario(async (context) => {
    const { given, service, expect, notes, profile } = context;
    const extension = await lasting(context);
    const configured = withoutSlash(given.present(profile.all.baseAddress, 'baseAddress in the profile'));
    const { call } = await event(context, extension);
    expect(withoutSlash(call.envelope.baseAddress), 'baseAddress of the envelope').toEqual(configured);
    const foreign = await ifAccepted(() => event(context, extension, { headers: { Host: 'conformance.example' } }));
    if (foreign === undefined) notes.observe('a trigger with another Host', 'leads to no call');
    else
      expect(withoutSlash(foreign.call.envelope.baseAddress), 'baseAddress after a trigger with another Host').toEqual(
        configured,
      );
    if (profile.all.softTypes === undefined || new URL(configured).origin !== new URL(profile.all.baseUrl).origin)
      return;
    const { url } = service.requests.read(await given.object());
    const reply = await service.get(configured + url.slice(withoutSlash(profile.all.baseUrl).length));
    notes.observe('status of a read below baseAddress', reply.status, reply);
  }),
} satisfies SomeCasesOf<'calls'>;

/** What is no envelope at all lacks every member. */
function assertWhole({ expect, notes }: CaseContext, type: string, { json, header }: Call): void {
  expect(json, `body of an ${type} call`).toBeAnObject();
  const envelope = isObject(json) ? json : {};
  for (const name of textMembers) {
    expect(envelope[name], `${name} of the envelope of an ${type} call`).toBeAString();
    if (name !== 'informationFilter')
      expect(envelope[name] === '', `${name} of the envelope of an ${type} call is empty`).toEqual(false);
  }
  expect(envelope['payload'], `payload of an ${type} call`).toBeAnObject();
  notes.observe(
    `further members of an ${type} envelope`,
    Object.keys(envelope)
      .filter((name) => !envelopeMembers.includes(name))
      .join(', '),
  );
  notes.observe(`Content-Type of an ${type} call`, header('Content-Type').join(', '));
}

async function idWithoutHeader(
  context: CaseContext,
  extension: Parameters<typeof event>[1],
): Promise<string | undefined> {
  const { triggered, call } = await event(context, extension, correlated(null));
  const sent = triggered.reply.exchange.request.headers.some(
    ([name]) => name.toLowerCase() === headerNames.correlationId.toLowerCase(),
  );
  context.given.assume(!sent, 'a trigger without X-Correlation-Id');
  return call.envelope.id;
}

function withoutSlash(address: string | undefined): string {
  return (address ?? '').replace(/\/$/, '');
}
