import { curlHomeName, signatureVariable } from '../../contract/names.ts';
import type {
  Capture,
  Check,
  LinesCheck,
  MeetingCheck,
  ScriptPart,
  ScriptStep,
} from '../../judge/repeat/repetition.ts';
import { singleQuoted, variableLine, whereItStands } from '../text.ts';
import {
  commentLines,
  cutLine,
  isCalled,
  isOrder,
  namesSent,
  type NeededVariable,
  statusesInWords,
  type Told,
  variablesOf,
} from './told.ts';

/** Of the texts of the target that a script prints. */
const longestText = 160;

/** What looks into answers: nothing but `sed`, `grep` and the shell itself. What others call stands before them. */
const tools = String.raw`
# the body of the answer with no more escapes than JSON asks for
plain() {
  tr '\n\r\t' '   ' <"$dir/body" | sed "s/\\\\\\\\/$(printf '\001')/g" >"$dir/escaped"
  edits='s/\\\//\//g'
  for code in $(grep -oE '\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}' "$dir/escaped" | sort -u); do
    last=${'$'}{code##*u} first=${'$'}{code%\\*} n=$((0x${'$'}last))
    [ -z "$first" ] || n=$((0x10000 + (0x${'$'}{first#??} - 0xd800) * 1024 + n - 0xdc00))
    [ "$n" -lt 32 ] || [ "$n" -eq 34 ] || [ "$n" -eq 92 ] || { [ "$n" -ge 55296 ] && [ "$n" -le 57343 ]; } && continue
    edits="$edits
s/$(printf '%s' "$code" | sed 's/\\/\\\\/g')/$(utf8 "$n")/g"
  done
  sed -e "$edits" -e "s/$(printf '\001')/\\\\\\\\/g" "$dir/escaped"
}
utf8() { case $1 in 38) printf '\\&'; return ;; 47) printf '\\/'; return ;; esac
  if [ "$1" -lt 128 ]; then set -- "$1"
  elif [ "$1" -lt 2048 ]; then set -- $((192 | $1 >> 6)) $((128 | $1 & 63))
  elif [ "$1" -lt 65536 ]; then set -- $((224 | $1 >> 12)) $((128 | $1 >> 6 & 63)) $((128 | $1 & 63))
  else set -- $((240 | $1 >> 18)) $((128 | $1 >> 12 & 63)) $((128 | $1 >> 6 & 63)) $((128 | $1 & 63)); fi
  for byte; do printf "\\$(printf %03o "$byte")"; done; }
# the same, JSON, as lines: pointer = value as it is written
flat() {
  plain | grep -oE '"([^"\\]|\\.)*"|[][{},:]|[^][{},:"[:space:]]+' | {
    path= open= key=
    while IFS= read -r token; do
      case $token in
        '{') printf '%s\n' "$path = {"; open="$open{" key=1 ;;
        '[') printf '%s\n' "$path = ["; open="$open[" path="$path/0" key= ;;
        '}') [ -n "$key" ] || path=${'$'}{path%/*}; open=${'$'}{open%?} key= ;;
        ']') path=${'$'}{path%/*}; open=${'$'}{open%?} key= ;;
        ',') case $open in
            *'[') last=${'$'}{path##*/} path="${'$'}{path%/*}/$((${'$'}{path##*/} + 1))" ;;
            *) path=${'$'}{path%/*} key=1 ;;
          esac ;;
        ':') ;;
        *) if [ -n "$key" ]; then
            name=${'$'}{token#\"} name=${'$'}{name%\"} key=
            case $name in *[~/]*) name=$(printf '%s' "$name" | sed 's/~/~0/g; s/\//~1/g') ;; esac
            path="$path/$name"
          else printf '%s\n' "$path = $token"; fi ;;
      esac
    done
  }
}

headers() { tr -d '\r' <"$dir/head" | grep : | sed 's/^\([^:]*\): */\1:/' | while IFS= read -r line; do
  name=${'$'}{line%%:*}; printf '%s: %s\n' "$(printf %s "$name" | tr '[:upper:]' '[:lower:]')" "${'$'}{line#*:}"; done; }

lines() { headers | grep -vE '^(date|content-length|connection|keep-alive|transfer-encoding):'
  case $(tr -d '[:space:]' <"$dir/body" | head -c 1) in '{'|'[') flat ;; *) printf 'cksum: %s\n' "$(cksum <"$dir/body")" ;; esac; }

header() { headers | sed -n "s/^$1: //p" | sed -n 1p; }

member() { flat | while IFS= read -r line; do case $line in "$1 = "*) printf '%s\n' "${'$'}{line#"$1 = "}"; break ;; esac; done | sed 's/^"\(.*\)"$/\1/; s/\\\(["\\]\)/\1/g'; }

same() { grep -qxF -e "$1" "$dir/lines"; }

# the last piece of a value, or the one so many before it
piece() { rest=$(tr '"/?&=#' '//////') left=$1; while [ "$left" -gt 1 ]; do rest=${'$'}{rest%/*} left=$((left - 1)); done; printf '%s\n' "${'$'}{rest##*/}"; }

# token TOKEN [KEY]: what it says of itself, as an answer with its first part, decoded, as the body
token() { status=200 given=$1 key=${'$'}{2:-}
  decoded() { { tr '_-' '/+'; printf ===; } | tr -d '\n' | base64 -d 2>"$dir/said"; }
  signed() { hex=$(od -An -v -tx1 | tr -d ' \n'); printf %s "${'$'}{given%.*}" | openssl dgst -sha512 -mac HMAC -macopt "hexkey:$hex" -binary | openssl base64 -A | tr '+/' '-_' | tr -d '='; }
  printf %s "$given" | cut -d. -f1 | decoded >"$dir/body"
  { printf 'x-token-parts: %s\n' "$(($(printf %s "$given" | tr -cd . | wc -c) + 1))"
    printf 'x-signature-bytes: %s\n' "$(($(printf %s "$given" | cut -d. -f3 | decoded | wc -c)))"
    if [ -z "$key" ]; then :
    elif [ "$(printf %s "$key" | openssl base64 -d -A | signed)" = "${'$'}{given##*.}" ] || [ "$(printf %s "$key" | signed)" = "${'$'}{given##*.}" ]; then echo 'x-signed: under the key'
    else echo 'x-signed: otherwise'; fi; } >"$dir/head"; cat "$dir/head" "$dir/body" >&2; }

told() { printf '%s %s\n' "${'$'}{status:-none}" "${'$'}{url%%\?*}" >&2; [ -n "$status" ] || { echo 'there is no answer' >&2; exit 2; }; }

# raw METHOD URL HEADER...: on a connection of its own, with what is in "$dir/sent"; what follows the head, which curl would hide, is the body
raw() { method=$1 url=$2 rest=${'$'}{2#*://} end=$(printf '\r'); shift 2
  host=${'$'}{rest%%/*}; case $host in *:*) ;; *) case $url in https:*) host=$host:443 ;; *) host=$host:80 ;; esac ;; esac
  { printf '%s /%s HTTP/1.1\r\n' "$method" "${'$'}{rest#*/}"; printf '%s\r\n' "Host: ${'$'}{rest%%/*}" 'Connection: close' "$@" ''; cat "$dir/sent"; sleep 1; } |
    case $url in https:*) openssl s_client -quiet -connect "$host" 2>"$dir/said" ;; *) curl --silent --max-time 10 "telnet://$host" ;; esac >"$dir/answer"
  LC_ALL=C sed "/^$end\$/q" "$dir/answer" >"$dir/head"; tail -c "+$(($(wc -c <"$dir/head") + 1))" "$dir/answer" >"$dir/body"
  status=$(sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p' "$dir/head"); told; }

send() { for url; do :; done; rm -f "$dir/body"; status=$(curl --silent --path-as-is --globoff --dump-header "$dir/head" --output "$dir/body" --write-out '%{http_code}' "$@") || status=
  [ -e "$dir/body" ] || : >"$dir/body"; told; }

need() { eval "value=\$$1"; case $value in *'{'*'}'*) kept ;; esac; [ -n "$value" ] || { echo "$2 was not in the answer ($status): nothing is shown" >&2; exit 2; }; }
`
  .trim()
  .split('\n\n');

/** Those that lines of a script call, and what these call themselves. */
function toolsFor(lines: readonly string[]): readonly string[] {
  return tools.reduceRight<readonly string[]>((chosen, tool) => {
    const names = [...tool.matchAll(/^(\w+)\(\) \{/gm)].map(([, name]) => name);
    const call = new RegExp(`(?:^|[\\s(;|])(?:${names.join('|')})(?![\\w(])`);
    return [...chosen, ...lines].some((text) => call.test(text)) ? [tool, ...chosen] : chosen;
  }, []);
}

/** A script for a POSIX shell. It ends with 1 where it sees the violation, with 0 where it does not, with 2 where it cannot tell. */
export function curlScript(told: Told): string {
  const { repetition, variables } = told;
  const { steps, check, afterwards = [] } = repetition;
  const curlHome = variables[curlHomeName];
  const needed = variablesOf(told).filter(
    // each path is signed where it is asked for
    ({ name }) => name !== signatureVariable && (name !== 'LISTENER_URL' || !isCalled(repetition)),
  );
  const isMeeting = check.kind === 'meeting';
  const judging = isMeeting
    ? meetingLines(told, check)
    : [...steps.slice(0, -1).flatMap((step, index) => stepLines(step, index, told)), ...judgedLines(told, check)];
  const acting = [
    ...needed
      .filter(({ how }) => whereItStands(how) === undefined)
      .flatMap((variable) => [variableLine(grantOf(variable)), ...grantLines(variable)]),
    ...(steps.some(({ file }) => file !== undefined) ? ['', fileTools] : []),
    ...(isCalled(repetition) || afterwards.length > 0 ? ['', ...endLines(afterwards)] : []),
    ...(isCalled(repetition) ? ['', calleeLines] : []),
    '',
    ...judging,
  ];
  const called = toolsFor(acting);
  const programs = ['curl', 'openssl'].filter((name) =>
    [...called, ...acting].some((line) => line.includes(`${name} `)),
  );
  return `${[
    '#!/bin/sh',
    ...commentLines(told),
    '# Ends with 1 where the service does this, with 0 where it does not, with 2 where that cannot be told.',
    'set -u',
    `for program in ${programs.join(' ')}; do command -v "$program" >/dev/null || { echo "$program is needed" >&2; exit 2; }; done`,
    ...(curlHome === undefined ? [] : [variableLine({ name: curlHomeName, how: curlHome })]),
    ...askedLines(needed),
    `[ -n "\${MARK:-}" ] || MARK=$(printf '%08x' "$((($(date +%s) * 4096 + $$) % 4294967296))")`,
    '',
    `dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT`,
    ...called,
    ...endings(told),
    '',
    ...acting,
  ].join('\n')}\n`;
}

/** What is said where it ends. */
function endings({ expected, actual }: Told): readonly string[] {
  const [right, found] = [expected, actual].map((text) => cutLine(text, longestText));
  return [
    `kept() { echo ${singleQuoted(`as it should be: ${right}`)}; exit 0; }`,
    `broken() { echo ${singleQuoted(`the violation: expected ${right}, found ${found}`)}; exit 1; }`,
    `unclear() { echo "neither of both (status $status)"; exit 2; }`,
  ];
}

/** What has to be exported is asked for at once. */
function askedLines(needed: readonly NeededVariable[]): readonly string[] {
  const asked = needed.flatMap(({ name, how }) => {
    const where = whereItStands(how);
    return where === undefined ? [] : [`[ -n "\${${name}:-}" ] || missing="$missing ${name} (${where})"`];
  });
  if (asked.length === 0) return [];
  return ['missing=', ...asked, '[ -z "$missing" ] || { echo "export first:$missing" >&2; exit 2; }'];
}

/** What is done to files on the disk of the service, which may run as another user. */
const fileTools = `
# files below MOUNTED_AT, which the service sees below HOST_DIRECTORY; a time in a name is told as zeros
make() { ( umask 0; mkdir -p "$1" ) || { echo "$1 cannot be made" >&2; exit 2; }; }
remove() { rm -rf "$1"; }
read_file() { status=200; : >"$dir/head"
  case $1 in *00000000000000*) set -- "\${1%%00000000000000*}"*"\${1##*00000000000000}" ;; esac
  cat "$1" >"$dir/body" 2>"$dir/said" || status=404; }
list() { status=200; : >"$dir/head"
  ( cd "$1" && find . -type f ) 2>"$dir/said" | sed 's/^..//; s/[0-9]\\{14\\}/00000000000000/g; s/[\\"]/\\&/g; s/.*/"&"/' | LC_ALL=C sort | { printf '['; more=; while IFS= read -r name; do printf '%s%s' "$more" "$name"; more=,; done; printf ']'; } >"$dir/body"; }
`.trim();

/** Whom the service calls is played by a program of its own, unless one runs that the service reaches. */
const calleeLines = `
# what the service calls: svc-conformance simulate callee plays it, at LISTENER_URL where that is exported
if [ -z "\${LISTENER_URL:-}" ]; then
  ( \${SVC_CONFORMANCE:-npx svc-conformance} simulate callee >"$dir/callee" & echo "$!" >"$dir/pid"; wait ) &
  tries=0
  until LISTENER_URL=$(sed -n 's/.*"url":"\\([^"]*\\)".*/\\1/p' "$dir/callee" 2>/dev/null) && [ -n "$LISTENER_URL" ]; do
    tries=$((tries + 1)) && [ "$tries" -lt 300 ] || { echo 'svc-conformance simulate callee does not start: say in SVC_CONFORMANCE how the suite is called' >&2; exit 2; }
    sleep 0.1
  done
fi
`.trim();

/** What would go on to act is taken back as far as it was made. */
function endLines(afterwards: readonly ScriptStep[]): readonly string[] {
  const requests = afterwards.map((step) => {
    if (step.file !== undefined) return `  remove ${word(step.url)}`;
    const words = [`--request ${step.method}`, ...step.headers.map(headerWord), word(step.url)].join(' ');
    const caught = step.url.flatMap((part) =>
      'variable' in part && /^(?:ID|LINK)\d+$/.test(part.variable) ? [part.variable] : [],
    );
    const isMade = caught.map((name) => `[ -n "\${${name}:-}" ] && `).join('');
    return `  ${isMade}curl --silent --output /dev/null --path-as-is --globoff ${words}`;
  });
  return [
    'end() {',
    ...requests,
    '  [ ! -e "$dir/pid" ] || kill "$(cat "$dir/pid")"',
    '  rm -rf "$dir"',
    '}',
    'trap end EXIT',
  ];
}

function granted(told: Told): readonly NeededVariable[] {
  return variablesOf(told).filter(({ name, how }) => name.endsWith('_TOKEN') && how.startsWith(`${name}=$(`));
}

/** The token is looked for like each other member, which may be escaped. */
function grantOf({ name, how }: NeededVariable): NeededVariable {
  return {
    name,
    how: how.replace(/ \| tr [^|]*\| sed [^|]*"access_token"[^|]*(?=\)$)/, () => ' >"$dir/body"; member /access_token'),
  };
}

/** An answer that grants nothing is no token: what is refused for it would be told as the violation. */
function grantLines({ name, how }: NeededVariable): readonly string[] {
  if (!how.startsWith(`${name}=$(`)) return [];
  const sentence = `no ${name} was granted: look at what is exported, and whether the service is there`;
  return [`case $${name} in '' | *[\\"{\\<[:space:]]*) echo '${sentence}' >&2; exit 2 ;; esac`];
}

function stepLines(step: ScriptStep, index: number, told: Told): readonly string[] {
  const pipe = pipeOf(step);
  return [
    ...(index === 0 ? [] : ['']),
    ...(step.pauseMs === undefined ? [] : [`sleep ${step.pauseMs / 1000}`]),
    ...(step.isLater ? granted(told).flatMap((variable) => [grantOf(variable).how, ...grantLines(variable)]) : []),
    ...(step.signature === undefined ? [] : [step.signature]),
    ...(pipe === undefined || step.file !== undefined || step.raw ? [] : [`${pipe} >"$dir/sent"`]),
    ...(step.unanswered ? [`${unanswered} ${requestWords(step)} >"$dir/late" 2>&1 &`, 'sleep 1'] : []),
    ...(step.unanswered ? [] : sentLines(step)),
    // an answer of another kind may not tell what is caught
    ...(step.found === undefined ? [] : [`[ "$status" = ${step.found.status} ] || kept`]),
    ...step.captures.map(captureLine),
    // what is right may lack it
    ...(step.found === undefined ? [] : foundLines(step.found)),
    ...step.captures
      .filter((capture) => namesSent(told.repetition.steps).includes(capture.variable))
      .map((capture) => `need ${capture.variable} '${placeOf(capture)}'`),
  ];
}

function sentLines(step: ScriptStep): readonly string[] {
  if (step.file !== undefined) return [fileLine(step, step.file)];
  if (step.isOfToken) return [['token', word(step.url), ...step.headers.map(([, value]) => word(value))].join(' ')];
  if (step.raw !== true) return [`send ${requestWords(step)}`];
  const headers = step.headers.map(([name, value]) => word([{ text: `${name}: ` }, ...value]));
  const length = step.body === undefined ? [] : [`"Content-Length: $(($(wc -c <"$dir/sent")))"`];
  return [`${printed(step)} >"$dir/sent"`, ['raw', step.method, word(step.url), ...headers, ...length].join(' ')];
}

/** What nobody waits for ends by itself. */
const unanswered = 'curl --silent --max-time 60 --path-as-is --globoff';

/** @param sent name of the file with the body, where that cannot stand in a line */
function requestWords(step: ScriptStep, sent = 'sent'): string {
  return [
    ...(step.method === 'HEAD' ? ['--head'] : [`--request ${step.method}`]),
    ...step.headers.map(headerWord),
    ...(step.body !== undefined && !step.headers.some(([name]) => /^content-type$/i.test(name))
      ? [`--header 'Content-Type:'`]
      : []),
    ...(step.form ?? []).map(([name, value]) => `--data-urlencode ${word([{ text: `${name}=` }, ...value])}`),
    ...bodyWords(step, sent),
    word(step.url),
  ].join(' ');
}

/** All steps, over and over with fresh names where requests meet each other, as that does not always show. */
function meetingLines(told: Told, { found, least }: MeetingCheck): readonly string[] {
  const { steps } = told.repetition;
  const met = steps.filter(({ atOnce }) => atOnce === true);
  const before = steps.slice(0, -met.length).flatMap((step, index) => stepLines(step, index, told));
  const options = '--silent --path-as-is --globoff --output /dev/null --write-out "%{http_code}\\n"';
  return [
    `left=${meetings} first=$MARK`,
    'while :; do',
    '  MARK=$first$left',
    ...before.filter((line) => line !== '').map((line) => `  ${line}`),
    ...met.flatMap((step, index) => {
      const pipe = pipeOf(step);
      return pipe === undefined ? [] : [`  ${pipe} >"$dir/sent${index}"`];
    }),
    '  # at one moment',
    '  curl --parallel --parallel-immediate \\',
    `${met.map((step, index) => `    ${options} ${requestWords(step, `sent${index}`)}`).join(' --next \\\n')} >"$dir/statuses"`,
    `  count=0; while read -r status; do case $status in ${patternOf(found)}) count=$((count + 1)) ;; esac; done <"$dir/statuses"`,
    `  [ "$count" -lt ${least} ] || broken`,
    `  left=$((left - 1)); [ "$left" -gt 0 ] || kept`,
    'done',
  ];
}

/** How often requests have to meet each other in vain. */
const meetings = 20;

function bodyWords(step: ScriptStep, sent: string): readonly string[] {
  const { body } = step;
  if (pipeOf(step) !== undefined) return ['--data-binary', `"@$dir/${sent}"`];
  const parts = (body ?? []).flatMap((part) => ('parts' in part ? part.parts : []));
  return body === undefined ? [] : ['--data-raw', word(parts)];
}

function fileLine(step: ScriptStep, file: NonNullable<ScriptStep['file']>): string {
  const place = word(step.url);
  if (file !== 'write') return `${file === 'read' ? 'read_file' : file} ${place}`;
  return `make "$(dirname ${place})" && ${printed(step)} >${place} && chmod a+rw ${place}`;
}

/** What prints the body, if there is one. */
function printed(step: ScriptStep): string {
  const parts = (step.body ?? []).flatMap((part) => ('parts' in part ? part.parts : []));
  return pipeOf(step) ?? (parts.length === 0 ? ':' : printfOf(parts));
}

function headerWord([name, value]: readonly [string, readonly ScriptPart[]]): string {
  const isEmpty = value.every((part) => 'text' in part && part.text === '');
  return `--header ${word([{ text: isEmpty ? `${name};` : `${name}: ` }, ...value])}`;
}

/** What prints the body, where it cannot stand in a line. */
function pipeOf({ body = [] }: ScriptStep): string | undefined {
  const isPlain = body.every(
    (part) => 'parts' in part && part.parts.every((piece) => !('text' in piece) || isPrintable(piece.text)),
  );
  if (isPlain) return undefined;
  const commands = body.map((part) => ('command' in part ? part.command : printfOf(part.parts)));
  return `{ ${commands.join('; ')}; }`;
}

function isPrintable(text: string): boolean {
  return !/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\ufeff]/.test(text);
}

function printfOf(parts: readonly ScriptPart[]): string {
  // a format that begins with a dash would be an option
  const format = parts.map((part) => ('text' in part ? escapedFormat(part.text) : '%s')).join('');
  const values = parts.filter((part) => !('text' in part)).map((part) => word([part]));
  return [`printf -- '${format}'`, ...values].join(' ');
}

function escapedFormat(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      if (character === '%') return '%%';
      return /[\w :;=,./+@?#~{}[\]()"<>|&!*^$-]/.test(character) ? character : `\\${byte.toString(8).padStart(3, '0')}`;
    })
    .join('');
}

function captureLine({ variable, header, pointer = '', piece, stem, filled }: Capture): string {
  const source = header === undefined ? `member ${singleQuoted(pointer)}` : `header ${header}`;
  const part = piece === undefined ? '' : ` | piece ${piece}`;
  if (filled !== undefined) return `${variable}=$(${source} | sed 's/{[^}]*}/${filled}/')`;
  return `${variable}=$(${source}${stem === true ? " | sed 's/{.*//'" : part})`;
}

function placeOf({ header, pointer }: Capture): string {
  return header === undefined ? `the member ${(pointer ?? '').replaceAll("'", ' ')}` : `the header ${header}`;
}

/** The last request and what shows it; both again and again, where that may take its time. */
function judgedLines(told: Told, check: OneCheck): readonly string[] {
  const { steps, patienceSeconds } = told.repetition;
  const last = steps.length - 1;
  const lines = [...steps.slice(last).flatMap((step) => stepLines(step, last, told)), ...checkLines(check, told)];
  if (patienceSeconds === undefined) return lines;
  return [
    '',
    `left=${patienceSeconds}`,
    'while :; do',
    ...lines.filter((line) => line !== '').map((line) => `  ${line}`),
    'done',
  ];
}

type OneCheck = Exclude<Check, MeetingCheck>;

function checkLines(check: OneCheck, told: Told): readonly string[] {
  const { patienceSeconds } = told.repetition;
  const orAgain = (end: string): string =>
    patienceSeconds === undefined ? end : `{ [ "$left" = 0 ] || { left=$((left - 1)); sleep 1; continue; }; ${end}; }`;
  const broken = orAgain('broken');
  if (check.kind === 'status')
    return [
      '',
      `# ${statusesInWords(check.expected)} is right, ${check.found} was found`,
      `case $status in ${check.found}) ${broken} ;; ${patternOf(check.expected)}) kept ;; *) unclear ;; esac`,
    ];
  if (check.kind === 'header')
    return ['', `[ "$status" = ${check.status} ] || unclear`, `[ -z "$(header ${check.name})" ] && ${broken}`, 'kept'];
  // that no call comes is no answer about one
  const isUncalled = check.lines.length === 0 && told.repetition.steps.slice(-1).some(isOrder);
  const vague = ['none', '401', '503', ...(isUncalled ? ['404'] : [])]
    .filter((status) => status !== String(check.status))
    .join('|');
  // an answer of another kind lacks what is right without being wrong
  const other =
    check.lines.length === 0 && check.expected !== undefined
      ? [`[ "$status" = ${check.status} ] || ${orAgain('unclear')}`]
      : [];
  return ['', `case $status in ${vague}) unclear ;; esac`, ...other, ...foundLines(check), broken];
}

/** Goes on where an answer is as it was found. */
function foundLines({ lines, expected, alsoRight, sum, count, ofBody }: LinesCheck): readonly string[] {
  if (lines.length === 0 && expected === undefined && sum === undefined) return [];
  return [
    'lines >"$dir/lines"',
    ...(sum === undefined
      ? []
      : [`[ "$(grep -E '${bodyLine}' "$dir/lines" | LC_ALL=C sort | cksum)" = '${sum}' ] || kept`]),
    ...(count === undefined
      ? []
      : [`[ "$((${ofBody ? ofBodyLines : '$(wc -l <"$dir/lines")'}))" = ${count} ] || kept`]),
    ...[expected, alsoRight].filter((line) => line !== undefined).map((line) => `! same ${word(line)} || kept`),
    ...(lines.length < 2
      ? lines.map((line) => `same ${word(line)} || kept`)
      : [
          `! printf '%s\\n' \\`,
          ...lines.map((line) => `  ${word(line)} \\`),
          `  | grep -qvxF -f "$dir/lines" || kept`,
        ]),
  ];
}

const bodyLine = '^(/|cksum: | = )';
const ofBodyLines = `$(grep -cE '${bodyLine}' "$dir/lines")`;

function patternOf(expected: MeetingCheck['found']): string {
  if (expected === '2xx') return '2??';
  if (expected === 'refused') return '4??|5??';
  if (expected === 'not 2xx') return '1??|30[012356789]|4??|5??';
  return expected.join('|');
}

/** Parts as one word, in which the variables expand. */
function word(parts: readonly ScriptPart[]): string {
  const texts = parts.flatMap((part) => ('text' in part ? [part.text] : []));
  const isPlain = !parts.some((part) => 'base64' in part || 'command' in part);
  if (texts.length === parts.length && texts.every(isPrintable)) return singleQuoted(texts.join(''));
  if (isPlain && texts.every((text) => harmless.test(text)))
    return `"${parts.map((part) => ('variable' in part ? `\${${part.variable}}` : 'text' in part && part.text)).join('')}"`;
  return parts.map(wordOf).join('') || "''";
}

/** What stands between double quotes as it is. */
const harmless = /^[\w :;=,./+%@?#~&{}[\]()<>|*'^-]*$/;

function wordOf(part: ScriptPart): string {
  if ('text' in part) return part.text === '' ? '' : textWord(part.text);
  if ('variable' in part) return `"$${part.variable}"`;
  if ('command' in part) return `"$(${part.command})"`;
  return `"$(printf %s ${word(part.base64)} | base64 | tr -d '\\n')"`;
}

function textWord(text: string): string {
  if (/^[\w:=,./+%@-]+$/.test(text)) return text;
  return isPrintable(text) ? singleQuoted(text) : `"$(printf -- '${escapedFormat(text)}')"`;
}
