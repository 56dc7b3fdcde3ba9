import { identitiesIn } from '../service/roles.ts';
import type { IdentityName, Profile, SoftTypeProfile } from '../../contract/profile.ts';
import { routes } from '../../contract/routes.ts';
import { gatewaySentence, isFromGateway, isGatewayStatus } from '../every-answer/gateway.ts';
import { claimsOf } from '../service/claims.ts';
import { fillTemplate } from '../service/requests.ts';
import type { CaseContext } from '../case.ts';
import { wallNowOf } from '../time/wall.ts';
import { isOfNothing, type Reply } from '../exchange.ts';
import { firstKept, type LeavesOut, type PartKey } from './preflight/left-out.ts';
import { type Mapped, sentenceAboutGrant, sentenceAboutObject, sentenceAboutSilence } from './preflight/sentences.ts';
import { PreconditionFailed } from '../violation.ts';

/** Clocks may differ by so much without being the cause, in ms. */
const toleratedMs = 5_000;

/** So often a token is asked for where the answer is a server error. */
const mostGrants = 3;
/** So often a token is shown to hosts that may not all be of one mind about it. */
const mostShown = 6;

/** What the main thread acts with on the target. */
export type Ground = Pick<CaseContext, 'service' | 'given' | 'profile'>;

/**
 * Whether the target can be judged with this profile at all: it answers, each identity gets a token, and an object of each mapped SoftType
 * can be created and read. Returns the first sentence that says what to change, or undefined when all is well.
 */
export async function preflight(
  ground: Ground,
  traced: Ground = ground,
  { onRefused, ...findings }: Findings = {},
): Promise<string | undefined> {
  const sentence = (await reach(ground)) ?? (await tokens(ground, findings));
  if (sentence !== undefined) return sentence;
  const { all } = ground.profile;
  const [primary] = mappedTypes(all);
  if (primary === undefined) return undefined;
  let usable = traced;
  const refusal = await roundTrip(traced, primary, { isSaid: isForRules });
  if (refusal !== undefined) {
    // where the first one fails the others fail for the same reason
    const untraced = await roundTrip(ground, primary, { isSaid: isForRules });
    if (untraced !== undefined) return untraced;
    onRefused?.();
    usable = ground;
  }
  const { onForeign, leavesOut } = findings;
  const found = besidePrimary(all).map(async (mapped) => ({
    key: mapped.key,
    sentence: await beside(usable, mapped, onForeign),
  }));
  return firstKept(await Promise.all(found), leavesOut);
}

/** Undefined as well where the rules that need the SoftType tell what is wrong. */
async function beside(ground: Ground, mapped: Beside, onForeign: Findings['onForeign']): Promise<string | undefined> {
  const isSaid = async (reply: Reply): Promise<boolean> =>
    isForRules(reply) ||
    (reply.status >= 500 && !isGatewayStatus(reply.status)) ||
    (isCreated(reply) && (await isNowhere(ground, reply)));
  return roundTrip(ground, mapped, { isSaid, onForeign });
}

/** Whether its Location leads to nothing, whatever the profile says. */
async function isNowhere({ service }: Ground, created: Reply): Promise<boolean> {
  const { location } = created.headers;
  return location !== undefined && isOfNothing((await service.get(location, { base: created })).status);
}

/** What it hears of the target on its way. */
interface Findings {
  /** Requests that say where they come from are refused for that. */
  readonly onRefused?: () => void;
  /** The editor has no role in the second space, where somebody else writes. */
  readonly onForeign?: () => void;
  readonly leavesOut?: LeavesOut;
}

/** Undefined when anything answers at the base URL, else a sentence about it. */
export async function reach({ service, profile }: Ground): Promise<string | undefined> {
  try {
    await service.send({ method: 'GET', url: '/', as: null, filter: null });
    return undefined;
  } catch (error) {
    return sentenceAboutSilence(error, profile.all);
  }
}

/** Undefined while the service itself answers, and nothing before it in its place; else a sentence about it. */
export async function isThere({ service, profile }: Ground): Promise<string | undefined> {
  const { space } = profile.all;
  const url = fillTemplate(routes.instanceShort, { spaceId: space, objectId: 'none' });
  try {
    const reply = await service.send({ method: 'GET', url, as: null, filter: null });
    return isFromGateway(reply) ? gatewaySentence(reply) : undefined;
  } catch (error) {
    return sentenceAboutSilence(error, profile.all);
  }
}

/** Rules can do without each identity but the editor. */
async function tokens(ground: Ground, { leavesOut }: Findings): Promise<string | undefined> {
  const found = identitiesIn(ground.profile.all).map(async (name) => ({
    key: name === 'editor' ? undefined : (`identities.${name}` as const),
    sentence: await token(ground, name),
  }));
  return firstKept(await Promise.all(found), leavesOut);
}

async function token({ service, profile }: Ground, name: IdentityName): Promise<string | undefined> {
  for (let left = mostGrants; ; left -= 1)
    try {
      await service.token(name);
      return undefined;
    } catch (error) {
      if (!(error instanceof PreconditionFailed) || error.reply === undefined)
        return sentenceAboutSilence(error, profile.all);
      if (error.reply.status < 500 || left === 1) return sentenceAboutGrant(error.reply, name);
    }
}

type MappedType = Mapped & { readonly type: SoftTypeProfile };
type Beside = MappedType & { readonly key: PartKey };

/** The SoftTypes of the profile with the keys that a person would have to change. */
export function mappedTypes(profile: Profile): readonly MappedType[] {
  const { primary } = profile.softTypes ?? {};
  const { space } = profile;
  return [
    ...(primary === undefined ? [] : [{ key: 'softTypes.primary', spaceKey: 'space', space, type: primary }]),
    ...besidePrimary(profile),
  ];
}

function besidePrimary({ softTypes, secondSpace, space }: Profile): readonly Beside[] {
  const { second, further = [] } = softTypes ?? {};
  const spaceKey = 'space';
  return [
    ...(second === undefined ? [] : [{ key: 'softTypes.second', spaceKey, space, type: second } as const]),
    ...further.map((type, index) => ({ key: `softTypes.further.${index}`, spaceKey, space, type }) as const),
    ...(secondSpace === undefined
      ? []
      : [
          {
            key: 'secondSpace.softType',
            spaceKey: 'secondSpace.space',
            space: secondSpace.space,
            type: secondSpace.softType,
          } as const,
        ]),
  ];
}

/** Whether an answer breaks a rule whatever the profile says, so that the rules have to tell it: a new object without its Location, or that is not there. */
function isForRules(reply: Reply): boolean {
  return reply.isLost === true || (isCreated(reply) && reply.headers['location'] === undefined);
}

function isCreated({ status, exchange: { request } }: Reply): boolean {
  return request.method === 'POST' && status === 201;
}

/** Undefined when an object of the SoftType can be created and read, else a sentence that says what to change. */
export async function roundTrip(
  ground: Ground,
  mapped: MappedType,
  {
    isSaid = () => false,
    onForeign,
  }: {
    /** Whether somebody else tells what is wrong with an answer. */
    readonly isSaid?: (reply: Reply) => boolean | Promise<boolean>;
    readonly onForeign?: Findings['onForeign'] | undefined;
  } = {},
): Promise<string | undefined> {
  try {
    if ((await makeBySomebody(ground, mapped)) === 'outsider') onForeign?.();
    return undefined;
  } catch (error) {
    if (!(error instanceof PreconditionFailed) || error.reply === undefined)
      return sentenceAboutSilence(error, ground.profile.all);
    const { reply } = error;
    if (await isSaid(reply)) return undefined;
    const aboutToken = reply.status === 401 ? await sentenceAboutToken(ground, reply) : undefined;
    return (
      aboutToken ??
      sentenceAboutObject(error.reply, error.message, mapped, await isSpaceClosed(ground, error.reply, mapped))
    );
  }
}

/** Why a token that is right may be answered by 401; undefined where it is not known. */
export async function sentenceAboutToken(ground: Ground, reply: Reply): Promise<string | undefined> {
  const isStated = ground.profile.all.identities.editor.token !== undefined;
  return (
    sentenceAboutTimes(await ground.service.token('editor'), reply, isStated) ?? (await sentenceAboutHosts(ground))
  );
}

/** A token that is taken now and then is right: hosts behind one address do not all know by what it was signed, or that it was granted. */
async function sentenceAboutHosts({ service, profile }: Ground): Promise<string | undefined> {
  const url = fillTemplate(routes.instanceShort, { spaceId: profile.all.space, objectId: 'none' });
  const statuses: number[] = [];
  // the same one each time: as an identity's it would be granted anew where it is refused
  const headers = { Authorization: `Bearer ${await service.token('editor')}` };
  for (let left = mostShown; left > 0; left -= 1)
    statuses.push((await service.send({ method: 'GET', url, as: null, headers })).status);
  const refused = statuses.filter((status) => status === 401).length;
  if (refused === 0 || refused === mostShown) return undefined;
  return `the target took one token of identities.editor in ${mostShown - refused} of ${mostShown} requests and refused it in the others (${statuses.join(', ')}): see whether every host behind the address knows the key of its tokens`;
}

/** The editor need not have a role in the second space: who else may write there does. */
async function makeBySomebody(
  { given, profile }: Ground,
  { type, space, spaceKey }: MappedType,
): Promise<'editor' | 'outsider'> {
  try {
    await given.object({}, { type, space });
    return 'editor';
  } catch (error) {
    const isForbidden = error instanceof PreconditionFailed && error.reply?.status === 403;
    const { outsider } = profile.all.identities;
    if (!isForbidden || spaceKey !== 'secondSpace.space' || outsider === undefined) throw error;
    await given.object({}, { type, space, as: 'outsider' });
    return 'outsider';
  }
}

/** Whether other routes of the space refuse as well, so that the space is to blame and not the SoftType; undefined when that cannot be told. */
async function isSpaceClosed(
  { service, profile }: Ground,
  refusal: Reply,
  { spaceKey }: Mapped,
): Promise<boolean | undefined> {
  const doubtful = refusal.status === 403 || refusal.status === 404;
  if (!doubtful || spaceKey !== 'space' || profile.all.openApi?.served !== true) return undefined;
  const reply = await service.openApi().catch(() => undefined);
  return reply === undefined ? undefined : reply.status >= 400;
}

/** Why a token was refused, where its own times tell: by the clock of the answer it is not valid yet, or no longer. Undefined otherwise. */
function sentenceAboutTimes(token: string | null, reply: Reply, isStated: boolean): string | undefined {
  const claims = claimsOf(token);
  const answeredAt = wallNowOf(reply.exchange);
  const { method, url } = reply.exchange.request;
  const answered = `${method} ${url} answered ${reply.status} at ${shown(answeredAt)}`;
  const from = Math.max(...['nbf', 'iat'].map((name) => msOf(claims[name]) ?? 0));
  if (from - answeredAt > toleratedMs)
    return `${answered}, and the token of identities.editor is valid from ${shown(from)} on: set the clock of the service, or of the host behind auth.tokenUrl, which differ by ${Math.round((from - answeredAt) / 1000)} s`;
  const until = msOf(claims['exp']);
  if (until === undefined && claims['sub'] !== undefined)
    return `${answered}, and the token of identities.editor has no exp: let the token endpoint (auth.tokenUrl) grant tokens that end, or correct identities.editor`;
  if (until === undefined || until > answeredAt) return undefined;
  const change = isStated
    ? 'put a fresh one into identities.editor.token'
    : 'set the clock of the service, or of the host behind auth.tokenUrl';
  return `${answered}, and the token of identities.editor ended at ${shown(until)}: ${change}`;
}

function msOf(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && Math.abs(seconds) < 1e11 ? seconds * 1000 : undefined;
}

function shown(ms: number): string {
  return new Date(ms).toISOString().replace('.000', '');
}
