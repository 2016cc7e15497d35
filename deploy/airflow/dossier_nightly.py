"""A nightly Dossier run in Airflow 3 (for 2.10 import dag and task from airflow.decorators, Dataset as Asset
from airflow.datasets, and Variable from airflow.models).

Dossier must be on the worker's PATH, DOSSIER_URL in its environment, and deploy/nightly.yaml with your
paths at /etc/dossier/nightly.yaml. The key is in a file there; --key-file keeps it out of the
process list and out of Airflow's logs. A job whose list and result are in object storage does as well.

Each table is an asset, so that another DAG can wait for it: schedule=[Asset("dossier://nightly/companies")].
Its event says which run made it and what its files are; docs/platform.md says how days, runs and files belong
together.
"""

import json
import logging
import subprocess
from datetime import datetime, timedelta, timezone

from airflow.exceptions import AirflowException, AirflowFailException, AirflowSkipException
from airflow.sdk import Asset, Variable, dag, task

COMMAND = ["dossier", "run", "/etc/dossier/nightly.yaml", "--key-file", "/etc/dossier/key", "--json"]

# Leave out people where the job searches none: Airflow tells an event of every asset that is named here.
TABLES = ["companies", "people", "rejects", "changes"]
ASSETS = {table: Asset(f"dossier://nightly/{table}") for table in TABLES}

# What the exit codes ask for; docs/exit-codes.md. None of them is 99, which Airflow's operators
# read as "skipped".
DONE = {0}
DONE_WITH_FAILED_ROWS = {3}
NEXT_NIGHT = {75}
NEEDS_A_PERSON = {1, 4, 5, 64, 65, 74, 77, 78}
AGAIN_SOON = {69, 130, 137, 143}

# A skipped task is green. A budget that never suffices must not be, so the third night in a row fails.
STOPPED_NIGHTS = "dossier_nightly_stopped_nights"
MOST_STOPPED_NIGHTS = 2


@dag(schedule="15 2 * * *", start_date=datetime(2026, 1, 1), catchup=False, max_active_runs=1)
def dossier_nightly():
    @task(retries=4, retry_delay=timedelta(minutes=15), outlets=list(ASSETS.values()))
    def run(outlet_events=None, data_interval_end=None) -> int:
        today = datetime.now(timezone.utc).date()
        if data_interval_end is not None and data_interval_end.astimezone(timezone.utc).date() != today:
            # A service answers of today. A backfill would pay for today's answers and call them old ones.
            raise AirflowSkipException(f"{data_interval_end} is not today, and no other day can be looked up")
        code, summary = run_until_end(COMMAND)
        if code in DONE or code in DONE_WITH_FAILED_ROWS:
            Variable.set(STOPPED_NIGHTS, "0")
            # 3 is a success with a warning: the next night asks for the failed rows again.
            if code in DONE_WITH_FAILED_ROWS:
                logging.getLogger(__name__).warning("some rows failed; rejects names them")
            for table, facts in facts_of_tables(summary, today.isoformat()).items():
                outlet_events[ASSETS[table]].extra = facts
            return code
        if code in NEXT_NIGHT:
            # Budget or quota is spent: a retry now would spend another. What follows is skipped,
            # because the files of this night are incomplete.
            nights = int(Variable.get(STOPPED_NIGHTS, "0")) + 1
            Variable.set(STOPPED_NIGHTS, str(nights))
            if nights > MOST_STOPPED_NIGHTS:
                raise AirflowFailException(f"dossier stopped on purpose ({code}), {nights} nights in a row")
            raise AirflowSkipException(f"dossier stopped on purpose ({code}); the next run goes on")
        if code in NEEDS_A_PERSON:
            # After 4 the files are held: what follows must not load the old ones as new.
            raise AirflowFailException(f"dossier ended with {code}; see its log")
        raise AirflowException(f"dossier ended with {code}; it goes on with the next try")

    run()


def facts_of_tables(summary: dict, day: str) -> dict[str, dict]:
    # A table has a file for each format; all of them hold the same rows.
    files = {table: [file for file in summary["files"] if file["table"] == table] for table in TABLES}
    return {
        table: {
            "date": day,
            "run": summary["run"],
            "folder": summary["folder"],
            "schema_version": schema_version(),
            "rows": of_table[0]["rows"],
            "sha256": {file["name"]: file["sha256"] for file in of_table},
            "unchanged": all(file["name"] in summary["unchanged"] for file in of_table),
        }
        for table, of_table in files.items()
        if of_table
    }


def schema_version() -> str:
    # urn:dossier:companies:1.0
    command = ["dossier", "schema", "--table", "companies", "--as", "json"]
    return json.loads(subprocess.check_output(command))["$id"].rsplit(":", 1)[1]


def run_until_end(command: list[str]) -> tuple[int, dict]:
    # Talk goes to standard error and so into the task's log; the summary to standard output.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        output, _ = process.communicate()
    except BaseException:
        # Airflow stops the task: SIGTERM lets Dossier save what is on the wire, and store its last snapshot
        # where it has one. Give core.killed_task_cleanup_time (60 s) as long then.
        process.terminate()
        process.wait(timeout=420)
        raise
    code = process.returncode
    # Popen tells a signal as a negative number, shells and containers as 128 and the number.
    return (code if code >= 0 else 128 - code, json.loads(output) if output.strip() else {})


dossier_nightly()
