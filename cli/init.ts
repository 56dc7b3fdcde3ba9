import { catalogue } from '../suites/catalogue.ts';
import type { Profile, SoftTypeProfile } from '../contract/profile.ts';
import { probedDeployment, type Findings } from '../judge/probe/deployment.ts';
import { profileFrom, type LoadedProfile } from '../judge/profile/load.ts';
import { plain } from '../judge/plain-text.ts';
import { TargetUnreachable, ConnectionLost, NoAnswer } from '../judge/client/failure.ts';
import { gatherAnswers, type Answers, type Conversation, type InitOptions } from './init/answers.ts';
import { asFlags, InitError, loggedIn } from './init/log-in.ts';
import { profileText, schemaPlace } from './init/profile-text.ts';
import { testableLines } from './init/testable.ts';
import { assertFree, writeNew } from './init/write-new.ts';

const failedExitCode = 3;

/**
 * Writes a first profile of a deployment: asks what it cannot find out, logs in, reads what the deployment says of itself, tries that,
 * and tells what can be tested with it. Resolves with the exit code: 0 written, 3 the deployment cannot be used as stated.
 * @throws {UsageError} answers are missing, or the file may not be written
 */
export async function initCommand(options: InitOptions, conversation: Conversation = ofProcess()): Promise<number> {
  await assertFree(options.out, options.force === true);
  const answers = await gatherAnswers(options, conversation);
  try {
    const { loaded, findings, remains } = await found(options, answers, conversation);
    const text = writtenProfile(options, answers, loaded, findings);
    const { profile } = profileFrom(text, options.out, {
      environment: conversation.environment,
      ruleIds: catalogue.ids,
    });
    await writeNew(options.out, text, options.force === true);
    say(`Wrote ${options.out}.`);
    for (const { definitionId, reason } of findings.refused) say(plain(`Left out ${definitionId}: ${reason}.`));
    for (const { uri, reason } of remains) say(plain(`Not deleted: ${uri} (${reason}).`));
    testableLines(profile).forEach(say);
    say(`Next: svc-conformance check --profile ${options.out}`);
    return 0;
  } catch (error) {
    if (!isAboutTarget(error)) throw error;
    process.stderr.write(`svc-conformance: nothing was written: ${plain(asFlags(error.message))}\n`);
    return failedExitCode;
  }
}

function ofProcess(): Conversation {
  const { stdin, stderr, env } = process;
  return { input: stdin, output: stderr, isTerminal: stdin.isTTY && stderr.isTTY, environment: env };
}

function isAboutTarget(error: unknown): error is Error {
  return (
    error instanceof InitError ||
    error instanceof TargetUnreachable ||
    error instanceof ConnectionLost ||
    error instanceof NoAnswer
  );
}

async function found(options: InitOptions, answers: Answers, { environment }: Conversation) {
  const loaded = await loggedIn(draft(options, answers, environment), options.tokenUrl);
  const { result: findings, remains } = await probedDeployment(loaded, statedType(options));
  if (JSON.stringify(findings.found).includes('${'))
    throw new InitError(
      'what the deployment says of itself holds ${…}, which a profile would take for an environment variable: write the profile by hand',
    );
  if (findings.found.softTypes === undefined) throw new InitError(whyNoType(findings, answers));
  return { loaded, findings, remains };
}

/** The profile as far as it is known by the answers, with secrets from the environment. */
function draft(options: InitOptions, answers: Answers, environment: Conversation['environment']): LoadedProfile {
  const secrets = Object.fromEntries(
    Object.entries(answers.variables).map(([kind, name]) => [kind, environment[name] ?? '']),
  );
  return { profile: stated(options, answers, secrets), source: 'the command line', variables: {} };
}

function stated(
  options: InitOptions,
  answers: Answers,
  secrets: Readonly<Partial<Record<keyof Answers['variables'], string>>>,
): Profile {
  const { url, space, username, clientId } = answers;
  const { password, clientSecret, token, pat } = secrets;
  return {
    profileVersion: 1,
    implementation: options.name ?? new URL(url).hostname,
    baseUrl: url,
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
    },
    informationFilter: { default: {} },
  };
}

function statedType({
  definitionId,
  inputSchemaId,
  outputSchemaId,
  body = {},
}: InitOptions): SoftTypeProfile | undefined {
  if (definitionId === undefined || inputSchemaId === undefined || outputSchemaId === undefined) return undefined;
  return { definitionId, inputSchemaId, outputSchemaId, body };
}

/** The same with `${NAME}` in the place of each secret, and what was found. */
function writtenProfile(
  options: InitOptions,
  answers: Answers,
  { profile }: LoadedProfile,
  { found }: Findings,
): string {
  const names = Object.values(answers.variables);
  const placeholders = Object.fromEntries(
    Object.entries(answers.variables).map(([kind, name]) => [kind, `\${${name}}`]),
  );
  const open = stated(options, answers, placeholders);
  const tokenUrl = profile.auth?.tokenUrl;
  const whole = {
    ...open,
    ...(open.auth && { auth: { ...(tokenUrl !== undefined && { tokenUrl }), ...open.auth } }),
    ...found,
  };
  return profileText(whole, [
    `yaml-language-server: $schema=${schemaPlace(options.out)}`,
    `Written by svc-conformance init. Secrets come from the environment: ${names.join(', ')}.`,
  ]);
}

const byFlags = '--definition-id, --input-schema-id, --output-schema-id and --body';

function whyNoType({ openApi, refused }: Findings, { space }: Answers): string {
  const place = `${openApi.exchange.request.method} ${openApi.exchange.request.url}`;
  const [first] = refused;
  if (first !== undefined) {
    const reasons = refused.map(({ definitionId, reason }) => `${definitionId} (${reason})`).join(', ');
    return `no object could be created and read back in the space "${space}": ${reasons}: name a user with --username whose role there may create, or a SoftType with ${byFlags}`;
  }
  if (openApi.status === 401) return `${place} answered 401: the deployment does not accept the token of the editor`;
  if (openApi.status >= 400)
    return `${place} answered ${openApi.status}: correct --space ("${space}") or the role of the user in it, or name a SoftType with ${byFlags} where no OpenAPI is served`;
  return `${place} answered ${openApi.status} without the create and read routes of a SoftType: correct --url, or name a SoftType with ${byFlags}`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
