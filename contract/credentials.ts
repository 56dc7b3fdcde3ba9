/** The text with name and password taken out of every address in it. */
export function withoutUser(text: string): string {
  return text.replaceAll(/([a-z][a-z\d+.-]{0,30}:\/\/)[^/?#\s'"]*@/gi, '$1');
}

/** Names of what opens something, at the end of the name of a member or of a parameter. */
export const secretName = /(?:password|passwd|pat|token|secret|key|signature|sig)$/i;

/** In an address, or in front of a command. */
const assignment = /(^|[?&;#\s'"`])([\w.~-]{1,60})=([^&;#\s'"`),]+)/g;

/** The same, without what parameters of addresses and variables of commands hold that open something. */
export function withoutCredentials(text: string): string {
  return withoutUser(text).replaceAll(assignment, (all, before: string, name: string, value: string) =>
    secretName.test(name) && !/^[$.…]/.test(value) ? `${before}${name}=…` : all,
  );
}

/** What an address holds that opens something, as it stands there and decoded. */
export function credentialsIn(address: string): readonly string[] {
  if (!URL.canParse(address)) return [];
  const { username, password, searchParams } = new URL(address);
  const named = [...searchParams].filter(([name]) => secretName.test(name)).map(([, value]) => value);
  const user = password === '' ? username : password;
  return [...new Set([user, decoded(user), ...named])].filter((value) => value !== '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
