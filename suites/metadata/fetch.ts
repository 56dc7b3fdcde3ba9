import { scenario, schedule, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Extension } from '../../judge/extension/extension.ts';
import { callWaitMs } from '../../judge/extension/trigger-calls.ts';

const metadataPath = '/svc/extension';
/** Calls and time that have to go by without a further metadata request. */
const calls = 21;
const traceSeconds = 120;

export const fetchCases = {
  'metadata.fetch.on-registration': scenario(async (context) => {
    const { given, registrations, expect, notes } = context;
    const host = await given.extension({ unregistered: true, ownListener: mayListenAlone(context) });
    const reply = await registrations.post('svcExtension', {
      hostUri: host.url,
      apiKey: host.apiKey,
      tokenLifeTime: 60,
    });
    given.succeeded(reply, 'an extension is registered', ['registration.extension.required-only-accepted']);
    notes.observe('metadata request before the answer', host.metadata().length > 0);
    await host.arrived({ kind: 'metadata' }, { withinMs: callWaitMs });
    const requests = host.everything();
    expect(
      requests.map(({ method, path }) => `${method} ${path}`),
      'requests to the host',
      reply,
    ).toSatisfy(`GET ${metadataPath}`, () => host.metadata().length > 0);
    expect(
      requests.filter(({ path, method }) => path === metadataPath && method !== 'GET').length,
      'other methods on the metadata path',
    ).toEqual(0);
    notes.observe('metadata requests of one registration', host.metadata().length);
  }),

  'metadata.fetch.on-update': scenario(async (context) => {
    const { given, registrations, expect } = context;
    const extension = await given.extension();
    for (const tokenLifeTime of [61, 62]) {
      const before = extension.metadata().length;
      const reply = await registrations.update(given.present(extension.registration, 'a registration'), {
        tokenLifeTime,
      });
      given.succeeded(reply, 'the registration is updated');
      const after = await extension.ended(before + 1, { kind: 'metadata' }, { withinMs: callWaitMs });
      expect(after.length, 'metadata requests within 10 s of the update', reply).toEqual(before + 1);
    }
  }),

  'metadata.fetch.at-no-other-time': schedule(traceSeconds + 20, async (context) => {
    const { given, triggers, clock, expect } = context;
    const extension = await given.extension({
      script: [{ when: { kind: 'event' }, steps: [{ status: 400 }, { status: 503 }] }],
    });
    await clock.pass(callWaitMs);
    const before = extension.metadata().length;
    for (let sent = 0; sent < calls; sent += 1) await triggers.event(extension);
    const ended = await extension.ended(calls, {}, { withinMs: callWaitMs });
    given.present(ended[calls - 1], `${calls} calls within 10 s`, ['metadata.records.optional-fields-omitted']);
    await clock.pass(traceSeconds * 1000);
    expect(
      extension.metadata().length,
      `metadata requests after ${calls} calls, one of them failed and one repeated, and ${traceSeconds} s`,
    ).toEqual(before);
  }),

  'metadata.fetch.host-uri-forms': scenario(async (context) => {
    for (const [suffix, path] of [
      ['', metadataPath],
      ['/', metadataPath],
      ['/base', `/base${metadataPath}`],
    ] as const) {
      const host = await context.given.extension({
        unregistered: true,
        ownListener: mayListenAlone(context),
        suffix,
        script: () => ({ status: 200, json: [] }),
      });
      await expectAskedAt(context, host, path);
    }
  }),

  'metadata.fetch.request-shape': scenario(async (context) => {
    const { given, notes } = context;
    const extension = await given.extension();
    const request = given.present(extension.metadata()[0], 'the metadata request');
    notes.observe(
      'headers of the metadata request',
      request.headers
        .map(([name]) => name.toLowerCase())
        .toSorted()
        .join(', '),
    );
    notes.observe('parameters of its query', request.query.map(([name]) => name).join(', ') || 'none');
    notes.observe('bytes of its body', request.bytes.length);
    if (request.query.length > 0)
      notes.remark('the metadata request has a query: a token in it would stand in the logs of the host');
  }),
} satisfies SomeCasesOf<'metadata'>;

/** Whether a host of its own, without a path, can be had. */
function mayListenAlone({ profile }: CaseContext): boolean {
  return profile.all.listener?.publicUrl.includes('{port}') ?? false;
}

/** Asserts that the registration makes the service ask at that path below the base, and nowhere else. */
async function expectAskedAt(
  { registrations, given, expect }: CaseContext,
  host: Extension,
  path: string,
): Promise<void> {
  const reply = await registrations.post('svcExtension', { hostUri: host.url, apiKey: host.apiKey, tokenLifeTime: 60 });
  given.succeeded(reply, `an extension at ${host.url} is registered`);
  await host.arrived({ path, kind: path === metadataPath ? 'metadata' : 'other' });
  expect([...new Set(host.everything().map((call) => call.path))], `paths asked of ${host.url}`, reply).toEqual([path]);
}
