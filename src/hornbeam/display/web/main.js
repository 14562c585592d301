/** Where the page starts: the document is read and shown. */

import {mount} from './view/app.js';

const source = document.getElementById('hornbeam-document');
const element = document.getElementById('hornbeam');
if (source && element) mount(element, JSON.parse(source.textContent ?? '{}'), {mode: document.body.dataset.mode ?? 'report'});
