import { replaces, together, type Variant } from '../../breaks.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import type { Batch } from '../mistake.ts';

export const filesMistakes: Batch = {
  'files.space-file-below-a-user': {
    source: 'extensions: File areas, rows Space and User',
    breaks: 'The area of the space and that of a user are two, also for a path that begins with user.',
    kind: 'value',
    variant: withUsersBelowTheSpace(),
    async shows({ edda }) {
      await edda.upload('user/edda/plan.txt', 'of the space');
      return (await edda.get('/api/space/main/user/fs/file/plan.txt')).status === 200;
    },
  },
};

/** What lies below `user` and a name in the area of the space lies in the area of that user. */
function withUsersBelowTheSpace(): Variant {
  const moved = ({ area, segments }: FilePlace): FilePlace => {
    const [first, userName, ...rest] = segments;
    if (area.kind !== 'space' || first !== 'user' || userName === undefined || rest.length === 0)
      return { area, segments };
    return { area: { kind: 'user', spaceId: area.spaceId, userName }, segments: rest };
  };
  return together(
    replaces('files', 'streamPlaceOf', (right, areas, call, area) => moved(right(areas, call, area))),
    replaces('files', 'filePlaceOf', (right, areas, call, area) => moved(right(areas, call, area))),
  );
}
