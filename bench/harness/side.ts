import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** A server in a process of its own, so that what it burns can be told from what the load generator burns. */
export interface Side extends AsyncDisposable {
  /** Base URL without a slash at its end. */
  readonly url: string;
  /** CPU that the process has used so far, user and system, in microseconds. */
  cpuUs(): Promise<number>;
  /** Memory that the process holds now, in bytes. */
  residentBytes(): Promise<number>;
}

/** What a side says of itself when it is asked; see serving.ts. */
export interface Usage {
  readonly cpuUs: number;
  readonly residentBytes: number;
}

/** Starts `sides/<name>.ts`. It ends with the side, or with this process, whichever is first. */
export async function startSide(name: string, settings: object = {}): Promise<Side> {
  const script = fileURLToPath(new URL(`../sides/${name}.ts`, import.meta.url));
  const child = fork(script, [JSON.stringify(settings)]);
  const [url] = (await once(child, 'message')) as [string];
  const usage = async (): Promise<Usage> => {
    const answer = once(child, 'message');
    child.send('usage');
    const [told] = (await answer) as [Usage];
    return told;
  };
  return {
    url,
    cpuUs: async () => (await usage()).cpuUs,
    residentBytes: async () => (await usage()).residentBytes,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** Settings of the reference side: the database that `--store postgres://…` names, or else what is given. */
export function storeSettings(usual: { readonly file?: string } = {}): {
  readonly file?: string;
  readonly database?: string;
} {
  const { store } = parseArgs({ options: { store: { type: 'string' } }, strict: false }).values;
  return typeof store === 'string' ? { database: store } : usual;
}
