import type { Profile } from '../../contract/profile.ts';
import { HttpClient, type Sender } from '../client.ts';
import { absoluteUrl } from '../requests/absolute-url.ts';
import { isTimeControlled } from './budget.ts';
import { ClockControl } from './control.ts';
import { ControlledTime } from './controlled.ts';
import type { TimeKeeper } from './keeper.ts';
import { RealTime } from './real.ts';

const unrecorded: Sender = { reuse: true, retries: [], add: () => undefined };

/** The time of a run, as the profile says that it passes. */
export function timeOf(profile: Profile, client: Pick<HttpClient, 'holdingTime' | 'send'>): TimeKeeper {
  if (isTimeControlled(profile))
    return new ControlledTime({
      control: new ClockControl(profile, new HttpClient()),
      requestsUnderWay: () => client.holdingTime,
    });
  return new RealTime(() => client.send({ method: 'GET', url: absoluteUrl(profile, '/'), headers: [] }, unrecorded));
}
