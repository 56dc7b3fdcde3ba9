import type { SoftTypeProfile } from '../../contract/profile.ts';
import { dataOf } from '../service/answers.ts';
import type { CaseContext } from '../case.ts';
import { withUnique } from '../given.ts';
import { isObject } from '../json.ts';
import type { Json } from '../every-answer/openapi.ts';
import { type DescribedSchema, type DescribedType, membersOf, requiredOf } from './described.ts';
import { smallestBody, valueFor } from './propose.ts';
import type { Thing } from '../things.ts';
import { insteadOfRefusal, unlessRefused } from '../violation.ts';

/** Members that are tried one by one where all at once are refused. */
const mostMembers = 20;

/**
 * The SoftTypes of the documents with the output schemas that these do not describe as reads of an object show them: it is made with as
 * many members as the input takes.
 */
export async function withLearntOutputs(
  context: CaseContext,
  types: readonly DescribedType[],
): Promise<readonly DescribedType[]> {
  const learnt: DescribedType[] = [];
  for (const type of types) learnt.push(isSilent(type) ? await learntFrom(context, type) : type);
  return learnt;
}

function isSilent({ outputs }: DescribedType): boolean {
  return outputs.every(({ document, shape }) => membersOf(document, shape).size === 0);
}

async function learntFrom(context: CaseContext, type: DescribedType): Promise<DescribedType> {
  const input = type.inputs.toSorted((a, b) => sizeOf(b) - sizeOf(a))[0];
  const [output] = type.outputs;
  if (input === undefined || output === undefined) return type;
  const base = {
    definitionId: type.definitionId,
    inputSchemaId: input.id,
    outputSchemaId: output.id,
    body: smallestBody(input.document, input.shape, type.definitionId),
  };
  const thing = await fullest(context, base, input);
  if (thing === undefined) return type;
  const outputs = await Promise.all(
    type.outputs.map(async ({ id }) => ({ id, document: {}, shape: await shapeBehind(context, thing, id) })),
  );
  return { ...type, outputs };
}

function sizeOf({ document, shape }: DescribedSchema): number {
  return membersOf(document, shape).size;
}

/** A schema of what a route shows of an object; an empty one where it is refused. */
export async function shapeBehind({ service }: CaseContext, thing: Thing, outputSchemaId: string): Promise<Json> {
  return insteadOfRefusal({}, async () => shapeOfValue(dataOf(await service.readLong(thing, { outputSchemaId }))));
}

async function fullest(
  context: CaseContext,
  type: SoftTypeProfile,
  { document, shape }: DescribedSchema,
): Promise<Thing | undefined> {
  const required = new Set(requiredOf(shape));
  const optional = [...membersOf(document, shape)]
    .filter(([name]) => !required.has(name))
    .slice(0, mostMembers)
    .map(([name, member]): readonly [string, unknown] => [
      name,
      withUnique(valueFor(document, member, name, 1, true), context.given.unique),
    ]);
  const whole = await madeWith(context, type, Object.fromEntries(optional));
  if (whole !== undefined) return whole;
  let most: Thing | undefined;
  const taken: Record<string, unknown> = {};
  // what is refused at first may be taken beside a member that is mandatory although no document says so
  for (let round = 0; round < 2; round += 1)
    for (const [name, value] of optional) {
      const made = Object.hasOwn(taken, name) ? undefined : await madeWith(context, type, { ...taken, [name]: value });
      if (made === undefined) continue;
      taken[name] = value;
      most = made;
    }
  if (most !== undefined) return most;
  for (const [left] of optional) {
    const others = Object.fromEntries(optional.filter(([name]) => name !== left));
    const made = await madeWith(context, type, others);
    if (made !== undefined) return made;
  }
  return madeWith(context, type, {});
}

async function madeWith({ given }: CaseContext, type: SoftTypeProfile, more: Json): Promise<Thing | undefined> {
  return unlessRefused(() => given.object(more, { type }));
}

/** A schema that the value fits, as far as one value can show it. */
function shapeOfValue(value: unknown): Json {
  if (Array.isArray(value)) return { type: 'array', items: value.length === 0 ? {} : shapeOfValue(value[0]) };
  if (isObject(value))
    return {
      type: 'object',
      properties: Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOfValue(inner)])),
    };
  if (typeof value === 'string') return isDate(value) ? { type: 'string', format: 'date-time' } : { type: 'string' };
  return value === null ? {} : { type: typeof value };
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}(T|$)/.test(text) && !Number.isNaN(Date.parse(text));
}
