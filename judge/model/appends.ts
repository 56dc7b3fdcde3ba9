/** When a request was sent and when its answer had arrived, in ms of one clock; Infinity where no answer came. */
interface Span {
  readonly invokedAt: number;
  readonly respondedAt: number;
}

/** A batch that appends its own mark once to each of some objects. */
export interface Append extends Span {
  readonly mark: string;
  readonly objects: readonly string[];
  /** `unknown` where no answer came, so that it may have happened or not. */
  readonly result: 'accepted' | 'refused' | 'unknown';
}

/** One read of one object: the marks that it showed, in their order. */
export interface Look extends Span {
  readonly object: string;
  readonly marks: readonly string[];
}

/** Everything that was appended to some objects, what was read meanwhile, and what they hold in the end. */
export interface AppendHistory {
  readonly appends: readonly Append[];
  readonly looks: readonly Look[];
  readonly final: Readonly<Record<string, readonly string[]>>;
}

/**
 * What no service can have shown that carries out batches whole and one after another, each sentence one reason; empty where there is an
 * order of the batches that explains everything. Time counts: what was answered before something was asked comes before it.
 */
export function appendBreaches(history: AppendHistory): readonly string[] {
  const found = [...contentBreaches(history), ...lookBreaches(history)];
  if (found.length > 0) return found;
  const circle = circleIn(orderOf(history));
  return circle === undefined
    ? []
    : [`no order of the batches explains what was seen: ${circle.map((mark) => `"${mark}"`).join(' before ')}`];
}

/** Each accepted batch once in each of its objects, each refused one nowhere, one without an answer everywhere or nowhere. */
function contentBreaches({ appends, final }: AppendHistory): readonly string[] {
  const known = new Set(appends.map(({ mark }) => mark));
  const strangers = Object.entries(final).flatMap(([object, marks]) =>
    marks.filter((mark) => !known.has(mark)).map((mark) => `${object} holds "${mark}", which nobody appended`),
  );
  const wrong = appends.flatMap(({ mark, objects, result }) => {
    const counts = Object.entries(final).map(([object, marks]) => ({
      object,
      wanted: objects.includes(object),
      count: marks.filter((one) => one === mark).length,
    }));
    const happened = result === 'accepted' || (result === 'unknown' && counts.some(({ count }) => count > 0));
    return counts
      .filter(({ wanted, count }) => count !== (happened && wanted ? 1 : 0))
      .map(({ object, count }) => `${object} holds "${mark}" of a batch that was ${result} ${count} times`);
  });
  return [...strangers, ...wrong];
}

/** Each read showed a beginning of what its object holds in the end. */
function lookBreaches({ looks, final }: AppendHistory): readonly string[] {
  return looks
    .filter(({ object, marks }) => marks.some((mark, index) => final[object]?.[index] !== mark))
    .map(({ object, marks }) => `${object} showed ${JSON.stringify(marks)}, which is no beginning of what it holds`);
}

type Order = ReadonlyMap<string, ReadonlySet<string>>;

/** Which batch has to come before which others. */
function orderOf({ appends, looks, final }: AppendHistory): Order {
  const happened = appends.filter(({ mark }) => Object.values(final).some((marks) => marks.includes(mark)));
  const order = new Map(happened.map(({ mark }) => [mark, new Set<string>()]));
  const put = (before: readonly string[], after: readonly string[]): void =>
    before.forEach((mark) => after.forEach((other) => order.get(mark)?.add(other)));
  const answeredBefore = (at: number): string[] =>
    happened.filter(({ respondedAt }) => respondedAt < at).map(({ mark }) => mark);
  const askedAfter = (at: number): string[] =>
    happened.filter(({ invokedAt }) => invokedAt > at).map(({ mark }) => mark);
  for (const marks of Object.values(final)) marks.forEach((mark, index) => put(marks.slice(index - 1, index), [mark]));
  for (const { mark, invokedAt } of happened) put(answeredBefore(invokedAt), [mark]);
  for (const look of looks) {
    // what was not yet there comes after all that was seen, or answered, before it was asked
    const missing = (final[look.object] ?? []).slice(look.marks.length);
    const earlier = looks.filter(({ respondedAt }) => respondedAt < look.invokedAt);
    put([...answeredBefore(look.invokedAt), ...earlier.flatMap(({ marks }) => marks)], missing);
    put(look.marks, askedAfter(look.respondedAt));
  }
  return order;
}

/** Marks of which each has to come before the next, and the last before the first; undefined where there are none. */
function circleIn(order: Order): readonly string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (mark: string): readonly string[] | undefined => {
    if (path.includes(mark)) return [...path.slice(path.indexOf(mark)), mark];
    if (done.has(mark)) return undefined;
    path.push(mark);
    for (const next of order.get(mark) ?? []) {
      const circle = visit(next);
      if (circle !== undefined) return circle;
    }
    path.pop();
    done.add(mark);
    return undefined;
  };
  for (const mark of order.keys()) {
    const circle = visit(mark);
    if (circle !== undefined) return circle;
  }
  return undefined;
}
