import type { CaseContext } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import { unescaped } from '../../judge/unescaped.ts';
import { cachingScenario, readResource, readUnless, resourcesOf, tagOf } from './words.ts';

/** Two changes in a row: each old ETag answers 200 with the new data, each new one 304. */
export const changedCase = cachingScenario(async (context) => {
  const change = context.profile.all.caching?.change;
  const resource = context.given.present(
    resourcesOf(context)[change?.resource ?? 0],
    'the resource that the change names',
  );
  const first = await tagOf(context, resource);
  const marker = await makeChange(context);
  const changed = await readUnless(context, resource, first);
  context.expect(changed).toAnswer(200);
  context.expect(unescaped(changed).includes(marker), 'the change shows in the data', changed).toEqual(true);
  const second = context.expect(changed).toCarry('etag');
  context.expect(second, 'ETag after the change', changed).notToEqual(first);
  context.expect(await readUnless(context, resource, second)).toAnswer(304);

  const other = await makeChange(context);
  const third = await readUnless(context, resource, second);
  context.expect(third).toAnswer(200);
  context.expect(unescaped(third).includes(other), 'the second change shows in the data', third).toEqual(true);
  context.given.assume((await readResource(context, resource)).status === 200, 'the resource is still readable');
});

/** Sends the change of the profile with a fresh text and returns that text. */
async function makeChange(context: CaseContext): Promise<string> {
  const change = context.given.present(context.profile.all.caching?.change, 'caching.change in the profile');
  const marker = context.given.unique('change');
  const body: unknown = JSON.parse(JSON.stringify(change.body).replaceAll('{{unique}}', marker));
  const reply: Reply = await context.service.send({
    method: change.method,
    url: change.path,
    as: change.as ?? 'editor',
    body,
    headers: { 'Content-Type': 'application/json', ...change.headers },
  });
  context.given.succeeded(reply, 'the change of the resource is accepted');
  return marker;
}
