import { maturityPath } from '../hypermedia/hrefs.ts';
import type { Route } from '../route.ts';
import { contentInState } from '../soft-type/current-state.ts';
import { levelOf } from './level.ts';
import {
  demoteObject,
  formerState,
  nextState,
  promotable,
  promoteObject,
  versionAfterDemote,
  versionAfterPromote,
} from './move.ts';

export const maturityBehaviours = {
  promoteObject,
  promotable,
  demoteObject,
  levelOf,
  nextState,
  formerState,
  versionAfterPromote,
  versionAfterDemote,
  contentInState,
};

export const maturityRoutes: readonly Route[] = [
  {
    method: 'PUT',
    path: maturityPath('promote'),
    access: 'space',
    effect: 'write',
    before: (service, call) => service.behaviours.validatedPromote(service, call),
    handle: (service, call, writing) => service.behaviours.promoteObject(service, call, writing),
  },
  {
    method: 'PUT',
    path: maturityPath('demote'),
    access: 'space',
    effect: 'write',
    handle: (service, call, writing) => service.behaviours.demoteObject(service, call, writing),
  },
];
