"""A nightly Dossier run in Airflow 3 (for 2.x import dag and task from airflow.decorators).

Dossier must be on the worker's PATH, DOSSIER_URL in its environment, and deploy/nightly.yaml with your
paths at /etc/dossier/nightly.yaml. The key is in a file there; --key-file keeps it out of the
process list and out of Airflow's logs.
"""

import subprocess
from datetime import datetime, timedelta

from airflow.exceptions import AirflowException, AirflowFailException, AirflowSkipException
from airflow.sdk import dag, task

COMMAND = ["dossier", "run", "/etc/dossier/nightly.yaml", "--key-file", "/etc/dossier/key"]

# What the exit codes ask for; docs/exit-codes.md. None of them is 99, which Airflow's operators
# read as "skipped".
DONE = {0}
DONE_WITH_FAILED_ROWS = {3}
NEXT_NIGHT = {75}
NEEDS_A_PERSON = {1, 4, 64, 65, 74, 77, 78}
AGAIN_SOON = {69, 130, 137, 143}


@dag(schedule="15 2 * * *", start_date=datetime(2026, 1, 1), catchup=False, max_active_runs=1)
def dossier_nightly():
    @task(retries=4, retry_delay=timedelta(minutes=15))
    def run() -> int:
        code = run_until_end(COMMAND)
        if code in DONE or code in DONE_WITH_FAILED_ROWS:
            # With 3 the files are whole; the next night asks for the failed rows again.
            return code
        if code in NEXT_NIGHT:
            # Budget or quota is spent: a retry now would spend another. What follows is skipped,
            # because the files of this night are incomplete.
            raise AirflowSkipException(f"dossier stopped on purpose ({code}); the next run goes on")
        if code in NEEDS_A_PERSON:
            # After 4 the files are held: what follows must not load the old ones as new.
            raise AirflowFailException(f"dossier ended with {code}; see its log")
        raise AirflowException(f"dossier ended with {code}; it goes on with the next try")

    run()


def run_until_end(command: list[str]) -> int:
    process = subprocess.Popen(command)
    try:
        code = process.wait()
    except BaseException:
        # Airflow stops the task: SIGTERM lets Dossier save what is on the wire.
        process.terminate()
        process.wait(timeout=60)
        raise
    # Popen tells a signal as a negative number, shells and containers as 128 and the number.
    return code if code >= 0 else 128 - code


dossier_nightly()
