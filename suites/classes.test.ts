import { describe, expect, it } from 'vitest';
import { classes, classesOf, classless, classNames, isNamedBy } from '../contract/classes.ts';
import { catalogue } from './catalogue.ts';

const entries = classNames.flatMap((name) => classes[name].rules.map((entry) => [name, entry] as const));

describe('the classes', () => {
  it('hold every rule, but for those in none for a reason', () => {
    const homeless = catalogue.ids.filter(
      (id) => classesOf(id).length === 0 && !Object.keys(classless).some((entry) => isNamedBy(entry, id)),
    );
    expect(homeless).toEqual([]);
  });

  it.each(Object.keys(classless))('do not hold what is in none: %s', (entry) => {
    const named = catalogue.ids.filter((id) => isNamedBy(entry, id));
    expect(named).not.toEqual([]);
    expect(named.flatMap(classesOf)).toEqual([]);
  });

  it.each(entries)('name rules that there are: %s, %s', (_name, entry) => {
    expect(catalogue.ids.some((id) => isNamedBy(entry, id))).toBe(true);
  });

  it.each(classNames)('have musts of their own at the heart: %s', (name) => {
    for (const id of classes[name].heart) {
      expect(catalogue.get(id).level).toBe('must');
      expect(classesOf(id)).toContain(name);
    }
  });

  it('keep the extension host apart from the service', () => {
    for (const { id, side } of catalogue.all)
      expect(classesOf(id).includes('extension-host'), id).toBe(side === 'extension');
  });
});
