import { Clean, stdout, tell, writeDocument } from '../outlet.ts';
import { withoutCredentials } from '../../contract/credentials.ts';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { declaredOn } from '../../api/declarations.ts';
import { type Deployment, openDeployment, startReference } from '../../api/deployment.ts';
import { flagOf } from '../check/flags-together.ts';
import { onInterrupt } from '../check/interrupt.ts';
import type { CheckOptions } from '../options.ts';
import { UsageError } from '../usage.ts';
import { withoutSlash } from '../../contract/address.ts';
import type { Profile } from '../../contract/profile.ts';
import { variablesOf } from '../../judge/curl/variables.ts';
import { compareParties, type Found } from '../../judge/differential/differential.ts';
import { type Opened, openParties } from '../../judge/differential/party.ts';
import { PartyFailed } from '../../judge/differential/play.ts';
import type { Differential, NamedParty, PartyName } from '../../judge/differential/result.ts';
import { toPlainText } from '../../judge/describe.ts';
import { type LoadedProfile, loadProfile } from '../../judge/profile/load.ts';
import { ProfileError } from '../../judge/profile/document.ts';
import { Base } from '../../judge/run/base.ts';
import { booked, type Session } from '../../judge/run/session.ts';
import { differentialReport } from '../../reports/differential.ts';
import { markdownText } from '../../reports/markdown.ts';
import { pageText } from '../../reports/page/page.ts';
import { terminalText } from '../../reports/terminal.ts';
import { printableJson, shellWord } from '../../reports/text.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { incompleteExitCode, usageExitCode, violatedExitCode } from '../exit-codes.ts';
import { isAddress } from '../values.ts';

/** Two implementations and what they are given. */
interface GivenTheSame {
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

type Bases = Readonly<Record<PartyName, Base>>;

type Told = Pick<Differential, 'histories' | 'leftOut' | 'breaches' | 'differences' | 'remains' | 'aborted'> & {
  readonly sessions?: readonly Session[];
};

const nothing: Told = { histories: 0, leftOut: [], breaches: [], differences: [], remains: [] };

/** The second implementation, and what is taken for granted about it. */
interface Second {
  readonly loaded: LoadedProfile;
  readonly assumed: readonly string[];
}

const defaultRuns = 20;

/** Documents that two implementations beside each other can be made into. */
const writers: Readonly<Record<string, (differential: Differential) => string>> = {
  json: printableJson,
  markdown: (differential) => markdownText(differentialReport(differential), { longestLine: 2000 }),
  html: (differential) => {
    const report = differentialReport(differential);
    return pageText(report.title, [report]);
  },
};

/**
 * Gives the deployment of the profile, or the bundled reference server, and a second one the same requests, and prints what is different.
 * Resolves with 1 where either breaks a rule, 2 where options or a profile cannot be used, 3 where either cannot be reached, else 0.
 */
export async function againstCommand(options: CheckOptions, against: string): Promise<number> {
  try {
    assertUsable(options);
    using interrupt = onInterrupt();
    await using first = await firstOf(options.profile);
    const { loaded, assumed } = await openSecond(against, first.loaded, options.againstToken);
    const { seed = randomInt(2 ** 31), runs = defaultRuns } = options;
    const differential = Clean.of(
      await givenTheSame({
        first,
        second: loaded,
        assumed,
        seed,
        runs,
        command: commandOf(options, against, seed, runs),
        keepData: options.keepData === true,
        signal: interrupt.signal,
      }),
    );
    write(options, differential);
    stdout.write(differential.map((told) => terminalText(differentialReport(told))));
    return exitCodeOf(differential.value);
  } catch (error) {
    if (!(error instanceof ProfileError || error instanceof UsageError)) throw error;
    tell(error.message);
    return usageExitCode;
  }
}

async function firstOf(profile: string | undefined): Promise<Deployment> {
  return profile === undefined ? startReference() : openDeployment(profile);
}

/** What selects rules of one implementation, or counts its verdicts. */
const aboutOne: readonly (keyof CheckOptions)[] = [
  'areas',
  'rules',
  'level',
  'shard',
  'failOn',
  'maxWarnings',
  'require',
  'onlyChangedSince',
  'updateKnown',
  'bail',
  'time',
  'timeBudget',
  'watch',
  'concurrency',
];

/** @throws {UsageError} what selects rules or counts verdicts says nothing about two implementations */
function assertUsable(options: CheckOptions): void {
  const stated = aboutOne.find((name) => options[name] !== undefined);
  if (stated !== undefined)
    throw new UsageError(
      `--${flagOf(stated)} is about the rules of one implementation and does not go with --against; leave it out`,
    );
  const format = options.report?.find((request) => writers[request.format] === undefined)?.format;
  if (format !== undefined)
    throw new UsageError(
      `--report ${format} is about one implementation; with --against there are ${Object.keys(writers).join(', ')}`,
    );
}

function write({ out, report = [] }: CheckOptions, differential: Clean<Differential>): void {
  const always = [
    { format: 'json', file: join(out, 'against.json') },
    { format: 'markdown', file: join(out, 'against.md') },
    { format: 'html', file: join(out, 'against.html') },
  ];
  for (const { format, file } of [...always, ...report]) {
    const writer = writers[format];
    if (writer !== undefined) writeDocument(file, differential.map(writer));
  }
}

function exitCodeOf({ aborted, breaches }: Differential): number {
  if (aborted !== undefined) return incompleteExitCode;
  return breaches.some(({ known }) => known === undefined) ? violatedExitCode : 0;
}

/** The command that does it again; the token is not in it. */
function commandOf({ profile }: CheckOptions, against: string, seed: number, runs: number): string {
  const first = profile === undefined ? [] : ['--profile', shellWord(withoutCredentials(profile))];
  return [
    'svc-conformance check',
    ...first,
    '--against',
    shellWord(withoutCredentials(against)),
    '--seed',
    String(seed),
    '--runs',
    String(runs),
  ].join(' ');
}

/**
 * The profile of the second implementation: read from a file, or from an address that ends in .yaml or .yml; any other address is its base URL,
 * and the rest is as the profile of the first has it. @throws {ProfileError | UsageError}
 * @param token access token of its editor, in the place of the credentials
 */
async function openSecond(against: string, first: LoadedProfile, token: string | undefined): Promise<Second> {
  if (isBaseUrl(against)) return atUrl(withoutSlash(against), first, token);
  const loaded = await loadProfile(against, { rules: catalogue.all });
  if (token === undefined) return { loaded, assumed: [] };
  return { loaded: withToken(loaded, token), assumed: ['the editor of the second has the token of --against-token'] };
}

function isBaseUrl(against: string): boolean {
  if (!isAddress(against)) return false;
  if (!URL.canParse(against)) throw new UsageError(`--against: expected a profile or an address, found ${against}`);
  return !/\.ya?ml$/.test(new URL(against).pathname);
}

function atUrl(baseUrl: string, first: LoadedProfile, token: string | undefined): Second {
  const { time: _time, restart: _restart, probes: _probes, knownFailures: _known, ...rest } = first.profile;
  const profile: Profile = {
    ...rest,
    implementation: `the service at ${withoutCredentials(baseUrl)}`,
    baseUrl,
    ...(rest.auth !== undefined && { auth: movedAuth(rest.auth, rest.baseUrl, baseUrl) }),
  };
  const loaded = { ...first, profile, source: withoutCredentials(baseUrl) };
  const same = 'SoftTypes, space and routes of the second are those of the profile of the first';
  if (token !== undefined)
    return { loaded: withToken(loaded, token), assumed: [same, 'its editor has the token of --against-token'] };
  return { loaded, assumed: [same, 'its identities have the same credentials, which are sent there'] };
}

/** A token endpoint below the address of the first is looked for at the same place of the second. */
function movedAuth(auth: NonNullable<Profile['auth']>, from: string, to: string): NonNullable<Profile['auth']> {
  const { tokenUrl } = auth;
  return tokenUrl?.startsWith(from) === true ? { ...auth, tokenUrl: to + tokenUrl.slice(from.length) } : auth;
}

/** The editor alone, who is known by that token. */
function withToken(loaded: LoadedProfile, token: string): LoadedProfile {
  const { auth: _auth, ...rest } = loaded.profile;
  return { ...loaded, profile: { ...rest, identities: { editor: { token } } }, variables: {} };
}

/** Plays the same histories to both, deletes what that made, and tells what was different; no secret of either is in it. */
async function givenTheSame(given: GivenTheSame): Promise<Differential> {
  const { first, second, seed, signal } = given;
  const startedAt = performance.now();
  const at = new Date().toISOString();
  const loaded = { first: first.loaded, second };
  const bases = {
    first: new Base({ loaded: first.loaded, seed }, signal),
    second: new Base({ loaded: second, seed }, signal),
  };
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
    return sessions.reduce((sofar, { secrets }) => secrets.redactAll(sofar, toPlainText), differential);
  } finally {
    await Promise.all([bases.first.close(), bases.second.close()]);
  }
}

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
  const known = {
    first: declaredOn(at, loaded.first.profile).knownFailures,
    second: declaredOn(at, loaded.second.profile).knownFailures,
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
  if (given.keepData)
    return made.map(({ uri }) => ({ party, uri: base.redact(uri), reason: 'kept, as --keep-data asked for' }));
  const left = await base.cleanUp(made);
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
  return { implementation, baseUrl: withoutCredentials(baseUrl), variables: Object.fromEntries([...parts, ...used]) };
}
