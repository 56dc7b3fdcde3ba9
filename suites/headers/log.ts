import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { Profile } from '../../contract/profile.ts';
import { PreconditionFailed } from '../../judge/violation.ts';

const attempts = 10;
const pauseMs = 50;

/** The lines of the service log that match, as soon as there are some: a log may be written a moment after the answer. */
export async function linesOfLog(profile: Profile, matches: (line: string) => boolean): Promise<readonly string[]> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const lines = (await logText(profile)).split('\n').filter(matches);
    if (lines.length > 0) return lines;
    await sleep(pauseMs);
  }
  return [];
}

async function logText(profile: Profile): Promise<string> {
  const { url, file, token } = profile.probes?.log ?? {};
  if (file !== undefined) return readFile(file, 'utf8');
  if (url === undefined) throw new PreconditionFailed('probes.log.url or probes.log.file in the profile');
  const address = new URL(url.replaceAll('{correlationId}', ''), profile.baseUrl);
  const { statusCode, body } = await request(address, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  const text = await body.text();
  if (statusCode !== 200)
    throw new PreconditionFailed(
      `the service log at ${address.href}, which answered ${statusCode}; check probes.log in the profile`,
    );
  return text;
}
