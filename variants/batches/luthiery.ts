import { storedStates } from '../../reference-server/areas/soft-type.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { replaces } from '../breaks.ts';
import { type Json, mapped } from '../dialect/choice.ts';
import type { Batch } from './mistake.ts';
import { at, spaceFiles } from './service.ts';

const profilePath = '/api/collection/user/profile';

/** Where the levels of the seed begin. */
const firstStates = new Set(['draft', 'open']);

/** What a service in Perl got wrong unseen: its hashes come out in another order each time, and the text 0 is false to it. */
export const luthiery: Batch = {
  'caching.tag-of-members-in-any-order': {
    source: 'core: Versioning 4',
    breaks: 'Data that nobody has changed answer 304, in whatever order a hash table gives their members.',
    kind: 'value',
    variant: replaces('caching', 'conditional', (right, areas, call, answer) =>
      right(areas, call, answer.raw === undefined ? { ...answer, body: mapped(answer.body, inAnyOrder) } : answer),
    ),
    async shows({ cora }) {
      const tags = new Set<string | null>();
      for (let left = 20; left > 0; left -= 1) tags.add((await cora.get(profilePath)).headers.get('etag'));
      return tags.size > 1;
    },
  },

  'reading.inner-version-counts-no-promotes': {
    source: 'core: System properties, $version',
    breaks: 'The version inside the data is the one beside it, also after a promote.',
    kind: 'moment',
    variant: replaces('instances', 'systemMembers', (right, areas, object) => ({
      ...right(areas, object),
      $version:
        object.version - Object.values(storedStates(object)).filter(({ state }) => !firstStates.has(state)).length,
    })),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'up' });
      await edda.move(made, 1);
      const read = await edda.read(made);
      return at(read, '/version') !== at(read, '/data/$version');
    },
  },

  'files.name-that-is-false': {
    source: 'extensions: File routes, row 1',
    breaks: 'A file may be called 0.',
    kind: 'value',
    variant: replaces('files', 'streamPlaceOf', (right, areas, call, area) => {
      const place = right(areas, call, area);
      if (place.segments.at(-1) === '0') throw new Refusal(400, 'The file has no name.');
      return place;
    }),
    async shows({ edda }) {
      await edda.upload('names/0', 'zero');
      return (await edda.get(`${spaceFiles}/names/0`)).text !== 'zero';
    },
  },
};

function inAnyOrder(object: Json): Json {
  const members = Object.entries(object);
  const first = Math.floor(Math.random() * members.length);
  return Object.fromEntries([...members.slice(first), ...members.slice(0, first)]);
}
