/** What people type, as the numbers a tree works on: numbers, dates, spans of time and clock times. */

/** @type {Facts} */
const TICKS = {us: 1e6, ns: 1e9};

/** The number of a text in a column; NaN for an empty text, which is a missing value. Null: it cannot be read. @param {string} text @param {string} display how the column's numbers are shown @returns {number | null} */
export function read(text, display) {
  const given = text.trim();
  if (!given) return NaN;
  const parts = /^(datetime64|timedelta64|time64)\[(us|ns)(?:, .+)?\]$/.exec(display);
  if (!parts) {
    const value = Number(given.replace(',', '.'));
    return Number.isFinite(value) ? value : null;
  }
  const seconds = SECONDS[parts[1]](given);
  return seconds === null ? null : Math.round(seconds * TICKS[parts[2]]);
}

/** @type {Record<string, (text: string) => number | null>} */
const SECONDS = {
  datetime64(text) {
    const zoned = /([zZ]|[+-]\d\d:?\d\d)$/.test(text) && text.includes('T');
    const full = text.includes('T') || text.includes(' ') ? text.replace(' ', 'T') : `${text}T00:00:00`;
    const time = Date.parse(zoned ? full : `${full}Z`);
    return Number.isNaN(time) ? null : time / 1000;
  },
  timedelta64(text) {
    const parts = /^(-?)(?:(\d+(?:\.\d+)?) ?d(?:ays?)?)? ?(?:(\d+):(\d\d)(?::(\d\d(?:\.\d+)?))?)?$/.exec(text);
    if (!parts || (!parts[2] && !parts[3])) return null;
    const total = Number(parts[2] ?? 0) * 86400 + Number(parts[3] ?? 0) * 3600 + Number(parts[4] ?? 0) * 60 + Number(parts[5] ?? 0);
    return parts[1] ? -total : total;
  },
  time64(text) {
    const parts = /^(\d\d?):(\d\d)(?::(\d\d(?:\.\d+)?))?$/.exec(text);
    return parts ? Number(parts[1]) * 3600 + Number(parts[2]) * 60 + Number(parts[3] ?? 0) : null;
  },
};

/** An example of what can be typed. @param {string} display */
export function example(display) {
  if (display.startsWith('datetime64')) return '2024-05-01 or 2024-05-01T12:30 (UTC unless an offset is given)';
  if (display.startsWith('timedelta64')) return '3 days 02:00:00';
  return display.startsWith('time64') ? '12:30:00' : 'a number';
}
