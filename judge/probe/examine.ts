import { withTexts } from '../json.ts';
import { identitiesIn } from '../service/roles.ts';
import type { Need } from '../../contract/needs.ts';
import { routes } from '../../contract/routes.ts';
import type { IdentityName, SoftTypeProfile } from '../../contract/profile.ts';
import { replyOf } from '../client/reply.ts';
import { type Exchange, headerIn } from '../exchange.ts';
import { withUnique } from '../given.ts';
import { readCreated } from '../service/multi-create.ts';
import { fetchDefinition } from '../every-answer/openapi.ts';
import { item } from '../service/referrers.ts';
import { probe, type Probed, tryOut } from './try-out.ts';
import type { LoadedProfile } from '../profile/load.ts';
import { absoluteUrl, fillTemplate } from '../service/requests.ts';
import { mappedTypes, reach, roundTrip, sentenceAboutToken } from '../run/preflight.ts';
import { bulkUsable, filesUsable } from '../run/preflight/files.ts';
import { sentenceAboutGrant, sentenceAboutHost, sentenceAboutSilence } from '../run/preflight/sentences.ts';
import { aboutReply, type Bench, examine, type Examination, inTurn, type Trial } from './trials.ts';
import { examineCalls } from './examine-calls.ts';
import { PreconditionFailed } from '../violation.ts';
import { reachable } from '../run/preflight/extensions.ts';

type LockRoute = NonNullable<NonNullable<Bench['context']['profile']['all']['routes']>['lockTake']>;

interface Read {
  readonly key: string;
  readonly needs: readonly Need[];
  readonly url: string;
  readonly as?: IdentityName;
  /** Bearer token in the place of that of an identity. */
  readonly token?: string | undefined;
}

/** What came of trying a whole profile. */
interface ExaminedDeployment {
  readonly examinations: readonly Examination[];
  /** How far the clock of the service, as its answers tell it, is ahead of that of this machine, in s; undefined where they do not. */
  readonly aheadSeconds: number | undefined;
}

/** Tries everything that the profile declares and that can be tried without harm. Where nobody answers, or the editor gets no token, the rest is not tried. */
export async function examineDeployment(loaded: LoadedProfile): Promise<Probed<ExaminedDeployment>> {
  return probe(loaded, async (context, session, record) => {
    const bench = { context, session, record };
    const first = await examine(bench, `an answer of ${context.profile.all.baseUrl}`, [], () => reach(context));
    const aheadSeconds = aheadIn(record.history().at(-1)?.exchange);
    if (first.failure !== undefined) return { examinations: [first], aheadSeconds };
    const tokens = await inTurn(identitiesOf(bench), (name) => tokenOf(bench, name));
    const isOut = tokens[0]?.failure !== undefined;
    const further = isOut ? [] : await examineAll(bench);
    return { examinations: [first, ...tokens, ...further], aheadSeconds };
  });
}

async function examineAll(bench: Bench): Promise<readonly Examination[]> {
  const found = [
    ...(await examineTypes(bench)),
    ...(await examineRoutes(bench)),
    ...(await examineReads(bench)),
    ...(await examineAreas(bench)),
    ...(await examineExtensions(bench)),
  ];
  return [...found, ...(found.some(rulesOutCalls) ? [] : await examineCalls(bench))];
}

/** Without an object or a reachable listener each trigger would fail once more by the same cause, after a wait for a call that cannot come. */
function rulesOutCalls({ needs, failure }: Examination): boolean {
  return failure !== undefined && (needs.includes('soft-type') || needs.includes('extension-listener'));
}

function aheadIn(exchange: Exchange | undefined): number | undefined {
  const ms = Date.parse(headerIn(exchange?.response?.headers ?? [], 'date') ?? '');
  return Number.isNaN(ms) ? undefined : Math.round((ms - Date.now()) / 1000);
}

const needsOfIdentity: Readonly<Record<IdentityName, readonly Need[]>> = {
  editor: ['editor-identity', 'jwt', 'password-grant'],
  secondEditor: ['second-editor'],
  reader: ['reader-identity'],
  outsider: ['outsider-identity'],
  noRole: ['no-role-identity'],
  administrator: ['collection-admin'],
  spaceAdministrator: [],
};

/** The editor first. */
function identitiesOf({ context }: Bench): readonly IdentityName[] {
  const names = identitiesIn(context.profile.all);
  return names.toSorted((a, b) => Number(b === 'editor') - Number(a === 'editor'));
}

function tokenOf(bench: Bench, name: IdentityName): Promise<Examination> {
  const { service, profile } = bench.context;
  return examine(bench, `a token of the identity ${name}`, needsOfIdentity[name], async () => {
    try {
      const token = await service.token(name);
      if (token === null)
        return `the identity has no credential: add username and password, token or pat to identities.${name}`;
      return name === 'editor' && isStated(profile.all, token) ? await refusalOfStated(bench) : undefined;
    } catch (error) {
      if (!(error instanceof PreconditionFailed) || error.reply === undefined)
        return sentenceAboutSilence(error, profile.all);
      return { failure: sentenceAboutGrant(error.reply, name), exchange: error.reply.exchange };
    }
  });
}

function isStated({ identities }: LoadedProfile['profile'], token: string): boolean {
  return identities.editor.token === token;
}

/** Nobody has granted a token that the profile states: whether it opens anything is only known of who is asked with it. */
async function refusalOfStated({ context }: Bench): Promise<Trial> {
  const { service, profile } = context;
  const url = fillTemplate(routes.instanceShort, { spaceId: profile.all.space, objectId: 'none' });
  const reply = await service.send({ method: 'GET', url, as: 'editor' });
  if (reply.status !== 401) return undefined;
  const failure =
    (await sentenceAboutToken(context, reply)) ??
    `the target does not accept the token of identities.editor (401 for ${url}): correct identities.editor.token`;
  return { failure, exchange: reply.exchange };
}

const needsOfType: Readonly<Record<string, readonly Need[]>> = {
  'softTypes.primary': ['soft-type'],
  'softTypes.second': ['second-soft-type'],
  'secondSpace.softType': ['second-space'],
};

async function examineTypes(bench: Bench): Promise<readonly Examination[]> {
  const { profile, service } = bench.context;
  const openApi =
    profile.all.openApi?.served !== true
      ? []
      : [
          await examine(bench, 'the dynamic OpenAPI document', ['openapi'], async () => {
            const { status } = await fetchDefinition(bench.context);
            return status === 200
              ? undefined
              : `${service.requests.openApi().url} answered ${status}: correct routes.openApiDynamic or space ("${profile.all.space}"), or take openApi out`;
          }),
        ];
  const types = await inTurn(mappedTypes(profile.all), (mapped) =>
    examine(bench, `an object of ${mapped.key}`, needsOfType[mapped.key] ?? [], () => roundTrip(bench.context, mapped)),
  );
  const whole = mappedTypes(profile.all).filter(
    ({ key }, index) => key.startsWith('softTypes.') && types[index]?.failure === undefined,
  );
  const parts = await inTurn(whole, (mapped) => examineParts(bench, mapped));
  return [...openApi, ...types, ...parts.flat()];
}

const needsOfPart: readonly (readonly [keyof SoftTypeProfile, readonly Need[]])[] = [
  ['scalars', ['text-member', 'scalar-members']],
  ['numbers', []],
  ['flags', []],
  ['object', ['object-member']],
  ['escaped', ['escaped-member']],
  ['arrayPort', ['array-port', 'nested-array-port', 'mandatory-member']],
  ['secondArrayPort', ['second-array-port']],
  ['scalarList', []],
  ['secondInputSchema', []],
  ['secondOutputSchema', ['second-output-schema']],
];

/** What did not work, where that is more than what was written and read. */
const failureOfPart: Readonly<Partial<Record<keyof SoftTypeProfile, string>>> = {
  arrayPort: 'entries with their text, without it and with what may be inside them did not come back as written',
  secondArrayPort: 'entries with their text, without it and with what may be inside them did not come back as written',
  secondInputSchema: 'an object with the members of body and the scalars did not come back as it was written under it',
};

/** Parts of a SoftType, each written and read. */
async function examineParts(
  { context }: Bench,
  { key: place, type }: ReturnType<typeof mappedTypes>[number],
): Promise<readonly Examination[]> {
  const tried = await tryOut(context, type);
  const proven = 'type' in tried ? Object.keys(tried.type) : [];
  return needsOfPart
    .filter(([part]) => type[part] !== undefined)
    .map(([part, needs]) => {
      const key = `${place}.${part}`;
      const failure = `${failureOfPart[part] ?? `what was written into ${part} did not come back as written`}: correct ${key}`;
      return { what: key, needs, ...(!proven.includes(part) && { failure }) };
    });
}

async function examineAreas(bench: Bench): Promise<readonly Examination[]> {
  const { files, profile } = bench.context;
  const areas = await inTurn(files.areas, ({ name }) => {
    const need: Need = `file-area-${name}`;
    return examine(bench, `upload, read and delete in the ${name} area`, [need, 'file-area-any'], () =>
      filesUsable(bench.context, new Set([need])),
    );
  });
  if (profile.all.bulk?.hostDirectory === undefined) return areas;
  const needs: readonly Need[] = ['host-directory', 'admin-api-key'];
  return [
    ...areas,
    await examine(bench, 'a file in the host directory, and a bulk upload of it', needs, () =>
      bulkUsable(bench.context, new Set(needs)),
    ),
  ];
}

async function examineExtensions(bench: Bench): Promise<readonly Examination[]> {
  const { listener, extensionHost, identities } = bench.context.profile.all;
  const isReachable = listener !== undefined && identities.administrator !== undefined;
  return [
    ...(isReachable
      ? [
          await examine(
            bench,
            'the metadata exchange of an extension on the listener',
            ['extension-listener'],
            async () => {
              const told = await reachable(bench.context, () => bench.session.listeners.strays());
              return told.unreached ?? told.unusable ?? told.violation;
            },
          ),
        ]
      : []),
    ...(extensionHost
      ? [
          await examine(bench, 'the metadata exchange of the extension host', ['extension-host'], () =>
            sentenceAboutHost(bench.session),
          ),
        ]
      : []),
  ];
}

/** Everything that the profile says can be read: collection, cached resources, log, clock. */
async function examineReads(bench: Bench): Promise<readonly Examination[]> {
  const { all } = bench.context.profile;
  const { log } = all.probes ?? {};
  const { control } = all.time ?? {};
  const reads: readonly Read[] = [
    ...(all.collection?.reads ?? []).map((url) => ({
      key: 'collection.reads',
      needs: ['collection-route'] as const,
      url,
      as: callerOf(bench),
    })),
    ...(all.caching?.resources ?? []).map(({ path, as }) => ({
      key: 'caching.resources',
      needs: ['etag-resource'] as const,
      url: fillTemplate(path, { spaceId: all.space }),
      as: as ?? 'editor',
    })),
    ...(log?.url === undefined
      ? []
      : [
          {
            key: 'probes.log.url or probes.log.token',
            needs: ['log-probe'] as const,
            url: log.url.replaceAll('{correlationId}', 'probe'),
            token: log.token,
          },
        ]),
    ...(control === undefined
      ? []
      : [
          {
            key: 'time.control.url or time.control.token',
            needs: ['clock-control'] as const,
            url: control.url,
            token: control.token,
          },
        ]),
  ];
  return inTurn(reads, (read) =>
    examine(bench, `GET ${read.url}`, read.needs, async () => aboutReply(await answerTo(bench, read), read.key)),
  );
}

function callerOf({ context }: Bench): IdentityName {
  return context.profile.all.identities.administrator === undefined ? 'editor' : 'administrator';
}

async function answerTo({ context, session, record }: Bench, { url, as, token }: Read) {
  if (as !== undefined) return context.service.send({ method: 'GET', url, as });
  const headers = token === undefined ? [] : [['Authorization', `Bearer ${token}`] as const];
  const absolute = absoluteUrl(context.profile.all, url);
  const sender = { reuse: false, retries: [], add: (sent: Parameters<typeof record.add>[0]) => record.add(sent) };
  return replyOf(await session.client.send({ method: 'GET', url: absolute, headers }, sender), absolute);
}

/** Routes that the profile binds and that can be tried on a new object. */
async function examineRoutes(bench: Bench): Promise<readonly Examination[]> {
  const { routes, softTypes } = bench.context.profile.all;
  if (softTypes?.primary === undefined) return [];
  const found: Examination[] = [];
  const tryOut = async (key: string, needs: readonly Need[], work: () => Promise<Trial>): Promise<void> =>
    void found.push(await examine(bench, key, needs, work));
  if (routes?.softTypePut !== undefined) await tryOut('routes.softTypePut', ['put-route'], () => put(bench));
  if (routes?.lockTake !== undefined && routes.lockFree !== undefined)
    await tryOut('routes.lockTake and routes.lockFree', ['lock-route'], () =>
      locked(bench, routes.lockTake, routes.lockFree),
    );
  if (bench.context.profile.all.multiCreate !== undefined)
    await tryOut('multiCreate.resultHref', ['multi-create-result'], () => several(bench));
  if (routes?.softTypeDelete !== undefined)
    await tryOut('routes.softTypeDelete', ['delete-route'], () => removed(bench));
  return found;
}

async function put({ context }: Bench): Promise<Trial> {
  const { given, service } = context;
  const thing = await given.object();
  return aboutReply(await service.put(thing, given.body()), 'routes.softTypePut');
}

async function removed({ context }: Bench): Promise<Trial> {
  const { given, service } = context;
  const thing = await given.object();
  const reply = await service.remove(thing);
  const again =
    reply.status === 412 || reply.status === 428 ? await service.remove(thing, { version: thing.version }) : reply;
  return aboutReply(again, 'routes.softTypeDelete');
}

async function locked({ context }: Bench, take: LockRoute | undefined, free: LockRoute | undefined): Promise<Trial> {
  const { given, service, profile } = context;
  const thing = await given.object();
  for (const [key, route] of [
    ['routes.lockTake', take],
    ['routes.lockFree', free],
  ] as const) {
    if (route === undefined) continue;
    const url = absoluteUrl(
      profile.all,
      route.path
        .replaceAll('{spaceId}', encodeURIComponent(thing.space))
        .replaceAll('{objectId}', encodeURIComponent(thing.oid)),
    );
    const body =
      route.body === undefined
        ? {}
        : {
            body: withUnique(
              withTexts(route.body, (text) => text.replaceAll('{objectId}', () => thing.oid)),
              given.unique,
            ),
          };
    const failure = aboutReply(
      await service.send({ method: route.method, url, as: 'editor', unbooked: true, ...body }),
      key,
    );
    if (failure !== undefined) return failure;
  }
  return undefined;
}

async function several({ context }: Bench): Promise<Trial> {
  const items = [item(context), item(context)];
  const reply = await context.service.multiCreate(items);
  const refusal = aboutReply(reply, 'routes.multiCreate');
  if (refusal !== undefined) return refusal;
  const keys = 'multiCreate.resultHref or multiCreate.resultId';
  try {
    const reads = await readCreated(context, reply, items);
    const lost = reads.find(({ status }) => status !== 200);
    return (
      lost && {
        failure: `what the answer names cannot be read (${lost.status}): correct ${keys}`,
        exchange: lost.exchange,
      }
    );
  } catch (error) {
    if (!(error instanceof PreconditionFailed)) throw error;
    return { failure: `the answer does not name the objects it made: correct ${keys}`, exchange: reply.exchange };
  }
}
