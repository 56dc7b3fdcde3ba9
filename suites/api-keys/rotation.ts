import { keyPeriodSeconds } from '../../contract/limits.ts';
import { schedule, type SomeCasesOf } from '../../judge/case.ts';
import type { Told } from '../../judge/time/timeline.ts';
import { isSuccess } from '../../judge/files/stored-file.ts';
import { uploadedWith } from './words.ts';

const standsOn = ['api-keys.key.administration-on-bulk'] as const;
const minute = 60;
const hour = 60 * minute;
/** How long before and after the end of a period a key is used, in seconds. */
const closeSeconds = 10;
/** From the end of the period on, in seconds. */
const usesAfter = [closeSeconds, hour, 12 * hour, 24 * hour, 25 * hour];

export const rotationCases = {
  'api-keys.rotation.new-key-after-period': schedule(keyPeriodSeconds + minute, async (context) => {
    const { given, apiKeys, clock, expect, notes } = context;
    const holder = await given.keyHolder();
    const { AdministrationAPI: first = '' } = await apiKeys.keysOf(holder);
    given.succeeded(await uploadedWith(context, first), 'a bulk upload signed with the first key', standsOn);
    const { AdministrationAPI: again = '' } = await apiKeys.keysOf(holder);
    notes.observe('two requests within one hour bring the same key', again === first);
    const { length } = apiKeys.callbacks(holder);
    await clock.pass((keyPeriodSeconds + minute) * 1000);
    notes.observe('keys are brought without a request', apiKeys.callbacks(holder).length > length);
    const { AdministrationAPI: next = '' } = await apiKeys.keysOf(holder);
    expect([first, again].includes(next), 'the key after a whole period is one of those before it').toEqual(false);
    expect(await uploadedWith(context, next)).toSucceed();
  }),

  'api-keys.rotation.old-key-overlap': schedule(keyPeriodSeconds + 25 * hour, async (context) => {
    const { given, apiKeys, clock, expect, notes, profile } = context;
    const holder = await given.keyHolder();
    const { AdministrationAPI: old = '' } = await apiKeys.keysOf(holder);
    const since = clock.now();
    const usedAt = async (seconds: number): Promise<boolean> => {
      await clock.pass(Math.max(0, since + seconds * 1000 - clock.now()));
      return isSuccess((await uploadedWith(context, old)).status);
    };
    given.assume(await usedAt(keyPeriodSeconds - closeSeconds), 'a key that works to the end of its period');
    let last = -closeSeconds;
    await clock.pass(closeSeconds * 1000);
    await apiKeys.keysOf(holder);
    const bound = profile.all.apiKeys?.overlapSeconds;
    const uses: Told[] = [];
    for (const seconds of usesAfter) {
      const isAccepted = await usedAt(keyPeriodSeconds + seconds);
      if (isAccepted) last = seconds;
      uses.push({
        arrivedAt: clock.now(),
        label: isAccepted ? 'accepted' : 'refused',
        isOff: bound !== undefined && isAccepted !== seconds <= bound,
      });
      clock.tell({
        title: 'uses of the old key',
        zero: { at: since + keyPeriodSeconds * 1000, label: 'the end of its period' },
        due: [],
        calls: uses,
      });
      if (bound !== undefined)
        expect(isAccepted, `the old key is accepted ${seconds} s after the next one`).toEqual(seconds <= bound);
    }
    notes.observe('last use of an old key that was accepted, in seconds from the end of its period', last);
  }),
} satisfies SomeCasesOf<'api-keys'>;
