/** Which rules the next run judges: those of the last run, those that failed last, or all of the selection. */
export type Asked = 'again' | 'failed' | 'all';

/** What a watch waits for. */
export type Event =
  | { readonly kind: 'key'; readonly asked: Asked }
  /** @property files absolute paths */
  | { readonly kind: 'change'; readonly files: ReadonlySet<string> }
  /** The service was gone and answers again. */
  | { readonly kind: 'return' };
