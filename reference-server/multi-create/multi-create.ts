import { routes } from '../../contract/routes.ts';
import type { Route } from '../route.ts';
import { contentOfItem, createItems, itemNamed, multiCreate, multiCreateAnswer, storedTarget } from './create.ts';
import { identified, itemFrom, itemsFrom, itemsOf, itemTypeOf, withinLimit } from './items.ts';

export const multiCreateBehaviours = {
  multiCreate,
  itemsOf,
  withinLimit,
  itemsFrom,
  itemFrom,
  itemTypeOf,
  identified,
  contentOfItem,
  itemNamed,
  storedTarget,
  createItems,
  multiCreateAnswer,
};

export const multiCreateRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: routes.multiCreate,
    access: 'space',
    effect: 'write',
    handle: (service, call, writing) => service.behaviours.multiCreate(service, call, writing),
  },
];
