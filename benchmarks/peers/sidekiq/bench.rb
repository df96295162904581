#!/usr/bin/env ruby
# frozen_string_literal: true

# Sidekiq doing the measures of benchmarks/README.md: bench.rb MEASURE [name=value ...]
# Sidekiq's own fetch, so at most once: its free edition has no other. What differs from its defaults is the driver
# in C, which is faster, and a logger that leaves out the two lines for each job.
require "json"
require "sidekiq"

BULK_SIZE = 1000
WARM_UP = 100

Sidekiq.logger.level = Logger::WARN
Redis.silence_deprecations = true # else this driver has something to say about each command of this Sidekiq

class Noop
  include Sidekiq::Job

  def perform(argument)
    TALLY.executed(argument)
  end
end

def now_ns = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) # the same in all processes of a machine

def sum_of_ids(tasks) = tasks * (tasks + 1) / 2

def payload(id) = { "id" => id, "name" => "abcdefgh" }

def failure(sentence)
  warn "sidekiq: #{sentence}"
  exit! 1
end

class Stopwatch
  def initialize
    @from = now_ns
    @client = client_cpu
    @redis = redis_cpu
  end

  def spent
    { seconds: (now_ns - @from) / 1e9, client_cpu: client_cpu - @client, redis_cpu: redis_cpu - @redis }
  end

  private

  def client_cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)

  def redis_cpu
    Dir["/proc/#{ENV.fetch("BENCH_REDIS_PID")}/task/*/schedstat"].sum { |path| File.read(path).to_i } / 1e9
  end
end

# What the handlers of a worker did.
class Tally
  attr_reader :count, :sum, :delays

  def initialize
    @lock = Mutex.new
    @all = ConditionVariable.new
    @count = @sum = 0
    @delays = []
  end

  def executed(argument)
    at = argument["at"]
    delay = now_ns - at if at
    @lock.synchronize do
      @count += 1
      @sum += argument["id"]
      @delays << delay if delay
      @all.signal if @count == @expected
    end
  end

  def wait_for(expected)
    @lock.synchronize do
      @expected = expected
      @all.wait(@lock) until @count >= expected
    end
  end
end

TALLY = Tally.new

OVER_SOCKET = { url: "unix://#{ENV.fetch("BENCH_SOCKET")}" }.freeze
OVER_TCP = { url: "redis://127.0.0.1:#{ENV.fetch("BENCH_PORT")}/0" }.freeze

def connect(where)
  Sidekiq.redis = { driver: :hiredis, **where }
  Sidekiq.redis(&:ping)
end

def submit_in_bulk(tasks)
  (1..tasks).each_slice(BULK_SIZE) { |ids| Noop.perform_bulk(ids.map { |id| [payload(id)] }) }
end

def waiting = Sidekiq.redis { |redis| redis.llen("queue:default") }

def check_waiting(tasks)
  ids = Sidekiq.redis { |redis| redis.lrange("queue:default", 0, -1) }
               .map { |job| JSON.parse(job)["args"][0]["id"] }
  return if ids.size == tasks && ids.sum == sum_of_ids(tasks)

  failure "submitted #{tasks} tasks, but #{ids.size} wait, with ids that make #{ids.sum}"
end

def submit(where, tasks)
  connect(where)
  stopwatch = Stopwatch.new
  yield
  spent = stopwatch.spent
  check_waiting(tasks)
  { tasks: tasks, **spent }
end

# The worker's process: works from a line on `commands` on, and reports when it has done all.
def work(tasks, concurrency, commands, reports)
  require "sidekiq/cli" # tells Sidekiq that it is the server
  Sidekiq.options.merge!(queues: ["default"], concurrency: concurrency)
  connect(OVER_SOCKET)
  reports.puts "ready"
  commands.gets or exit! 1
  Thread.new { commands.read; exit! 1 } # nobody wants the report any more
  stopwatch = Stopwatch.new
  launcher = Sidekiq::Launcher.new(Sidekiq.options)
  launcher.run
  TALLY.wait_for(tasks)
  spent = stopwatch.spent
  launcher.stop
  reports.puts JSON.generate(spent: spent, executed: TALLY.count, sum: TALLY.sum, delays: TALLY.delays)
  reports.flush
  exit! 0
end

# Forks before anything is connected. Between the worker's being ready and its start it calls the block with :before,
# and with :after while it works.
def with_worker(tasks, concurrency)
  reports, to_reports = IO.pipe
  from_commands, commands = IO.pipe
  worker = fork do
    [reports, commands].each(&:close)
    work(tasks, concurrency, from_commands, to_reports)
  end
  [to_reports, from_commands].each(&:close)
  reports.gets or failure "the worker did not start"
  connect(OVER_SOCKET)
  yield :before
  commands.puts "go"
  yield :after
  report = JSON.parse(reports.gets || failure("the worker died"), symbolize_names: true)
  Process.wait(worker)
  executed, sum = report.values_at(:executed, :sum)
  return report if executed == tasks && sum == sum_of_ids(tasks) && waiting.zero?

  failure "#{executed} of #{tasks} tasks were executed, with ids that make #{sum}, and #{waiting} left"
end

def drain(tasks, concurrency)
  report = with_worker(tasks, concurrency) { |moment| submit_in_bulk(tasks) if moment == :before }
  { tasks: tasks, **report[:spent] }
end

def submit_paced(tasks, gap)
  following = now_ns
  (1..tasks).each do |id|
    following += gap
    rest = following - now_ns
    sleep(rest / 1e9) if rest.positive?
    Noop.perform_async(payload(id).merge("at" => now_ns))
  end
end

def latency(tasks, concurrency, rate)
  gap = rate.zero? ? 2_000_000 : 1_000_000_000 / rate
  all = WARM_UP + tasks
  report = with_worker(all, concurrency) { |moment| submit_paced(all, gap) if moment == :after }
  sorted = report[:delays].drop(WARM_UP).sort
  ms = ->(per_mille) { sorted[[tasks - 1, tasks * per_mille / 1000].min] / 1e6 }
  { tasks: tasks, p50_ms: ms[500], p99_ms: ms[990] }
end

measure, *words = ARGV
settings = { tasks: 10_000, concurrency: 10, rate: 0 }
words.each do |word|
  name, value = word.split("=")
  failure "'#{word}' is no setting" unless settings.key?(name.to_sym) && value =~ /\A\d+\z/
  settings[name.to_sym] = value.to_i
end
tasks, concurrency, rate = settings.values

result =
  case measure
  when "submit_one" then submit(OVER_TCP, tasks) { (1..tasks).each { |id| Noop.perform_async(payload(id)) } }
  when "submit_bulk_1000" then submit(OVER_SOCKET, tasks) { submit_in_bulk(tasks) }
  when "drain" then drain(tasks, concurrency)
  when "latency" then latency(tasks, concurrency, rate)
  else failure "there is no measure '#{measure}', only submit_one, submit_bulk_1000, drain, latency"
  end
puts JSON.generate(result)
