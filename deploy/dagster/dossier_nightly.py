"""Dossier's files as a Dagster asset, made every night.

Dossier must be on the PATH of the code location, DOSSIER_URL in its environment, its key in a file,
and deploy/nightly.yaml with your paths at /etc/dossier/nightly.yaml.
"""

import json
import subprocess

import dagster as dg

COMMAND = ["dossier", "run", "/etc/dossier/nightly.yaml", "--key-file", "/etc/dossier/key", "--json"]

# What the exit codes ask for; docs/exit-codes.md.
DONE = {0}
DONE_WITH_FAILED_ROWS = {3}
NEXT_NIGHT = {75}
NEEDS_A_PERSON = {1, 4, 64, 65, 74, 77, 78}
AGAIN_SOON = {69, 130, 137, 143}


@dg.asset(retry_policy=dg.RetryPolicy(max_retries=4, delay=900))
def company_records(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    code, summary = run_until_end(COMMAND)
    if code in DONE or code in DONE_WITH_FAILED_ROWS:
        if code in DONE_WITH_FAILED_ROWS:
            context.log.warning("some rows failed; the next run asks for them again")
        return dg.MaterializeResult(metadata=metadata_of(summary))
    raise dg.Failure(
        description=f"dossier ended with {code}; see its log and docs/exit-codes.md",
        metadata={"exit_code": code},
        # After 75 a retry would spend another budget; the other codes of this kind need a person.
        allow_retries=code not in NEEDS_A_PERSON | NEXT_NIGHT,
    )


def metadata_of(summary: dict) -> dict:
    rows, calls = summary["rows"], summary["calls"]
    return {
        "dagster/row_count": rows["total"],
        "matched": rows["matched"],
        "not_found": rows["not_found"],
        "failed": rows["failed"],
        "calls_made": calls["made"],
        "calls_reused": calls["reused"],
        "folder": dg.MetadataValue.path(summary["folder"]),
    }


def run_until_end(command: list[str]) -> tuple[int, dict]:
    # Talk goes to standard error and so into Dagster's log; the summary to standard output.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        output, _ = process.communicate()
    except BaseException:
        # Dagster stops the run: SIGTERM lets Dossier save what is on the wire.
        process.terminate()
        process.wait(timeout=60)
        raise
    code = process.returncode
    # Popen tells a signal as a negative number, shells and containers as 128 and the number.
    return (code if code >= 0 else 128 - code, json.loads(output) if output else {})


nightly = dg.ScheduleDefinition(
    name="dossier_nightly",
    target=dg.AssetSelection.assets(company_records),
    cron_schedule="15 2 * * *",
)

defs = dg.Definitions(assets=[company_records], schedules=[nightly])
