/**
 * The values of a row as the numbers that `web/predict.js` works on: numbers, ticks of time, and codes of categories,
 * -1 for a missing one and -2 for one that training never saw.
 */

/** @typedef {[string, number, boolean]} Time the family of a column's times, ticks in a second, and whether it has a zone */
/** @typedef {[string, Map<any, number> | null, boolean | Time]} Column its name, its codes, and how a value is read: as its text, as it is, or as a time */

/**
 * @param {Record<string, any>} row
 * @param {(Column | null)[]} columns null: not read
 */
export function encode(row, columns) {
  return columns.map((column) => {
    if (column === null) return NaN;
    const [name, codes, how] = column;
    let value = Object.prototype.hasOwnProperty.call(row, name) ? row[name] : null;
    if (value === null || value === undefined || value !== value) return codes === null ? NaN : -1;
    if (Array.isArray(how)) value = ticks(name, value, how);
    if (codes === null) return Number(value);
    const key = how === true ? String(value) : typeof value === 'string' ? value : Number(value);
    return codes.get(key) ?? -2;
  });
}

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?)?$/;
/** @type {Record<string, string>} */
const EXAMPLES = {datetime64: '2024-03-01T12:30:00', time64: '12:30:00'};

/**
 * A time as ticks. A Date is an instant, so it says nothing about a column without a time zone: such a column takes
 * text or numbers. What is finer than a tick is rounded up, as the library does it.
 * @param {string} name
 * @param {any} value
 * @param {Time} how
 */
function ticks(name, value, [family, perSecond, zoned]) {
  if (typeof value === 'number') return value;
  if (value instanceof Date && zoned) return value.getTime() * (perSecond / 1000);
  const parts = typeof value === 'string' && family in EXAMPLES ? ISO.exec(family === 'time64' ? `1970-01-01 ${value}` : value) : null;
  const [year, month, day, hour, minute, second] = parts ? parts.slice(1, 7).map((part) => Number(part || 0)) : [];
  const start = new Date(0);
  start.setUTCFullYear(year, month - 1, day);
  const isDay = start.getUTCMonth() === month - 1 && start.getUTCDate() === day;
  if (!parts || (parts[8] !== undefined) !== zoned || !isDay || hour > 23 || minute > 59 || second > 59) {
    const example = EXAMPLES[family];
    throw new TypeError(`column ${name} takes ${example ? `ISO text such as ${example}${zoned ? 'Z' : ''}, ` : ''}`
      + `${zoned ? 'a Date, ' : ''}${example ? 'or ' : ''}a number of ${perSecond === 1e6 ? 'microseconds' : 'nanoseconds'}, not ${String(value)}`);
  }
  const zone = zoned && parts[8] !== 'Z' ? parts[8] : '+00:00';
  const east = (Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(4)) * 60) * (zone[0] === '-' ? -1 : 1);
  const nanos = Number((parts[7] || '').padEnd(9, '0'));
  const seconds = start.getTime() / 1000 + hour * 3600 + minute * 60 + second - east;
  return seconds * perSecond + Math.ceil((nanos * perSecond) / 1e9);
}
