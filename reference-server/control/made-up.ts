import { readableTexts } from '../../fixtures/readable.ts';
import type { Member, SoftType } from '../configuration.ts';

/** What the members hold that an object has to have, by the first input schema: texts that can be read, always the same for the same number. */
export function madeUpData({ members, inputs }: SoftType, number: number): Readonly<Record<string, unknown>> {
  const texts = readableTexts(number);
  const [view] = inputs.values();
  return Object.fromEntries(
    [...(view?.names ?? [])].flatMap(([name, canonical]) => {
      const member = members.get(canonical);
      const value = member?.mandatory === true ? valueOf(member, texts.name, number) : undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Undefined of what is no single value: nobody but the writer of a test knows what stands in it. */
function valueOf({ kind }: Member, text: () => string, number: number): string | number | boolean | undefined {
  switch (kind) {
    case 'string':
      return text();
    case 'integer':
    case 'number':
      return number;
    case 'boolean':
      return true;
    default:
      return undefined;
  }
}
