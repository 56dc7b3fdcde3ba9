/** Rules whose case is not built yet: shown as such by `rules` and by every report, never as passed. This list shrinks to nothing. */
export const pending = [
  'api-keys.acquire.posts-to-callback',
  'api-keys.acquire.exact-permissions',
  'api-keys.acquire.key-shape',
  'api-keys.acquire.callback-mismatch-refused',
  'api-keys.acquire.unconfigured-permission-refused',
  'api-keys.acquire.mixed-request-no-excess',
  'api-keys.acquire.own-configuration',
  'api-keys.acquire.trusted-endpoint',
  'api-keys.acquire.no-permissions-refused',
  'api-keys.acquire.caller-credential',
  'api-keys.callback.request-shape',
  'api-keys.key.administration-on-bulk',
  'api-keys.key.other-permission-not-on-bulk',
  'api-keys.rotation.new-key-after-period',
  'api-keys.rotation.old-key-overlap',
] as const;

export type Pending = (typeof pending)[number];
