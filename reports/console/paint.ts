import { styleText } from 'node:util';

/** Where the console goes; `columns` as terminals know it. */
export type ConsoleStream = NodeJS.WritableStream & { readonly columns?: number };

const styles = { title: 'bold', good: 'green', bad: 'red', caution: 'yellow', faint: 'dim' } as const;

/** Colours a text of ours for its role, or leaves it as it is where the stream or the environment wants no colours. */
export type Paint = (role: keyof typeof styles, text: string) => string;

export function paintFor(stream: ConsoleStream): Paint {
  return (role, text) => styleText(styles[role], text, { stream });
}
