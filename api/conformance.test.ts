import { conformance } from './vitest.ts';

// The bundled server and extension host, judged by every rule as anybody's would be.
conformance({ name: 'the bundled pair', runs: 3 });
