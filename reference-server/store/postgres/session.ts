import type { QueryArrayResult } from 'pg';
import type { Connection } from './connections.ts';
import { failureOf } from './failure.ts';
import type { Statement, Value } from './statement.ts';
import { spelled } from './text.ts';

/** Statements in one transaction, for as long as the work goes on that they are part of. */
export class Session {
  readonly #connection: Connection;
  #isOpen = true;
  #hasFailed = false;
  /** Whether deliveries have become ready that other hosts do not know of. */
  hasQueued = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Whether a statement failed. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Rows come as arrays of their columns. */
  async all<Row>(statement: Statement, ...values: readonly Value[]): Promise<readonly Row[]> {
    // the statement says what columns there are
    return (await this.#sent(statement, values)).rows as unknown as readonly Row[];
  }

  async one<Row>(statement: Statement, ...values: readonly Value[]): Promise<Row | undefined> {
    return (await this.all<Row>(statement, ...values))[0];
  }

  /** @returns number of rows that it touched */
  async run(statement: Statement, ...values: readonly Value[]): Promise<number> {
    return (await this.#sent(statement, values)).rowCount ?? 0;
  }

  /** Runs a statement that has to touch exactly one row. @throws {Error} it touched none: the caller names what is not there */
  async touchOne(statement: Statement, subject: string, ...values: readonly Value[]): Promise<void> {
    if ((await this.run(statement, ...values)) === 1) return;
    throw new Error(`The store was told to change ${subject}, which it does not hold.`);
  }

  /** Statements that come later are refused: they would become part of what is none of theirs. */
  end(): void {
    this.#isOpen = false;
  }

  async #sent({ name, text }: Statement, values: readonly Value[]): Promise<QueryArrayResult> {
    if (!this.#isOpen) throw new Error('The store was asked by a work that is over.');
    try {
      return await this.#connection.query({
        name,
        text,
        rowMode: 'array',
        values: values.map((value) => (typeof value === 'string' ? spelled(value) : value)),
      });
    } catch (error) {
      this.#hasFailed = true;
      throw failureOf(error);
    }
  }
}
