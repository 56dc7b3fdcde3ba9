import { withoutSlash } from '../../contract/address.ts';
import { coveredRoutes, type CoveredRoute, type CoveredRouteName } from '../../contract/coverage/routes.ts';
import type { Profile } from '../../contract/profile.ts';
import { isObject, pointer, valueAt } from '../json.ts';
import { isOfService } from '../service/requests.ts';

/** What a request is for. */
export interface Place {
  readonly route: CoveredRouteName;
  readonly objectId?: string;
  readonly inputSchemaId?: string;
  readonly outputSchemaId?: string;
  readonly pageNumber?: string;
  /** With its question mark; empty without one. */
  readonly query: string;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A segment of the paths below a point. */
interface Fork {
  readonly literals: Map<string, Fork>;
  /** What any segment leads to. */
  any?: Fork;
  /** What ends here. */
  end?: Target;
  /** What goes on for any number of segments. */
  rest?: Target;
}

interface Target {
  readonly route: CoveredRouteName;
  /** Which segment holds the space. */
  readonly space: number;
  readonly ids: readonly (readonly [name: (typeof idNames)[number], segment: number])[];
}

const idNames = ['objectId', 'inputSchemaId', 'outputSchemaId', 'pageNumber'] as const;

/** Every request of a run is looked up, so that nothing is looked for twice. */
function targetOf(route: CoveredRouteName, template: readonly string[]): Target {
  const ids = idNames.map((name) => [name, template.indexOf(`{${name}}`)] as const).filter(([, at]) => at !== -1);
  return { route, space: template.indexOf('{spaceId}'), ids };
}

const remainder = '{...}';

/** Tells of each request for which route of the documents it is. */
export class RouteFinder {
  readonly #profile: Profile;
  readonly #base: string;
  readonly #space: string;
  readonly #roots = new Map<string, Fork>();

  constructor(profile: Profile) {
    this.#profile = profile;
    this.#base = withoutSlash(profile.baseUrl);
    this.#space = encodeURIComponent(profile.space);
    for (const [name, route] of Object.entries<CoveredRoute>(coveredRoutes))
      for (const { method, path } of placesOf(route, profile)) this.#plant(name as CoveredRouteName, method, path);
  }

  /** @param url absolute, or from the base URL or the host on */
  find(method: string, url: string): Place | undefined {
    const root = this.#roots.get(method);
    const path = root && this.#pathOf(url.includes('#') ? url.slice(0, url.indexOf('#')) : url);
    if (root === undefined || path === undefined) return undefined;
    const mark = path.indexOf('?');
    const segments = (mark === -1 ? path : path.slice(0, mark)).split('/');
    const target = targetIn(root, segments, 0);
    if (target === undefined) return undefined;
    const space = segments[target.space];
    // who may do what is known of one space
    if (space !== undefined && space !== this.#space) return undefined;
    const place: Writable<Place> = { route: target.route, query: mark === -1 ? '' : path.slice(mark) };
    for (const [name, at] of target.ids) {
      const segment = segments[at];
      if (segment !== undefined) place[name] = segment;
    }
    return place;
  }

  #pathOf(url: string): string | undefined {
    if (url.startsWith(this.#base)) return url.slice(this.#base.length);
    if (url.startsWith('/')) return url;
    return isOfService(url, this.#profile) ? url.replace(/^[^/]*\/\/[^/?#]*/, '') : undefined;
  }

  #plant(route: CoveredRouteName, method: string, path: string): void {
    const root: Fork = this.#roots.get(method) ?? { literals: new Map() };
    this.#roots.set(method, root);
    const template = path.split('/');
    let fork: Fork = root;
    for (const segment of template) {
      if (segment === remainder) {
        fork.rest ??= targetOf(route, template);
        return;
      }
      fork = forkBehind(fork, segment);
    }
    fork.end ??= targetOf(route, template);
  }
}

function forkBehind(fork: Fork, segment: string): Fork {
  if (segment.includes('{')) return (fork.any ??= { literals: new Map() });
  const known: Fork = fork.literals.get(segment) ?? { literals: new Map() };
  fork.literals.set(segment, known);
  return known;
}

function targetIn(fork: Fork, segments: readonly string[], index: number): Target | undefined {
  const segment = segments[index];
  if (segment === undefined) return fork.end;
  const literal = fork.literals.get(segment);
  return (
    (literal && targetIn(literal, segments, index + 1)) ??
    (fork.any && segment !== '' ? targetIn(fork.any, segments, index + 1) : undefined) ??
    fork.rest
  );
}

/** Where the profile has a route, else where the documents have it: templates of paths, placeholders in one pair of braces. */
function placesOf(
  { method, path, boundBy }: CoveredRoute,
  profile: Profile,
): readonly { method: string; path: string }[] {
  const bound = boundBy === undefined ? undefined : valueAt(profile, pointer(...boundBy.split('.')));
  const places = (Array.isArray(bound) ? bound : [bound]).flatMap((one: unknown) => {
    if (typeof one === 'string') return [{ method, path: one }];
    if (!isObject(one) || typeof one['path'] !== 'string') return [];
    return [{ method: typeof one['method'] === 'string' ? one['method'] : method, path: one['path'] }];
  });
  const stated = places.length === 0 && path !== undefined ? [{ method, path }] : places;
  return stated.map((place) => ({ ...place, path: pathIn(place.path, profile) }));
}

function pathIn(template: string, { baseUrl }: Profile): string {
  const base = withoutSlash(baseUrl);
  const path = template.startsWith(base) ? template.slice(base.length) : template.replace(/^https?:\/\/[^/]*/i, '');
  return (path.split('?')[0] ?? '').replaceAll('{{', '{').replaceAll('}}', '}');
}
