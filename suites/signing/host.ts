import type { SomeCasesOf } from '../../judge/case.ts';
import { hostScenario } from '../../judge/host/host-case.ts';
import { hostRefusedCases } from './host-refused.ts';
import { callOf, expectAdmitted } from './host-words.ts';

export const hostCases = {
  ...hostRefusedCases,

  'signing.extension-host.right-signature-accepted': hostScenario(async (context) => {
    const { host, records, stage, expect } = context;
    expect(await host.metadata()).toSucceed();
    expect(await host.metadata({ fresh: true })).toSucceed();
    const installation = await stage.installation();
    for (const record of records.all)
      expectAdmitted(context, await host.call(installation.call(record), { query: null }), callOf(record));
  }),

  'signing.extension-host.query-ignored': hostScenario(async (context) => {
    const { host, records, stage, given } = context;
    const installation = await stage.installation();
    for (const record of records.all.filter(({ type }) =>
      ['ExternalValidation', 'ExternalTask', 'Email'].includes(type),
    ))
      for (const name of ['access_token', given.unique('query')]) {
        const call = installation.call(record);
        expectAdmitted(
          context,
          await host.call(call, { query: `${name}=${call.envelope.accessToken}` }),
          `${callOf(record)} with the token in a query`,
        );
      }
  }),

  'signing.extension-host.other-notation': hostScenario(async ({ host, notes }) => {
    const url = `${host.hostUri}/svc/extension`;
    const right = host.signatureFor(url);
    const standard = Buffer.from(right, 'base64url').toString('base64');
    const forms = {
      'with padding': { signature: `${right}==` },
      // one that has neither character by chance is spelled alike in both alphabets
      ...(/[+/]/.test(standard) && { 'in the standard alphabet': { signature: standard.replaceAll('=', '') } }),
      'with a lower-case scheme': { scheme: 'bearer' },
    };
    for (const [form, changes] of Object.entries(forms))
      notes.observe(
        `the right signature ${form}`,
        (await host.metadata(changes)).status < 400 ? 'accepted' : 'refused',
      );
  }),
} satisfies SomeCasesOf<'signing'>;
