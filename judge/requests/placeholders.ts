import type { RequestTemplate } from '../../contract/profile/calls-out.ts';
import type { RequestSpec } from '../exchange.ts';

/** Values by the name of their placeholder; undefined ones count as absent. */
export type PlaceholderValues = Readonly<Record<string, unknown>>;

const placeholder = /\{\{(\w+)\}\}/g;

/** The request of a template. @throws {Error} where path or headers ask for a value that is absent */
export function requestFrom(template: RequestTemplate, values: PlaceholderValues): RequestSpec {
  const { method, path, as = 'editor', headers, body } = template;
  const content = withValues(body, values);
  return {
    method,
    url: texted(path, values, (value) => encodeURIComponent(value.toWellFormed())),
    as,
    ...(headers && {
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, texted(value, values)])),
    }),
    ...(content !== undefined && { body: content }),
  };
}

/** A text that is one placeholder becomes the value itself; members and items whose value is absent are left out. */
function withValues(template: unknown, values: PlaceholderValues): unknown {
  if (typeof template === 'string') {
    const [whole] = template.matchAll(/^\{\{(\w+)\}\}$/g);
    return whole === undefined ? texted(template, values) : values[whole[1] ?? ''];
  }
  if (Array.isArray(template))
    return template.map((item) => withValues(item, values)).filter((item) => item !== undefined);
  if (typeof template !== 'object' || template === null) return template;
  const members = Object.entries(template).map(([name, value]) => [name, withValues(value, values)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function texted(
  template: string,
  values: PlaceholderValues,
  encode: (text: string) => string = (text) => text,
): string {
  return template.replaceAll(placeholder, (_all, name: string) => {
    const value = values[name];
    if (value === undefined)
      throw new Error(`the template ${template} of the profile asks for {{${name}}}, which is not known here`);
    return encode(typeof value === 'object' ? JSON.stringify(value) : String(value));
  });
}
