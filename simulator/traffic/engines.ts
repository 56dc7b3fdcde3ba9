import type { Engine, Load } from './engine.ts';
import { openModel } from './open-model.ts';
import { users } from './users.ts';

export const engines: Readonly<Record<Load['model'], Engine>> = { open: openModel, closed: users };
