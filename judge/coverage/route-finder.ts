import { withoutSlash } from '../../contract/address.ts';
import { coveredRoutes, type CoveredRoute, type CoveredRouteName } from '../../contract/coverage/routes.ts';
import type { Profile } from '../../contract/profile.ts';
import { isObject } from '../json.ts';
import { isOfService } from '../requests.ts';

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
  readonly template: readonly string[];
}

const remainder = '{...}';

/** Tells of each request for which route of the documents it is. */
export class RouteFinder {
  readonly #profile: Profile;
  readonly #base: string;
  readonly #roots = new Map<string, Fork>();

  constructor(profile: Profile) {
    this.#profile = profile;
    this.#base = withoutSlash(profile.baseUrl);
    for (const [name, route] of Object.entries<CoveredRoute>(coveredRoutes))
      for (const { method, path } of placesOf(route, profile)) this.#plant(name as CoveredRouteName, method, path);
  }

  /** @param url absolute, or from the base URL or the host on */
  find(method: string, url: string): Place | undefined {
    const root = this.#roots.get(method);
    const path = root && this.#pathOf(url);
    if (root === undefined || path === undefined) return undefined;
    const [plain = '', ...queries] = path.split('?');
    const segments = plain.split('/');
    const target = targetIn(root, segments, 0);
    if (target === undefined) return undefined;
    const { route, template } = target;
    // who may do what is known of one space
    if (![undefined, encodeURIComponent(this.#profile.space)].includes(segments[template.indexOf('{spaceId}')]))
      return undefined;
    const query = queries.length === 0 ? '' : `?${queries.join('?')}`;
    const objectId = segments[template.indexOf('{objectId}')];
    const inputSchemaId = segments[template.indexOf('{inputSchemaId}')];
    const outputSchemaId = segments[template.indexOf('{outputSchemaId}')];
    const pageNumber = segments[template.indexOf('{pageNumber}')];
    return {
      route,
      query,
      ...(objectId !== undefined && { objectId }),
      ...(inputSchemaId !== undefined && { inputSchemaId }),
      ...(outputSchemaId !== undefined && { outputSchemaId }),
      ...(pageNumber !== undefined && { pageNumber }),
    };
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
        fork.rest ??= { route, template };
        return;
      }
      fork = forkBehind(fork, segment);
    }
    fork.end ??= { route, template };
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
  const bound: unknown = boundBy
    ?.split('.')
    .reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), profile);
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
