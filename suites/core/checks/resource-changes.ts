import { isSuccess, type Reply, type RequestSpec } from '../../../judge/exchange.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { ChangeRequest } from '../../../contract/profile/caching.ts';
import type { IdentityName } from '../../../contract/profile.ts';
import { mediaTypes } from '../../../contract/names.ts';
import { PreconditionFailed } from '../../../judge/violation.ts';
import { withTexts } from '../../../judge/json.ts';
import { checksumOf } from '../../../judge/service/signature.ts';
import { plainTextOf, statedVersion } from '../../../judge/service/answers.ts';
import { bearing, isBearable, withBearer } from '../../../judge/service/token.ts';
import { fillTemplate, type PlaceholderValues, requestFrom, takenFrom } from '../../../judge/service/requests.ts';

/** A GET route for data other than SoftTypes and who reads it. */
export interface Resource {
  readonly path: string;
  readonly as: IdentityName;
}

export function resourcesOf({ profile }: CaseContext): readonly Resource[] {
  const { caching, space } = profile.all;
  return (caching?.resources ?? []).map(({ path, as = 'editor' }) => ({
    path: fillTemplate(path, { spaceId: space }),
    as,
  }));
}

/** The one that the change of the profile is of. */
export function changedResource(context: CaseContext): Resource {
  const [first] = changesIn(context.profile.all.caching?.change);
  return context.given.present(resourcesOf(context)[first?.resource ?? 0], 'the resource that the change names');
}

/** GET without a condition. */
export function readResource({ service }: CaseContext, resource: Resource): Promise<Reply> {
  return service.get(resource.path, { as: resource.as });
}

/** GET with If-None-Match. */
export function readUnless(
  { service }: CaseContext,
  resource: Resource,
  tag: string,
  as: IdentityName | null = resource.as,
): Promise<Reply> {
  return service.get(resource.path, { as, headers: { 'If-None-Match': tag } });
}

/**
 * The plain read behind a change, and whether it shows the change: then the tag of before is that of other data. Asked for by that tag once
 * more where the first answer was that nothing changed, since a list may follow a moment after what it lists.
 */
export async function readBehindChange(
  context: CaseContext,
  resource: Resource,
  tag: string,
  shows: (reply: Reply) => boolean,
): Promise<{ readonly plain: Reply; readonly isShown: boolean }> {
  const first = await readUnless(context, resource, tag);
  const plain = first.status === 200 ? first : await readResource(context, resource);
  const isShown = shows(plain);
  if (isShown && plain !== first) context.expect(await readUnless(context, resource, tag)).toAnswer(200);
  return { plain, isShown };
}

/** The current ETag; where there is none the rule about its presence judges that. */
export async function tagOf(context: CaseContext, resource: Resource): Promise<string> {
  return tagIn(await readResource(context, resource), resource);
}

export function tagIn(reply: Reply, resource: Resource): string {
  const tag = reply.headers['etag'];
  if (reply.status !== 200 || !tag)
    throw new PreconditionFailed(`an ETag on ${resource.path}`, reply, ['caching.etag.present']);
  return tag;
}

/** Sends the change of the profile with a fresh text and returns that text. */
export async function makeChange(context: CaseContext, resource: Resource): Promise<string> {
  const marker = context.given.unique('change');
  context.given.succeeded(await sendChange(context, resource, marker), 'the change of the resource is accepted');
  return marker;
}

/** Sends the change of the profile with that text, or with one for each place in its bodies; the answer is that of its last request, or of the first that is refused. */
export async function sendChange(
  context: CaseContext,
  resource: Resource,
  unique: string | readonly string[],
  changed = (request: RequestSpec): RequestSpec => request,
): Promise<Reply> {
  const { given, service, profile } = context;
  const { caching, space, participant } = profile.all;
  const { requests, places } = placedIn(changesIn(given.present(caching?.change, 'caching.change in the profile')));
  const texts = typeof unique === 'string' ? Array.from({ length: places }, () => unique) : unique;
  const [first = String(unique)] = texts;
  let last: Reply | undefined;
  let known: PlaceholderValues = {
    ...Object.fromEntries(texts.map((text, place) => [`unique${place}`, text])),
    unique: first,
    spaceId: space,
    participantId: participant,
  };
  for (const { rawBody, ...change } of requests) {
    const raw = rawBody === undefined ? undefined : Buffer.from(rawBody.replaceAll('{{unique}}', first));
    if (JSON.stringify(change).includes('{{version}}')) {
      const version = statedVersion(await readResource(context, resource));
      known = { ...known, version: given.present(version, `a version of ${resource.path}`) };
    }
    const request = requestFrom(change, { ...known, ...(raw && { checksum: checksumOf(raw) }) });
    const body = raw ?? request.body;
    const type = raw === undefined && body !== undefined ? { 'Content-Type': mediaTypes.json } : {};
    const reply = await service.send(
      changed({
        ...request,
        ...(body !== undefined && { body }),
        headers: { ...type, ...request.headers },
        unbooked: true,
      }),
    );
    last = reply;
    if (!isSuccess(reply.status)) break;
    known = { ...known, ...takenFrom(reply, change.take) };
  }
  return given.present(last, 'a request of caching.change');
}

export function changesIn(change: ChangeRequest | ChangeRequest[] = []): readonly ChangeRequest[] {
  return Array.isArray(change) ? change : [change];
}

/** The requests with a placeholder of its own for each place of a body that gets a fresh text. */
function placedIn(changes: readonly ChangeRequest[]): { requests: readonly ChangeRequest[]; places: number } {
  let places = 0;
  const numbered = (text: string): string => text.replaceAll('{{unique}}', () => `{{unique${places++}}}`);
  const requests = changes.map((change) =>
    change.body === undefined ? change : { ...change, body: withTexts(change.body, numbered) },
  );
  return { requests, places };
}

/** Where the change puts a text into several places, each of them alone makes other data, as far as they show it. */
export async function expectEachPlaceSeen(context: CaseContext, resource: Resource): Promise<void> {
  const { given, notes, profile } = context;
  const { places } = placedIn(changesIn(profile.all.caching?.change));
  if (places < 2) return;
  const texts = Array.from({ length: places }, () => given.unique('place'));
  const send = async (): Promise<void> => {
    given.succeeded(await sendChange(context, resource, texts), 'the change of the resource is accepted');
  };
  await send();
  for (const place of texts.keys()) {
    const tag = await tagOf(context, resource);
    const text = given.unique('alone');
    texts[place] = text;
    await send();
    const { plain, isShown } = await readBehindChange(context, resource, tag, (reply) =>
      plainTextOf(reply).includes(text),
    );
    notes.observe(`a text that is changed alone shows, place ${place + 1} of ${texts.length}`, isShown, plain);
  }
}

/** What is changed at a route of spaces or of the collection is so by a personal access token as well; file routes take one as a password. Source: core, Authentication 1 */
export async function expectChangedByToken(context: CaseContext, resource: Resource): Promise<void> {
  const { given, service, expect, profile } = context;
  const changes = changesIn(profile.all.caching?.change);
  const pats = changes.map(({ as = 'editor' }) => profile.all.identities[as]?.pat);
  const isPlain = changes.every(
    ({ path, rawBody }) => rawBody === undefined && /^\/api\/(?:space|collection)\/(?!.*\bfiles?\b)/i.test(path),
  );
  if (!isPlain || !pats.every((pat) => pat !== undefined && isBearable(pat))) return;
  const text = given.unique('by-token');
  const reply = await sendChange(context, resource, text, (request) =>
    bearing(request, profile.all.identities[request.as ?? 'editor']?.pat ?? ''),
  );
  // whether it is a bearer token at all is for the rules about it
  const credential = withBearer(profile.all.identities[resource.as]?.pat ?? '');
  if (reply.status === 401 && (await service.get(resource.path, credential)).status === 401) return;
  expect(reply).toSucceed();
  const read = await readResource(context, resource);
  expect(plainTextOf(read).includes(text), 'what a personal access token has changed shows in the data', read).toEqual(
    true,
  );
}
