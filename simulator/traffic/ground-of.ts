import { basePathOf, withoutSlash } from '../../contract/address.ts';
import type { IdentityName, Profile, SoftTypeProfile } from '../../contract/profile.ts';
import { type ReadableTexts, readableTexts } from '../../fixtures/readable.ts';
import type { ConditionalChange, Ground, GroundType } from './ground.ts';
import { fillPlaceholders } from './journeys/steps.ts';

/** Bodies, entries and payloads that are made up; journeys go through them round and round. */
const bodiesMadeUp = 64;
const unique = '{{unique}}';
const noSoftType: GroundType = { definitionId: '', inputSchemaId: '', outputSchemaId: '', scalars: [] };

/** Everything of a profile that journeys use, with data made up from the seed; `objects` are made by `prepared`. */
export function groundOf(profile: Profile, seed: number): Ground {
  const type = profile.softTypes?.primary;
  const texts = readableTexts(seed);
  const madeUp = (make: (texts: ReadableTexts, type: SoftTypeProfile) => Record<string, unknown>): Ground['bodies'] =>
    type === undefined ? [] : Array.from({ length: bodiesMadeUp }, () => make(texts, type));
  const { space, participant, maturity, multiCreate, routes } = profile;
  return {
    seed,
    space,
    softType: type === undefined ? noSoftType : typeOf(type),
    bodies: madeUp(bodyFrom),
    entries: madeUp(entryFrom),
    payloads: Array.from({ length: bodiesMadeUp }, () => payloadFrom(texts)),
    objects: [],
    lacks: (['operations', 'batch'] as const).filter((route) => isLacking(profile, route)),
    batchHrefPrefixes: batchHrefPrefixesOf(profile),
    ...(participant !== undefined && { participant }),
    ...(profile.filters?.fixed && { filter: { id: profile.filters.fixed.id } }),
    ...(maturity && {
      maturity: {
        processId: maturity.processId,
        levelId: maturity.levelId,
        ...(maturity.states && { states: maturity.states }),
      },
    }),
    ...(multiCreate &&
      !isLacking(profile, 'multi-create') && {
        multiCreate: {
          path: fillPlaceholders(routes?.multiCreate ?? '/space/{spaceId}/softtype', { spaceId: space }),
          resultHref: multiCreate.resultHref,
          inOrder: multiCreate.resultId === undefined,
        },
      }),
    ...(routes?.demote !== undefined && { demotePath: routes.demote }),
    ...fileAreaOf(profile),
    ...grantOf(profile),
    ...readerIn(profile),
    ...strangersIn(profile),
    ...conditionalOf(profile),
  };
}

/** The filter that requests are sent with, in Base64. */
export function informationFilterOf({ informationFilter }: Profile): { readonly informationFilter?: string } {
  if (informationFilter === undefined) return {};
  return { informationFilter: Buffer.from(JSON.stringify(informationFilter.default)).toString('base64') };
}

function isLacking({ notSupported = {} }: Profile, need: 'operations' | 'batch' | 'multi-create'): boolean {
  return Object.hasOwn(notSupported, need);
}

function typeOf(type: SoftTypeProfile): GroundType {
  const {
    definitionId,
    inputSchemaId,
    outputSchemaId,
    shortRouteSchemaId = outputSchemaId,
    scalars = [],
    arrayPort,
  } = type;
  const port = arrayPort && {
    member: arrayPort.member,
    portId: arrayPort.portId ?? arrayPort.member,
    text: arrayPort.text,
  };
  return {
    definitionId,
    inputSchemaId,
    outputSchemaId,
    ...(shortRouteSchemaId !== outputSchemaId && { isShortOther: true }),
    scalars,
    ...(port && { arrayPort: port }),
  };
}

/** The body of the profile with readable texts before each `{{unique}}`, and in every scalar that it may have. */
function bodyFrom(texts: ReadableTexts, { body, scalars = [] }: SoftTypeProfile): Record<string, unknown> {
  return { ...filled(texts, body), ...Object.fromEntries(scalars.map((name) => [name, texts.line()])) };
}

function entryFrom(texts: ReadableTexts, { arrayPort }: SoftTypeProfile): Record<string, unknown> {
  if (arrayPort === undefined) return {};
  return { ...filled(texts, arrayPort.entry), [arrayPort.text]: texts.sentence() };
}

function payloadFrom(texts: ReadableTexts): Record<string, unknown> {
  return { subject: texts.name(), from: texts.person(), text: texts.sentence() };
}

function filled(texts: ReadableTexts, template: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const text = JSON.stringify(template).replaceAll(
    unique,
    () => `${JSON.stringify(texts.name()).slice(1, -1)} ${unique}`,
  );
  return JSON.parse(text) as Record<string, unknown>;
}

/** "Full API URI" can be read with or without scheme, host and the path of a gateway; paths of journeys count from the base URL on. */
function batchHrefPrefixesOf({ batch, baseUrl }: Profile): readonly string[] {
  const prefixes = { absolute: withoutSlash(baseUrl), path: basePathOf(baseUrl), fromBaseUrl: '' };
  return batch?.hrefForm === undefined ? [...new Set(Object.values(prefixes))] : [prefixes[batch.hrefForm]];
}

/** The area of the space, or else another one that the profile names. */
function fileAreaOf({ files, space, participant, identities }: Profile): Pick<Ground, 'fileArea'> {
  if (files === undefined) return {};
  const { areas, minChunkSize = 1, maxStreamSize } = files;
  const inSpace = `/api/space/${encodeURIComponent(space)}`;
  const paths: Readonly<Record<keyof typeof areas, string | undefined>> = {
    space: `${inSpace}/fs/file`,
    user: `${inSpace}/user/fs/file`,
    participant:
      participant === undefined ? undefined : `${inSpace}/participant/${encodeURIComponent(participant)}/fs/file`,
    collection: '/api/collection/fs/file',
  };
  for (const name of ['space', 'user', 'participant', 'collection'] as const) {
    const [area, path] = [areas[name], paths[name]];
    if (area !== undefined && path !== undefined && identities[area.as] !== undefined)
      return { fileArea: { path, as: area.as, minChunkSize, ...(maxStreamSize !== undefined && { maxStreamSize }) } };
  }
  return {};
}

/** A token service on another host is none of the deployment that may be loaded. */
function pathOfGrant(tokenUrl: string | undefined, baseUrl: string): string | undefined {
  if (tokenUrl === undefined) return undefined;
  if (!/^(?:https?:)?\/\//i.test(tokenUrl)) return tokenUrl.startsWith('/') ? tokenUrl : `/${tokenUrl}`;
  const url = URL.parse(tokenUrl, baseUrl);
  return url?.origin === new URL(baseUrl).origin ? url.href : undefined;
}

function grantOf({ auth, identities, baseUrl }: Profile): Pick<Ground, 'grant'> {
  const { username, password } = identities.editor;
  const path = pathOfGrant(auth?.tokenUrl, baseUrl);
  if (path === undefined || username === undefined || password === undefined) return {};
  const form = Object.entries({ grant_type: 'password', username, password, scope: 'All' });
  return { grant: { path, form: form.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&') } };
}

/** Whether a token can be had for the identity. */
function hasToken({ auth, identities }: Profile, name: IdentityName): boolean {
  const { token, username, password } = identities[name] ?? {};
  return token !== undefined || (auth?.tokenUrl !== undefined && username !== undefined && password !== undefined);
}

function readerIn(profile: Profile): Pick<Ground, 'reader'> {
  const { methods = ['GET'] } = profile.identities.reader ?? {};
  const readsOnly = methods.every((method) => method === 'GET');
  return readsOnly && hasToken(profile, 'reader') ? { reader: 'reader' } : {};
}

/** Those of them that a token can be had for. */
function strangersIn(profile: Profile): Pick<Ground, 'strangers'> {
  const named: NonNullable<Ground['strangers']> = [
    { as: 'noRole', rule: 'auth.role.no-role-403' },
    { as: 'outsider', rule: 'auth.role.outsider-403' },
  ];
  const strangers = named.filter(({ as }) => hasToken(profile, as));
  return strangers.length === 0 ? {} : { strangers };
}

function conditionalOf({ caching, identities }: Profile): Pick<Ground, 'conditional'> {
  const bound = caching?.change;
  // traffic changes the data by one request of JSON
  const change = Array.isArray(bound) || bound?.rawBody !== undefined ? undefined : bound;
  const resource = caching?.resources[change?.resource ?? 0];
  if (resource === undefined) return {};
  const { path, as = 'editor' } = resource;
  if (identities[as] === undefined) return {};
  if (change === undefined || !isChange(change.method) || identities[change.as ?? 'editor'] === undefined)
    return { conditional: { path, as } };
  const { method, body, headers } = change;
  return {
    conditional: {
      path,
      as,
      change: { method, path: change.path, as: change.as ?? 'editor', body, ...(headers && { headers }) },
    },
  };
}

function isChange(method: string): method is ConditionalChange['method'] {
  return ['POST', 'PUT', 'PATCH'].includes(method);
}
