"""Dossier's tables as Dagster assets, made every night, with a partition for each day.

Dossier must be on the PATH of the code location, DOSSIER_URL in its environment, its key in a file,
and deploy/nightly.yaml with your paths at /etc/dossier/nightly.yaml. A job whose list and result are in object
storage does as well. docs/platform.md says how partitions, runs and files belong together.
"""

import json
import subprocess
from datetime import datetime, timezone

import dagster as dg

COMMAND = ["dossier", "run", "/etc/dossier/nightly.yaml", "--key-file", "/etc/dossier/key", "--json"]

TABLES = ["companies", "people", "rejects", "changes"]

# What the exit codes ask for; docs/exit-codes.md.
DONE = {0}
DONE_WITH_FAILED_ROWS = {3}
NEXT_NIGHT = {75}
NEEDS_A_PERSON = {1, 4, 5, 64, 65, 74, 77, 78}
AGAIN_SOON = {69, 130, 137, 143}

# A partition is the day on which its run was made (UTC), so that of today is there already.
days = dg.DailyPartitionsDefinition(start_date="2026-01-01", end_offset=1)


@dg.multi_asset(
    name="dossier_nightly",
    # One run makes all tables. Where the job searches no people, that table is left out.
    specs=[dg.AssetSpec(["dossier", table], skippable=True) for table in TABLES],
    partitions_def=days,
    retry_policy=dg.RetryPolicy(max_retries=4, delay=900),
)
def dossier_tables(context: dg.AssetExecutionContext):
    today = datetime.now(timezone.utc).date().isoformat()
    if context.partition_key != today:
        # A service answers of today. A backfill would pay for today's answers and call them old ones.
        raise dg.Failure(
            description=f"{context.partition_key} is not today, and no other day can be looked up",
            metadata={"partition": context.partition_key},
            allow_retries=False,
        )
    code, summary = run_until_end(COMMAND)
    if code not in DONE | DONE_WITH_FAILED_ROWS:
        raise dg.Failure(
            description=f"dossier ended with {code}; see its log and docs/exit-codes.md",
            metadata={"exit_code": code},
            # After 75 a retry would spend another budget; the other codes of this kind need a person.
            allow_retries=code not in NEEDS_A_PERSON | NEXT_NIGHT,
        )
    if code in DONE_WITH_FAILED_ROWS:
        context.log.warning("some rows failed; the next run asks for them again")
    version = schema_version()
    for table in TABLES:
        # A table has a file for each format; all of them hold the same rows.
        files = [file for file in summary["files"] if file["table"] == table]
        if files:
            yield dg.MaterializeResult(
                asset_key=["dossier", table],
                metadata=metadata_of(files, summary, version),
                # A file that did not change has the checksum of the last night: what follows may be left out.
                data_version=dg.DataVersion(files[0]["sha256"]),
            )


def metadata_of(files: list[dict], summary: dict, version: str) -> dict:
    rows, calls = summary["rows"], summary["calls"]
    return {
        "dagster/row_count": files[0]["rows"],
        "run": summary["run"],
        "folder": summary["folder"],
        "schema_version": version,
        "sha256": {file["name"]: file["sha256"] for file in files},
        "matched": rows["matched"],
        "not_found": rows["not_found"],
        "failed": rows["failed"],
        "calls_made": calls["made"],
        "calls_reused": calls["reused"],
    }


def schema_version() -> str:
    # urn:dossier:companies:1.0
    command = ["dossier", "schema", "--table", "companies", "--as", "json"]
    return json.loads(subprocess.check_output(command))["$id"].rsplit(":", 1)[1]


def run_until_end(command: list[str]) -> tuple[int, dict]:
    # Talk goes to standard error and so into Dagster's log; the summary to standard output.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        output, _ = process.communicate()
    except BaseException:
        # Dagster stops the run: SIGTERM lets Dossier save what is on the wire, and store its last snapshot
        # where it has one.
        process.terminate()
        process.wait(timeout=420)
        raise
    code = process.returncode
    # Popen tells a signal as a negative number, shells and containers as 128 and the number.
    return (code if code >= 0 else 128 - code, json.loads(output) if output.strip() else {})


@dg.schedule(cron_schedule="15 2 * * *", target=dg.AssetSelection.assets(dossier_tables))
def nightly(context: dg.ScheduleEvaluationContext):
    return dg.RunRequest(partition_key=context.scheduled_execution_time.strftime("%Y-%m-%d"))


defs = dg.Definitions(assets=[dossier_tables], schedules=[nightly])
