import type { SomeCasesOf } from '../../judge/case.ts';
import { hostScenario } from '../../judge/host/host-case.ts';
import { eachRecord } from './host-words.ts';

/** Cases about where the records of a host are called. */
export const hostServedCases = {
  'metadata.host.endpoint-relative': hostScenario(async (context) => {
    const endpoints: unknown[] = [];
    await eachRecord(context, ({ endpoint }, which, reply) => {
      const isRelative = (text: unknown): boolean => !/^\s*(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(String(text));
      context
        .expect(endpoint, `endpoint of ${which}`, reply)
        .toSatisfy('a route from hostUri on, without scheme or host', isRelative);
      endpoints.push(endpoint);
    });
    context.notes.observe(
      'endpoints that start with a slash',
      endpoints.filter((endpoint) => String(endpoint).startsWith('/')).length,
    );
    context.notes.observe('records that share an endpoint with another', endpoints.length - new Set(endpoints).size);
  }),

  'metadata.host.endpoint-served': hostScenario(async ({ host, records, stage, given, expect, notes }) => {
    if (records.all.length === 0)
      given.notExercised('the host announces no record of a type whose calls are documented');
    const installation = await stage.installation();
    for (const record of records.all) {
      const reply = await host.call(installation.call(record));
      expect(reply.status, `status of a call to record ${JSON.stringify(record.id)} at its endpoint`, reply).toSatisfy(
        'neither 404 nor 405',
        (status) => status !== 404 && status !== 405,
      );
    }
    const sibling = await host.send('POST', `${host.hostUri}/${given.unique('not-announced')}`, { body: '{}' });
    notes.observe('status of a path that no record announces', sibling.status);
  }),
} satisfies SomeCasesOf<'metadata'>;
