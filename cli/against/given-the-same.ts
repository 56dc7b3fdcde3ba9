import { compareParties, type Found } from '../../judge/differential/differential.ts';
import { openParties, type Opened } from '../../judge/differential/party.ts';
import { PartyFailed } from '../../judge/differential/play.ts';
import type { Differential, NamedParty, PartyName } from '../../judge/differential/result.ts';
import { variablesOf } from '../../judge/curl/variables.ts';
import { plain } from '../../judge/plain-text.ts';
import type { LoadedProfile } from '../../judge/profile/load.ts';
import { openBase, type Base } from '../../judge/run/base.ts';
import { booked, type Session } from '../../judge/session.ts';
import { declaredOn } from '../check/declarations.ts';
import type { Deployment } from '../check/deployment.ts';

/** Two implementations and what they are given. */
export interface GivenTheSame {
  readonly first: Deployment;
  readonly second: LoadedProfile;
  readonly assumed: readonly string[];
  readonly seed: number;
  readonly runs: number;
  readonly command: string;
  readonly keepData: boolean;
  readonly signal: AbortSignal;
}

/** Longest time for playing, and again for finding shorter histories, in ms. */
const longestMs = 30_000;
/** Longest clean-up of either, in ms. */
const cleanUpLimitMs = 60_000;

/** Plays the same histories to both, deletes what that made, and tells what was different; no secret of either is in it. */
export async function givenTheSame(given: GivenTheSame): Promise<Differential> {
  const { first, second, seed, signal } = given;
  const startedAt = performance.now();
  const at = new Date().toISOString();
  const loaded = { first: first.loaded, second };
  const bases = { first: openBase(first.loaded, seed, signal), second: openBase(second, seed, signal) };
  try {
    const refusal = await refusalOf(bases);
    const result = refusal === undefined ? await played(given, loaded, bases, at) : { ...nothing, aborted: refusal };
    const { sessions = [], ...told } = result;
    const differential: Differential = {
      schemaVersion: 1,
      kind: 'differential',
      first: namedParty(loaded.first, '', linesIn(told)),
      second: namedParty(loaded.second, 'SECOND_', linesIn(told)),
      seed,
      runs: given.runs,
      command: given.command,
      startedAt: at,
      durationMs: Math.round(performance.now() - startedAt),
      assumed: given.assumed,
      ...told,
      requests:
        bases.first.requests() +
        bases.second.requests() +
        sessions.reduce((sum, session) => sum + session.client.requests, 0),
    };
    return sessions.reduce((sofar, { secrets }) => secrets.redactAll(sofar, plain), differential);
  } finally {
    await Promise.all([bases.first.close(), bases.second.close()]);
  }
}

type Bases = Readonly<Record<PartyName, Base>>;
type Told = Pick<Differential, 'histories' | 'leftOut' | 'breaches' | 'differences' | 'remains' | 'aborted'> & {
  readonly sessions?: readonly Session[];
};

const nothing: Told = { histories: 0, leftOut: [], breaches: [], differences: [], remains: [] };

/** Why one of the two cannot be asked at all. */
async function refusalOf({ first, second }: Bases): Promise<string | undefined> {
  const [one, two] = await Promise.all([first.preflight(), second.preflight()]);
  if (one !== undefined) return `the first cannot be compared: ${one}`;
  return two === undefined ? undefined : `the second cannot be compared: ${two}`;
}

async function played(
  given: GivenTheSame,
  loaded: Readonly<Record<PartyName, LoadedProfile>>,
  bases: Bases,
  at: string,
): Promise<Told> {
  const { seed, runs, signal } = given;
  await using opened = await openParties(loaded, seed, signal);
  const [lane] = opened.lanes;
  if (lane === undefined) return nothing;
  const sessions = [lane.first.session, lane.second.session];
  const day = at.slice(0, 'YYYY-MM-DD'.length);
  const known = {
    first: declaredOn(day, loaded.first.profile).knownFailures ?? {},
    second: declaredOn(day, loaded.second.profile).knownFailures ?? {},
  };
  const found = await compared(opened, { seed, runs, longestMs, signal, known });
  const remains = await Promise.all([
    remainsOf(given, 'first', bases.first, lane.first.session),
    remainsOf(given, 'second', bases.second, lane.second.session),
  ]);
  const { cut, ...rest } = found;
  return {
    ...rest,
    leftOut: [...opened.leftOut, ...(cut === undefined ? [] : [cut])],
    remains: remains.flat(),
    sessions,
    ...(signal.aborted && { aborted: 'interrupted' }),
  };
}

/** What was found; why it ended early where one of the two stopped answering. */
async function compared(
  { lanes }: Opened,
  options: Parameters<typeof compareParties>[1],
): Promise<Found & Pick<Told, 'aborted'>> {
  try {
    return await compareParties(lanes, options);
  } catch (error) {
    if (options.signal.aborted) return { histories: 0, breaches: [], differences: [], aborted: 'interrupted' };
    if (!(error instanceof PartyFailed)) throw error;
    return {
      histories: 0,
      breaches: [],
      differences: [],
      aborted: `the ${error.party} stopped answering: ${error.message}`,
    };
  }
}

async function remainsOf(
  given: GivenTheSame,
  party: PartyName,
  base: Base,
  session: Session,
): Promise<Differential['remains']> {
  if (party === 'first' && given.first.temporary) return [];
  const made = [...base.booked(), ...booked(session)];
  if (given.keepData) return made.map(({ uri }) => ({ party, uri, reason: 'kept, as --keep-data asked for' }));
  const left = await base.cleanUp(made, AbortSignal.timeout(cleanUpLimitMs));
  return left.map((remaining) => ({ party, ...remaining }));
}

/** Every line for a shell that was told. */
function linesIn({ breaches, differences }: Pick<Told, 'breaches' | 'differences'>): string {
  const lines = [
    ...breaches.flatMap(({ curl }) => curl),
    ...differences.flatMap(({ curl }) => [...curl.first, ...curl.second]),
  ];
  return lines.join('\n');
}

/** The variables of an implementation that the lines use, and those that these are made of. */
function namedParty(loaded: LoadedProfile, prefix: string, lines: string): NamedParty {
  const { implementation, baseUrl } = loaded.profile;
  const own = variablesOf(loaded);
  const names = new Set(Object.keys(own));
  const renamed = (line: string): string =>
    line.replaceAll(/[A-Z][A-Z_]+/g, (name) => (names.has(name) ? prefix + name : name));
  const all = Object.entries(own).map(
    ([name, line]) => [prefix + name, line.startsWith('#') ? `${prefix}${name}= ${line}` : renamed(line)] as const,
  );
  const uses = (text: string, name: string): boolean => new RegExp(`\\$\\{?${name}\\b`).test(text);
  const used = all.filter(([name]) => uses(lines, name));
  const parts = all.filter(([name]) => used.some(([other, line]) => other !== name && uses(line, name)));
  return { implementation, baseUrl, variables: Object.fromEntries([...parts, ...used]) };
}
