import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type CompiledModel, compileModel, parseModel } from '@thingwright/thing-model'
import { silentLogger } from '../../../lib/log.ts'
import { validate } from '../../stages/validate.ts'
import type { RawUplink } from '../../uplink.ts'
import type { Codec } from '../codec.ts'
import { compileFormat } from '../compile-format.ts'
import { Sandbox } from '../script/sandbox.ts'
import { ScriptPool } from '../script/script-pool.ts'

/**
 * Measures the formats in a process of its own and prints one line of JSON; run by `npm run bench formats`.
 * First argument: seconds for each figure.
 */
const seconds = Number(process.argv[2] ?? 2)

interface Subject {
  name: string
  file: string
  example: number
  up: number
}
/** Formats and frames of the examples, so that what is measured is what is tested. */
const SUBJECTS: Subject[] = [
  { name: 'label, text of 2 fields', file: 'label/label', example: 0, up: 0 },
  { name: 'label, 14 bytes, 5 fields, CRC16', file: 'label/label', example: 3, up: 0 },
  { name: 'label, integers of all widths', file: 'label/label', example: 5, up: 0 },
  { name: 'JSON mapping, 4 paths', file: 'json/json-mapping', example: 0, up: 0 },
  { name: 'Modbus answer, 13 values', file: 'modbus/modbus', example: 0, up: 0 },
  { name: 'Cayenne LPP, 2 values', file: 'cayenne/cayenne', example: 0, up: 0 },
]

interface Example {
  properties: object[]
  events?: object[]
  services?: object[]
  format: Record<string, unknown>
  up: { hex?: string; text?: string }[]
}

function modelOf({ properties, events = [], services = [] }: Example): CompiledModel {
  const parsed = parseModel({ properties, events, services })
  if (!parsed.ok) throw new Error('the example has no model')
  return compileModel(parsed.model)
}
const exampleOf = ({ file, example }: Subject): Example =>
  (JSON.parse(readFileSync(join(import.meta.dirname, `../${file}.examples.json`), 'utf8')) as Example[])[example]!
const frameOf = ({ hex, text }: Example['up'][number]) =>
  text === undefined ? Buffer.from(hex!, 'hex') : Buffer.from(text)

const device = {
  num: 1,
  id: '',
  tenantId: '',
  productId: '',
  productNum: 1,
  productKey: '',
  deviceNo: 'd',
  enabled: true,
  offlineDelaySeconds: 0,
  gateway: null,
  subAddress: null,
  overrides: {},
}

/** Runs of `work` in a second of processor time of this thread. */
function rate(work: () => void): number {
  for (let i = 0; i < 20_000; i++) work()
  const began = performance.now()
  const cpu = process.cpuUsage()
  let runs = 0
  while (performance.now() - began < seconds * 1_000) {
    for (let i = 0; i < 1_000; i++) work()
    runs += 1_000
  }
  const { user, system } = process.cpuUsage(cpu)
  return Math.round(runs / ((user + system) / 1e6))
}

const pool = new ScriptPool({ logger: silentLogger, size: 2 })

function measureSync(): { name: string; decode: number; checked: number; bytes: number }[] {
  const rows = SUBJECTS.map(subject => {
    const example = exampleOf(subject)
    const model = modelOf(example)
    const codec = compileFormat(example.format, model, pool) as Codec
    const frame = frameOf(example.up[subject.up]!)
    const at = Date.now()
    const context = { deviceNo: 'd', at }
    const raw: RawUplink = { device, channel: { kind: 'raw' }, payload: frame, arrivedAt: at }
    const decoded = codec.decode(frame, context)
    if (decoded instanceof Promise || !decoded.ok) throw new Error(`${subject.name} does not decode`)
    return {
      name: subject.name,
      bytes: frame.length,
      decode: rate(() => {
        if (codec.decode(frame, context) instanceof Promise) throw new Error(`${subject.name} decodes later`)
      }),
      checked: rate(() => void validate({ raw, model, decoded: codec.decode(frame, context) as typeof decoded })),
    }
  })
  const example = exampleOf(SUBJECTS[0]!)
  const model = modelOf(example)
  const payload = Buffer.from('{"temperature":21.5,"humidity":60}')
  const raw: RawUplink = { device, channel: { kind: 'property' }, payload, arrivedAt: Date.now() }
  const checked = rate(() => void validate({ raw, model }))
  return [{ name: 'plain JSON of the standard topics, 2 values', bytes: payload.length, decode: 0, checked }, ...rows]
}

const SCRIPT =
  'function decodeUplink(input) { var b = input.bytes; return { data: { t: ((b[0] << 8) | b[1]) / 10, h: ((b[2] << 8) | b[3]) / 10 } } }'
const job = { kind: 'up' as const, hex: '00d702580102', deviceNo: 'd', at: 0, variables: {} }

async function measureSandbox() {
  const began = performance.now()
  const sandbox = await Sandbox.create()
  const engineMs = performance.now() - began
  const prepared = performance.now()
  sandbox.run('warm', SCRIPT, job)
  const firstFrameMs = performance.now() - prepared
  return { engineMs, firstFrameMs, framesPerCpuSecond: rate(() => void sandbox.run('warm', SCRIPT, job)) }
}

/** Keeps `depth` frames of each script under way for the time of a figure. */
async function flood(sources: readonly string[], depth: number): Promise<number[]> {
  const until = performance.now() + seconds * 1_000
  return Promise.all(
    sources.map(async source => {
      const script = pool.open(source)
      let done = 0
      const one = async () => {
        while (performance.now() < until) {
          await script.run(job)
          done++
          // A refusal comes at once: without this turn the loop would be ours alone.
          await new Promise(resolve => setImmediate(resolve))
        }
      }
      await Promise.all(Array.from({ length: depth }, one))
      script.close()
      return Math.round(done / seconds)
    }),
  )
}

async function lagDuring(work: () => Promise<unknown>) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await work()
  delay.disable()
  const ms = (ns: number) => Math.round(ns / 1e4) / 100
  return { p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)), max: ms(delay.max) }
}

const idle = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

const sync = measureSync()
const sandbox = await measureSandbox()
// A thread that nobody wants keeps no process: this does while promises of it are open.
const keep = setInterval(() => undefined, 1_000)
await flood([SCRIPT], 1)
const scenes: { name: string; framesPerSecond: number[]; lag: Awaited<ReturnType<typeof lagDuring>> }[] = []
async function scene(name: string, sources: readonly string[], depth: number): Promise<void> {
  let framesPerSecond: number[] = []
  const lag = await lagDuring(async () => {
    if (sources.length === 0) await idle(seconds * 1_000)
    else framesPerSecond = await flood(sources, depth)
  })
  scenes.push({ name, framesPerSecond, lag })
}
await scene('nothing runs', [], 0)
await scene('one script, 200 frames under way', [SCRIPT], 200)
await scene('two scripts, 200 frames each under way', [SCRIPT, `${SCRIPT} // another`], 200)
await scene('a good script beside an endless loop', [SCRIPT, 'function decode() { for (;;) {} }'], 50)
await scene(
  'a good script beside one that hangs its thread',
  [SCRIPT, 'function decode() { return new Array(1e9).join("ab") }'],
  50,
)
process.stdout.write(`${JSON.stringify({ seconds, sync, sandbox, scenes, counters: pool.counters })}\n`)
clearInterval(keep)
await pool.stop()
