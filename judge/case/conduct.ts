import { withoutSlash } from '../../contract/address.ts';
import type { Profile } from '../../contract/profile.ts';
import { routes } from '../../contract/routes.ts';
import { kindsIn } from '../../fixtures/values.ts';
import type { WireRequest } from '../client/wire.ts';
import { jsonOf } from '../json.ts';

/** What a case did in a run, told so that every run with the same seed tells the same: in sorted lists, without counts. */
export interface Conduct {
  /** By method and route, ids left out: `GET /api/space/{spaceId}/softtype/{objectId}`. */
  readonly requests: readonly string[];
  /** By name, generated values left out. */
  readonly assertions: readonly string[];
  /** What it records without judging it, by name. */
  readonly observations?: readonly string[];
  /** Kinds of values that it sent in JSON, of those that programs trip over. */
  readonly values?: readonly string[];
  /** Time of the service that passed for a schedule, in whole seconds. */
  readonly seconds?: number;
}

/** Listens to one case. */
export class ConductLog {
  readonly #names: RouteNames;
  readonly #requests = new Set<string>();
  readonly #assertions = new Set<string>();
  readonly #observations = new Set<string>();
  readonly #values = new Set<string>();
  #seconds: number | undefined;

  constructor(names: RouteNames) {
    this.#names = names;
  }

  request({ method, url, body }: WireRequest): void {
    this.#requests.add(this.#names.nameOf(method, url));
    if (body !== undefined) for (const kind of kindsIn(jsonOf(Buffer.from(body).toString()))) this.#values.add(kind);
  }

  /** @param name without generated values */
  assertion(name: string): void {
    this.#assertions.add(name);
  }

  observation(name: string): void {
    this.#observations.add(name);
  }

  passed(ms: number): void {
    this.#seconds = Math.round(ms / 1000);
  }

  tell(): Conduct {
    return {
      requests: [...this.#requests].toSorted(),
      assertions: [...this.#assertions].toSorted(),
      ...(this.#observations.size > 0 && { observations: [...this.#observations].toSorted() }),
      ...(this.#values.size > 0 && { values: [...this.#values].toSorted() }),
      ...(this.#seconds !== undefined && { seconds: this.#seconds }),
    };
  }
}

interface Route {
  /** Absent where any will do. */
  readonly method?: string;
  readonly template: string;
  readonly pattern: RegExp;
}

const documented: readonly Route[] = [
  routeOf(routes.instanceShort, 'GET'),
  routeOf(routes.page, 'GET'),
  routeOf(routes.instanceLong, 'GET'),
  routeOf(routes.openApiDynamic, 'GET'),
  routeOf(routes.create, 'POST'),
  routeOf(routes.multiCreate, 'POST'),
  routeOf(routes.merge, 'PATCH'),
  routeOf(routes.operations, 'PATCH'),
  routeOf(routes.batch),
  routeOf(routes.promote),
];

/** Names what is requested by its route: one of the documents, else one of the profile, else the path without what looks like an id. */
export class RouteNames {
  readonly #base: string;
  readonly #routes: readonly Route[];

  constructor(profile: Profile) {
    this.#base = withoutSlash(profile.baseUrl);
    const bound = [...new Set(templatesIn(profile))].map((template) => routeOf(template));
    // the most particular one first
    this.#routes = [
      ...documented,
      ...bound.toSorted((one, other) => literalLength(other.template) - literalLength(one.template)),
    ];
  }

  /** As `PATCH /api/space/{spaceId}/batch`. @param url absolute */
  nameOf(method: string, url: string): string {
    const [place = '', query = ''] = (url.split('#')[0] ?? '').split('?', 2);
    const path = place.startsWith(this.#base)
      ? place.slice(this.#base.length)
      : place.replace(/^https?:\/\/[^/]*/i, '');
    const route = this.#routes.find((each) => (each.method ?? method) === method && each.pattern.test(path));
    return `${method} ${route?.template ?? withoutIds(path)}${parametersIn(query)}`;
  }
}

function routeOf(template: string, method?: string): Route {
  const pattern = template
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith('{') ? '[^/]+' : RegExp.escape(part)))
    .join('');
  return { template, pattern: new RegExp(`^${pattern}$`), ...(method !== undefined && { method }) };
}

/** Path templates in the values of a profile; names in them stand in one or in two braces. */
function templatesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') {
    const path = value.split('?')[0] ?? '';
    return path.startsWith('/') && path.includes('{') ? [path.replaceAll('{{', '{').replaceAll('}}', '}')] : [];
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(templatesIn) : [];
}

function literalLength(template: string): number {
  return template.replaceAll(/\{\w+\}/g, '').length;
}

function withoutIds(path: string): string {
  return path
    .replace(/\/space\/[^/]+/, '/space/{spaceId}')
    .replace(/\/participant\/[^/]+/, '/participant/{participantId}')
    .replace(/(\/fs\/(?:dir|file\/stream|file))\/.*/, '$1/{path}')
    .replace(/(\/fileupload)\/[^/]+(\/[^/]+)?/, (_all, route: string, further = '') =>
      further === '' ? `${route}/{spaceId}` : `${route}/{spaceId}/{participantId}`,
    )
    .split('/')
    .map((segment) => (/^\{\w+\}$|^$/.test(segment) || isName(segment) ? segment : '{id}'))
    .join('/');
}

/** Letters, as words are made of them: drawn ones have too many capitals. */
function isName(segment: string): boolean {
  if (!/^[A-Za-z][A-Za-z._$-]{0,39}$/.test(segment)) return false;
  const words = segment.match(/[A-Z]?[a-z]+|[A-Z]/g)?.length ?? 0;
  return segment.length <= 12 || words * 4 <= segment.length;
}

function parametersIn(query: string): string {
  const names = query.split('&').map((parameter) => parameter.split('=')[0] ?? '');
  const plain = new Set(names.filter((name) => /^[A-Za-z$_-]{1,39}$/.test(name)));
  return plain.size === 0 ? '' : `?${[...plain].toSorted().join('&')}`;
}

const longestName = 160;

/** A name in which only what the case says itself is left: paths, texts in quotes, objects, ids and numbers that it puts in are not. */
export function withoutValues(name: string): string {
  return name
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '…')
    .replaceAll(/\{.*\}|\[.*\]/g, '…')
    .replaceAll(/ ?\([^)]*\d[^)]*\)/g, '')
    .replaceAll(/\bof object \d+.*/g, 'of an object')
    .replaceAll(/\bafter [a-z]+(?:, [a-z]+)+$/g, 'after several requests')
    .replaceAll(/\S*(?:%|\/\S*\/)\S*|\S*…\S*/g, '…')
    .replaceAll(/\b[\w.]+-[0-9a-f]{6,8}(?:-\d+)?\b/g, '…')
    .replaceAll(/\b[\w-]*[A-Za-z][\w-]*\d[\w-]{6,}\b/g, '…')
    .replaceAll(/(?<![\w.])-?\d+(?:\.\d+)?\b/g, 'N')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, longestName);
}
