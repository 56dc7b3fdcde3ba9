import { schedule, type SomeCasesOf } from '../../judge/case.ts';
import { always, attemptsOf, endedAttempts, inTurn, sentTo, sentToEach } from './words.ts';

const clientErrors = [400, 401, 403, 404, 405, 409, 410, 415, 422, 429, 451];

export const permanentCases = {
  'delivery.permanent.client-errors': schedule(40, async (context) => {
    const { clock, notes, profile, given } = context;
    const sent = await sentToEach(
      context,
      clientErrors.map((status) => always({ status })),
    );
    const beside = await sentTo(context, always({ status: 500 }));
    await clock.pass(40_000);
    given.assume(attemptsOf(beside).length > 1, 'an event that is answered with 500 to be sent again meanwhile');
    for (const [index, status] of clientErrors.entries()) {
      const attempts = sent.slice(index, index + 1).flatMap(attemptsOf);
      if (status === 429)
        notes.bound('retriesTooManyRequests', 'an event answered with 429 is sent again', attempts.length > 1);
      if (status === 429 && profile.all.expect?.retriesTooManyRequests === true) continue;
      clock.expectCalls(`attempts of an event that is answered with ${status}`, attempts, 1);
    }
  }),

  'delivery.permanent.after-transient': schedule(28, async (context) => {
    const { clock } = context;
    const sent = await sentTo(context, inTurn({ status: 500 }, { status: 503 }, { status: 400 }));
    const attempts = await endedAttempts(sent, 3, 8000);
    clock.expectGaps(attempts, [2000, 4000]);
    await clock.pass(20_000);
    clock.expectCalls('attempts 20 s after a 400', attemptsOf(sent), 3);
  }),

  'delivery.retry-forever.permanent-error-stops': schedule(42, async (context) => {
    const { clock } = context;
    const options = { record: { retryForever: true } };
    const atOnce = await sentTo(context, always({ status: 404 }), options);
    const later = await sentTo(context, inTurn({ status: 503 }, { status: 404 }), options);
    await clock.pass(40_000);
    clock.expectCalls('attempts of an event that is answered with 404', attemptsOf(atOnce), 1);
    clock.expectCalls('attempts of an event that is answered with 503, then with 404', attemptsOf(later), 2);
  }),
} satisfies SomeCasesOf<'delivery'>;
