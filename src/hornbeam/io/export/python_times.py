"""Times for the module that the Python export writes: any object that holds a time, as ticks.

One idea: the module imports nothing, so a time is known by what it can be asked (`toordinal`, `hour`, `days`)
or by the name of its type, and ISO text is taken apart by hand. What is finer than a tick is rounded up, so
that it is never taken for a time before a cut that it follows.
"""

from __future__ import annotations

TIMES = r'''
def hb_wrong(name, value, family, unit, zoned):
    times = {"datetime64": "a date or a time without a zone", "time64": "a time of day",
             "timedelta64": "a span of time"}
    return TypeError("column %r takes %s, or a number of %s, not %r of type %s" % (
        name, "a time with a zone" if zoned else times[family],
        {"us": "microseconds", "ns": "nanoseconds"}[unit], value, type(value).__name__))

def hb_ticks(name, value, family, unit, zoned):
    kind, offset, nanos = type(value).__name__, None, 0
    if kind in ("datetime64", "timedelta64"):
        if kind != family or zoned:
            raise hb_wrong(name, value, family, unit, zoned)
        whole = value.astype(kind + "[" + unit + "]")
        return int(whole.astype("int64")) + int(bool(whole < value))
    if isinstance(value, (int, float)) or hasattr(value, "dtype"):
        return value if isinstance(value, int) else float(value)
    if isinstance(value, str) and family != "timedelta64":
        seconds, nanos, offset = hb_parsed(name, value, family)
    elif family == "datetime64" and hasattr(value, "toordinal"):
        seconds = (value.toordinal() - 719163) * 86400
        if hasattr(value, "hour"):
            seconds += hb_clock(value)
            nanos, offset = value.microsecond * 1000 + getattr(value, "nanosecond", 0), value.utcoffset()
        if offset is not None:
            nanos -= offset.microseconds * 1000
            offset = offset.days * 86400 + offset.seconds
    elif family == "time64" and hasattr(value, "hour") and not hasattr(value, "toordinal"):
        seconds, nanos = hb_clock(value), value.microsecond * 1000
    elif family == "timedelta64" and hasattr(value, "days") and hasattr(value, "microseconds"):
        seconds = value.days * 86400 + value.seconds
        nanos = value.microseconds * 1000 + getattr(value, "nanoseconds", 0)
    else:
        raise hb_wrong(name, value, family, unit, zoned)
    if (offset is not None) != zoned:
        raise hb_wrong(name, value, family, unit, zoned)
    nanos += (seconds - (offset or 0)) * 10**9
    return nanos if unit == "ns" else -(-nanos // 1000)
def hb_clock(value): return value.hour * 3600 + value.minute * 60 + value.second

def hb_parsed(name, text, family):
    """Seconds since 1970 or since midnight, nanoseconds, and seconds east of UTC or None, of ISO text."""
    day, clock = (text[:10], text[10:]) if family == "datetime64" else ("1970-01-01", " " + text)
    offset, end = None, clock[-6:]
    if clock[-1:] == "Z":
        clock, offset = clock[:-1], 0
    elif end[:1] in ("+", "-") and hb_shape(end[1:]) == "00:00":
        offset = (int(end[1:3]) * 3600 + int(end[4:]) * 60) * (-1 if end[0] == "-" else 1)
        clock = clock[:-6]
    clock, point, part = clock.partition(".")
    shapes = ("", " 00:00", " 00:00:00") if family == "datetime64" else (" 00:00", " 00:00:00")
    sound = hb_shape(day) == "0000-00-00" and hb_shape(clock).replace("T", " ") in shapes
    if point:
        sound = sound and len(clock) == 9 and hb_shape(part) in ["0" * k for k in range(1, 10)]
    if sound:
        year, month, date = int(day[:4]), int(day[5:7]), int(day[8:])
        hour, minute, second = (int(clock[k : k + 2] or 0) for k in (1, 4, 7))
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        months = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
        sound = year > 0 and 0 < month < 13 and 0 < date <= months[month - 1]
        if sound and hour < 24 and minute < 60 and second < 60:
            before = year - 1
            days = before * 365 + before // 4 - before // 100 + before // 400 - 719163
            days += sum(months[: month - 1]) + date
            return days * 86400 + hour * 3600 + minute * 60 + second, int((part + "0" * 9)[:9]), offset
    raise ValueError("column %r: %r is no ISO text such as %s" % (
        name, text, "12:30:00" if family == "time64" else "2024-03-01 12:30:00"))
def hb_shape(text): return "".join("0" if c in "0123456789" else c for c in text)
'''
