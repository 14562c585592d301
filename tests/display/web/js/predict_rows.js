// Predicts rows given on standard input as the page does: [{document, rows}] in, a list of answers for each out.
import {readFileSync} from 'node:fs';

const {predict} = await import(process.argv[2]);
const batches = JSON.parse(readFileSync(0, 'utf8'));
const number = (value) => (value === null ? NaN : value);
process.stdout.write(JSON.stringify(batches.map(({document, rows}) => rows.map((row) => predict(document, row.map(number))))));
