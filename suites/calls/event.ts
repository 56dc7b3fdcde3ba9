import { dictionary } from 'fast-check';
import { jsonValue, memberName } from '../../fixtures/arbitraries.ts';
import { property, scenario, type SomeCasesOf } from '../../judge/case.ts';
import { event, takes } from './words.ts';

const telling: Readonly<Record<string, unknown>> = {
  nothing: null,
  nested: [[1, [2, [null, {}]]], {}],
  numbers: [1.0, 1e21, -0.5, 2 ** 53 - 1],
  text: 'ä שלום 👩‍👩‍👧 "\\ \n <b>&amp;</b>',
  '': 'a member without a name',
};

export const eventCases = {
  'calls.event.payload-fields': scenario(async (context) => {
    const { given, expect, notes, profile } = context;
    const extension = await given.extension();
    const { call, triggered } = await event(context, extension);
    const { contentPayload, id, spaceId } = call.payload;
    expect(contentPayload, 'contentPayload of an event').toBeAnObject();
    expect(id, 'id of an event').toBeAString();
    expect(spaceId, 'spaceId of an event').toEqual(profile.all.space);
    const next = (await event(context, extension)).call.payload['id'];
    notes.observe('the id of an event is that of its envelope', id === call.envelope.id);
    notes.observe('the id of an event is that in the answer to the trigger', id === triggered.id);
    notes.observe('two triggers have the same event id', id === next);
  }),

  'calls.event.content-payload-equal': property(
    dictionary(memberName, jsonValue(3), { maxKeys: 5 }),
    async (context, content) => {
      const { given, expect } = context;
      if (!takes(context, 'event', 'payload'))
        given.inconclusive(
          'triggers.event of the profile has no place for {{payload}}, so that its content is not known',
        );
      const { call } = await event(context, await given.extension(), {}, content);
      expect(call.payload['contentPayload'], 'contentPayload of the event').toEqual(content);
    },
    { always: [{}, telling] },
  ),
} satisfies SomeCasesOf<'calls'>;
