import { keepThreads } from './thread.ts';

// A test judges a few rules, and the start of their thread costs more than they do.
keepThreads(1);
