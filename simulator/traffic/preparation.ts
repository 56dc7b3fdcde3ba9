import { createHmac } from 'node:crypto';
import { jsonOf } from '../../contract/json.ts';
import type { Profile } from '../../contract/profile.ts';
import { envOf, type Send } from './drive.ts';
import type { EngineSetup } from './engine.ts';
import type { Ground } from './ground.ts';
import { endsWithNext, prepareObjects, sharesOf, tryBatch } from './journeys/prepare.ts';
import { usualObjects, type Mix } from './mix.ts';
import { reasonsOf, selectJourneys } from './needs.ts';
import { noAnswer } from './results.ts';
import type { HttpStep, Result, Step } from './step.ts';

/** The load cannot begin: what the service answered, or why it did not. */
export class PreparationFailed extends Error {
  override readonly name = 'PreparationFailed';
}

const hourSeconds = 3600;
const digests: Readonly<Record<string, string>> = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' };

/** With what the load begins. */
export interface LoadPreparation {
  readonly ground: Ground;
  /** Without the journeys that the profile does not allow. */
  readonly mix: Mix;
  /** Sentences for the report. */
  readonly remarks: readonly string[];
}

/** What was opened for the load. */
export interface Found {
  readonly ground: Partial<Ground>;
  /** Why a journey goes without something although the profile names it. */
  readonly problems: Parameters<typeof reasonsOf>[0];
  /** Asks for another token of the editor, where the one that is known has ended. */
  readonly replaceToken: () => Promise<void>;
}

const oneTokenAtATime = 'a token ends there when the same user is granted another one';

/** Makes and finds out what the journeys of the setup need, and leaves out those that the profile does not allow. @throws {PreparationFailed} */
export async function prepareLoad(
  profile: Profile,
  setup: EngineSetup,
  send: Send,
  { ground, problems, replaceToken }: Found,
): Promise<LoadPreparation> {
  const token = setup.authorizationOf('editor').replace(/^Bearer /, '');
  const expiredToken = expiredTokenFrom(profile, token);
  const known: Ground = {
    ...setup.ground,
    ...ground,
    ...(expiredToken !== undefined && { expiredToken }),
  };
  const { mix, remarks } = selectJourneys(setup.mix, known, reasonsOf(problems));
  if (Object.keys(mix.journeys).length === 0 && mix.own === undefined)
    throw new PreparationFailed(`No journey of the mix can be made with this profile. ${remarks.join(' ')}`);
  const preparation = await prepareGround({ ...setup, mix }, send, mix.objects ?? usualObjects);
  const prepared = { ...known, ...preparation.ground };
  if (!(await endTokens({ ...setup, ground: prepared, mix }, send)))
    return { mix, ground: prepared, remarks: [...remarks, ...preparation.remarks] };
  await replaceToken();
  const { grant: _ends, ...lasting } = prepared;
  const again = selectJourneys(setup.mix, lasting, reasonsOf({ ...problems, grant: oneTokenAtATime }));
  return { ...again, ground: lasting, remarks: [...again.remarks, ...preparation.remarks] };
}

/** Whether the tokens that some of the journeys ask for end those of all others. */
async function endTokens(setup: EngineSetup, send: Send): Promise<boolean> {
  const { objects } = setup.ground;
  if (setup.mix.journeys['gate-keeper'] === undefined) return false;
  return driveSteps(endsWithNext(envOf(setup, -1, 0), objects[0]), send);
}

/** Makes the objects, and finds out how a batch names them. @param count objects that are made. @throws {PreparationFailed} */
async function prepareGround(
  setup: EngineSetup,
  send: Send,
  count: number,
): Promise<Pick<LoadPreparation, 'remarks'> & { readonly ground: Pick<Ground, 'objects' | 'batchHrefPrefix'> }> {
  const made = await Promise.all(sharesOf(count).map((share) => driveShare(setup, send, share)));
  const objects = made.flat();
  const [user] = sharesOf(count);
  const ended = await driveSteps(tryBatch(envOf(setup, user?.user ?? 0, 0), objects[0]), send);
  return { ground: { objects, ...ended.ground }, remarks: remarksOn(ended.refused) };
}

/** What is said of a service that takes no batch, whatever form its hrefs have. @param refused statuses, where none passed */
export function remarksOn(refused: readonly number[] | undefined): readonly string[] {
  if (refused === undefined) return [];
  const found = refused.map((status) => (status === 0 ? 'no answer' : status)).join(', ');
  return [
    `No batch passed when each form of href was tried (found ${found}); batch.hrefForm in the profile says which one to send.`,
  ];
}

async function driveShare(
  setup: EngineSetup,
  send: Send,
  { user, count }: ReturnType<typeof sharesOf>[number],
): Promise<Ground['objects']> {
  const { objects, problem } = await driveSteps(prepareObjects(envOf(setup, user, 0), count), send);
  if (problem === undefined) return objects;
  throw new PreparationFailed(problem);
}

/** Sends what it asks for until it ends. */
async function driveSteps<T>(generator: Generator<Step, T, Result>, send: Send): Promise<T> {
  let next = generator.next();
  while (next.done !== true)
    next = generator.next(next.value.kind === 'http' ? await answerTo(next.value, send) : noAnswer);
  return next.value;
}

async function answerTo(step: HttpStep, send: Send): Promise<Result> {
  const { result, error } = await send(step);
  return error === undefined ? result : { ...result, error };
}

/**
 * A genuine token past its expiry: that of the profile, else this one, an hour old and signed anew with the key that the profile discloses.
 * Undefined where there is neither, or where the token is not signed by that key.
 */
export function expiredTokenFrom({ auth }: Pick<Profile, 'auth'>, token: string | null): string | undefined {
  if (auth?.expiredToken !== undefined) return auth.expiredToken;
  const [header = '', payload = '', signature] = token?.split('.') ?? [];
  const digest = digests[textIn(header, 'alg')];
  if (auth?.signingKey === undefined || digest === undefined) return undefined;
  const sign = (key: Buffer, text: string): string => createHmac(digest, key).update(text).digest('base64url');
  const key = keysIn(auth.signingKey, auth.signingKeyForm).find(
    (one) => sign(one, `${header}.${payload}`) === signature,
  );
  if (key === undefined) return undefined;
  const nowSeconds = Math.floor(Date.now() / 1000);
  const old = { ...jsonIn(payload), iat: nowSeconds - 2 * hourSeconds, exp: nowSeconds - hourSeconds };
  const signed = `${header}.${Buffer.from(JSON.stringify(old)).toString('base64url')}`;
  return `${signed}.${sign(key, signed)}`;
}

function keysIn(text: string, form: 'base64' | 'text' | undefined): readonly Buffer[] {
  return (form === undefined ? (['base64', 'utf8'] as const) : ([form === 'text' ? 'utf8' : form] as const)).map(
    (one) => Buffer.from(text, one),
  );
}

function textIn(part: string, name: string): string {
  return String(Reflect.get(jsonIn(part), name));
}

/** The JSON object of a part; empty where it is none. */
function jsonIn(part: string): object {
  const value = jsonOf(Buffer.from(part, 'base64url').toString());
  return typeof value === 'object' && value !== null ? value : {};
}
