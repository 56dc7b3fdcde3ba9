import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { callWaitMs, stayQuiet } from '../../judge/extension/trigger-calls.ts';
import { extensionBody, without } from './words.ts';

export const extensionCases = {
  'registration.extension.required-only-accepted': scenario(async ({ given, registrations, expect }) => {
    const host = await given.extension({ unregistered: true });
    expect(await registrations.post('svcExtension', extensionBody(host))).toSucceed();
    await host.call({ kind: 'metadata' }, { withinMs: callWaitMs });
  }),

  'registration.extension.missing-required-refused': scenario(async (context) => {
    const { given, registrations, expect } = context;
    const lacking = await Promise.all(
      ['hostUri', 'apiKey', 'tokenLifeTime'].map(async (field) => ({
        field,
        host: await given.extension({ unregistered: true }),
      })),
    );
    for (const { field, host } of lacking)
      expect(await registrations.post('svcExtension', without(extensionBody(host), field))).notToSucceed();
    await stayQuiet(context);
    for (const { field, host } of lacking)
      expect(host.everything().length, `requests to a host whose registration lacked ${field}`).toEqual(0);
    for (const { host } of lacking) expect(await registrations.post('svcExtension', extensionBody(host))).toSucceed();
  }),
} satisfies SomeCasesOf<'registration'>;
