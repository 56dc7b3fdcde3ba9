/** A path template with its names replaced by percent-encoded segments. @throws {Error} for a name without a value */
export function filled(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the path template ${template} asks for {${name}}, which is not known`);
    return encodeURIComponent(String(value).toWellFormed());
  });
}
