import { closedLoop } from './closed-loop.ts';
import type { Engine, LoadPlan } from './engine.ts';
import { openModel } from './open-model.ts';
import { users } from './users.ts';

/** What makes a load of that plan. */
export function engineFor({ load, byAutocannon }: Pick<LoadPlan, 'load' | 'byAutocannon'>): Engine {
  if (load.model === 'open') return openModel;
  return byAutocannon === true ? closedLoop : users;
}
