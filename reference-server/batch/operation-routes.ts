import { canonicalUrl, pathsOf } from '../http/routing.ts';
import type { Route } from '../route.ts';

/** A route whose requests may be operations of a batch. */
export type OperationRoute = Extract<Route, { readonly access: 'space'; readonly effect: 'read' | 'write' }>;

export interface FoundRoute {
  readonly route: OperationRoute;
  readonly params: Readonly<Record<string, string>>;
}

interface Template {
  readonly route: OperationRoute;
  readonly segments: readonly string[];
}

/** Finds routes by method and path, as the router of the server does for requests of their own. */
export class OperationRoutes {
  readonly #templates = new Map<string, Template[]>();

  constructor(served: readonly Route[]) {
    for (const route of served) if (route.access === 'space' && route.effect !== 'outside') this.#add(route);
    for (const alternatives of this.#templates.values()) alternatives.sort((one, other) => names(one) - names(other));
  }

  /** Undefined where there is no such route, also for a path whose percent-encoding is not valid. */
  find(method: string, path: string): FoundRoute | undefined {
    const segments = canonicalUrl(path).split('/');
    const template = this.#templates.get(key(method, segments))?.find((candidate) => fits(candidate, segments));
    const params = template && paramsOf(template, segments);
    return params && { route: template.route, params };
  }

  #add(route: OperationRoute): void {
    for (const path of pathsOf(route)) {
      const segments = path.split('/');
      const alternatives = this.#templates.get(key(route.method, segments)) ?? [];
      alternatives.push({ route, segments });
      this.#templates.set(key(route.method, segments), alternatives);
    }
  }
}

/** The route that an operation asks for; undefined for one that a batch does not know. Source: core, Batch rules 2 */
export function operationRouteOf(table: OperationRoutes, method: string, path: string): FoundRoute | undefined {
  return table.find(method, path);
}

function key(method: string, segments: readonly string[]): string {
  return `${method} ${segments.length}`;
}

/** Of two templates that fit, the one with fewer names says more about the path. */
function names({ segments }: Template): number {
  return segments.filter(isName).length;
}

function fits(template: Template, segments: readonly string[]): boolean {
  return template.segments.every((segment, index) =>
    isName(segment) ? segments[index] !== '' : segment === segments[index],
  );
}

function isName(segment: string): boolean {
  return segment.startsWith('{');
}

function paramsOf(template: Template, segments: readonly string[]): Readonly<Record<string, string>> | undefined {
  const pairs = template.segments.flatMap((segment, index) =>
    isName(segment) ? [[segment.slice(1, -1), segments[index] ?? ''] as const] : [],
  );
  try {
    return Object.fromEntries(pairs.map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
}
