import { mediaTypes } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { nameOf } from '../../../reference-server/areas/operations.ts';
import { claimsOf } from '../../../reference-server/areas/tokens.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { tokenOf } from '../proofs.ts';
import { at, listAt } from '../service.ts';

export const operationsMistakes: Batch = {
  'operations.date-of-the-replace-before': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A replace sets the date of its own information filter, whatever that of the one before was.',
    kind: 'copy',
    variant: breaks('contents', 'effectivityOf', (right) => {
      const dates = new Map<string, string>();
      return (areas, call) => {
        const date = dates.get(call.url) ?? right(areas, call);
        if (call.headers['content-type']?.startsWith(mediaTypes.operations)) dates.set(call.url, date);
        return date;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'dated', price: '1' });
      for (const [index, time] of ['2026-01-01T00:00:00Z', '2026-02-02T00:00:00Z'].entries())
        await edda.operate(made, index + 1, [{ op: 'replace', path: '/price', value: `${index}` }], { time });
      return at(await edda.read(made), '/data/price/effectivity') !== '2026-02-02T00:00:00Z';
    },
  },

  'operations.appended-into-a-gap': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'What is added to an array becomes its last entry, also when one before was removed.',
    kind: 'moment',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      await right(areas, run, target, contents);
      const { oid } = run.object;
      const all = await run.writing.entries(oid, nameOf(target), { from: 0, to: 1000 });
      const old = all.length - contents.length;
      const gap = all.slice(0, old).findIndex(({ entryId }, index) => entryId !== index + 1);
      if (gap < 0) return;
      const order = [...all.slice(0, gap), ...all.slice(old), ...all.slice(gap, old)];
      await run.writing.replaceEntries(oid, nameOf(target), order);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'gap', files: ['a', 'b', 'c'].map((name) => ({ name })) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/2/' }]);
      await edda.operate(made, 2, [{ op: 'add', path: '/files/-', value: { name: 'd' } }]);
      return at(listAt(await edda.read(made), '/data/files').at(-1), '/name') !== 'd';
    },
  },

  'operations.add-onto-a-zero': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add onto a member that exists fails, also when its value is zero, false or an empty text.',
    kind: 'value',
    variant: replaces('operations', 'addValue', (right, areas, run, target, ...args) =>
      right(areas, run, target.kind === 'member' && !target.value ? { ...target, value: undefined } : target, ...args),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'zero', pageCount: 0 });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/pageCount', value: 5 }])).status < 400;
    },
  },

  'operations.null-in-a-remove': {
    source: 'core: Patch operation',
    breaks: 'A remove has no value, not even null.',
    kind: 'value',
    variant: replaces('operations', 'operationOf', (right, areas, item, at) => {
      if (!isContent(item) || item['op'] !== 'remove' || item['value'] !== null) return right(areas, item, at);
      const { value: _null, ...rest } = item;
      return right(areas, rest, at);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'null', note: 'there' });
      return (await edda.operate(made, 1, [{ op: 'remove', path: '/note', value: null }])).status < 400;
    },
  },
};

export const accessMistakes: Batch = {
  'access.form-not-decoded': {
    source: 'core: Authentication 3',
    breaks: 'The fields of the token request are a form, whose values may be percent-encoded.',
    kind: 'value',
    variant: replaces('grants', 'grantFormOf', (right, areas, call) => {
      const pairs = call.body?.toString().split('&') ?? [];
      const raw = new Map(pairs.map((pair) => [pair.split('=', 1)[0], pair.slice(pair.indexOf('=') + 1)]));
      return new Map([...right(areas, call)].map(([name, value]) => [name, raw.get(name) ?? value]));
    }),
    async shows(service) {
      return (await tokenOf(service, '%65dda')) === 'undefined';
    },
  },

  'access.known-by-the-signature': {
    source: 'core: Authentication 2',
    breaks: 'A token whose claims are not those that were signed is none, also when the right one was used before.',
    kind: 'copy',
    variant: breaks('tokens', 'verifyToken', (right) => {
      const known = new Set<string>();
      return async (areas, token) => {
        const [, payload = '', signature = ''] = token.split('.');
        const claims = known.has(signature) ? claimsOf(Buffer.from(payload, 'base64url')) : undefined;
        if (claims === undefined) {
          const verified = await right(areas, token);
          known.add(signature);
          return verified;
        }
        areas.tokens.checkExpiry(claims);
        return claims;
      };
    }),
    async shows(service) {
      const [head, payload = '', signature] = (await tokenOf(service, 'edda')).split('.');
      const altered = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('edda', 'cora'));
      const statuses: number[] = [];
      for (const claims of [payload, altered.toString('base64url')]) {
        const authorization = `Bearer ${head}.${claims}.${signature}`;
        statuses.push((await service.nobody.get('/api/collection/space', { authorization })).status);
      }
      return statuses[1] === 200;
    },
  },
};
