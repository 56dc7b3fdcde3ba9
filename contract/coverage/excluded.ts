/** Answers that the documents leave no room for: they count as none that is missing. */
interface Excluded {
  /** Names of the cells. */
  readonly cells: RegExp;
  readonly why: string;
}

const reads = '(?:instanceShort|instanceLong|page)';
const writes = '(?:create|put|merge|operations|delete|multiCreate|promote|demote|lockTake|lockFree)';
const inSpace = `(?:${reads}|${writes}|batch|openApiDynamic)`;
const done = '(?:200|201|204|304|success)';
const compared = '(?:409|412)';
const ofCollection = '(?:collection(?:Read|Write|Upload|Chunk|Download|Delete|Directory))';
const ofAdministrator = '(?:registerEndpoint|registerTrusted|registerExtension|acquireKeys)';
const ofTasks = '(?:taskStatus|taskProgress)';
const withoutRole = '(?:outsider|noRole|administrator)';
const withRole = '(?:editor|secondEditor|spaceAdministrator)';

/** The first that names a cell is the one. */
export const excluded: readonly Excluded[] = [
  {
    cells: /^grant (?:200|refusal) (?!nobody|stranger)/,
    why: 'a grant comes with the credential of a client',
  },
  { cells: /^grant 200 nobody$/, why: 'a grant needs the credential of a client' },
  {
    cells: /^(?!grant )\S+ (?!401 )(?:\d+|success|refusal) nobody$/,
    why: 'without a credential there is 401',
  },
  { cells: / 401 (?!nobody$|stranger$)/, why: 'with a 401 nobody is known' },
  { cells: /^(?!bulk|acquireKeys)\S+ (?:\d+|success|refusal) key$/, why: 'no key opens it' },
  {
    cells: /^bulk\S+ (?!401 )(?:\d+|success|refusal) (?!key$)/,
    why: 'nothing but the administration key opens it',
  },
  {
    cells: new RegExp(`^${inSpace} (?:${done}|${compared}|500|refusal) ${withoutRole}$`),
    why: 'a role in the space is needed',
  },
  {
    cells: new RegExp(`^${writes} (?:${done}|${compared}|refusal) reader$`),
    why: 'the role allows GET only',
  },
  { cells: new RegExp(`^(?:${reads}|openApiDynamic) 403 reader$`), why: 'the role allows GET' },
  { cells: new RegExp(`^${inSpace} 403 ${withRole}$`), why: 'the role allows every method' },
  {
    cells: new RegExp(`^${ofCollection} (?:${done}|refusal) (?!administrator$|stranger$)`),
    why: 'a Collection Administrator is needed',
  },
  {
    cells: new RegExp(`^(?:${ofCollection}|register\\w+) 403 administrator$`),
    why: 'it is what the administrator may',
  },
  {
    cells: new RegExp(`^${ofAdministrator} (?:${done}|refusal) (?!administrator$|stranger$|key$)`),
    why: 'a Collection Administrator is needed',
  },
  { cells: /^bulk\S+ 403 key$/, why: 'the key knows no role' },
  {
    cells: new RegExp(`^${ofTasks} (?:success|refusal) (?!stranger$|editor$|secondEditor$)`),
    why: 'a task reports with the token of its call',
  },
];
