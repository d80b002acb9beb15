import { seconds, until } from '../core/bench.ts'
import { Histogram, type LatencySummary } from '../core/histogram.ts'
import { type CpuReading, type CpuUse, cpuBetween, pssMb, readCpu } from '../core/meter.ts'
import { type Site, VALUES_PER_MESSAGE } from '../core/site.ts'
import type { Generator } from '../generator/generator.ts'
import type { GeneratorFigures } from '../generator/messages.ts'
import { postgresMicros } from '../peers/thingsboard-shape.ts'

/** One stretch of steady load. */
export interface Window {
  rate: number
  /** Sent and acknowledged in a second. */
  sent: number
  acknowledged: number
  cpu: CpuUse
  /** CPU of PostgreSQL alone, µs per stored value; null for a target without it. */
  postgresMicrosPerValue: number | null
  /** CPU of the generator, µs a message; it is not part of `cpu`. */
  generatorMicros: number
  /** From the time a message was due to its PUBACK. */
  pubackMs: LatencySummary
  /** Messages on their way when the window began and ended. */
  backlog: [number, number]
  /** How far the generator itself lagged behind its schedule, ms. */
  generatorLateMs: number
  /** Until everything sent was acknowledged after the load had ended, ms; null: it never was. */
  drainMs: number | null
  /** Lost connections, strange packets. */
  problems: string[]
  pssMb: number
  walBytesPerMessage: number | null
  /** Journal rows that the slowest consumer had still to see when the load ended. */
  consumerLag: number | null
}

export interface WindowOptions {
  rate: number
  warmSeconds: number
  seconds: number
}

/** What is being loaded: its process tree, and the database behind it when it is ours. */
export interface Target {
  pid: number
  site: Site | null
}

/** Consumers that wait by design: sealing goes by the hour, `latest` every few seconds. */
const LAZY = new Set(['store', 'latest'])
const DRAIN_MS = 20_000

/**
 * Waits until what connecting and disconnecting left behind is done: the figures are of devices that are connected, not
 * of devices that connect.
 */
export async function settled(site: Site): Promise<void> {
  const idle = async () =>
    Object.entries(await site.consumerLag()).every(([consumer, lag]) => LAZY.has(consumer) || lag === 0)
  await until(idle, DRAIN_MS, 250)
}

/** Loads at a steady rate, measures in the middle, then lets everything drain. */
export async function measure(generator: Generator, target: Target, options: WindowOptions): Promise<Window> {
  const { rate } = options
  await generator.pace(rate)
  await seconds(options.warmSeconds)
  const first = await take(generator, target)
  const latency = new Histogram()
  let lateMs = 0
  let last = first
  for (let left = options.seconds; left > 0; left--) {
    await seconds(Math.min(1, left))
    last = await take(generator, target)
    latency.add(last.figures.latency)
    lateMs = Math.max(lateMs, last.figures.lateMs)
    // Hopeless: what queues up would only spoil what comes after.
    if (backlogOf(last.figures) > rate * 3) break
  }
  const memory = pssMb(target.pid)
  const lag = target.site ? await target.site.consumerLag() : null
  await generator.pace(0)
  const drainMs = await drain(generator)

  const messages = last.figures.acked - first.figures.acked
  const elapsed = (last.cpu.atMs - first.cpu.atMs) / 1000
  const perMessage = (value: number) => value / Math.max(1, messages)
  return {
    rate,
    sent: Math.round((last.figures.sent - first.figures.sent) / elapsed),
    acknowledged: Math.round(messages / elapsed),
    cpu: cpuBetween(first.cpu, last.cpu, messages),
    postgresMicrosPerValue: target.site ? postgresMicros(first.cpu, last.cpu, messages * VALUES_PER_MESSAGE) : null,
    generatorMicros: Math.round(perMessage(last.figures.cpuSeconds - first.figures.cpuSeconds) * 1e7) / 10,
    pubackMs: latency.summary(),
    backlog: [backlogOf(first.figures), backlogOf(last.figures)],
    generatorLateMs: Math.round(lateMs),
    drainMs,
    problems: last.figures.unexpected.first,
    pssMb: memory,
    walBytesPerMessage: target.site ? Math.round(perMessage(last.wal - first.wal)) : null,
    consumerLag: lag && Math.max(0, ...Object.entries(lag).map(([name, rows]) => (LAZY.has(name) ? 0 : rows))),
  }
}

/** Waits until everything sent is acknowledged. @returns ms it took; null when it did not happen */
export async function drain(generator: Generator): Promise<number | null> {
  const began = performance.now()
  const drained = await until(async () => backlogOf(await generator.read()) === 0, DRAIN_MS)
  return drained ? Math.round(performance.now() - began) : null
}

interface Reading {
  figures: GeneratorFigures
  cpu: CpuReading
  wal: number
}

async function take(generator: Generator, { pid, site }: Target): Promise<Reading> {
  const wal = site ? await site.walBytes() : 0
  const figures = await generator.read()
  return { figures, cpu: readCpu(pid), wal }
}

function backlogOf({ sent, acked }: GeneratorFigures): number {
  return sent - acked
}
