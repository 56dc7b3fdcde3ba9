import type { Options } from '../contract/option.ts';
import type { ServiceOptions } from './service.ts';

/** What a service takes, whichever way its clients reach it. */
export const serviceOptions: Options<ServiceOptions> = {
  space: 'any',
  seed: 'any',
  store: 'string',
  faults: 'list',
  dialect: { words: { strange: true, foreign: true, peculiar: true } },
  clock: 'any',
};
