/** What a statement takes. Numbers may be infinite where a column holds times. */
export type Value = string | number | null | readonly number[] | readonly string[];

/** A statement that each connection prepares once, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

let count = 0;

export function statement(text: string): Statement {
  count += 1;
  return { name: `svc_${count}`, text };
}
