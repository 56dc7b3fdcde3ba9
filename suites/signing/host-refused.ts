import { randomBytes } from 'node:crypto';
import type { SomeCasesOf } from '../../judge/case.ts';
import { hostScenario } from '../../judge/host/host-case.ts';
import type { HostContext } from '../../judge/host/host.ts';
import { assumeWell, callOf, expectRefused } from './host-words.ts';

/** How long the traces of work are waited for where a host does some, in ms. */
const tracesMs = 2000;

/** Cases about calls that a host has to refuse. */
export const hostRefusedCases = {
  'signing.extension-host.missing-signature-refused': hostScenario(async (context) => {
    const { host, records, stage, expect, notes } = context;
    const statuses = new Set<number>();
    await assumeWell(context);
    statuses.add(expectRefused(context, await host.metadata({ signature: null }), 'an unsigned metadata request'));
    const installation = await stage.installation();
    for (const record of records.all) {
      const unsigned = installation.call(record);
      statuses.add(
        expectRefused(context, await host.call(unsigned, { signature: null }), `${callOf(record)} without signature`),
      );
      if (record.type !== 'ExternalTask') continue;
      // what the unsigned call set off would come before what a signed one sets off
      const signed = installation.call(record);
      await host.call(signed);
      await installation.arrived({ of: signed, kind: 'status' }, tracesMs);
      expect(installation.arrivals({ of: unsigned }).length, 'requests of the host for an unsigned task call').toEqual(
        0,
      );
    }
    notes.observe(...told(statuses));
  }),

  'signing.extension-host.wrong-key-refused': hostScenario(async (context) => {
    const { host, records, stage, binding, notes } = context;
    const statuses = new Set<number>();
    const installation = await stage.installation();
    await assumeWell(context);
    for (const [what, key] of [
      ['a random key', randomBytes(64).toString('base64')],
      ['a key with one bit flipped', flipped(binding.apiKey)],
    ] as const) {
      statuses.add(
        expectRefused(
          context,
          await host.metadata({ signature: host.signatureFor(`${host.hostUri}/svc/extension`, key) }),
          `a metadata request signed with ${what}`,
        ),
      );
      for (const record of records.all)
        statuses.add(
          expectRefused(
            context,
            await host.call(installation.call(record), { signature: host.signatureFor(record.url, key) }),
            `${callOf(record)} signed with ${what}`,
          ),
        );
    }
    await assumeWell(context);
    notes.observe(...told(statuses));
  }),

  'signing.extension-host.wrong-path-refused': hostScenario(async (context) => {
    const { host, records, stage, given, notes } = context;
    const statuses = new Set<number>();
    if (records.all.length === 0)
      given.notExercised('the host announces no record of a type whose calls are documented');
    await assumeWell(context);
    const installation = await stage.installation();
    for (const [index, record] of records.all.entries())
      for (const other of [`${host.hostUri}/svc/extension`, otherUrl(context, index)].filter(
        // addresses that differ in their query alone have one signature
        (url) => host.signatureFor(url) !== host.signatureFor(record.url),
      ))
        statuses.add(
          expectRefused(
            context,
            await host.call(installation.call(record), { signature: host.signatureFor(other) }),
            `${callOf(record)} with the signature of ${new URL(other).pathname}`,
          ),
        );
    await assumeWell(context);
    notes.observe(...told(statuses));
  }),
} satisfies SomeCasesOf<'signing'>;

/** Address of the record after that one. */
function otherUrl({ records, host }: HostContext, index: number): string {
  return records.all[(index + 1) % records.all.length]?.url ?? host.hostUri;
}

function told(statuses: ReadonlySet<number>): [string, string] {
  return ['statuses of refusals', [...statuses].sort().join(', ')];
}

function flipped(apiKey: string): string {
  const bytes = Buffer.from(apiKey, 'base64');
  bytes.writeUInt8((bytes[0] ?? 0) ^ 1, 0);
  return bytes.toString('base64');
}
