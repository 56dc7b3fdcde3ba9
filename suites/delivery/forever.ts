import { schedule, type SomeCasesOf } from '../../judge/case.ts';
import { attemptsOf, endedAttempts, failing, failingForEver, passSilence, queuedGapsMs, sentTo } from './words.ts';

const cappedGapsMs = [...queuedGapsMs, 64_000, 128_000, 256_000, 300_000, 300_000];
/** Seven attempts with the tolerance of their gaps. */
const sevenMs = 133_000;

export const foreverCases = {
  'delivery.retry-forever.continues': schedule(sevenMs / 1000 + 10, async (context) => {
    const { clock } = context;
    const sent = await sentTo(context, failing(6), { record: { retryForever: true } });
    clock.expectGaps(await endedAttempts(sent, 7, sevenMs), [...queuedGapsMs, 64_000]);
    // an eighth would come after 128 s: too long a wait in real time
    await passSilence(context, clock.controlled ? 140_000 : 10_000);
    clock.expectCalls('attempts after the acknowledgement of the seventh', attemptsOf(sent), 7);
  }),

  'delivery.retry-forever.cap': schedule(1170, async (context) => {
    const sent = await sentTo(context, failingForEver, { record: { retryForever: true } });
    const attempts = await endedAttempts(sent, cappedGapsMs.length + 1, 1_170_000);
    context.clock.expectGaps(attempts, cappedGapsMs);
  }),

  'delivery.retry-forever.endpoints': schedule(sevenMs / 1000, async ({ given, triggers, clock, expect }) => {
    const kinds = [true, false].flatMap((retryForever) => [true, false].map((trusted) => ({ retryForever, trusted })));
    const endpoints = await Promise.all(
      kinds.map(({ retryForever, trusted }) =>
        given.endpoint({ trusted, script: failingForEver, registration: { retryForever } }),
      ),
    );
    await Promise.all(endpoints.map((endpoint) => triggers.endpoint(endpoint)));
    await clock.pass(sevenMs + 7 * clock.granularityMs);
    for (const [index, endpoint] of endpoints.entries()) {
      const seven = kinds[index]?.retryForever === true;
      const attempts = endpoint.calls();
      given.assume(attempts.length > 0, 'the call of each endpoint');
      if (seven) clock.expectGaps(attempts, [...queuedGapsMs, 64_000]);
      else expect(attempts.length, 'attempts without retryForever').toSatisfy('six at most', (count) => count <= 6);
    }
  }),
} satisfies SomeCasesOf<'delivery'>;
