import { replaces } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { at, listAt } from '../service.ts';
import { changes } from '../variant-parts.ts';

const source = 'core: Authentication 7';

/** Some users of the seed have two roles: rita one in each space, emil and alma both in one. */
export const rolesMistakes: Mistakes = {
  'roles.union-of-spaces': {
    source,
    breaks: 'What a role allows, it allows in its space, also to somebody who has another one elsewhere.',
    variant: replaces('auth', 'rolesOf', (right, areas, user, space) => {
      const here = right(areas, user, space);
      const all = [...areas.configuration.spaces.values()].flatMap((each) => right(areas, user, each));
      return here.length === 0 ? here : all;
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      return (await rita.merge(made, 1, { note: 'n' })).status < 300;
    },
  },
  'roles.of-the-first-participant': {
    source,
    breaks: 'What the second role of a user in a space allows, is allowed.',
    variant: changes('auth', 'rolesOf', (all) => all.slice(0, 1)),
    async shows({ edda, emil }) {
      const made = await edda.make('Document');
      return (await emil.merge(made, 1, { note: 'n' })).status === 403;
    },
  },
  'roles.of-the-last-participant': {
    source,
    breaks: 'What the first role of a user in a space allows, is allowed.',
    variant: changes('auth', 'rolesOf', (all) => all.slice(-1)),
    async shows({ edda, alma }) {
      const made = await edda.make('Document');
      return (await alma.merge(made, 1, { note: 'n' })).status === 403;
    },
  },
  'roles.reads-kept-by-the-first-role': {
    source: 'core: What the service does',
    breaks: 'Links tell what any of the roles of a user allows, whoever read the object before.',
    variant: changes('memory', 'rightsOf', (rights) => rights.split(',')[0] ?? ''),
    async shows({ edda, rita, emil }) {
      const made = await edda.make('Document');
      await rita.read(made);
      return !listAt(await emil.read(made), '/links').some((link) => at(link, '/method') === 'PUT');
    },
  },
};
