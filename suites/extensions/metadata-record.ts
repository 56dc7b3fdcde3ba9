import { randomBytes } from 'node:crypto';
import type { CaseContext } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { Extension, ExtensionOptions, MetadataRecord } from '../../judge/extension/extension.ts';
import {
  callWaitMs,
  unlessRefused,
  triggerEvent,
  expectNoCall,
  stayQuiet,
} from '../../judge/extension/trigger-calls.ts';

/** A record of events with what is required and nothing else; its id and endpoint are its own. */
export function eventRecord({ given }: CaseContext): MetadataRecord {
  const id = `${given.unique('record')}-${randomBytes(4).toString('hex')}`;
  return {
    id,
    version: '1.0.0',
    name: 'Conformance',
    endpoint: `/t/${id}`,
    extensionType: 'ExternalEvent',
    category: 'conformance',
  };
}

/** A record that may break the schema, as it is served. */
export function odd(record: Readonly<Record<string, unknown>>): MetadataRecord {
  return record as unknown as MetadataRecord;
}

/** A host whose registration was tried, whatever came of it. */
export interface Offered {
  readonly host: Extension;
  readonly reply: Reply;
}

/** Registers a host with these records; where that is taken its metadata exchange is done. */
export async function offered(
  context: CaseContext,
  records: readonly MetadataRecord[],
  options: ExtensionOptions = {},
): Promise<Offered> {
  const { given, registrations } = context;
  const host = await given.extension({ ...options, unregistered: true, records });
  const body = { hostUri: host.url, apiKey: host.apiKey, tokenLifeTime: 60 };
  const reply = await registrations.post('svcExtension', body);
  if (reply.status >= 300) return { host, reply };
  await host.ended(1, { kind: 'metadata' }, { withinMs: callWaitMs });
  return { host: { ...host, registration: registrations.made('svcExtension', body, reply) }, reply };
}

/** A record that has to be left alone, and the id by which it would be called. */
export interface Suspect {
  readonly what: string;
  readonly record: MetadataRecord;
  readonly recordId: string;
}

/** Asserts that no event reaches hosts whose only record is such a one, while it reaches a right one. */
export async function expectNotUsed(context: CaseContext, suspects: readonly Suspect[]): Promise<void> {
  const hosts = await eventsAt(context, suspects);
  await stayQuiet(context);
  for (const { host, what } of hosts) expectNoCall(context, host, `calls of a record with ${what}`);
}

/** Records whether events reach hosts whose only record is such a one. */
export async function observeUse(context: CaseContext, suspects: readonly Suspect[]): Promise<void> {
  const hosts = await eventsAt(context, suspects);
  await stayQuiet(context);
  const calls = (host: Extension): number => host.everything().filter(({ kind }) => kind !== 'metadata').length;
  for (const { host, what } of hosts)
    context.notes.observe(`a record with ${what}`, calls(host) === 0 ? 'not used' : 'used');
}

/** An event for each host of a suspect, then one for a healthy host, which has to be called. */
async function eventsAt(
  context: CaseContext,
  suspects: readonly Suspect[],
): Promise<readonly (Suspect & { readonly host: Extension })[]> {
  const { given, triggers, notes } = context;
  const healthy = await offered(context, [eventRecord(context)]);
  given.succeeded(healthy.reply, 'a host with a right record is registered', [
    'registration.extension.required-only-accepted',
  ]);
  const hosts = await Promise.all(
    suspects.map(async (suspect) => {
      const { host, reply } = await offered(context, [suspect.record]);
      notes.observe(`registration of a host with ${suspect.what}`, reply.status, reply);
      if (reply.status < 300) await unlessRefused(triggers.event(host, undefined, { recordId: suspect.recordId }));
      return { ...suspect, host };
    }),
  );
  given.present(await triggerEvent(context, healthy.host), 'the call of a right record', [
    'metadata.records.optional-fields-omitted',
  ]);
  return hosts;
}
