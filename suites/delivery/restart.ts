import { request } from 'undici';
import type { Profile } from '../../contract/profile.ts';
import { schedule, type SomeCasesOf } from '../../judge/case.ts';
import { absoluteUrl } from '../../judge/requests/absolute-url.ts';
import { PreconditionFailed } from '../../judge/violation.ts';
import { limitedTo } from './rate.ts';
import { attemptsOf, endedAttempts, failing, queuedGapsMs, sentTo, tellSeen } from './words.ts';

/** Past the third attempt, before the fourth. */
const thirdWithinMs = 8000;
/** How long what comes after the restart is waited for. */
const afterMs = 120_000;

export const restartCases = {
  'delivery.queue.restart': schedule(130, async (context) => {
    const { given, triggers, clock, notes, profile } = context;
    const retried = await sentTo(context, failing(3));
    const limited = await limitedTo(context, 1);
    await limited.call({ about: await triggers.event(limited) });
    const paused = await triggers.event(limited);
    const [, , third] = await endedAttempts(retried, 3, thirdWithinMs);
    given.assume(third?.endedAt !== undefined, 'three attempts of an event');
    given.assume(limited.calls({ about: paused }).length === 0, 'a pause after one execution');
    await restarted(profile.all);
    await clock.pass(afterMs);
    tellSeen(context, 'attempts of an event, with a restart after the third', attemptsOf(retried));
    const [fourth, ...later] = attemptsOf(retried).slice(3);
    notes.observe('attempts after the restart, of an event that waited for its fourth', attemptsOf(retried).length - 3);
    notes.observe('it goes on with the gap of its fourth attempt', isDue(fourth?.arrivedAt, third?.endedAt));
    notes.observe('it is sent again after an acknowledgement', later.length > 0);
    notes.observe(
      'calls after the restart, of an event that waited for the end of a pause',
      limited.calls({ about: paused }).length,
    );
  }),
} satisfies SomeCasesOf<'delivery'>;

/** Resolves when the service is back. */
async function restarted(profile: Profile): Promise<void> {
  const { url, token } = profile.restart ?? {};
  if (url === undefined) throw new PreconditionFailed('restart in the profile');
  const address = absoluteUrl(profile, url);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { statusCode, body } = await request(address, { method: 'POST', headers, reset: true });
  await body.dump();
  if (statusCode >= 300)
    throw new PreconditionFailed(`a restart by ${address}, which answered ${statusCode}; check restart in the profile`);
}

/** Late by what a restart may take of the delay. */
function isDue(arrivedAt = Number.NaN, endedAt = Number.NaN): boolean {
  const [, , gapMs] = queuedGapsMs;
  return Math.abs(arrivedAt - endedAt - gapMs) <= gapMs / 4;
}
