/** Value of an environment variable. @throws {Error} it is not set */
export function variable(name: string): string {
  const value = __ENV[name];
  if (value === undefined || value === '')
    throw new Error(`Expected ${name} in the environment, found nothing. Set the variables that README.md lists.`);
  return value;
}
