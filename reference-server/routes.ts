import { authRoutes } from './auth.ts';
import { collectionRoutes } from './collection.ts';
import { lockRoutes } from './lock/lock.ts';
import { maturityRoutes } from './maturity/maturity.ts';
import { openApiRoutes } from './openapi.ts';
import { pagingRoutes } from './paging/paging.ts';
import { patchRoutes } from './patch/patch.ts';
import { readingRoutes } from './reading/reading.ts';
import type { Route } from './route.ts';

/** Everything that is served, area by area. */
export const routes: readonly Route[] = [
  ...readingRoutes,
  ...pagingRoutes,
  ...patchRoutes,
  ...maturityRoutes,
  ...lockRoutes,
  ...authRoutes,
  ...collectionRoutes,
  ...openApiRoutes,
];
