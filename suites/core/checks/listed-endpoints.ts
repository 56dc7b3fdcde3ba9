import { isDeepStrictEqual } from 'node:util';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { isObject } from '../../../judge/json.ts';
import { plainTextOf } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { Registration } from '../../../judge/extension/registrations.ts';
import { readBehindChange, readResource, type Resource } from './resource-changes.ts';

/** Changes one after the other. */
const changesSeen = 3;

/** Each in the place of what an endpoint has by default, or was registered with; off at the end, as nobody is to call it. */
const otherSettings = {
  category: 'another',
  method: 'PUT',
  requestTimeout: 77,
  rateLimitNumberOfExecutions: 7,
  headers: [
    { name: 'content-type', value: 'application/json' },
    { name: 'x-more', value: 'of it' },
  ],
  retryForever: true,
  active: false,
};

/** Stands before and behind what changes: more than some servers look at when they tag what they send. */
const stays = 'as it was '.repeat(600);

/**
 * A list of which one member changed shows it to whoever holds the tag of before; several times, since others may come and go in between, and
 * in the end within a long text, where one is taken.
 */
export async function expectListedChangeSeen(context: CaseContext): Promise<void> {
  const { given, registrations, notes, profile } = context;
  const { caching, identities, routes } = profile.all;
  if (caching?.endpointList === undefined || routes?.registrationUpdate === undefined) return;
  if (identities.administrator === undefined) return;
  const { path, as = 'administrator' } = caching.endpointList;
  const list = { path, as };
  const body = {
    id: given.unique('listed'),
    name: given.unique('before'),
    url: `${profile.all.baseUrl}/nobody-calls-it`,
    method: 'POST',
    category: 'conformance',
    headers: [{ name: 'content-type', value: 'application/json' }],
  };
  const made = await registrations.post('externalEndpoint', body);
  given.succeeded(made, 'an endpoint to be registered', ['registration.simple.all-fields-accepted']);
  const endpoint = registrations.made('externalEndpoint', body, made);
  let { etag } = (await readResource(context, list)).headers;
  for (let change = 1; change <= changesSeen && etag !== undefined; change += 1) {
    const text = given.unique('after');
    const isLong = change > 1 && (await isTakenWithin(context, endpoint, text));
    if (!isLong) given.succeeded(await registrations.update(endpoint, { name: text }), 'the endpoint to be updated');
    const { plain, isShown } = await readBehindChange(context, list, etag, (reply) =>
      plainTextOf(reply).includes(text),
    );
    notes.observe(`a list of endpoints shows the new ${isLong ? 'description' : 'name'} of one`, isShown, plain);
    if (!isShown) return;
    ({ etag } = plain.headers);
  }
  await expectEachSettingSeen(context, list, endpoint);
}

/** None of what an endpoint is registered with changes behind the tag of the list, as far as the list shows it. */
async function expectEachSettingSeen(context: CaseContext, list: Resource, endpoint: Registration): Promise<void> {
  const { given, registrations, notes } = context;
  const shown: string[] = [];
  // an update is the whole registration: what was changed before stays as it is by then
  let settings: Readonly<Record<string, unknown>> = {};
  given.succeeded(await registrations.update(endpoint, settings), 'the endpoint to be updated');
  let before = await readResource(context, list);
  for (const [name, value] of Object.entries(otherSettings)) {
    const tag = before.headers['etag'];
    const update = await registrations.update(endpoint, { ...settings, [name]: value });
    if (!isSuccess(update.status) || tag === undefined) continue;
    settings = { ...settings, [name]: value };
    const former = shownOf(endpoint, before);
    const { plain, isShown } = await readBehindChange(
      context,
      list,
      tag,
      (reply) => !isDeepStrictEqual(shownOf(endpoint, reply), former),
    );
    if (isShown) shown.push(name);
    before = plain;
  }
  notes.observe('settings whose change a list of endpoints shows', shown.join(', '), before);
}

/** What a list tells of an endpoint, wherever that stands. */
function shownOf({ body }: Registration, { json }: Reply): unknown {
  const found: unknown[] = [];
  const look = (value: unknown): void => {
    if (isObject(value) && Object.values(value).includes(body['id'])) found.push(value);
    else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) look(inner);
  };
  look(json);
  return found;
}

/** Whether the endpoint may be described by a long text; how long one may be is the target's. */
async function isTakenWithin(
  { registrations, notes }: CaseContext,
  endpoint: Registration,
  text: string,
): Promise<boolean> {
  const reply = await registrations.update(endpoint, { description: `${stays}${text} ${stays}` });
  notes.observe('status of an endpoint with a long description', reply.status, reply);
  return isSuccess(reply.status);
}
