import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import type { Extension, ExtensionOptions, MetadataRecord } from '../../../judge/extension/extension.ts';
import type { Call } from '../../../judge/extension/call.ts';
import { callWaitMs } from '../../../judge/extension/trigger-calls.ts';
import type { Triggered } from '../../../judge/extension/triggers.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { partHere } from '../../../judge/case/part.ts';

/** A record of events with what is required and nothing else; its id and endpoint are its own. */
export function eventRecord({ given }: CaseContext): MetadataRecord {
  const id = `${given.unique('record')}-${partHere().bytes(4).toString('hex')}`;
  return {
    id,
    version: '1.0.0',
    name: 'Conformance',
    endpoint: `t/${id}`,
    extensionType: 'ExternalEvent',
    category: 'conformance',
  };
}

/** A record that may break the schema, as it is served. */
export function oddRecord(record: Readonly<Record<string, unknown>>): MetadataRecord {
  return record as unknown as MetadataRecord;
}

/** A host whose registration was tried, whatever came of it. */
interface Offered {
  readonly host: Extension;
  readonly reply: Reply;
}

/** Registers a host with these records; where that is taken its metadata exchange is done. */
export async function offer(
  context: CaseContext,
  records: readonly MetadataRecord[],
  options: ExtensionOptions = {},
): Promise<Offered> {
  const { given, registrations } = context;
  const host = await given.extension({ ...options, unregistered: true, records });
  const body = extensionBody(host);
  const reply = await registrations.post('svcExtension', body);
  if (!isSuccess(reply.status)) return { host, reply };
  await host.ended(1, { kind: 'metadata' }, { withinMs: callWaitMs });
  return { host: { ...host, registration: registrations.made('svcExtension', body, reply) }, reply };
}

/** The registration of an extension that stands ready, with what is required and nothing else. */
export function extensionBody({ url, apiKey }: Pick<Extension, 'url' | 'apiKey'>): Readonly<Record<string, unknown>> {
  return { hostUri: url, apiKey, tokenLifeTime: 60 };
}

/**
 * The call of an event after the host of an extension was registered once more, with other fields, for a record that it tells of only then;
 * undefined where such a registration, or its event, is not taken.
 */
export async function calledAnew(
  context: CaseContext,
  former: Extension,
  fields: Readonly<Record<string, unknown>>,
): Promise<{ readonly triggered: Triggered; readonly call: Call } | undefined> {
  const { registrations, triggers, notes } = context;
  const asked = former.metadata().length;
  former.setRecords([eventRecord(context)]);
  const body = { ...extensionBody(former), ...fields };
  const reply = await registrations.post('svcExtension', body);
  notes.observe('status of a registration at the host of another one', reply.status, reply);
  if (!isSuccess(reply.status)) return undefined;
  await former.ended(asked + 1, { kind: 'metadata' }, { withinMs: callWaitMs });
  const anew = { ...former, registration: registrations.made('svcExtension', body, reply) };
  const triggered = await unlessRefused(() => triggers.event(anew));
  const call = triggered && (await anew.arrived({ kind: 'event', about: triggered }, { withinMs: callWaitMs }));
  notes.observe('an event for what is at such a host', call === undefined ? 'does not come' : 'comes');
  return triggered && call && { triggered, call };
}

/** Whether a host of its own, without a path, can be had. */
export function mayListenAlone({ profile }: CaseContext): boolean {
  return profile.all.listener?.publicUrl.includes('{port}') ?? false;
}
