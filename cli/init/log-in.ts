import type { Profile } from '../../contract/profile.ts';
import { probing } from '../../judge/probe/probing.ts';
import type { LoadedProfile } from '../../judge/profile/load.ts';
import { reach } from '../../judge/run/preflight.ts';
import { sentenceAboutGrant, sentenceAboutSilence } from '../../judge/run/preflight/sentences.ts';
import { PreconditionFailed } from '../../judge/violation.ts';

/** A deployment that cannot be probed; the message says what to change. */
export class InitError extends Error {
  readonly code = 'INIT';
}

/** Where token endpoints usually are, tried in turn unless one is named. */
const usualTokenUrls = ['/auth/token', '/oauth/token', '/api/auth/token', '/token', '/oauth2/token'];

/** The profile with the token endpoint that answers its editor. @throws {InitError} nobody answers, or the editor gets no token */
export async function loggedIn(loaded: LoadedProfile, tokenUrl: string | undefined): Promise<LoadedProfile> {
  if (loaded.profile.identities.editor.token !== undefined) return reached(loaded);
  let sentence = '';
  for (const url of tokenUrl === undefined ? usualTokenUrls : [tokenUrl]) {
    const tried = withTokenUrl(loaded, url);
    const outcome = await granted(tried);
    if (outcome === undefined) return tried;
    sentence = outcome.sentence;
    if (!outcome.isElsewhere) throw new InitError(asFlags(sentence));
  }
  if (tokenUrl !== undefined) throw new InitError(asFlags(sentence));
  throw new InitError(
    `there is no token endpoint below ${loaded.profile.baseUrl} at ${usualTokenUrls.join(', ')}: name it with --token-url`,
  );
}

async function reached(loaded: LoadedProfile): Promise<LoadedProfile> {
  const { result: sentence } = await probing(loaded, (context) => reach(context));
  if (sentence !== undefined) throw new InitError(asFlags(sentence));
  return loaded;
}

function withTokenUrl(loaded: LoadedProfile, tokenUrl: string): LoadedProfile {
  const profile: Profile = { ...loaded.profile, auth: { ...loaded.profile.auth, tokenUrl } };
  return { ...loaded, profile };
}

/** Undefined when there is a token. */
async function granted(
  loaded: LoadedProfile,
): Promise<{ readonly sentence: string; readonly isElsewhere: boolean } | undefined> {
  const { result } = await probing(loaded, async ({ service, profile }) => {
    try {
      await service.token('editor');
      return undefined;
    } catch (error) {
      if (!(error instanceof PreconditionFailed) || error.reply === undefined)
        return { sentence: sentenceAboutSilence(error, profile.all), isElsewhere: false };
      return {
        sentence: sentenceAboutGrant(error.reply, 'editor'),
        isElsewhere: error.reply.status === 404 || error.reply.status === 405,
      };
    }
  });
  return result;
}

const flags: readonly (readonly [string, string])[] = [
  ['auth.tokenUrl', '--token-url'],
  ['auth.clientId', '--client-id'],
  ['auth.clientSecret', 'the client secret in its variable'],
  ['identities.editor.username', '--username'],
  ['identities.editor.password', 'the password in its variable'],
  ['correct baseUrl in the profile', 'correct --url'],
  ['baseUrl', '--url'],
];

/** A sentence about a profile, told to somebody who has none yet. */
export function asFlags(sentence: string): string {
  return flags.reduce((text, [key, flag]) => text.replaceAll(key, flag), sentence);
}
