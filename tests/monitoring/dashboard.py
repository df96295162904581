#!/usr/bin/env python3
"""Asks Prometheus for every expression of the dashboard while it scrapes a shop at work, and lets it judge the alerts.

    dashboard.py PROMETHEUS ERRAND SHOP        with ERRAND_STORE, as scripts/lib/with-redis gives it
"""
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

monitoring = pathlib.Path(__file__).resolve().parents[2] / "docs" / "monitoring"

# What a shop does not have in which nothing breaks, and that has no outbox.
without_data = [
    "errand_outbox_",
    'errand_store_calls_total{job=~"$job",result="error"}',
    "errand_leases_recovered_total",
]
# What the dashboard lets people choose, and the metric that it takes the choices from.
choices = {"job": "errand_build_info", "queue": "errand_tasks", "handler": "errand_attempts_started_total"}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def asked(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def expressions():
    dashboard = json.loads((monitoring / "grafana.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield target["expr"]


def concrete(expression):
    for name, value in (("$__rate_interval", "30s"), ("$job", ".*"), ("$queue", ".*"), ("$handler", ".*")):
        expression = expression.replace(name, value)
    return expression


class Prometheus:
    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}/api/v1/"

    # Series that have a number: a quantile of nothing is NaN.
    def result(self, expression):
        got = asked(self.url + "query?" + urllib.parse.urlencode({"query": expression}))
        return [one for one in got["data"]["result"] if one["value"][1] != "NaN"]

    def rules(self):
        return [rule for group in asked(self.url + "rules")["data"]["groups"] for rule in group["rules"]]


def configuration(place, workers, service):
    def job(name, ports, path="/metrics"):
        targets = [f"127.0.0.1:{port}" for port in ports]
        return {"job_name": name, "metrics_path": path, "static_configs": [{"targets": targets}]}

    file = place / "prometheus.json"  # which is YAML
    file.write_text(json.dumps({
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(monitoring / "alerts.yml")],
        "scrape_configs": [job("errand-workers", workers), job("errand-serve", [service]),
                           job("errand-store", [service], "/metrics/store")],
    }))
    return file


# Two tasks that the shop does not make by itself: one of a handler that no worker knows, one that is late.
def submit_what_fails(service):
    tasks = f"http://127.0.0.1:{service}/v1/default/tasks"
    asked(tasks, {"handler": "nobody", "queue": "mail", "args": []})
    asked(tasks, {"handler": "close_order", "queue": "orders", "args": [1], "expires_after_ms": 1})


# Each has to have had data once: a shop does not fail all the time.
def lacking(prometheus, before):
    return [one for one in before if not prometheus.result(concrete(one))]


def main():
    program, errand, shop = sys.argv[1:]
    ports = [free_port() for _ in range(4)]
    workers, service, own = ports[:2], ports[2], ports[3]
    environment = {**os.environ, "ERRAND_QUEUES": "mail:2,orders:3,pictures:1,vendor:1,reports:1"}
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        place = pathlib.Path(name)

        def start(log, *words, **more):
            output = stack.enter_context(open(place / log, "wb"))
            one = subprocess.Popen(words, stdout=output, stderr=subprocess.STDOUT, env={**environment, **more})
            stack.callback(end, one)

        for port in workers:
            start(f"worker-{port}.log", shop, "work", ERRAND_METRICS=f"127.0.0.1:{port}")
        start("trade.log", shop, "trade")
        start("serve.log", errand, "serve", "--listen", f"127.0.0.1:{service}")
        start("prometheus.log", program, f"--config.file={configuration(place, workers, service)}",
              f"--storage.tsdb.path={place / 'data'}", f"--web.listen-address=127.0.0.1:{own}")
        prometheus = Prometheus(own)
        missing = [one for one in expressions() if not any(part in one for part in without_data)]
        all_that_are_asked, rules = len(missing), []
        deadline = time.monotonic() + 120
        while missing or not rules or any(rule["health"] == "unknown" for rule in rules):
            if time.monotonic() > deadline:
                for log in sorted(place.glob("*.log")):
                    print(f"---- {log.name}\n{log.read_text()[-3000:]}")
                sys.exit("without data:\n" + "\n".join(missing))
            time.sleep(1)
            try:
                submit_what_fails(service)
                missing, rules = lacking(prometheus, missing), prometheus.rules()
            except OSError as failure:
                if isinstance(failure, urllib.error.HTTPError):
                    print(failure, failure.read().decode())
        for rule in rules:
            if rule["health"] != "ok":
                sys.exit(f"{rule['name']}: {rule['lastError']}")
        for label, metric in choices.items():
            if not prometheus.result(f'{metric}{{{label}!=""}}'):
                sys.exit(f"there is no {label} to choose")
        print(f"{all_that_are_asked} expressions have had data, {len(rules)} alerts are judged")


def end(one):
    one.send_signal(signal.SIGTERM)
    try:
        one.wait(20)
    except subprocess.TimeoutExpired:
        one.kill()
        one.wait()


main()
