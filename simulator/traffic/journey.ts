import type { Ground } from './ground.ts';
import type { JourneyName } from './mix.ts';
import type { Result, Step } from './step.ts';

/** What a journey is given. It has no clock, no randomness and no data but these, so that every engine can drive it. */
export interface JourneyEnv {
  /** Number of the virtual user, or of the arrival in an open model, from 0. */
  readonly user: number;
  /** How often this user has begun a journey before. */
  readonly iteration: number;
  /** In [0, 1); the same sequence for the same seed, user and iteration. */
  random(): number;
  /** ms of a clock that never goes back. */
  now(): number;
  readonly ground: Ground;
}

/**
 * What one user does, as plain steps: each answer comes back as the value of its `yield`. Synchronous, without imports of Node and
 * without `URL`, `Intl`, `structuredClone` or `\p{…}`, so that k6 runs the same source.
 */
export type Journey = (env: JourneyEnv) => Generator<Step, void, Result>;

/** In one fixed order, by which a random number chooses. Apart from the schema of the mix, so that it runs on every engine. */
export const journeyNames: readonly JourneyName[] = [
  'reader',
  'author',
  'editor-pair',
  'importer',
  'approver',
  'file-user',
  'extension-life',
  'gate-keeper',
  'bulk-loader',
  'task-runner',
  'key-holder',
];
