import type { LinkFill, TaskLink } from './tasks.ts';

/** `{name}` or `{{name}}`, in plain or percent-encoded spelling; `:name` as a whole segment or value. */
const placeholder = /(?:\{|%7B){1,2}([\w.-]+)(?:\}|%7D){1,2}|(?<=[/=]):([a-z]\w*)(?=[/?#&]|$)/gi;
const statusRoute = /\/status(?:\/[^/?#]*)?\/?(?=$|[?#])/;

/** Names of what a link leaves open, in their order. */
export function placeholdersOf({ address }: Pick<TaskLink, 'address'>): readonly string[] {
  return [...address.matchAll(placeholder)].map(([, inBraces, behindColon]) => inBraces ?? behindColon ?? '');
}

/** The address of a link with everything put in. Source: extensions, External task links; ledger task-link-templates */
export function addressOf({ address, token }: Pick<TaskLink, 'address' | 'token'>, fill: LinkFill = {}): string {
  const [path = '', ...rest] = withStatus(address, fill.status).split('?');
  const query = rest.join('?');
  const filled = fill.path === undefined ? path : withPath(path, query, fill.path);
  const pairs = query === '' ? [] : query.split('&').map((pair) => withValue(pair, fill.path));
  return [filled, ...joined(withToken(pairs, token, fill.token ?? 'bearer'))].join('?');
}

function withStatus(address: string, status: string | undefined): string {
  if (status === undefined) return address;
  const segment = encodeURIComponent(status.toWellFormed());
  if (address.search(placeholder) !== -1) return address.replaceAll(placeholder, () => segment);
  return statusRoute.test(address) ? address.replace(statusRoute, () => `/status/${segment}`) : address;
}

/** Several placeholders share the path: the last one is the name of the file. */
function withPath(template: string, query: string, path: string): string {
  const segments = path.split('/').map((segment) => encodeURIComponent(segment.toWellFormed()));
  const count = [...template.matchAll(placeholder)].length;
  if (count === 0) return hasPlaceholder(query) ? template : `${template.replace(/\/$/, '')}/${segments.join('/')}`;
  let index = 0;
  return template
    .replaceAll(placeholder, () => {
      index += 1;
      if (count === 1) return segments.join('/');
      return index === count
        ? (segments.at(-1) ?? '')
        : segments.slice(index - 1, index === count - 1 ? -1 : index).join('/');
    })
    .replaceAll(/(?<!:)\/{2,}/g, '/');
}

function hasPlaceholder(query: string): boolean {
  return query.split('&').some((pair) => !isToken(pair) && pair.search(placeholder) !== -1);
}

function withValue(pair: string, path: string | undefined): string {
  if (path === undefined || isToken(pair)) return pair;
  return pair.replaceAll(placeholder, () => encodeURIComponent(path.toWellFormed()));
}

function withToken(pairs: readonly string[], token: string, place: NonNullable<LinkFill['token']>): readonly string[] {
  if (place === 'as-told') return pairs;
  const others = pairs.filter((pair) => !isToken(pair));
  if (place === 'none') return others;
  if (place === 'bearer') return pairs.filter((pair) => !isToken(pair) || !isOpen(pair));
  const name = pairs.find(isToken)?.split('=')[0] ?? 'token';
  return [...others, `${name}=${encodeURIComponent(token)}`];
}

/** A parameter for the token: named so, or with a placeholder named so. */
function isToken(pair: string): boolean {
  return /^(access_?)?token=/i.test(pair) || /=(?:\{|%7B){1,2}(access_?)?token/i.test(pair);
}

/** Whether the value is left to the one who follows the link. */
function isOpen(pair: string): boolean {
  return pair.endsWith('=') || pair.search(placeholder) !== -1;
}

function joined(pairs: readonly string[]): readonly string[] {
  return pairs.length === 0 ? [] : [pairs.join('&')];
}
