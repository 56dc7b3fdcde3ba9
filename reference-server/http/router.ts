import type { Route } from './route.ts';

/** What answers a method at a path. */
interface Placed<Place> {
  readonly method: Route['method'];
  /** What the template names, each with the index of its segment. */
  readonly names: readonly (readonly [string, number])[];
  readonly place: Place;
}

/** A segment of a path, decoded; undefined where it cannot be. */
type Segment = string | undefined;

/** Where the segments of paths lead on from one of them. */
interface Fork<Place> {
  readonly next: Map<Step, Fork<Place>>;
  readonly placed: Placed<Place>[];
}

/** A segment as it is spelt, or what a template has in its place. */
type Step = string | symbol;

export interface Found<Place> {
  readonly place: Place;
  /** What stands for the {names} of the template, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/** One that is not empty. */
const anySegment = Symbol('{name}');
/** At least one segment, which may be empty. */
const theRest = Symbol('{name*}');

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const restForm = /^\{\w+\*\}$/;

const spelling = /^((?:\/api)?\/space\/[^/?]+)\/SoftType(?=[/?]|$)/;

/** Scheme and host that a proxy is told, before the path; behind it what is no path. */
const targetForm = /^(?:https?:\/\/[^/?#]*)?([^?#]*)/i;

/** Tells what stands at a path. A segment that a template spells goes before one that it names. */
export class Router<Place> {
  readonly #root: Fork<Place> = fork();

  /** Of several at one path with one method the first counts. GET answers HEAD as well. */
  add(method: Route['method'], path: string, place: Place): void {
    const template = path.split('/');
    let at = this.#root;
    for (const step of template.map(stepOf)) {
      const next = at.next.get(step) ?? fork();
      at.next.set(step, next);
      at = next;
    }
    const names = template.flatMap((step, index) =>
      stepOf(step) === anySegment ? [[step.slice(1, -1), index] as const] : [],
    );
    at.placed.push({ method, names, place });
  }

  /** Undefined where nothing answers the method, or what has to be decoded of the path cannot be. */
  find(method: string, url: string): Found<Place> | undefined {
    const segments = segmentsOf(url);
    const sought = method === 'HEAD' ? 'GET' : method;
    const found = reached(this.#root, segments).find((placed) => placed.method === sought);
    if (found === undefined) return undefined;
    const params: Record<string, string> = {};
    for (const [name, index] of found.names) params[name] = segments[index] ?? '';
    return { place: found.place, params };
  }

  /** Methods of the path, in one fixed order; empty where nothing has it, undefined where it cannot be decoded. */
  methodsOf(url: string): readonly string[] | undefined {
    const segments = segmentsOf(url);
    const found = new Set<string>(reached(this.#root, segments).map(({ method }) => method));
    if (found.size === 0 && segments.includes(undefined)) return undefined;
    if (found.has('GET')) found.add('HEAD');
    return methods.filter((method) => found.has(method));
  }
}

/** One spelling of the segment that has two. Source: core, Endpoint table; ledger path-letter-case */
export function canonicalUrl(url: string): string {
  return spelling.test(url) ? url.replace(spelling, '$1/softtype') : url;
}

/** Paths under which a route is served: one written without `/api` answers with it as well. Source: ledger multi-create-path-prefix, openapi-path-prefix */
export function pathsOf(route: Route): readonly string[] {
  const path = canonicalUrl(route.path);
  return path.startsWith('/space/') ? [path, `/api${path}`] : [path];
}

/** What the `{name*}` of the template stands for in the URL, as sent; undefined for a template without. */
export function restOf(template: string, url: string): readonly string[] | undefined {
  const segments = template.split('/');
  if (!restForm.test(segments.at(-1) ?? '')) return undefined;
  return pathOf(url)
    .split('/')
    .slice(segments.length - 1);
}

function fork<Place>(): Fork<Place> {
  return { next: new Map(), placed: [] };
}

function stepOf(segment: string): Step {
  if (restForm.test(segment)) return theRest;
  return segment.startsWith('{') ? anySegment : segment;
}

/** Everything that fits, what goes before others first. What a `{name*}` stands for is not decoded: access is decided before. */
function reached<Place>(root: Fork<Place>, segments: readonly Segment[]): readonly Placed<Place>[] {
  const found: Placed<Place>[] = [];
  const go = (at: Fork<Place>, index: number): void => {
    if (index === segments.length) return void found.push(...at.placed);
    const segment = segments[index];
    for (const step of segment ? [segment, anySegment] : [segment]) {
      const next = step === undefined ? undefined : at.next.get(step);
      if (next !== undefined) go(next, index + 1);
    }
    found.push(...(at.next.get(theRest)?.placed ?? []));
  };
  go(root, 0);
  return found;
}

function pathOf(url: string): string {
  return targetForm.exec(url)?.[1] ?? '';
}

function segmentsOf(url: string): readonly Segment[] {
  return canonicalUrl(pathOf(url)).split('/').map(decoded);
}

function decoded(segment: string): Segment {
  try {
    return segment.includes('%') ? decodeURIComponent(segment) : segment;
  } catch {
    return undefined;
  }
}
