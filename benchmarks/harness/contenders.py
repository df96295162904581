"""Who does the work: errand, the floor below it, and the peers."""
import os

# Where benchmarks were built, for those who only want to know whether they work.
BUILT = os.environ.get("ERRAND_BENCH_BUILD", "build/bench")
PROGRAMS = {
    "errand": [f"{BUILT}/benchmarks/load"],
    "floor": [f"{BUILT}/benchmarks/floor"],
    "bullmq": ["node", "benchmarks/peers/bullmq/bench.mjs"],
    "sidekiq": ["ruby", "benchmarks/peers/sidekiq/bench.rb"],
    "celery": ["/usr/bin/python3", "benchmarks/peers/celery/bench.py"],
    "beanstalkd": ["build/bench/peers/beanstalkd"],
}
PEERS = ["bullmq", "sidekiq", "celery", "beanstalkd"]
TITLES = {"errand": "errand", "floor": "floor", "bullmq": "BullMQ", "sidekiq": "Sidekiq", "celery": "Celery",
          "beanstalkd": "beanstalkd"}
