import { isSuccess } from '../../../judge/exchange.ts';
import { plainTextOf } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { Registration } from '../../../judge/extension/registrations.ts';

/** Changes one after the other. */
const changesSeen = 3;

/** Stands before and behind what changes: more than some servers look at when they tag what they send. */
const stays = 'as it was '.repeat(600);

/**
 * A list of which one member changed shows it to whoever holds the tag of before; several times, since others may come and go in between, and
 * in the end within a long text, where one is taken.
 */
export async function expectListedChangeSeen(context: CaseContext): Promise<void> {
  const { given, service, registrations, expect, notes, profile } = context;
  const { caching, identities, routes } = profile.all;
  if (caching?.endpointList === undefined || routes?.registrationUpdate === undefined) return;
  if (identities.administrator === undefined) return;
  const { path, as = 'administrator' } = caching.endpointList;
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
  let { etag } = (await service.get(path, { as })).headers;
  for (let change = 1; change <= changesSeen && etag !== undefined; change += 1) {
    const text = given.unique('after');
    const isLong = change > 1 && (await isTakenWithin(context, endpoint, text));
    if (!isLong) given.succeeded(await registrations.update(endpoint, { name: text }), 'the endpoint to be updated');
    const reply = await service.get(path, { as, headers: { 'If-None-Match': etag } });
    const plain = reply.status === 200 ? reply : await service.get(path, { as });
    const isShown = plainTextOf(plain).includes(text);
    notes.observe(`a list of endpoints shows the new ${isLong ? 'description' : 'name'} of one`, isShown, plain);
    if (!isShown) return;
    expect(reply).toAnswer(200);
    ({ etag } = plain.headers);
  }
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
