import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { request } from 'undici';
import type { Profile } from '../../contract/profile.ts';
import { reachOf } from '../../contract/profile/reach.ts';
import { aside } from '../case/part.ts';
import { dispatcherOf } from '../client/reach.ts';
import { UnfitProfile } from '../violation.ts';
import { absoluteUrl } from './requests.ts';

/** So much is looked at of either end of a log, in bytes: what was written last stands at one of them. */
export const endBytes = 4 * 1024 * 1024;

/** More than that is not fetched from an address, in bytes. */
export const mostFetchedBytes = 64 * endBytes;

/** The service log that the profile names, or the two ends of a long one. @throws {UnfitProfile} it cannot be read there */
export function readLog(profile: Profile): Promise<string> {
  const { url, file } = profile.probes?.log ?? {};
  return aside('log', async () => {
    if (file !== undefined) return endsOfFile(file);
    if (url !== undefined) return fetchEnds(profile, absoluteUrl(profile, url.replaceAll('{correlationId}', '')));
    throw new UnfitProfile('probes.log.url or probes.log.file in the profile');
  });
}

async function endsOfFile(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size <= 2 * endBytes) return String(await buffer(createReadStream(path, { end: 2 * endBytes - 1 })));
  const first = await buffer(createReadStream(path, { end: endBytes - 1 }));
  return joined(first, await buffer(createReadStream(path, { start: size - endBytes })));
}

async function fetchEnds(profile: Profile, address: string): Promise<string> {
  const { token } = profile.probes?.log ?? {};
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { statusCode, body } = await request(address, { headers, dispatcher: dispatcherOf(reachOf(profile)) });
  const pieces: Buffer[] = [];
  let [fetched, held] = [0, 0];
  for await (const piece of body) {
    const bytes = Buffer.from(piece);
    fetched += bytes.length;
    held += bytes.length;
    pieces.push(bytes);
    if (fetched > mostFetchedBytes) throw new UnfitProfile(`a log at ${address} of at most ${mostFetchedBytes} bytes`);
    if (held < 4 * endBytes) continue;
    const whole = Buffer.concat(pieces);
    pieces.splice(0, Infinity, whole.subarray(0, endBytes), Buffer.from(whole.subarray(-endBytes)));
    held = 2 * endBytes;
  }
  if (statusCode !== 200)
    throw new UnfitProfile(
      `the service log at ${address}, which answered ${statusCode}; check probes.log in the profile`,
    );
  const whole = Buffer.concat(pieces);
  return whole.length <= 2 * endBytes ? String(whole) : joined(whole.subarray(0, endBytes), whole.subarray(-endBytes));
}

function joined(first: Buffer, last: Buffer): string {
  return `${String(first)}\n${String(last)}`;
}
