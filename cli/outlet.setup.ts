import { beforeEach } from 'vitest';
import { forgetSecrets } from './outlet.ts';

// Tests share a process, and the secrets of one are words of another.
beforeEach(forgetSecrets);
