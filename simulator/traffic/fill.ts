const whole = /^\{\{(\w+)\}\}$/;
const inside = /\{\{(\w+)\}\}/g;

/** A template of the profile with these values; a placeholder alone becomes the value as it is, and is left out where there is none. */
export function fill(template: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (typeof template === 'string') return fillText(template, values);
  if (Array.isArray(template)) return template.map((item: unknown) => fill(item, values));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fill(value, values)]));
}

function fillText(template: string, values: Readonly<Record<string, unknown>>): unknown {
  const [, name] = whole.exec(template) ?? [];
  if (name !== undefined) return values[name];
  return template.replace(inside, (_, inner: string) => textOf(values[inner]));
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
}

/** A path template, its values percent-encoded. */
export function fillPath(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(inside, (text, name: string) =>
    name in values ? encodeURIComponent(values[name] ?? '') : text,
  );
}
