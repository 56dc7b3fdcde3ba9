import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { called, takes } from './words.ts';

const html = '<html><body><p class="a">Grüße &amp; <b>שלום</b> "quoted" \'once\' 👩‍👩‍👧</p><br/></body></html>';

export const emailCases = {
  'calls.email.payload-fields': scenario(async (context) => {
    const { given, triggers, expect, notes } = context;
    const extension = await given.extension({ types: ['Email'] });
    for (const composed of [html, 'Plain text & nothing else <']) {
      const subject = `${given.unique('subject')} ä & <b>`;
      const body = `${composed} ${given.unique('body')}`;
      const { triggered: mail, call } = await called(context, extension, 'email', () =>
        triggers.email(extension, { subject, body }),
      );
      const { payload } = call;
      for (const name of ['to', 'from', 'subject', 'body']) expect(payload[name], `${name} of a mail`).toBeAString();
      for (const name of ['to', 'subject', 'body'] as const)
        if (takes(context, 'email', name)) expect(payload[name], `${name} of a mail`).toEqual(mail[name]);
        else notes.observe(`${name} is fixed by the profile`, true);
    }
  }),
} satisfies SomeCasesOf<'calls'>;
