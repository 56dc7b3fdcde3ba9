import { breaks } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { grantedToken } from './token.ts';

export const accessMistakes: Batch = {
  'access.token-of-first-user': {
    source: 'core: Authentication 3',
    breaks: 'A password grant yields a token for the user whose name and password it brings, whoever got one before.',
    kind: 'copy',
    variant: breaks('grants', 'tokenAnswer', (right) => {
      let first: string | undefined;
      return (areas, form, token) => {
        first ??= token;
        return right(areas, form, first);
      };
    }),
    async shows(service) {
      await grantedToken(service, 'edda');
      const authorization = `Bearer ${await grantedToken(service, 'rita')}`;
      const path = '/api/space/main/softtype/Part/partInput';
      return (await service.nobody.post(path, { name: 'by a reader' }, { authorization })).status === 201;
    },
  },
};
