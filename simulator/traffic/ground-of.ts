import { base, en, Faker } from '@faker-js/faker';
import type { Profile, SoftTypeProfile } from '../../contract/profile.ts';
import type { ConditionalChange, Ground, GroundType } from './ground.ts';
import { pathPrefixOf } from './wire.ts';

/** Bodies and entries that are made up; journeys go through them round and round. */
const bodiesMadeUp = 64;
const unique = '{{unique}}';

/** Everything of a profile that journeys use, with data made up from the seed; `objects` are made by `prepared`. @throws {TypeError} a profile without softTypes.primary */
export function groundOf(profile: Profile, seed: number): Ground {
  const type = profile.softTypes?.primary;
  if (type === undefined) throw new TypeError('Expected softTypes.primary in the profile: the journeys create and edit its objects.');
  const faker = new Faker({ locale: [en, base], seed });
  const madeUp = <T>(make: () => T): readonly T[] => Array.from({ length: bodiesMadeUp }, make);
  const { space, participant, maturity, multiCreate, routes } = profile;
  return {
    seed,
    space,
    softType: typeOf(type),
    bodies: madeUp(() => bodyFrom(faker, type)),
    entries: madeUp(() => entryFrom(faker, type)),
    objects: [],
    batchHrefPrefix: batchHrefPrefixOf(profile),
    ...(participant !== undefined && { participant }),
    ...(profile.filters?.fixed && { filter: { id: profile.filters.fixed.id } }),
    ...(maturity && { maturity: { processId: maturity.processId, levelId: maturity.levelId, ...(maturity.states && { states: maturity.states }) } }),
    ...(multiCreate && { multiCreate: { path: (routes?.multiCreate ?? '/space/{spaceId}/softtype').replace('{spaceId}', space), resultHref: multiCreate.resultHref } }),
    ...(routes?.demote !== undefined && { demotePath: routes.demote }),
    ...fileAreaOf(profile),
    ...grantOf(profile),
    ...conditionalOf(profile),
  };
}

function typeOf({ definitionId, inputSchemaId, outputSchemaId, scalars = [], arrayPort }: SoftTypeProfile): GroundType {
  const port = arrayPort && { member: arrayPort.member, portId: arrayPort.portId ?? arrayPort.member, text: arrayPort.text };
  return { definitionId, inputSchemaId, outputSchemaId: outputSchemaId ?? '', scalars, ...(port && { arrayPort: port }) };
}

/** The body of the profile with readable texts in the place of `{{unique}}`, and in every scalar that it may have. */
function bodyFrom(faker: Faker, { body, scalars = [] }: SoftTypeProfile): Record<string, unknown> {
  const texts = Object.fromEntries(scalars.map((name) => [name, faker.lorem.sentence()]));
  return { ...readable(faker, body), ...texts };
}

function entryFrom(faker: Faker, { arrayPort }: SoftTypeProfile): Record<string, unknown> {
  if (arrayPort === undefined) return {};
  return { ...readable(faker, arrayPort.entry), [arrayPort.text]: faker.hacker.phrase() };
}

function readable(faker: Faker, template: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const filled = JSON.stringify(template).replaceAll(unique, () => JSON.stringify(faker.commerce.productName()).slice(1, -1));
  return JSON.parse(filled) as Record<string, unknown>;
}

/** Paths of journeys count from the base URL on. */
function batchHrefPrefixOf({ batch, baseUrl }: Profile): string {
  if (batch?.hrefForm === 'absolute') return baseUrl.replace(/\/$/, '');
  return batch?.hrefForm === 'path' ? pathPrefixOf(baseUrl) : '';
}

function fileAreaOf({ files, space }: Profile): Pick<Ground, 'fileArea'> {
  const user = files?.areas.space;
  if (user === undefined) return {};
  return { fileArea: { path: `/api/space/${encodeURIComponent(space)}/fs/file`, as: user.as, minChunkSize: files?.minChunkSize ?? 1 } };
}

function grantOf({ auth, identities }: Profile): Pick<Ground, 'grant'> {
  const { username, password } = identities.editor;
  // a token service elsewhere is none of the deployment that is loaded
  if (auth?.tokenUrl?.startsWith('/') !== true || username === undefined || password === undefined) return {};
  const form = Object.entries({ grant_type: 'password', username, password, scope: 'All' });
  return { grant: { path: auth.tokenUrl, form: form.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&') } };
}

function conditionalOf({ caching }: Profile): Pick<Ground, 'conditional'> {
  const { change } = caching ?? {};
  const resource = caching?.resources[change?.resource ?? 0];
  if (resource === undefined) return {};
  const { path, as = 'editor' } = resource;
  if (change === undefined || !isChange(change.method)) return { conditional: { path, as } };
  const { method, body, headers } = change;
  return { conditional: { path, as, change: { method, path: change.path, as: change.as ?? 'editor', body, ...(headers && { headers }) } } };
}

function isChange(method: string): method is ConditionalChange['method'] {
  return ['POST', 'PUT', 'PATCH'].includes(method);
}
