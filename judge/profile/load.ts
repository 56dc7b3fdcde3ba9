import { withoutCredentials } from '../../contract/credentials.ts';
import { request } from 'undici';
import { dispatcherOf } from '../client/reach.ts';
import type { Profile } from '../../contract/profile.ts';
import type { Side } from '../../contract/rule.ts';
import { readTextFile } from '../../contract/named-file.ts';
import { checkProfile, type NamedRule, ownProfile, ProfileDocument, ProfileError } from './document.ts';
import { messageOf } from '../../contract/thrown.ts';

/** A profile ready to be used; plain data, so that it can be handed to another thread. */
export interface LoadedProfile {
  readonly profile: Profile;
  /** What its author wrote, where a run went on with what it found out besides. */
  readonly stated?: Profile;
  /** File or address it was read from. */
  readonly source: string;
  /** Dotted path of a value -> name of the environment variable that is the whole of it. */
  readonly variables: Readonly<Record<string, string>>;
  /** Dotted path of a value -> where it stands in the source, as `line:column`; absent where nobody wrote it. */
  readonly places?: Readonly<Record<string, string>>;
  /** What is judged; the service, and the extension host where the profile has one, unless given. */
  readonly sides?: readonly Side[];
}

/** The profile as its author wrote it. */
export function statedIn({ stated, profile }: LoadedProfile): Profile {
  return stated ?? profile;
}

/** What is judged with a profile. */
export function sidesOf({ profile, sides }: LoadedProfile): readonly Side[] {
  return sides ?? (profile.extensionHost === undefined ? ['service'] : ['service', 'extension']);
}

interface LoadOptions {
  /** Where `${NAME}` is looked up, and else `NAME_FILE`, which names a file that holds it; the environment of the process unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Looked up first: `{ BASE_URL }` of a server that was just started. */
  readonly values?: Readonly<Record<string, string>>;
  /** What `notSupported` and `knownFailures` may name; any text unless given. */
  readonly rules?: readonly NamedRule[];
  /** It is the profile of the package, as a server of ours tells it: a test knows that it fits, and to compile the schema takes a fifth of the start of a run. */
  readonly isOurs?: true;
}

/** Reads a profile from a file or an http address. @throws {ProfileError} */
export async function loadProfile(source: string, options: LoadOptions = {}): Promise<LoadedProfile> {
  return profileFrom(await profileText(source), source, options);
}

/** Reads a profile from its YAML text; `source` names it in errors. @throws {ProfileError} */
export function profileFrom(
  text: string,
  source: string,
  { environment = process.env, values = {}, rules, isOurs }: LoadOptions = {},
): LoadedProfile {
  const document = new ProfileDocument(text, source);
  const variables = document.fillIn((name) => values[name] ?? environment[name] ?? keptIn(environment, `${name}_FILE`));
  const profile = isOurs === true ? ownProfile(document) : checkProfile(document, rules);
  return { profile, source: document.source, variables, places: document.places() };
}

/** What the file holds that a variable names, without the end of its last line, as secrets are mounted. @throws {ProfileError} */
function keptIn(environment: LoadOptions['environment'], variable: string): string | undefined {
  const file = environment?.[variable];
  if (file === undefined) return undefined;
  const refuse = (why: string): ProfileError =>
    new ProfileError('unreadable', `${why}; ${variable} names no file with a text`, { file });
  return readTextFile(file, refuse, mostBytes).replace(/\r?\n$/, '');
}

/** The text of a profile in a file or at an http address. @throws {ProfileError} */
export async function profileText(source: string): Promise<string> {
  return /^https?:\/\//.test(source) ? textAt(source) : textIn(source);
}

/** Nobody writes a longer one: what is longer is something else. */
const mostBytes = 256 * 1024;

function textIn(file: string): string {
  return readTextFile(
    file,
    (why) =>
      new ProfileError('unreadable', `${why}; name an existing profile, or let svc-conformance init write one`, {
        file,
      }),
    mostBytes,
  );
}

async function textAt(url: string): Promise<string> {
  try {
    const { statusCode, body } = await request(url, {
      signal: AbortSignal.timeout(10_000),
      dispatcher: dispatcherOf(),
    });
    if (statusCode === 200) return new TextDecoder('utf-8', { fatal: true }).decode(await drained(body));
    await body.dump();
    throw new ProfileError('unreadable', `the address answered ${statusCode} instead of a profile`, {
      file: withoutCredentials(url),
    });
  } catch (error) {
    if (error instanceof ProfileError) throw error;
    throw new ProfileError('unreadable', `the address cannot be reached (${messageOf(error)})`, {
      file: withoutCredentials(url),
    });
  }
}

async function drained(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    pieces.push(piece);
    length += piece.byteLength;
    if (length > mostBytes) throw new Error(`what it answers is longer than ${mostBytes} bytes`);
  }
  return Buffer.concat(pieces, length);
}

/** Keys as sentences name them: dotted, or one of those at the top that is no word of English, or one with its value behind it. */
const key = /\b[a-z][A-Za-z]*(?:\.[A-Za-z]+)+|\bbaseUrl\b|\binformationFilter\b|\bspace(?= \(")/g;

const address = /https?:\/\/[^\s),]+/g;

/** The sentence, and behind it where the keys that it names stand in the profile, as file:line:column; each line once. */
export function withPlaces(sentence: string, { source, places = {} }: LoadedProfile): string {
  const keys = [...sentence.replaceAll(address, '').matchAll(key)].map(([name]) => name);
  const byLine = new Map(
    keys.flatMap((name) => placeOf(name, places) ?? []).map((place) => [place.split(':')[0], place] as const),
  );
  const found = [...byLine.values()].map((place) => `${source}:${place}`);
  return found.length === 0 ? sentence : `${sentence} (${found.join(', ')})`;
}

/** That of the key, or of the mapping it would have to be added to. */
function placeOf(name: string, places: Readonly<Record<string, string>>): string | undefined {
  if (Object.hasOwn(places, name)) return places[name];
  const end = name.lastIndexOf('.');
  return end < 0 ? undefined : placeOf(name.slice(0, end), places);
}
