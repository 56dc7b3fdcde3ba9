import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type RequestSpec } from '../../../judge/exchange.ts';
import type { Thing } from '../../../judge/things.ts';
import {
  anyEdit,
  asOperation,
  editRoutes,
  findWorking,
  makeEditable,
  type WriteRoute,
} from '../../../judge/service/writes.ts';

const writers = 4;

interface Contest {
  readonly number: number;
  readonly thing: Thing;
  /** One for each writer, for operations that stand before those on the thing. */
  readonly others: readonly Thing[];
  readonly routes: readonly WriteRoute[];
}

/** Of batches, and of batches and edits, that are made for one version of an object and sent at once not two are accepted; whether one of them has to be is judged elsewhere. */
export async function expectNoTwoWinners(context: CaseContext): Promise<void> {
  const { service, expect } = context;
  const routes = await findWorking(context, editRoutes(context));
  const things = () => Promise.all(Array.from({ length: writers }, () => makeEditable(context)));
  for (let number = 0; number < Math.max(6, 2 * routes.length); number += 1) {
    const contest = { number, thing: await makeEditable(context), others: await things(), routes };
    const writes = Array.from({ length: writers }, (_, writer) => writeOf(context, contest, writer));
    const replies = await Promise.all(writes.map((write) => service.send(write)));
    const winners = replies.filter(({ status }) => isSuccess(status));
    const what = `writes of ${writers} with one version that were accepted, batches among them`;
    expect(winners.length, what, winners[1]).toSatisfy('at most one', (count) => count <= 1);
    if (winners.length === 0) continue;
    const after = await service.snapshot(contest.thing);
    expect(after.version, 'version after one of these was accepted', after.reply).toEqual(contest.thing.version + 1);
  }
}

/** Batches alone, batches ahead of edits, and behind them, by turns, each of every kind of write; what is contested stands second in half of the batches. */
function writeOf(context: CaseContext, { number, thing, others, routes }: Contest, writer: number): RequestSpec {
  const { service } = context;
  const isBatch = number % 3 === 0 || (writer % 2 === 0) === (number % 3 === 1);
  const write =
    (isBatch && routes[number % routes.length]?.request(thing)) || service.requests.edit(thing, anyEdit(context));
  const other = others[writer];
  const before = number % 2 === 0 || other === undefined ? [] : [service.requests.edit(other, anyEdit(context))];
  return isBatch ? service.requests.batch([...before, write].map(asOperation)) : write;
}
