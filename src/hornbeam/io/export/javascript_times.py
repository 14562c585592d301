"""Times for the script that the JavaScript export writes: ISO text, a Date where there is a zone, as ticks.

One idea: a Date is an instant, so it says nothing about a column without a time zone; such a column takes
text or numbers. What is finer than a tick is rounded up, as `predict` does it.
"""

from __future__ import annotations

TIMES = r"""
const hb_iso =
  /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?)?$/;
const hb_wrong = (name, value, family, perSecond, zoned) => {
  const example = {datetime64: "2024-03-01T12:30:00" + (zoned ? "Z" : ""), time64: "12:30:00"}[family];
  return new TypeError("column " + name + " takes " + (example ? "ISO text such as " + example + ", " : "")
    + (zoned ? "a Date, " : "") + (example ? "or " : "") + "a number of "
    + (perSecond === 1e6 ? "microseconds" : "nanoseconds") + ", not " + String(value));
};
const hb_ticks = (name, value, family, perSecond, zoned) => {
  if (typeof value === "number") return value;
  if (value instanceof Date && zoned) return value.getTime() * (perSecond / 1000);
  const fault = hb_wrong(name, value, family, perSecond, zoned);
  if (typeof value !== "string" || family === "timedelta64") throw fault;
  const found = hb_iso.exec(family === "time64" ? "1970-01-01 " + value : value);
  if (found === null || (found[8] !== undefined) !== zoned) throw fault;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part) => Number(part || 0));
  const start = new Date(0);
  start.setUTCFullYear(year, month - 1, day);
  const real = start.getUTCMonth() === month - 1 && start.getUTCDate() === day;
  if (!real || hour > 23 || minute > 59 || second > 59) throw fault;
  const zone = zoned && found[8] !== "Z" ? found[8] : "+00:00";
  const east = (Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(4)) * 60) * (zone[0] === "-" ? -1 : 1);
  const nanos = Number((found[7] || "").padEnd(9, "0"));
  const seconds = start.getTime() / 1000 + hour * 3600 + minute * 60 + second - east;
  return seconds * perSecond + Math.ceil(nanos * perSecond / 1e9);
};
"""
