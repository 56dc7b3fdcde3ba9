import { isObject } from '../../../judge/json.ts';

/**
 * What is shown of a value as far as it was sent: a service may add members of its own, at any depth. Items of an array have those that any
 * of the items sent has.
 */
export function asSent(shown: unknown, sent: unknown): unknown {
  if (Array.isArray(shown) && Array.isArray(sent)) {
    const whole: unknown = Object.assign({}, ...sent.filter(isObject));
    return shown.map((item: unknown) => asSent(item, whole));
  }
  if (!isObject(shown) || !isObject(sent)) return shown;
  const names = Object.keys(sent).filter((name) => Object.hasOwn(shown, name));
  return Object.fromEntries(names.map((name) => [name, asSent(shown[name], sent[name])]));
}
