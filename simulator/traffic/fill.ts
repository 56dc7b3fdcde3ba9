const whole = /^\{\{(\w+)\}\}$/;
const inside = /\{\{(\w+)\}\}/g;

/** A template of the profile with these values; a placeholder alone becomes the value as it is, one that is not named stays. */
export function fill(template: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (typeof template === 'string') return fillText(template, values);
  if (Array.isArray(template)) return template.map((item: unknown) => fill(item, values));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fill(value, values)]));
}

function fillText(template: string, values: Readonly<Record<string, unknown>>): unknown {
  const [, name] = whole.exec(template) ?? [];
  if (name !== undefined) return name in values ? values[name] : template;
  return template.replaceAll(inside, (text, inner: string) => (inner in values ? String(values[inner]) : text));
}

/** A path template, its values percent-encoded. */
export function fillPath(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(inside, (text, name: string) => (name in values ? encodeURIComponent(values[name] ?? '') : text));
}
