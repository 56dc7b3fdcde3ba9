import { beforeAll } from 'vitest';
import { forgetSecrets } from './outlet.ts';

// Files of tests share a process, and the secrets of one are words of another.
beforeAll(forgetSecrets);
