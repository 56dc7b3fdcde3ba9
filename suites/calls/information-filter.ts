import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Call } from '../../judge/extension/call.ts';
import { filterAt, filterIn } from './filter.ts';
import { action, event, lasting } from './words.ts';

const dates = ['2026-03-01T00:00:00Z', '2027-09-30T12:00:00Z'];

export const informationFilterCases = {
  'calls.envelope.information-filter-base64': scenario(async (context) => {
    const { given, expect, notes, profile } = context;
    const extension = await given.extension();
    for (const date of dates) {
      const { call } = await event(context, extension, { filter: filterAt(context, date) });
      const text = textIn(context, call);
      if (text === '' && profile.all.triggers?.carryHeaders === false)
        notes.observe('information filter without one in the trigger', 'empty');
      else
        expect(
          filterIn(text),
          `informationFilter of the envelope, which is ${text}, decoded from Base64 and parsed as JSON`,
        ).toBeAnObject();
    }
  }),

  'calls.envelope.information-filter-of-trigger': scenario(async (context) => {
    const { expect, profile } = context;
    const bound = profile.all.triggers?.event !== undefined;
    const extension = await lasting(context, {
      types: ['ExternalAction', ...(bound ? (['ExternalEvent'] as const) : [])],
    });
    for (const date of dates) {
      const filter = filterAt(context, date);
      const { call } = await action(context, extension, { changes: { filter } });
      expect(decodedIn(context, call), 'information filter in the envelope of an action').toEqual(filter);
      if (call.payload['informationFilter'] !== undefined)
        expect(filterIn(call.payload['informationFilter']), 'information filter in the payload of an action').toEqual(
          filter,
        );
      if (bound)
        expect(
          decodedIn(context, (await event(context, extension, { filter })).call),
          'information filter in the envelope of an event',
        ).toEqual(filter);
    }
  }),
} satisfies SomeCasesOf<'calls'>;

function textIn({ given }: CaseContext, { envelope }: Call): string {
  return given.present(envelope.informationFilter, 'an informationFilter in the envelope', [
    'calls.envelope.all-fields',
  ]);
}

function decodedIn(context: CaseContext, call: Call): unknown {
  return context.given.present(filterIn(textIn(context, call)), 'an information filter that can be read', [
    'calls.envelope.information-filter-base64',
  ]);
}
