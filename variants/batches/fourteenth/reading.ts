import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, named } from '../proofs.ts';
import { at, listAt, many } from '../service.ts';

/** Longer than any array. */
const whole = { from: 0, to: 1_000_000 };

export const readingMistakes: Batch = {
  'paging.one-page-too-many': {
    source: 'core: Server side paging 2',
    breaks: 'An array of twenty entries has two pages.',
    kind: 'value',
    variant: replaces('paging', 'pagesOf', (_right, _areas, total) => Math.floor(total / 10) + 1),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'twenty', files: named(20) });
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/sectionPath') === 'files');
      return at(link, '/pages') !== 2;
    },
  },

  'paging.long-reference-port': {
    source: 'core: Server side paging 1',
    breaks: 'Every array of a read has at most ten entries, one of references as well.',
    kind: 'place',
    variant: replaces('entries', 'firstSlice', async (right, areas, reading, object, section, filter) => {
      if (section.member.kind !== 'references') return right(areas, reading, object, section, filter);
      const entries = await areas.entries.entriesOf(reading, object, section, whole, filter);
      return { section, entries, total: entries.length };
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part', { name: 'described' });
      const describes = many(12, () => ({ value: { $oid: oid } }));
      const made = await edda.make('Document', { title: 'references', describes });
      return listAt(await edda.read(made), '/data/describes').length > 10;
    },
  },
};

export const accessMistakes: Batch = {
  'auth.personal-token-of-an-administrator': {
    source: 'core: Authentication 1',
    breaks: 'Collection routes accept a personal access token as space routes do.',
    kind: 'place',
    variant: replaces('auth', 'authenticate', async (right, areas, call) => {
      const credentials = areas.auth.credentialsOf(call.headers);
      if (!call.url.startsWith('/api/collection/') || credentials?.scheme !== 'bearer') return right(areas, call);
      if (!credentials.token.includes('.')) throw areas.tokens.unusableToken('Expected a JWT.');
      return right(areas, call);
    }),
    shows: async ({ cora }) => (await cora.get('/api/collection/space')).status === 401,
  },

  'auth.unguarded-prefix': {
    source: 'core: Authentication 6',
    breaks: 'Without a token nothing is created, also not by the one route whose path has no api before it.',
    kind: 'place',
    variant: replaces('auth', 'authenticate', async (right, areas, call) => {
      const [somebody] = areas.configuration.users.values();
      const isOpen = call.method === 'POST' && call.url.startsWith('/space/') && !('authorization' in call.headers);
      return isOpen && somebody !== undefined ? somebody : right(areas, call);
    }),
    async shows({ nobody }) {
      const items = [{ $id: 'one', $softType: 'Part', data: { name: 'nobody' } }];
      return (await nobody.multiCreate(items)).status !== 401;
    },
  },

  'headers.correlation-of-mail': {
    source: 'core: Common request headers',
    breaks: 'A correlation id that is given is passed on to every extension, to one that sends mail as well.',
    kind: 'place',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const delivery = right(areas, call, triggered);
      return triggered.kind === 'email' ? { ...delivery, envelopeId: randomUUID() } : delivery;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      const correlationId = randomUUID();
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      await service.edda.post('/api/space/main/externalEmail', mail, {
        [headerNames.correlationId]: correlationId,
      });
      await service.pass(1);
      const [call] = callsTo(host);
      return call !== undefined && call.envelope?.id !== correlationId;
    },
  },
};
