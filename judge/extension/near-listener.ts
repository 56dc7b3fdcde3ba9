import type { Profile } from '../../contract/profile.ts';

/** Where the suite listens for a host of this machine whose profile names nothing else. */
export const nearListener: NonNullable<Profile['listener']> = {
  bind: '127.0.0.1:0',
  publicUrl: 'http://127.0.0.1:{port}',
};

export function isLocal(uri: string): boolean {
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(uri).hostname);
}
