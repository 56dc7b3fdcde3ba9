import type { Step } from '../../simulator/extension/step.ts';
import { scenario, schedule, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import { NoAnswer } from '../../judge/client/failure.ts';
import { eventAt } from '../../judge/extension/trigger-calls.ts';
import { eventRecord, odd, offered } from './words.ts';

const watchedMs = 70_000;

const answers: Readonly<Record<string, Step>> = {
  'no JSON': { status: 200, text: 'Nothing to see here' },
  'an object': { status: 200, json: { records: [] } },
  'an empty array': { status: 200, json: [] },
  'status 401': { status: 401 },
  'status 404': { status: 404 },
  'status 500': { status: 500 },
  'a redirect': { status: 302, headers: { location: '/elsewhere' } },
  'no answer': { never: true },
};

export const openCases = {
  'metadata.response.malformed': schedule(watchedMs / 1000 + 60, async (context) => {
    const { clock, service, profile, notes } = context;
    const hosts = await clock.through(() =>
      Promise.all(Object.entries(answers).map(([what, step]) => registered(context, what, step))),
    );
    await clock.pass(watchedMs);
    for (const { what, host } of hosts.filter((made) => made !== undefined)) {
      const gaps = host.gaps({ kind: 'metadata' }).map((gapMs) => `${Math.round(gapMs / 1000)} s`);
      notes.observe(
        `metadata requests where the answer is ${what}`,
        [String(host.metadata().length), ...gaps].join(', '),
      );
    }
    const alive = await service.get(`/api/space/${encodeURIComponent(profile.all.space)}`);
    notes.remarkServerError(alive);
  }),

  'metadata.response.one-bad-record': scenario(async (context) => {
    const { notes } = context;
    for (const turn of ['first', 'last', 'twin']) {
      const good = eventRecord(context);
      const { category: _left, ...bad } = turn === 'twin' ? { ...good, category: 'conformance' } : eventRecord(context);
      const other = turn === 'twin' ? { ...good, endpoint: `${good.endpoint}/twin` } : odd(bad);
      const { host, reply } = await offered(context, turn === 'first' ? [other, good] : [good, other]);
      const what = turn === 'twin' ? 'two records with one id' : `a right record and, ${turn}, a bad one`;
      notes.observe(`registration with ${what}`, reply.status, reply);
      if (reply.status >= 300) continue;
      const call = await eventAt(context, host, { recordId: good.id });
      notes.observe(
        `the right one of ${what}`,
        call === undefined
          ? 'not called'
          : `called at ${call.path === good.endpoint ? 'its own endpoint' : 'another endpoint'}`,
      );
    }
  }),
} satisfies SomeCasesOf<'metadata'>;

/** Undefined where the registration waits for the metadata longer than an answer is waited for. */
async function registered(
  context: CaseContext,
  what: string,
  step: Step,
): Promise<({ what: string } & Pick<Awaited<ReturnType<typeof offered>>, 'host'>) | undefined> {
  const { notes } = context;
  try {
    const { host, reply } = await offered(context, [], {
      script: [{ when: { kind: 'metadata' }, steps: [step], afterwards: 'last' }],
    });
    notes.observe(`registration where the answer is ${what}`, reply.status, reply);
    notes.remarkServerError(reply);
    return { what, host };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    notes.observe(`registration where the answer is ${what}`, error.message);
    return undefined;
  }
}
