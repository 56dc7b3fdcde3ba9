import { statesMember, storedStates } from '../../reference-server/areas/soft-type.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { type Variant, replaces, together } from '../breaks.ts';
import type { Batch } from './mistake.ts';
import { always, callsOf, claimsIn } from './proofs.ts';
import { at, listAt } from './service.ts';

/** What a service in Go got wrong unseen: it shares what it should have copied, and its links leave out a part of their query. */
export const cellar: Batch = {
  'operations.replaced-in-entries-stays': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A list that fails has no effect, also where all that it does before is to replace a text in an entry.',
    kind: 'copy',
    variant: replaces('operations', 'operateObject', async (right, areas, call, writing) => {
      try {
        return await right(areas, call, writing);
      } catch (error) {
        if (!(error instanceof Refusal) || call.json.some(({ op }) => op !== 'replace')) throw error;
        const { object } = call;
        await areas.versioning.storeEdit(writing, object, object.version, object.content);
        return areas.messages.problemAnswer(call, error);
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'before' }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [
        { op: 'replace', path: `/files/${id}/name`, value: 'after' },
        { op: 'replace', path: '/files', value: [] },
      ]);
      return at(await edda.read(made), '/data/files/0/name') === 'after';
    },
  },

  'maturity.put-ends-a-level': {
    source: 'core: States and transitions',
    breaks: 'An object carries a state for each maturity level, also behind a PUT, whose body names none.',
    kind: 'copy',
    variant: replaces('editing', 'putObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const object = await writing.object(call.space.id, call.object.oid);
      const [moved] = Object.entries(object === undefined ? {} : storedStates(object)).filter(
        ([, { state }]) => state === 'reviewed',
      );
      if (object === undefined || moved === undefined) return answer;
      const { [moved[0]]: _gone, ...states } = storedStates(object);
      await writing.updateObject(call.space.id, object.oid, object.version, {
        ...object.content,
        [statesMember]: states,
      });
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      await edda.replace(made, 2, { title: 'again' });
      return at(await edda.read(made), '/data/engineering') === undefined;
    },
  },

  'paging.link-without-the-value': {
    source: 'core: Server side paging 3 and 5',
    breaks:
      'A page link leads to a page once its number is put in, also where the filter takes its value from the query.',
    kind: 'combination',
    variant: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) => {
      const href = right(areas, object, view, section, page, filter);
      return filter !== undefined && filter.filter.equals === undefined ? href.replace(/&.*$/, '') : href;
    }),
    async shows({ edda }) {
      const files = Array.from({ length: 11 }, (_empty, index) => ({ name: `n${index}`, category: 'c' }));
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=c');
      const link = listAt(read, '/links').find((each) => at(each, '/rel') === 'page');
      return (await edda.get(String(at(link, '/href')).replace('{pageNumber}', '1'))).status !== 200;
    },
  },

  'events.token-of-the-latest-user': {
    source: 'extensions: Call envelope, row accessToken',
    breaks:
      'The token of a call speaks for the user who triggered it, also on an attempt after another user triggered one.',
    kind: 'role',
    variant: ofLatestUser(),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 503 }));
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': 'first' });
      await service.emil.sendEvent('event', {}, { 'X-Correlation-Id': 'second' });
      await service.pass(3);
      const attempts = callsOf(host, 'event').filter(({ envelope }) => envelope?.id === 'first');
      return attempts.some((attempt) => at(claimsIn(attempt), '/sub') === 'emil');
    },
  },
};

function ofLatestUser(): Variant {
  return (classes) => {
    let latest: string | undefined;
    return together(
      replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
        const delivery = right(areas, call, triggered);
        if (delivery.kind === 'event') latest = delivery.userName;
        return delivery;
      }),
      replaces('requests', 'extensionRequest', (right, areas, delivery, callee) =>
        right(
          areas,
          delivery.kind === 'event' ? { ...delivery, userName: latest ?? delivery.userName } : delivery,
          callee,
        ),
      ),
    )(classes);
  };
}
