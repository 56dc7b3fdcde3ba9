import type { Profile } from '../../contract/profile.ts';
import { allowedMix } from './allowed.ts';
import { drivePrepared, PreparationFailed } from './drive-prepared.ts';
import type { Send } from './drive.ts';
import type { EngineSetup } from './engine.ts';
import { expiredTokenFrom } from './expired-token.ts';
import type { Ground } from './ground.ts';
import type { Mix } from './mix.ts';

/** With what the load begins. */
export interface Ready {
  readonly ground: Ground;
  /** Without the journeys that the profile does not allow. */
  readonly mix: Mix;
  /** Sentences for the report. */
  readonly remarks: readonly string[];
}

const usualObjects = 50;

/** Makes and finds out what the journeys of the setup need, and leaves out those that the profile does not allow. @throws {PreparationFailed} */
export async function madeReady(
  profile: Profile,
  setup: EngineSetup,
  send: Send,
  trigger: Ground['trigger'],
): Promise<Ready> {
  const token = setup.authorizationOf('editor').replace(/^Bearer /, '');
  const expiredToken = expiredTokenFrom(profile, token);
  const known: Ground = {
    ...setup.ground,
    ...(trigger && { trigger }),
    ...(expiredToken !== undefined && { expiredToken }),
  };
  const { mix, remarks } = allowedMix(setup.mix, known);
  if (Object.keys(mix.journeys).length === 0)
    throw new PreparationFailed(`No journey of the mix can be made with this profile. ${remarks.join(' ')}`);
  const preparation = await drivePrepared({ ...setup, mix }, send, mix.objects ?? usualObjects);
  return { mix, ground: { ...known, ...preparation.ground }, remarks: [...remarks, ...preparation.remarks] };
}
