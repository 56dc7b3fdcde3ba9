import type { CaseContext } from '../../judge/case.ts';
import type { Call } from '../../judge/extension/call.ts';
import type { CalledType } from '../../judge/extension/extension.ts';
import { callWaitMs } from '../../judge/extension/trigger-calls.ts';

/** Whether a host of its own, without a path, can be had. */
export function mayListenAlone({ profile }: CaseContext): boolean {
  return profile.all.listener?.publicUrl.includes('{port}') ?? false;
}

/** Asserts that a request is signed over its path, with that of hostUri or without it; returns the signature. */
export function expectSigned(
  { expect }: CaseContext,
  { bearer, signedOver, method, target }: Call,
  what: string,
): string {
  const [path] = target.split('?');
  const isSigned = signedOver.includes('path') || signedOver.includes('below-base');
  expect({ bearer: bearer ?? 'none', signedOver }, `Authorization of ${what} (${method} ${path})`).toSatisfy(
    'the signature over its path',
    () => isSigned,
  );
  return bearer ?? '';
}

/** The call that the case looks at: that it comes at all is the business of other rules. */
export function needsCall({ given }: CaseContext, call: Call | undefined, type: CalledType): Call {
  return given.present(call, `a call of type ${type}`, [
    'metadata.records.several-types-usable',
    'metadata.records.optional-fields-omitted',
  ]);
}

/** The metadata request to a host that is registered with the key; undefined where the key is refused. */
export async function askedFor({ given, registrations }: CaseContext, apiKey: string): Promise<Call | undefined> {
  const host = await given.extension({ apiKey, unregistered: true });
  const reply = await registrations.post('svcExtension', { hostUri: host.url, apiKey, tokenLifeTime: 60 });
  return reply.status >= 400 ? undefined : host.call({ kind: 'metadata' }, { withinMs: callWaitMs });
}
