import type * as prometheus from '@prometheus-io/client'
import { version } from '../config.ts'
import type { Measured } from '../model/server/metrics.ts'

/** A request that was answered, by the pattern of its route: a path would name accounts. */
export type Answered = { method: string; route: string; status: number; seconds: number }

// In seconds: most reads take a few milliseconds, writes up to their longest wait.
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const mebibyte = 1_048_576

/**
 * Returns the instruments of `/metrics`: some are updated at each answer, the others when they are
 * read.
 */
export function instrumentsOf({ Registry, Counter, Gauge, Histogram }: typeof prometheus) {
  const registry = new Registry()
  const registers = [registry]
  const gauge = <Name extends string = never>(name: string, help: string, ...labelNames: Name[]) =>
    new Gauge({ name, help, labelNames, registers })
  const counter = <Name extends string>(name: string, help: string, ...labelNames: Name[]) =>
    new Counter({ name, help, labelNames, registers })

  const requests = counter(
    'panel_http_requests_total',
    'Requests answered by this process',
    ...(['method', 'route', 'status'] as const),
  )
  const durations = new Histogram({
    name: 'panel_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer',
    labelNames: ['method', 'route'],
    ...{ buckets, registers },
  })

  const info = gauge('panel_info', 'Always 1', 'version')
  const memory = gauge('panel_api_memory_bytes', 'Resident memory of this process')
  const started = gauge(
    'panel_process_start_time_seconds',
    'Start time of a process, in Unix time',
    'process',
  )
  const up = gauge('panel_process_up', 'Whether a process of this kind runs', 'process')
  const jobs = counter(
    'panel_jobs_ended_total',
    'Operations and other jobs that have finished',
    ...(['task', 'outcome'] as const),
  )
  const waiting = gauge('panel_operations_waiting', 'Operations that have not started', 'task')
  const running = gauge('panel_operations_running', 'Operations in progress', 'task')
  const oldest = gauge(
    'panel_operations_oldest_waiting_seconds',
    'Waiting time of the oldest operation',
    'task',
  )
  const depth = gauge('panel_queue_due_jobs', 'Due jobs that no process has fetched', 'queue')
  const fetched = gauge('panel_queue_fetched_jobs', 'Jobs that a process has fetched', 'queue')
  const age = gauge('panel_queue_oldest_due_seconds', 'Age of the oldest due job', 'queue')
  const deliveries = counter(
    'panel_deliveries_ended_total',
    'Deliveries that have finished',
    'outcome',
  )
  const due = gauge('panel_deliveries_due', 'Deliveries that have not finished')
  const inFlight = gauge('panel_delivery_tries_in_flight', 'Delivery attempts in progress')
  const accounts = gauge('panel_accounts', 'Accounts', 'state')
  const checks = gauge('panel_checks', 'Results of the last panel ctl doctor, by state', 'state')
  const attention = gauge(
    'panel_concerns',
    'Items that need attention, as the overview lists them',
    'state',
  )
  const reloads = counter(
    'panel_reloads_total',
    'Reloads of services since the start of the worker',
    'service',
  )
  const room = gauge('panel_disk_available_bytes', 'Available space of a file system', 'path')
  const disk = gauge('panel_disk_size_bytes', 'Size of a file system', 'path')
  const load = gauge('panel_load_1m', 'Processes that ran or waited in the last minute')
  const available = gauge('panel_memory_available_bytes', 'Available memory of the machine')

  const noteAnswer = ({ method, route, status, seconds }: Answered): void => {
    requests.inc({ method, route, status })
    durations.observe({ method, route }, seconds)
  }
  info.set({ version }, 1)

  const set = (measured: Measured, concerns: Record<string, number>): void => {
    // Labels that no longer exist must not keep their last value.
    const old = [jobs, waiting, running, oldest, depth, fetched, age, deliveries, accounts, checks]
    for (const one of [...old, reloads, started, room, disk]) one.reset()
    memory.set(process.memoryUsage.rss())
    const processes = { ...measured.processes, api: Date.now() / 1_000 - process.uptime() }
    for (const [process, at] of Object.entries(processes)) {
      up.set({ process }, at === null ? 0 : 1)
      if (at !== null) started.set({ process }, at)
    }
    for (const { kind, name, outcome, count } of measured.ended) {
      if (kind === 'job') jobs.inc({ task: name, outcome }, count)
      else deliveries.inc({ outcome }, count)
    }
    for (const one of measured.operations) {
      const { task } = one
      waiting.set({ task }, one.waiting)
      running.set({ task }, one.running)
      oldest.set({ task }, one.oldest_s)
    }
    for (const one of measured.queues) {
      const { queue } = one
      depth.set({ queue }, one.waiting)
      fetched.set({ queue }, one.running)
      age.set({ queue }, one.oldest_s)
    }
    due.set(measured.deliveries.due)
    inFlight.set(measured.deliveries.in_flight)
    for (const [state, count] of Object.entries(measured.accounts)) accounts.set({ state }, count)
    for (const [state, count] of Object.entries(measured.checks)) checks.set({ state }, count)
    for (const [state, count] of Object.entries(concerns)) attention.set({ state }, count)
    if (measured.server === null) return
    const { server } = measured
    for (const { path, totalMb, availableMb } of server.disks) {
      disk.set({ path }, totalMb * mebibyte)
      room.set({ path }, availableMb * mebibyte)
    }
    for (const [service, count] of Object.entries(server.reloads)) {
      reloads.inc({ service }, count)
    }
    load.set(server.load[0])
    available.set(server.memory.availableMb * mebibyte)
  }
  return { registry, note: noteAnswer, set }
}
