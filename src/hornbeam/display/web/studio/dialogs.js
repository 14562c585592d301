/** Dialogs of the studio: a title, something to fill in, and buttons. */

import {h} from '../dom.js';

/**
 * @param {string} title
 * @param {any} body
 * @param {[string, () => (boolean | void | Promise<boolean | void>)][]} buttons words and what they do; false keeps the dialog open
 */
export function showDialog(title, body, buttons) {
  const close = () => {
    dialog.close();
    dialog.remove();
  };
  const dialog = /** @type {HTMLDialogElement} */ (h('dialog', {class: 'studio', 'aria-label': title, onclose: () => dialog.remove()},
    h('form', {method: 'dialog', onsubmit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      if (buttons.length && (await buttons[0][1]()) !== false) close();
    }}, h('h2', null, title), body,
    h('div', {class: 'buttons'}, buttons.map(([words, act], k) => h('button', k ? {onclick: async () => { if ((await act()) !== false) close(); }} : {type: 'submit', class: 'main'}, words)), h('button', {onclick: close}, buttons.length ? 'Cancel' : 'Close')))));
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * @param {string} title
 * @param {string} value
 * @param {(text: string) => void} done
 */
export function askText(title, value, done) {
  const field = /** @type {HTMLInputElement} */ (h('input', {type: 'text', value, 'aria-label': title, autofocus: true}));
  // closed at once, so that the next key is for the page
  showDialog(title, field, [['OK', () => void done(field.value)]]);
  field.select();
}
