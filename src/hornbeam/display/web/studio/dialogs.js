/** Dialogs of the studio: a title, something to fill in, and buttons. */

import {h, put} from '../dom.js';

/** @param {string} title @param {Child} body @param {[string, () => (boolean | void | Promise<boolean | void>)][]} buttons words and what they do; false keeps the dialog open */
export function showDialog(title, body, buttons) {
  const problem = h('p.problem', {role: 'alert'});
  const close = () => dialog.close();
  const does = (/** @type {() => any} */ act) => async () => {
    if ((await act()) !== false) return close();
    put(problem, document.querySelector('.message.problem')?.textContent); // what was refused is said behind the dialog
  };
  const dialog = h('dialog.studio', {'aria-label': title, onclose: () => dialog.remove()},
    h('form', {method: 'dialog', onsubmit: (event) => {
      event.preventDefault();
      if (buttons.length) does(buttons[0][1])();
    }}, h('h2', title), body, problem,
    h('div.buttons', buttons.map(([words, act], k) => h('button', k ? {onclick: does(act)} : {type: 'submit', class: 'main'}, words)), h('button', {onclick: close}, buttons.length ? 'Cancel' : 'Close'))));
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** @type {(title: string, value: string, done: (text: string) => void) => void} */
export function askText(title, value, done) {
  const field = h('input', {type: 'text', value, 'aria-label': title, autofocus: true});
  // closed at once, so that the next key is for the page
  showDialog(title, field, [['OK', () => void done(field.value)]]);
  field.select();
}
