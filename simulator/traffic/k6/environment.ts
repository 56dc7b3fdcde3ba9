import type { Plan } from './plan.ts';

/** Where the deployment is: as exported, unless the environment names another place. No slash at its end. */
export function baseUrlOf({ baseUrl }: Pick<Plan, 'baseUrl'>): string {
  return (__ENV['TRAFFIC_BASE_URL'] ?? baseUrl).replace(/\/+$/, '');
}

/** The plan, the forms of href in a batch with the address and the path of that place. */
export function movedTo(base: string, plan: Plan): Plan {
  const basePath = base.replace(/^https?:\/\/[^/]+/, '');
  const prefixes = plan.ground.batchHrefPrefixes?.map((prefix) =>
    /^https?:/.test(prefix) ? base : prefix && basePath,
  );
  return { ...plan, ground: { ...plan.ground, ...(prefixes && { batchHrefPrefixes: [...new Set(prefixes)] }) } };
}

/** Value of an environment variable. @throws {Error} it is not set */
export function variable(name: string): string {
  const value = __ENV[name];
  if (value === undefined || value === '')
    throw new Error(`Expected ${name} in the environment, found nothing. Set the variables that README.md lists.`);
  return value;
}
