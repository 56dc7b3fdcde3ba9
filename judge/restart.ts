import { request } from 'undici';
import type { Profile } from '../contract/profile.ts';
import { aside } from './part.ts';
import { absoluteUrl } from './requests.ts';
import { PreconditionFailed } from './violation.ts';

/** Resolves when the service has started again. @throws {PreconditionFailed} where it cannot be asked to */
export async function restart(profile: Profile): Promise<void> {
  const { url, token } = profile.restart ?? {};
  if (url === undefined) throw new PreconditionFailed('restart in the profile');
  const address = absoluteUrl(profile, url);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const statusCode = await aside('restart', async () => {
    const { statusCode, body } = await request(address, { method: 'POST', headers, reset: true });
    await body.dump();
    return statusCode;
  });
  if (statusCode >= 300)
    throw new PreconditionFailed(`a restart by ${address}, which answered ${statusCode}; check restart in the profile`);
}
