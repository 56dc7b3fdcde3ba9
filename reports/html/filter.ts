import { areas } from '../../contract/areas.ts';
import { html, type Markup } from './markup.ts';
import { levels, stateWords } from './names.ts';

type Choice = readonly [value: string, word: string];

/** The form that narrows the rules of the page; it shows itself when the script runs. */
export function filterForm(): Markup {
  const plain = (values: readonly string[]): readonly Choice[] => values.map((value) => [value, value]);
  return html`<form id="filter" role="search" aria-label="Rules" hidden>
    ${choiceOf(
      'verdict',
      stateWords.filter(([state]) => state !== 'not-selected'),
    )}
    ${choiceOf('area', plain(areas))} ${choiceOf('level', plain(levels))}
    ${choiceOf('side', plain(['service', 'extension']))}
    <label>text <input type="search" name="text" autocomplete="off" placeholder="id, statement, evidence" /></label>
    <button type="reset">Show all</button>
    <p><output name="count"></output></p>
  </form> `;
}

function choiceOf(name: string, choices: readonly Choice[]): Markup {
  return html`<label
    >${name}
    <select name="${name}">
      <option value="">any</option>
      ${choices.map(([value, word]) => html`<option value="${value}">${word}</option>`)}
    </select></label
  >`;
}
