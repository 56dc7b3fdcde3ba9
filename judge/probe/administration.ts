import type { Profile } from '../../contract/profile.ts';
import type { CaseContext } from '../case.ts';
import { decodeSegment, lastSegment } from '../service/requests.ts';
import type { Registration } from '../extension/registrations.ts';
import { unlessRefused } from '../violation.ts';
import { headerNames } from '../../contract/names.ts';
import { routes as documented } from '../../contract/routes.ts';
import { isSuccess } from '../exchange.ts';

type Routes = NonNullable<Profile['routes']>;
type Template = NonNullable<Routes['registrationRead']>;

/** What an administrator can find out. */
type Administered = Pick<Profile, 'listener' | 'apiKeys' | 'triggers' | 'collection' | 'caching'> & {
  readonly routes: Pick<Routes, 'registrationRead' | 'registrationUpdate' | 'registrationDelete'>;
};

/** Routes of a collection that are usual; tried beside those that the documents show. */
const usualReads = ['/api/collection/space', '/api/collection/template', '/api/collection/health'];

const mostReads = 6;

/**
 * Registers an extension of its own and looks what can be done with it; reads the collection. `listener` is kept where the service reaches it.
 * @param shown paths of GET routes that the documents show
 */
export async function findAdministration(context: CaseContext, shown: readonly string[]): Promise<Administered> {
  const { listener, maturity, caching } = context.profile.all;
  const collection = await collectionReads(context, shown);
  const resources = caching === undefined ? await taggedIn(context, collection?.reads ?? [], 'administrator') : [];
  const registration = listener === undefined ? undefined : await unlessRefused(() => registered(context));
  const routes = registration === undefined ? {} : await registrationRoutes(context, registration);
  const keys = registration === undefined ? undefined : await acquirer(context);
  return {
    ...(collection && { collection }),
    ...(resources.length > 0 && { caching: { resources } }),
    ...(registration !== undefined && listener !== undefined && { listener }),
    ...(keys && { apiKeys: keys }),
    ...(routes.registrationDelete !== undefined &&
      maturity !== undefined && { triggers: { validation: promotion(maturity) } }),
    routes,
  };
}

/** A promote is an operation that validations are asked about. Source: extensions, Validations */
function promotion({ processId, levelId }: NonNullable<Profile['maturity']>) {
  const ids: Readonly<Record<string, string>> = { processId, levelId };
  return {
    method: 'PUT',
    path: documented.promote.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
      ids[name] === undefined ? `{{${name}}}` : encodeURIComponent(ids[name]),
    ),
    headers: { [headerNames.version]: '{{version}}' },
  };
}

async function registered({ given }: CaseContext): Promise<Registration | undefined> {
  return (await given.extension()).registration;
}

/** Routes at the address of a registration, as far as they do what they are for. */
async function registrationRoutes(
  { service }: CaseContext,
  registration: Registration,
): Promise<Administered['routes']> {
  const { kind, id, body, reply } = registration;
  const location = reply.headers['location'];
  const path = `/api/admin/${kind}/${encodeURIComponent(id)}`;
  const template =
    location !== undefined && decodeSegment(lastSegment(location.split('?')[0] ?? '') ?? '') === id
      ? templateOf(new URL(location, reply.url).pathname, registration, path)
      : '/api/admin/{{kind}}/{{registrationId}}';
  const url = template.replace('{{kind}}', kind).replace('{{registrationId}}', encodeURIComponent(id));
  const send = (method: string, content?: unknown) =>
    service.send({
      method,
      url,
      as: 'administrator',
      unbooked: true,
      ...(content !== undefined && { body: content }),
    });
  const bound = (method: string, more: Partial<Template> = {}): Template => ({
    method,
    path: template,
    as: 'administrator',
    ...more,
  });
  const isRead = (await send('GET')).status === 200;
  const update = await firstAnswered(['PUT', 'PATCH'], (method) => send(method, body));
  const isGone = isSuccess((await send('DELETE')).status);
  return {
    ...(isRead && { registrationRead: bound('GET') }),
    ...(update !== undefined && { registrationUpdate: bound(update, { body: '{{registration}}' }) }),
    ...(isGone && { registrationDelete: bound('DELETE') }),
  };
}

/** The path of a Location from the base URL on, with placeholders for its parts. */
function templateOf(pathname: string, { kind, id }: Registration, usual: string): string {
  const from = pathname.indexOf('/api/');
  const path = from < 0 ? usual : pathname.slice(from);
  return path
    .split('/')
    .map((segment) => {
      if (decodeSegment(segment) === id) return '{{registrationId}}';
      return segment === kind ? '{{kind}}' : segment;
    })
    .join('/');
}

async function firstAnswered(
  methods: readonly string[],
  send: (method: string) => Promise<{ readonly status: number }>,
): Promise<string | undefined> {
  for (const method of methods) if (isSuccess((await send(method)).status)) return method;
  return undefined;
}

/** Whether the acquire route takes the token of the administrator, which shows by the keys that come. Source: extensions, Acquiring API keys */
async function acquirer({ given, apiKeys }: CaseContext): Promise<Profile['apiKeys']> {
  return unlessRefused(async () => {
    const holder = await given.keyHolder();
    const reply = await apiKeys.acquire(holder, {}, { by: 'administrator' });
    const came = isSuccess(reply.status) && (await apiKeys.callback(holder)) !== undefined;
    return came ? { acquireAs: 'administrator' as const } : undefined;
  });
}

async function collectionReads({ service }: CaseContext, shown: readonly string[]): Promise<Profile['collection']> {
  const paths = [...new Set([...shown.filter((path) => /^\/api\/collection\/[^{]+$/.test(path)), ...usualReads])];
  const reads: string[] = [];
  for (const path of paths.filter((each) => !/\/fs\/|openapi/i.test(each)).slice(0, 2 * mostReads)) {
    if (reads.length === mostReads) break;
    const { status } = await service.send({ method: 'GET', url: path, as: 'administrator' });
    if (status === 200) reads.push(path);
  }
  return reads.length === 0 ? undefined : { reads };
}

type Resource = NonNullable<Profile['caching']>['resources'][number];

const mostProposed = 2;

/** The first of these that answer with an ETag which stays the same. Source: core, Versioning 4 */
export async function taggedIn(
  { service }: CaseContext,
  paths: readonly string[],
  as?: Resource['as'],
): Promise<Resource[]> {
  const found: Resource[] = [];
  for (const path of paths) {
    if (found.length === mostProposed) break;
    const request = { method: 'GET', url: path, as: as ?? 'editor' } as const;
    const [first, second] = [await service.send(request), await service.send(request)];
    const tag = first.headers['etag'];
    if (first.status === 200 && tag !== undefined && tag === second.headers['etag'])
      found.push({ path, ...(as && { as }) });
  }
  return found;
}
