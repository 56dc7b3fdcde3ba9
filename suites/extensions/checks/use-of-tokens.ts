import type { IdentityName } from '../../../contract/profile.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Changes, type Reply } from '../../../judge/exchange.ts';
import type { Extension } from '../../../judge/extension/extension.ts';
import type { Triggered } from '../../../judge/extension/triggers.ts';
import type { GivenFile } from '../../../judge/files/files.ts';
import { assumeBearable, isBearable, withBearer } from '../../../judge/service/token.ts';
import { PreconditionFailed, unlessRefused } from '../../../judge/violation.ts';
import { sampleChunkSize } from './upload-in-chunks.ts';

/** What the editor may read in another space the token reads, in whichever space it was triggered. */
export async function expectReadsElsewhere(context: CaseContext, token: string): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  if (profile.all.secondSpace === undefined) return;
  const { space, softType: type } = profile.all.secondSpace;
  const body = given.body({}, type);
  const created = await service.create(body, { of: { type, space } });
  notes.observe('status of a create by the triggering user in the second space', created.status, created);
  if (!isSuccess(created.status)) return;
  const there = await given.found(created, body, { type, space });
  given.succeeded(await service.read(there), 'the triggering user reads in the second space');
  expect(await service.read(there, withBearer(token))).toAnswer(200);
}

/** Each file route that the editor may use in an area opens to the token as well. Nothing is asserted where the editor has no area. */
export async function expectUsesFiles({ given, files, expect }: CaseContext, token: string): Promise<void> {
  const area = files.areas.find(({ as }) => as === 'editor');
  if (area === undefined) return;
  const bytes = given.bytes(100);
  const inOneChunk = { file: bytes, chunkSize: sampleChunkSize, number: 1 };
  const routes: readonly ((path: string, changes?: Changes) => Promise<Reply>)[] = [
    (path, changes) => files.upload(area, path, bytes, changes),
    (path, changes) => files.download(area, path, changes),
    (path, changes) => files.remove(area, path, changes),
    (path, changes) => files.chunk(area, { path, ...inOneChunk }, changes),
  ];
  const [ofUser, ofToken] = [given.filePath(), given.filePath()];
  for (const route of routes) {
    const isOpen = isSuccess((await route(ofUser)).status);
    const reply = await route(ofToken, withBearer(token));
    if (isOpen) expect(reply).toSucceed();
  }
}

/** A personal access token that reads an object as bearer token; `auth.pat.bearer-accepted` says where one does not. */
export async function bearableToken(
  { given, service, profile }: CaseContext,
  as: IdentityName,
): Promise<string | undefined> {
  const { pat } = profile.all.identities[as] ?? {};
  if (pat === undefined || !isBearable(pat)) return undefined;
  const thing = await given.object();
  return isSuccess((await service.read(thing, withBearer(pat))).status) ? pat : undefined;
}

/** What a personal access token sets off speaks for its user as well, by a JWT. Nothing is asserted where it sets nothing off. */
export async function expectPersonalTokenSpeaks(
  { expect, files, notes, profile }: CaseContext,
  kind: string,
  tokenFor: (changes: Changes) => Promise<string>,
  { area, path }: GivenFile,
): Promise<void> {
  const { pat } = profile.all.identities[area.as] ?? {};
  if (pat === undefined) return;
  const what = `a call of the kind ${kind}, set off by a personal access token`;
  const token = await tokenOrNone(() => {
    assumeBearable(pat);
    return tokenFor(withBearer(pat));
  });
  if (token === undefined) return notes.observe(what, 'does not come');
  expect(token.split('.').length, `parts of the token of ${what}`).toEqual(3);
  expect(await files.download(area, path, withBearer(token))).toSucceed();
}

/** Empty where a call came without one, undefined where none came. */
async function tokenOrNone(tokenOfCall: () => Promise<string>): Promise<string | undefined> {
  try {
    return await tokenOfCall();
  } catch (error) {
    if (!(error instanceof PreconditionFailed)) throw error;
    const isCalled = error.standsOn.some(
      (rule) => rule === 'calls.envelope.all-fields' || rule === 'calls.trusted.access-token-appended',
    );
    return isCalled ? '' : undefined;
  }
}

/** How long a call is waited for that a pause holds back. */
const pausedMs = 66_000;

/** Events of two users, spaces or the like, some let out at once and some held back. */
export interface EventsOfTwo {
  readonly extension: Extension;
  readonly atOnce: readonly EventOf[];
  readonly held: readonly EventOf[];
}

interface EventOf {
  readonly about: Triggered;
  readonly isOfSecond: boolean;
}

/**
 * The token of a call that was held back speaks for the user who set it off, as those of the calls at once do. Nothing is asserted where these
 * speak for somebody else, since a subscription may have an owner.
 */
export async function expectHeldForTheirUsers(
  context: CaseContext,
  { extension, atOnce, held }: EventsOfTwo,
): Promise<void> {
  const { given, files, expect, profile } = context;
  if (profile.all.files?.areas.user === undefined) return;
  const fileOf = (as: 'editor' | 'secondEditor') => unlessRefused(() => given.file({ area: files.userArea(as) }));
  const [own, ofSecond] = [await fileOf('editor'), await fileOf('secondEditor')];
  const openedBy = async ({ about, isOfSecond }: EventOf): Promise<Reply | undefined> => {
    const file = isOfSecond ? ofSecond : own;
    const [call] = await extension.ended(1, { about }, { withinMs: pausedMs });
    const token = call?.envelope.accessToken;
    return file && token ? files.download(file.area, file.path, withBearer(token)) : undefined;
  };
  for (const event of atOnce) {
    const reply = await openedBy(event);
    if (reply === undefined || !isSuccess(reply.status)) return;
  }
  for (const event of held) {
    const reply = await openedBy(event);
    if (reply !== undefined) expect(reply).toSucceed();
  }
}
