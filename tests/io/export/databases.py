"""Databases for the tests of exported SQL: private servers in a temporary folder, where they are installed.

A server is asked over a socket in its own folder and listens to no network. A server that refuses to run as
root runs as nobody.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.io.export.case import Case
from tests.io.export.runners import Said, read_answers, run_sql, sql_type

import hornbeam as hb

POSTGRES_TYPES = {
    "DOUBLE": "DOUBLE PRECISION",
    "VARCHAR": "TEXT",
    "BOOLEAN": "BOOLEAN",
    "TIMESTAMP": "TIMESTAMP",
    "TIMESTAMPTZ": "TIMESTAMPTZ",
    "TIME": "TIME",
}
MYSQL_TYPES = {
    "DOUBLE": "DOUBLE",
    "VARCHAR": "LONGTEXT",
    "BOOLEAN": "BOOLEAN",
    "TIMESTAMP": "DATETIME(6)",
    "TIMESTAMPTZ": "TIMESTAMP(6) NULL DEFAULT NULL",
    "TIME": "TIME(6)",
}


def run_postgres(case: Case, **types: str) -> Said:
    return run_sql(case, postgres(), "postgres", POSTGRES_TYPES | types, "CAST(%s AS {})")


def run_mariadb(case: Case, **types: str) -> Said:
    return run_sql(case, mariadb(), "mysql", MYSQL_TYPES | types, "%s", key="row_id")


def run_spark(case: Case) -> Said:
    session = spark()
    from pyspark.sql import types

    kinds = {
        "DOUBLE": types.DoubleType(),
        "VARCHAR": types.StringType(),
        "BOOLEAN": types.BooleanType(),
        "TIMESTAMP": types.TimestampNTZType(),
        "TIMESTAMPTZ": types.TimestampType(),
    }
    columns = case.tree.columns
    names = [column.name for column in columns]
    if any(sql_type(column) == "TIME" for column in columns):
        pytest.skip("Spark has no type for times of day")
    fields = [types.StructField("row_id", types.IntegerType())]
    fields += [types.StructField(column.name, kinds[sql_type(column)]) for column in columns]
    casts = {"DOUBLE": float, "VARCHAR": str, "TIMESTAMP": _without_zone}
    rows = [
        [
            k,
            *(
                None if row[c.name] is None else casts.get(sql_type(c), lambda v: v)(row[c.name])
                for c in columns
            ),
        ]
        for k, row in enumerate(case.rows)
    ]
    session.createDataFrame(rows, types.StructType(fields)).createOrReplaceTempView("rows")
    assert len(names) == len(fields) - 1
    query = hb.export(case.tree, "sql", table="rows", name="said", keep=["row_id"], dialect="spark")
    return read_answers(case, [tuple(row) for row in session.sql(query).collect()])


def _without_zone(value: Any) -> Any:
    return value.to_pydatetime() if hasattr(value, "to_pydatetime") else value


class MySqlConnection:
    """A connection of pymysql with the few methods that the other databases have."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def execute(self, query: str) -> Any:
        cursor = self.connection.cursor()
        cursor.execute(query)
        return cursor

    def cursor(self) -> Any:
        return self

    def executemany(self, query: str, rows: Any) -> None:
        plain = [[v.removesuffix("+00:00") if isinstance(v, str) else v for v in row] for row in rows]
        self.connection.cursor().executemany(query, plain)


@functools.cache
def postgres() -> Any:
    """A connection to a fresh PostgreSQL."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    initdb = shutil.which("initdb", path=os.pathsep.join([*map(str, folders), os.environ.get("PATH", "")]))
    if initdb is None:
        pytest.skip("PostgreSQL is not installed")
    folder = _folder()
    data = folder / "data"
    _run([initdb, "-D", str(data), "-A", "trust", "-U", "tester", "-E", "UTF8", "--locale=C.UTF-8", "-N"])
    server = Path(initdb).with_name("postgres")
    command = [str(server), "-D", str(data), "-k", str(folder), "-c", "listen_addresses=", "-F"]
    _serve(command, ended_by=signal.SIGINT)  # it ends at once, and does not wait for connections to be closed
    return _connected(
        lambda: psycopg.connect(host=str(folder), user="tester", dbname="postgres", autocommit=True),
        psycopg.OperationalError,
    )


@functools.cache
def mariadb() -> Any:
    """A connection to a fresh MariaDB."""
    pymysql = pytest.importorskip("pymysql", reason="pymysql is not installed")
    install, server = shutil.which("mariadb-install-db"), shutil.which("mariadbd", path=_with_sbin())
    if install is None or server is None:
        pytest.skip("MariaDB is not installed")
    folder = _folder()
    data, socket = folder / "data", str(folder / "socket")
    options = ["--no-defaults", f"--datadir={data}"]
    _run([install, *options, "--auth-root-authentication-method=normal", "--skip-test-db"])
    _serve([server, *options, f"--socket={socket}", "--skip-networking", f"--pid-file={folder / 'pid'}"])
    connection = _connected(
        lambda: pymysql.connect(unix_socket=socket, user="root", charset="utf8mb4", autocommit=True),
        pymysql.OperationalError,
    )
    asked = MySqlConnection(connection)
    asked.execute("CREATE DATABASE exports CHARACTER SET utf8mb4")
    asked.execute("USE exports")
    asked.execute("SET time_zone = '+00:00'")
    return asked


@functools.cache
def spark() -> Any:
    """A session of Spark in this process."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "1").config("spark.driver.host", "127.0.0.1")
    session = builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    atexit.register(session.stop)
    return session


def _folder() -> Path:
    """A folder with a short path, since those of sockets are limited, that the server's user may write to."""
    folder = Path(tempfile.mkdtemp(prefix="hb"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody")
    return folder


def _as_nobody(command: list[str]) -> list[str]:
    if os.geteuid() != 0:
        return command
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("databases do not run as root, and setpriv is not installed")
    return [setpriv, "--reuid=nobody", "--regid=nogroup", "--clear-groups", *command]


def _run(command: list[str]) -> None:
    done = subprocess.run(_as_nobody(command), capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def _serve(command: list[str], ended_by: signal.Signals = signal.SIGTERM) -> None:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(_as_nobody(command), cwd="/", **quiet)

    def end() -> None:
        process.send_signal(ended_by)
        process.wait()

    atexit.register(end)


def _connected(connect: Callable[[], Any], not_yet: type[Exception]) -> Any:
    for _ in range(300):
        try:
            return connect()
        except not_yet:
            time.sleep(0.1)
    return connect()


def _with_sbin() -> str:
    return os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"])


ENGINES: Mapping[str, Callable[[Case], Said]] = {
    "postgres": run_postgres,
    "mariadb": run_mariadb,
    "spark": run_spark,
}
