"""Starts one LibreOffice and converts files with it, one after the other, in the current folder.

Started as `office-worker.py SOFFICE_BIN PIPE_NAME CPU_LIMIT_S`. Standard input brings one job a line, standard output takes one
answer a line, both JSON as `src/office/worker-protocol.ts` describes. When the input ends, so does everything.
"""

import json
import os
import queue
import resource
import subprocess
import sys
import threading
import time

import uno
from office_documents import Refused, export, load, warm_up

START_LIMIT_S = 60
# A profile that was just made is set up by a first process, which then asks to be started again.
RESTART_WANTED = 81


def main():
    binary, pipe, cpu_limit_s = sys.argv[1], sys.argv[2], int(sys.argv[3])
    # The folder may have another path in the sandbox than outside.
    os.environ["HOME"] = os.environ["TMPDIR"] = os.path.abspath("tmp")
    # What anything prints by accident must not end up among the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    process, desktop = start(binary, pipe)
    warm_up(desktop)
    say(answers, {"event": "ready"})
    jobs = queue.Queue()
    threading.Thread(target=read_jobs, args=(jobs, process), daemon=True).start()
    threading.Thread(target=end_with, args=(process,), daemon=True).start()
    while True:
        job = jobs.get()
        limit_cpu(process.pid, cpu_limit_s)
        answer = convert(desktop, job)
        say(answers, {"id": job["id"], **answer, **usage(process.pid)})


def start(binary, pipe):
    words = [
        binary,
        "--headless",
        "--invisible",
        "--nocrashreport",
        "--nodefault",
        "--nologo",
        "--nofirststartwizard",
        "--norestore",
        f"-env:UserInstallation={uno.systemPathToFileUrl(os.path.abspath('profile'))}",
        f"--accept=pipe,name={pipe};urp;StarOffice.ComponentContext",
    ]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL)
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    give_up_at = time.monotonic() + START_LIMIT_S
    while time.monotonic() < give_up_at:
        code = process.poll()
        if code == RESTART_WANTED:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL)
        elif code is not None:
            sys.exit(f"the office ended with {code} while starting")
        try:
            context = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
            return process, context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
        except uno.getClass("com.sun.star.connection.NoConnectException"):
            time.sleep(0.01)
    sys.exit(f"the office did not start within {START_LIMIT_S} s")


def read_jobs(jobs, process):
    # In a thread of its own, so that the end of the service is noticed in the middle of a job, too.
    for line in sys.stdin:
        jobs.put(json.loads(line))
    process.kill()
    os._exit(0)


def end_with(process):
    sys.stderr.write(f"the office ended with {process.wait()}\n")
    os._exit(1)


def convert(desktop, job):
    began = time.monotonic()
    try:
        document = load(desktop, job)
        loaded = time.monotonic()
        try:
            export(document, job)
        finally:
            document.close(True)
    except Refused as refused:
        return {"error": refused.reason, "text": str(refused)}
    return {"loadMs": 1000 * (loaded - began), "exportMs": 1000 * (time.monotonic() - loaded)}


def limit_cpu(pid, limit_s):
    """The last line of defence, which holds even where nobody watches the clock."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    used_s = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    resource.prlimit(pid, resource.RLIMIT_CPU, (int(used_s) + limit_s, resource.RLIM_INFINITY))


def usage(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        pages = int(file.read().split()[1])
    return {"rssBytes": pages * os.sysconf("SC_PAGE_SIZE"), "openFiles": len(os.listdir(f"/proc/{pid}/fd"))}


def say(answers, answer):
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
