import { secureContextOf } from '../contract/secure-context.ts';
import { messageOf } from '../contract/thrown.ts';
import { Clean, stdout, writeNew } from './outlet.ts';
import { randomUUID } from 'node:crypto';
import { link, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Answers, type Conversation, gatherAnswers, type InitOptions } from './init/answers.ts';
import { profileText, schemaPlace } from './init/profile-text.ts';
import { UsageError } from './usage.ts';
import { areas } from '../contract/areas.ts';
import type { IdentityName, Profile } from '../contract/profile.ts';
import { isUnanswered } from '../judge/client/failure.ts';
import { unmetNeeds } from '../judge/needs.ts';
import { isObject } from '../judge/json.ts';
import { type Findings, probeDeployment, type StatedType } from '../judge/probe/deployment.ts';
import { leftOutAdvice } from '../judge/probe/links.ts';
import { probe } from '../judge/probe/try-out.ts';
import { type LoadedProfile, profileFrom } from '../judge/profile/load.ts';
import { reach } from '../judge/run/preflight.ts';
import { sentenceAboutGrant, sentenceAboutSilence } from '../judge/run/preflight/sentences.ts';
import { PreconditionFailed } from '../judge/violation.ts';
import { catalogue } from '../suites/catalogue.ts';
import { shellWord } from '../reports/text.ts';
import { complain, incompleteExitCode } from './exit-codes.ts';
import { remainsLines } from './remains.ts';

/** A deployment that cannot be probed; the message says what to change. */
class InitError extends Error {
  readonly code = 'INIT';
}

/** Where token endpoints usually are, tried in turn unless one is named. */
const usualTokenUrls = ['/auth/token', '/oauth/token', '/api/auth/token', '/token', '/oauth2/token'];

const flags: readonly (readonly [string, string])[] = [
  ['auth.tokenUrl', '--token-url'],
  ['auth.clientId', '--client-id'],
  ['auth.clientSecret', 'the client secret in its variable'],
  ['identities.editor.username', '--username'],
  ['identities.editor.password', 'the password in its variable'],
  ['correct baseUrl in the profile', 'correct --url'],
  ['as tls.issuer in the profile', 'in a variable that --issuer-env names'],
  ['tls.certificate and tls.key in the profile', '--client-certificate-env and --client-key-env'],
  ['correct proxy in the profile', 'correct --proxy'],
  ['baseUrl', '--url'],
];

interface Hint {
  readonly hint: string;
  readonly blocked: number;
  /** Rules that lack nothing else. */
  readonly alone: number;
}

/**
 * Writes a first profile of a deployment: asks what it cannot find out, logs in, reads what the deployment says of itself, tries that,
 * and tells what can be tested with it. Resolves with the exit code: 0 written, 3 the deployment cannot be used as stated.
 * @throws {UsageError} answers are missing, or the file may not be written
 */
export async function initCommand(options: InitOptions, conversation: Conversation = ofProcess()): Promise<number> {
  assertWholeType(options);
  await assertFree(options.out, options.force === true);
  const answers = await gatherAnswers(options, conversation);
  try {
    const { loaded, findings, remains, strangers, leftOut, useless } = await found(options, answers, conversation);
    const text = writtenProfile(options, answers, loaded, { ...findings, strangers });
    const { profile } = profileFrom(text, options.out, {
      environment: conversation.environment,
      rules: catalogue.all,
    });
    await putNew(options.out, text, options.force === true);
    say(`Wrote ${options.out}.`);
    const guessed = [...guessedTokenUrl(options, loaded), ...findings.guessed];
    if (guessed.length > 0) say(`Guessed, and seen to work: ${guessed.join('; ')}.`);
    if (options.definitionId === undefined && findings.found.softTypes?.second !== undefined)
      say(
        `Took ${findings.found.softTypes.primary.definitionId} for softTypes.primary, as most can be tested with it: ${byFlags} name another.`,
      );
    if (findings.found.softTypes === undefined)
      say(
        `Found no SoftType, only files: ${whyNoType(findings, answers)}. Where there are none, put into ${options.out}: notSupported: { soft-type: files only }`,
      );
    for (const { definitionId, reason } of findings.refused) say(`Left out ${definitionId}: ${reason}.`);
    for (const sentence of [...useless, ...findings.useless]) say(`Left out: ${sentence}.`);
    if (strangers.length > 0)
      say(
        `Addresses lead to ${strangers.join(', ')} and are not followed: ${options.out} has the line that allows it.`,
      );
    if (leftOut !== undefined) say(`Addresses ${leftOutAdvice(leftOut)}.`);
    for (const line of remainsLines(remains)) say(line);
    testableLines(profile, options.out).forEach(say);
    say(`Next: svc-conformance check --profile ${shellWord(options.out)}`);
    return 0;
  } catch (error) {
    if (error instanceof PreconditionFailed)
      return complain(`nothing was written: this needs ${asFlags(error.needed)}`, incompleteExitCode);
    if (!(error instanceof InitError || isUnanswered(error))) throw error;
    return complain(`nothing was written: ${asFlags(error.message)}`, incompleteExitCode);
  }
}

function ofProcess(): Conversation {
  // oxlint-disable-next-line no-restricted-properties -- questions, before anybody has answered anything
  const { stdin, stderr, env } = process;
  return { input: stdin, output: stderr, isTerminal: stdin.isTTY && stderr.isTTY, environment: env };
}

async function found(options: InitOptions, answers: Answers, { environment }: Conversation) {
  const drafted = draft(options, answers, environment);
  assertTls(drafted.profile);
  const reachable = await loggedIn(drafted, options.tokenUrl);
  const { loaded, useless } = await withUsableIdentities(reachable);
  const { result: findings, remains, ...led } = await probeDeployment(loaded, statedType(options));
  if (JSON.stringify(findings.found).includes('${'))
    throw new InitError(
      'what the deployment says of itself holds ${…}, which a profile would take for an environment variable: write the profile by hand',
    );
  if (findings.found.softTypes === undefined && !isWithoutTypes(options, findings))
    throw new InitError(whyNoType(findings, answers));
  return { loaded, findings, remains, ...led, useless };
}

/** @throws {UsageError} the certificates cannot be used */
function assertTls({ tls }: Profile): void {
  try {
    if (tls !== undefined) secureContextOf(tls);
  } catch (error) {
    throw new UsageError(
      `The certificates cannot be used (${messageOf(error)}): expected in each variable the text of a PEM file, and the key of the certificate.`,
    );
  }
}

/** The profile as far as it is known by the answers, with secrets from the environment. */
function draft(options: InitOptions, answers: Answers, environment: Conversation['environment']): LoadedProfile {
  const secrets = Object.fromEntries(
    Object.entries(answers.variables).map(([kind, name]) => [kind, environment[name] ?? '']),
  );
  const passwordOf = (variable: string): string => environment[variable] ?? '';
  return { profile: stated(options, answers, secrets, passwordOf), source: 'the command line', variables: {} };
}

function stated(
  options: InitOptions,
  answers: Answers,
  secrets: Readonly<Partial<Record<keyof Answers['variables'], string>>>,
  passwordOf: (variable: string) => string,
): Profile {
  const { url, space, username, clientId } = answers;
  const { password, clientSecret, token, pat, adminApiKey, issuer, clientCertificate, clientKey } = secrets;
  const tls = {
    ...(issuer !== undefined && { issuer }),
    ...(clientCertificate !== undefined && { certificate: clientCertificate }),
    ...(clientKey !== undefined && { key: clientKey }),
  };
  return {
    profileVersion: 1,
    implementation: options.name ?? new URL(url).hostname,
    baseUrl: url,
    ...(Object.keys(tls).length > 0 && { tls }),
    ...(options.proxy !== undefined && { proxy: options.proxy }),
    space,
    ...(options.participant !== undefined && { participant: options.participant }),
    ...(token === undefined && {
      auth: { ...(clientId !== undefined && { clientId }), ...(clientSecret !== undefined && { clientSecret }) },
    }),
    identities: {
      editor: {
        ...(username !== undefined && { username }),
        ...(token === undefined && password !== undefined && { password }),
        ...(token !== undefined && { token }),
        ...(pat !== undefined && { pat }),
      },
      ...Object.fromEntries(
        answers.identities.map(({ identity, username: name, variable }) => [
          identity,
          { username: name, password: passwordOf(variable) },
        ]),
      ),
    },
    ...((adminApiKey !== undefined || options.hostDirectory !== undefined) && {
      bulk: {
        ...(adminApiKey !== undefined && { adminApiKey }),
        ...(options.hostDirectory !== undefined && { hostDirectory: { path: options.hostDirectory } }),
      },
    }),
    informationFilter: { default: {} },
  };
}

function statedType({ definitionId, inputSchemaId, outputSchemaId, body }: InitOptions): StatedType | undefined {
  if (definitionId === undefined || inputSchemaId === undefined || outputSchemaId === undefined) return undefined;
  return { definitionId, inputSchemaId, outputSchemaId, ...(body && { body }) };
}

const typeFlags = [
  ['definitionId', '--definition-id'],
  ['inputSchemaId', '--input-schema-id'],
  ['outputSchemaId', '--output-schema-id'],
] as const;

/** A SoftType of which a part is stated would be looked for as if nothing were. @throws {UsageError} parts are missing */
function assertWholeType(options: InitOptions): void {
  const missing = typeFlags.filter(([key]) => options[key] === undefined).map(([, flag]) => flag);
  if (missing.length === 0 || (missing.length === typeFlags.length && options.body === undefined)) return;
  throw new UsageError(`A SoftType is named by ${byFlags} together; add ${missing.join(', ')}.`);
}

/** The same with `${NAME}` in the place of each secret, and what was found. */
function writtenProfile(
  options: InitOptions,
  answers: Answers,
  { profile }: LoadedProfile,
  { found, strangers }: Findings & { readonly strangers: readonly string[] },
): string {
  const names = [...Object.values(answers.variables), ...answers.identities.map(({ variable }) => variable)];
  const placeholders = Object.fromEntries(
    Object.entries(answers.variables).map(([kind, name]) => [kind, `\${${name}}`]),
  );
  const all = stated(options, answers, placeholders, (variable) => `\${${variable}}`);
  const usable = Object.entries(all.identities).filter(([name]) => name in profile.identities);
  const identities = { editor: all.identities.editor, ...Object.fromEntries(usable) };
  // what was stated for bulk uploads is written where it was seen to work
  const { bulk: statedBulk, ...open } = { ...all, identities };
  const tokenUrl = profile.auth?.tokenUrl;
  const whole = {
    ...open,
    ...(open.auth && { auth: { ...(tokenUrl !== undefined && { tokenUrl }), ...open.auth } }),
    ...found,
    ...(found.bulk && statedBulk && { bulk: { ...found.bulk, ...statedBulk } }),
  };
  return profileText(whole, [
    `yaml-language-server: $schema=${schemaPlace(options.out)}`,
    `Written by svc-conformance init. Secrets come from the environment: ${names.join(', ')}.`,
    ...(strangers.length === 0
      ? []
      : [
          `allowHosts: [${strangers.join(', ')}] # addresses lead there; the first # goes where that is the same service`,
        ]),
  ]);
}

/** Whether files are there, and nothing that would be a SoftType: none was asked for, and no route of theirs refused. */
function isWithoutTypes({ definitionId }: InitOptions, { found: { files }, refused, openApi }: Findings): boolean {
  return (
    definitionId === undefined && files !== undefined && refused.length === 0 && ![401, 403].includes(openApi.status)
  );
}

const byFlags = '--definition-id, --input-schema-id, --output-schema-id and --body';

function whyNoType({ openApi, refused }: Findings, { space }: Answers): string {
  const place = `${openApi.exchange.request.method} ${openApi.exchange.request.url}`;
  const [first] = refused;
  if (first !== undefined) {
    const reasons = refused.map(({ definitionId, reason }) => `${definitionId} (${reason})`).join(', ');
    const byUser = 'a user with --username whose role there may create';
    const byType = `a SoftType with ${byFlags}`;
    const isForbidden = refused.some(({ reply }) => reply?.status === 401 || reply?.status === 403);
    const advice = isForbidden ? `${byUser}, or ${byType}` : `${byType} that it takes, or ${byUser}`;
    return `no object could be created and read back in the space "${space}": ${reasons}: name ${advice}`;
  }
  if (openApi.status === 401) return `${place} answered 401: the deployment does not accept the token of the editor`;
  if (openApi.status >= 400)
    return `${place} answered ${openApi.status}: correct --space ("${space}") or the role of the user in it, or name a SoftType with ${byFlags} where no OpenAPI is served`;
  return `${place} answered ${openApi.status} without the create and read routes of a SoftType: correct --url, or name a SoftType with ${byFlags}`;
}

function say(line: string): void {
  stdout.write(`${line}\n`);
}

/** @throws {UsageError} the file is there and may not be replaced, or its folder is not there */
async function assertFree(file: string, force: boolean): Promise<void> {
  if (!(await stat(dirname(file)).catch(() => undefined))?.isDirectory())
    throw new UsageError(`There is no folder ${dirname(file)}; make it, or name another file with --out.`);
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory()) throw new UsageError(`${file} is a folder; name a file with --out.`);
  if (found !== undefined && !force) throw existing(file);
}

/** Writes a file whole or not at all. @throws {UsageError} it is there and may not be replaced, or its folder cannot be written */
async function putNew(file: string, text: string, force: boolean): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    writeNew(draft, Clean.own(text), { flag: 'wx' });
    await (force ? rename(draft, file) : link(draft, file));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw code === 'EEXIST'
      ? existing(file)
      : new UsageError(`Cannot write ${file} (${code}); name another file with --out.`);
  } finally {
    await rm(draft, { force: true });
  }
}

function existing(file: string): UsageError {
  return new UsageError(`${file} is there already; name another file with --out, or replace it with --force.`);
}

/** Which groups of rules a profile makes testable, which not, and the line that would unlock each; as lines to print. */
function testableLines(profile: Profile, file: string): readonly string[] {
  const judged = catalogue.all.map((rule) => ({ rule, hints: unmetNeeds(rule, profile).map(({ hint }) => hint) }));
  const isTestable = ({ hints }: (typeof judged)[number]): boolean => hints.length === 0;
  const byArea = areas.map((area) => {
    const own = judged.filter(({ rule }) => rule.area === area);
    return { area, all: own.length, testable: own.filter(isTestable).length };
  });
  const hints = [...new Set(judged.flatMap((each) => each.hints))].map((hint) => ({
    hint,
    blocked: judged.filter((each) => each.hints.includes(hint)).length,
    alone: judged.filter((each) => each.hints.length === 1 && each.hints[0] === hint).length,
  }));
  return [
    `Testable now: ${judged.filter(isTestable).length} of ${judged.length} rules.`,
    ...byArea
      .filter(({ testable }) => testable > 0)
      .map(({ area, testable, all }) => `  ${area.padEnd(16)} ${testable} of ${all}`),
    ...unlockLines(
      hints,
      byArea.filter(({ testable, all }) => testable === 0 && all > 0).map(({ area }) => area),
      file,
    ),
  ];
}

/** More would push what was written off the screen. */
const mostHints = 12;

function unlockLines(hints: readonly Hint[], closed: readonly string[], file: string): readonly string[] {
  if (hints.length === 0) return [];
  const sorted = hints.toSorted((a, b) => b.alone - a.alone || b.blocked - a.blocked);
  return [
    ...(closed.length === 0 ? [] : [`Not testable yet: ${closed.join(', ')}.`]),
    'What would unlock more (rules by this alone / rules that need it):',
    ...sorted
      .slice(0, mostHints)
      .map(({ hint, alone, blocked }) => `  ${`${alone} / ${blocked}`.padStart(9)}  ${hint}`),
    ...(sorted.length > mostHints
      ? [
          `  and ${sorted.length - mostHints} more: svc-conformance doctor --profile ${shellWord(file)} lists all, and what to write for what is not offered`,
        ]
      : []),
  ];
}

/** The profile with the token endpoint that answers its editor. @throws {InitError} nobody answers, or the editor gets no token */
async function loggedIn(loaded: LoadedProfile, tokenUrl: string | undefined): Promise<LoadedProfile> {
  if (loaded.profile.identities.editor.token !== undefined) return reached(loaded);
  const told: string[] = [];
  let isNowhere = true;
  for (const url of tokenUrl === undefined ? usualTokenUrls : [tokenUrl]) {
    const tried = withTokenUrl(loaded, url);
    const outcome = await granted(tried);
    if (outcome === undefined) return tried;
    if (!outcome.isElsewhere || tokenUrl !== undefined)
      throw new InitError(`${outcome.isSilent ? '' : `at ${url}, `}${asFlags(outcome.sentence)}`);
    told.push(`${url} (${outcome.status})`);
    isNowhere &&= outcome.status === 404;
  }
  const behind = isNowhere ? 'add the path to --url where a gateway keeps the service behind one, or ' : '';
  const hint = withoutApi(loaded.profile.baseUrl) || behind;
  throw new InitError(
    `no usual place below ${loaded.profile.baseUrl} gave the editor a token: ${told.join(', ')}: ${hint}name the token endpoint with --token-url, or a ready token with --token-env, or correct --username and the password in its variable`,
  );
}

/** The address of the API is often at hand where the one before it is wanted. */
function withoutApi(baseUrl: string): string {
  const before = /^(.*)\/api(?:\/|$)/.exec(baseUrl)?.[1];
  return before === undefined ? '' : `routes begin with /api, so try --url ${before}; else `;
}

/** What was tried before the token endpoint that works. */
function guessedTokenUrl({ tokenUrl }: InitOptions, { profile }: LoadedProfile): readonly string[] {
  const found = profile.auth?.tokenUrl;
  if (tokenUrl !== undefined || found === undefined) return [];
  const before = usualTokenUrls.slice(0, usualTokenUrls.indexOf(found));
  return [`auth.tokenUrl (${found}${before.length === 0 ? '' : `, after ${before.join(', ')}`})`];
}

/** The profile without the identities beside the editor that get no token, and why each is left out. */
async function withUsableIdentities(
  loaded: LoadedProfile,
): Promise<{ readonly loaded: LoadedProfile; readonly useless: readonly string[] }> {
  const { editor, ...others } = loaded.profile.identities;
  const useless: string[] = [];
  const usable: Partial<Profile['identities']> = {};
  for (const [name, identity] of Object.entries(others)) {
    const outcome = await granted(loaded, name as IdentityName);
    if (outcome === undefined) Object.assign(usable, { [name]: identity });
    else useless.push(`identities.${name}: ${outcome.sentence}`);
  }
  return { loaded: { ...loaded, profile: { ...loaded.profile, identities: { editor, ...usable } } }, useless };
}

async function reached(loaded: LoadedProfile): Promise<LoadedProfile> {
  const { result: sentence } = await probe(loaded, (context) => reach(context));
  if (sentence !== undefined) throw new InitError(asFlags(sentence));
  return loaded;
}

function withTokenUrl(loaded: LoadedProfile, tokenUrl: string): LoadedProfile {
  const profile: Profile = { ...loaded.profile, auth: { ...loaded.profile.auth, tokenUrl } };
  return { ...loaded, profile };
}

interface Ungranted {
  readonly sentence: string;
  /** Whether the endpoint may be at another address: a service may refuse every route that it does not know. */
  readonly isElsewhere: boolean;
  readonly isSilent: boolean;
  readonly status?: number;
}

/** Undefined when there is a token. */
async function granted(loaded: LoadedProfile, name: IdentityName = 'editor'): Promise<Ungranted | undefined> {
  const { result } = await probe(loaded, async ({ service, profile }): Promise<Ungranted | undefined> => {
    try {
      await service.token(name);
      return undefined;
    } catch (error) {
      if (!(error instanceof PreconditionFailed) || error.reply === undefined)
        return { sentence: sentenceAboutSilence(error, profile.all), isElsewhere: false, isSilent: true };
      const { status, json } = error.reply;
      return {
        sentence: sentenceAboutGrant(error.reply, name),
        isElsewhere: [404, 405].includes(status) || ([400, 401, 403].includes(status) && !isOfTokenEndpoint(json)),
        isSilent: false,
        status,
      };
    }
  });
  return result;
}

/** Whether a token endpoint refused: with a code of the grant, where frameworks write "Unauthorized" and what guards an API a code of bearer tokens. */
function isOfTokenEndpoint(json: unknown): boolean {
  const code = isObject(json) && typeof json['error'] === 'string' ? json['error'] : '';
  return /^[a-z]+(?:_[a-z]+)+$/.test(code) && !['invalid_token', 'insufficient_scope'].includes(code);
}

/** A sentence about a profile, told to somebody who has none yet. */
function asFlags(sentence: string): string {
  return flags.reduce((text, [key, flag]) => text.replaceAll(key, flag), sentence);
}
