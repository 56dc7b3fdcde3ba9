import { array, constantFrom, nat, record } from 'fast-check';
import { property, type CaseContext } from '../engine/case.ts';
import type { Owner } from '../engine/given.ts';
import { pointer } from '../pointer.ts';
import { add, entriesIn, entryPath, isWithoutValue, remove, replace, type Operation } from './words.ts';

const kinds = [
  'add scalar',
  'replace scalar',
  'remove scalar',
  'append',
  'remove entry',
  'add text',
  'replace text',
  'remove text',
  'replace unknown entry',
] as const;

type Kind = (typeof kinds)[number];

interface Command {
  readonly kind: Kind;
  readonly at: number;
}

const histories = array(record({ kind: constantFrom(...kinds), at: nat({ max: 20 }) }), {
  minLength: 1,
  maxLength: 10,
});

/** What a client that knows the rules believes: the scalar, and the text of every entry in order, by entry id. */
interface Model {
  scalar: string | undefined;
  entries: { readonly entryId: string; text: string | undefined }[];
  version: number;
}

/** What one operation should do: whether it is accepted, and the change it makes to the model. */
interface Prediction {
  readonly operation: Operation;
  readonly accepted: boolean;
  readonly apply: () => void;
}

/** Random runs of single operations, valid and invalid mixed; acceptance, data and version are compared with the model after each. */
export const sequenceOfOperations = property(
  histories,
  async (context, commands) => {
    const { given, service, expect, profile } = context;
    const owner = await given.objectWithEntries(2, { body: { [profile.scalars[0]]: given.unique() } });
    const model = await modelOf(context, owner);
    for (const command of commands) {
      const prediction = predict(context, owner, model, command);
      if (prediction === undefined) continue;
      const reply = await service.operations(owner, [prediction.operation], { version: model.version });
      if (prediction.accepted) expect(reply).toSucceed();
      else expect(reply).toBeRefused();
      if (prediction.accepted) prediction.apply();
      model.version += prediction.accepted ? 1 : 0;
      await agrees(context, owner, model, command.kind);
    }
    expect(model.version, 'version in the model').toBeAnInteger();
  },
  {
    always: [
      [
        { kind: 'remove entry', at: 0 },
        { kind: 'append', at: 0 },
        { kind: 'append', at: 0 },
        { kind: 'replace text', at: 1 },
      ],
    ],
    share: 0.5,
  },
);

async function modelOf({ service, profile }: CaseContext, owner: Owner): Promise<Model> {
  const snapshot = await service.snapshot(owner);
  return {
    scalar: String(snapshot.members[profile.scalars[0]]),
    entries: entriesIn(snapshot, owner.port).map(({ entryId, members }) => ({
      entryId,
      text: String(members[owner.port.text]),
    })),
    version: snapshot.version,
  };
}

/** undefined where the command has no entry to work on. */
function predict(
  { given, profile }: CaseContext,
  owner: Owner,
  model: Model,
  { kind, at }: Command,
): Prediction | undefined {
  const text = given.unique();
  const scalar = pointer(profile.scalars[0]);
  const entry = model.entries[at % Math.max(1, model.entries.length)];
  const inner = entry && pointer(owner.port.member, entry.entryId, owner.port.text);
  const onScalar = (value: string | undefined) => () => void (model.scalar = value);
  const onText = (value: string | undefined) => () => void (entry && (entry.text = value));
  switch (kind) {
    case 'add scalar':
      return { operation: add(scalar, text), accepted: model.scalar === undefined, apply: onScalar(text) };
    case 'replace scalar':
      return { operation: replace(scalar, text), accepted: model.scalar !== undefined, apply: onScalar(text) };
    case 'remove scalar':
      return model.scalar === undefined
        ? undefined
        : { operation: remove(scalar), accepted: true, apply: onScalar(undefined) };
    case 'append':
      return {
        operation: add(pointer(owner.port.member), given.entry(text, {}, owner.port)),
        accepted: true,
        apply: () => model.entries.push({ entryId: '', text }),
      };
    case 'replace unknown entry':
      return {
        operation: replace(pointer(owner.port.member, given.unique('no-entry'), owner.port.text), text),
        accepted: false,
        apply: () => undefined,
      };
    default:
      return entry === undefined || inner === undefined ? undefined : onEntry(kind);
  }

  function onEntry(of: 'remove entry' | 'add text' | 'replace text' | 'remove text'): Prediction | undefined {
    if (entry === undefined || inner === undefined) return undefined;
    if (of === 'remove entry')
      return {
        operation: remove(entryPath(owner.port, entry.entryId)),
        accepted: true,
        apply: () => void model.entries.splice(model.entries.indexOf(entry), 1),
      };
    if (of === 'add text')
      return { operation: add(inner, text), accepted: entry.text === undefined, apply: onText(text) };
    if (of === 'replace text')
      return { operation: replace(inner, text), accepted: entry.text !== undefined, apply: onText(text) };
    return entry.text === undefined
      ? undefined
      : { operation: remove(inner), accepted: true, apply: onText(undefined) };
  }
}

/** Data and version are as the model has them; new entries bring their ids along. */
async function agrees(
  { service, expect, profile }: CaseContext,
  owner: Owner,
  model: Model,
  kind: Kind,
): Promise<void> {
  const after = await service.snapshot(owner);
  const scalar = after.members[profile.scalars[0]];
  expect(isWithoutValue(scalar) ? undefined : scalar, `scalar after ${kind}`, after.reply).toEqual(model.scalar);
  const entries = entriesIn(after, owner.port);
  const texts = entries
    .map((entry) => entry.members[owner.port.text])
    .map((text) => (isWithoutValue(text) ? null : text));
  expect(texts, `texts of the entries after ${kind}`, after.reply).toEqual(
    model.entries.map((entry) => entry.text ?? null),
  );
  expect(after.version, `version after ${kind}`, after.reply).toEqual(model.version);
  model.entries = entries.map(({ entryId }, index) => ({ entryId, text: model.entries[index]?.text }));
}
