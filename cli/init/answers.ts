import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { messageOf } from '../../contract/thrown.ts';
import { baseAddress, type NamedIdentity } from '../values.ts';
import { twofoldIn } from '../../judge/service/roles.ts';
import { UsageError } from '../usage.ts';

/** What the command line of `init` says. */
export interface InitOptions {
  readonly url?: string;
  readonly space?: string;
  readonly participant?: string;
  readonly tokenUrl?: string;
  readonly clientId?: string;
  readonly clientSecretEnv: string;
  readonly publicClient?: true;
  readonly username?: string;
  readonly passwordEnv: string;
  /** Variable with a ready token, in the place of the grant. */
  readonly tokenEnv?: string;
  /** Variable with a personal access token. */
  readonly patEnv?: string;
  readonly identity?: readonly NamedIdentity[];
  /** Variable with the key of bulk uploads, in Base64. */
  readonly adminApiKeyEnv?: string;
  /** Variables with certificates and a key, in PEM. */
  readonly issuerEnv?: string;
  readonly clientCertificateEnv?: string;
  readonly clientKeyEnv?: string;
  readonly proxy?: string;
  readonly hostDirectory?: string;
  readonly name?: string;
  readonly definitionId?: string;
  readonly inputSchemaId?: string;
  readonly outputSchemaId?: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly out: string;
  readonly force?: true;
  readonly yes?: true;
}

/** Everything that cannot be found out. */
export interface Answers {
  readonly url: string;
  readonly space: string;
  readonly username?: string;
  readonly clientId?: string;
  /** Names of environment variables that are set. */
  readonly variables: {
    readonly password?: string;
    readonly clientSecret?: string;
    readonly token?: string;
    readonly pat?: string;
    readonly adminApiKey?: string;
    readonly issuer?: string;
    readonly clientCertificate?: string;
    readonly clientKey?: string;
  };
  /** Further identities, each with the variable of its password, which is set. */
  readonly identities: readonly (NamedIdentity & { readonly variable: string })[];
}

/** Where questions are asked. */
export interface Conversation {
  readonly input: Readable;
  readonly output: Writable;
  /** Whether a person is there to answer. */
  readonly isTerminal: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

type TextName = 'url' | 'space' | 'username' | 'clientId';

interface Question {
  readonly name: TextName;
  readonly flag: string;
  readonly words: string;
}

const aboutTarget: readonly Question[] = [
  { name: 'url', flag: '--url URL', words: 'Address of the deployment before /api, as https://service.example.com' },
  { name: 'space', flag: '--space ID', words: 'Id of a space in which test objects may be made' },
];
const aboutGrant: readonly Question[] = [
  {
    name: 'username',
    flag: '--username NAME',
    words: 'User with an editor role in that space, for the password grant',
  },
  { name: 'clientId', flag: '--client-id ID', words: 'Client id for the token endpoint' },
];

/** The answers of the command line; what it lacks is asked for on a terminal. @throws {UsageError} that names everything still missing */
export async function gatherAnswers(options: InitOptions, conversation: Conversation): Promise<Answers> {
  const questions = options.tokenEnv === undefined ? [...aboutTarget, ...aboutGrant] : aboutTarget;
  const open = questions.filter(({ name }) => options[name] === undefined);
  const asks = conversation.isTerminal && options.yes !== true;
  const said = { ...options, ...(asks ? await ask(open, conversation) : {}) };
  const variables = variablesOf(options);
  const identities = (options.identity ?? []).map((each) => ({ ...each, variable: variableOf(each) }));
  const missing = [
    ...questions
      .filter(({ name }) => said[name] === undefined)
      .map(({ flag, words }) => `  ${flag.padEnd(22)} ${words}`),
    ...Object.entries(variables).flatMap(([kind, name]) =>
      isSet(name, conversation) ? [] : [`  ${`export ${name}=…`.padEnd(22)} ${whatSecret[kind] ?? kind}`],
    ),
    ...identities.flatMap(({ identity, variable }) =>
      isSet(variable, conversation)
        ? []
        : [`  ${`export ${variable}=…`.padEnd(22)} Password of the identity ${identity}`],
    ),
  ];
  const { url, space, username, clientId } = said;
  if (url === undefined || space === undefined || missing.length > 0)
    throw new UsageError(
      `${missing.length === 1 ? 'One answer is' : `${missing.length} answers are`} missing:\n${missing.join('\n')}${insteadOf(options, said)}`,
    );
  const named = Object.fromEntries(identities.map(({ identity, username: of }) => [identity, { username: of }]));
  const twofold = twofoldIn({ ...named, ...(username !== undefined && { editor: { username } }) });
  if (twofold !== undefined) throw new UsageError(`${twofold.sentence}: name another by --identity`);
  return {
    url,
    space,
    ...(username !== undefined && { username }),
    ...(clientId !== undefined && { clientId }),
    variables,
    identities,
  };
}

/** A service that hands out no tokens is asked with one that is there. */
function insteadOf({ tokenEnv }: InitOptions, { username, clientId }: Partial<InitOptions>): string {
  const isOpen = tokenEnv === undefined && (username === undefined || clientId === undefined);
  return isOpen
    ? '\nWith a ready access token in a variable, --token-env NAME takes the place of user, client and secrets.'
    : '';
}

function variableOf({ identity }: NamedIdentity): string {
  return `SVC_${identity.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}_PASSWORD`;
}

/** Asks until an answer can be used; when the input ends, what is open stays open. */
async function ask(
  open: readonly Question[],
  { input, output }: Conversation,
): Promise<Partial<Record<TextName, string>>> {
  const lines = createInterface({ input, output });
  const ended = new AbortController();
  lines.once('close', () => ended.abort());
  const said: Partial<Record<TextName, string>> = {};
  try {
    for (const { name, words } of open) {
      const usable = name === 'url' ? baseAddress : (text: string) => text;
      while (said[name] === undefined) {
        const text = (await lines.question(`${words}: `, { signal: ended.signal })).trim();
        if (text !== '') Object.assign(said, answerOf(name, text, usable, output));
      }
    }
  } catch (error) {
    if (!ended.signal.aborted) throw error;
  } finally {
    lines.close();
  }
  return said;
}

function answerOf(
  name: TextName,
  text: string,
  usable: (text: string) => string,
  output: Writable,
): Partial<Record<TextName, string>> {
  try {
    return { [name]: usable(text) };
  } catch (error) {
    output.write(`${messageOf(error)}\n`);
    return {};
  }
}

function variablesOf({
  tokenEnv,
  patEnv,
  adminApiKeyEnv,
  issuerEnv,
  clientCertificateEnv,
  clientKeyEnv,
  passwordEnv,
  clientSecretEnv,
  publicClient,
}: InitOptions): Answers['variables'] {
  const grant = { password: passwordEnv, ...(publicClient !== true && { clientSecret: clientSecretEnv }) };
  return {
    ...(tokenEnv === undefined ? grant : { token: tokenEnv }),
    ...(patEnv !== undefined && { pat: patEnv }),
    ...(adminApiKeyEnv !== undefined && { adminApiKey: adminApiKeyEnv }),
    ...(issuerEnv !== undefined && { issuer: issuerEnv }),
    ...(clientCertificateEnv !== undefined && { clientCertificate: clientCertificateEnv }),
    ...(clientKeyEnv !== undefined && { clientKey: clientKeyEnv }),
  };
}

function isSet(name: string, { environment }: Conversation): boolean {
  return (environment[name] ?? '') !== '';
}

const whatSecret: Readonly<Record<string, string>> = {
  password: 'Password of the user; another variable with --password-env NAME',
  clientSecret: 'Client secret; another variable with --client-secret-env NAME, or --public-client where there is none',
  token: 'Access token of the editor',
  pat: 'Personal access token of the editor',
  adminApiKey: 'Administration API key in Base64',
  issuer: 'Certificate of whoever signed that of the service, in PEM',
  clientCertificate: 'Certificate that the service asks for, in PEM',
  clientKey: 'Key of that certificate, in PEM',
};
