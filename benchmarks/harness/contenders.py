"""Who does the work: errand, the floor below it, and the peers."""
PROGRAMS = {
    "errand": ["build/bench/benchmarks/load"],
    "floor": ["build/bench/benchmarks/floor"],
    "bullmq": ["node", "benchmarks/peers/bullmq/bench.mjs"],
    "sidekiq": ["ruby", "benchmarks/peers/sidekiq/bench.rb"],
    "celery": ["/usr/bin/python3", "benchmarks/peers/celery/bench.py"],
    "beanstalkd": ["build/bench/peers/beanstalkd"],
}
PEERS = ["bullmq", "sidekiq", "celery", "beanstalkd"]
TITLES = {"errand": "errand", "floor": "floor", "bullmq": "BullMQ", "sidekiq": "Sidekiq", "celery": "Celery",
          "beanstalkd": "beanstalkd"}
