import {
  type Assignment,
  compileRule,
  type Effect,
  type Input,
  parseRule,
  type Snapshot,
  TriggerEngine,
} from '@thingwright/rules'
import { atMost, type Bench } from '../core/bench.ts'

const DEVICES = 10_000
const RULES = 10_000
/** Rules that look at each device. */
const TOUCHED = 10
/** One message in so many raises or clears. */
const CHANGES = 1_000
const MESSAGES = { S: 300_000, M: 2_000_000 }
const SLICE = 500
const PER_SECOND = 20_000
const START = Date.UTC(2026, 0, 5)

/** Rules of every make: each looks at ten devices, and each device is looked at by ten of them. */
function rules(): Assignment[] {
  const forms = [
    { kind: 'above', property: 'temperature', high: 80 },
    { kind: 'below', property: 'humidity', low: 5 },
    { kind: 'outside', property: 'voltage', low: 180, high: 250 },
    { kind: 'above_until_below', property: 'temperature', high: 85, low: 60 },
    { kind: 'above_for', property: 'temperature', high: 75, minutes: 5 },
    { kind: 'on', property: 'leak' },
    { kind: 'equal', property: 'mode', value: 'fault' },
    {
      kind: 'general',
      condition: {
        type: 'all',
        of: [
          { type: 'compare', property: 'temperature', op: 'gt', value: 70 },
          { type: 'compare', property: 'humidity', op: 'lt', value: 20 },
        ],
      },
    },
    { kind: 'general', condition: { type: 'no_data', seconds: 600 } },
    { kind: 'general', condition: { type: 'rate', property: 'voltage', op: 'gt', perMinute: 1e6 } },
  ]
  return Array.from({ length: RULES }, (_, i) => {
    const parsed = parseRule({ format: 1, scope: { tags: ['t'] }, alarm: { level: 3 }, ...forms[i % forms.length] })
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
    const rule = { id: `rule-${i}`, version: 1, document: parsed.rule }
    const compiled = compileRule(rule, { numberOf: () => undefined, calendar: () => undefined })
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems))
    const first = Math.floor(i / TOUCHED) * TOUCHED
    return { program: compiled.program, targets: Array.from({ length: TOUCHED }, (_, j) => first + j + 1) }
  })
}

/** What a device says, as it lies in the journal; every so often one that raises, and the next of that device clears. */
function message(i: number): string {
  const isHot = i % CHANGES === 0 && Math.floor(i / DEVICES) % 2 === 0
  const temperature = isHot ? 82 : 20 + (i % 200) / 10
  return `{"temperature":${temperature},"humidity":${40 + (i % 50)},"voltage":${220 + (i % 7)},"leak":false,"mode":"auto"}`
}

interface Run {
  microseconds: number
  parsing: number
  effects: number
  heldMB: number
  snapshotMs: number
  snapshotMB: number
  restoreMs: number
}

function run(messages: number): Run {
  const assignments = rules()
  const before = process.memoryUsage().heapUsed
  const engine = new TriggerEngine(START)
  for (const assignment of assignments) engine.setRule(assignment)
  const heldMB = (process.memoryUsage().heapUsed - before) / 2 ** 20
  let seq = 0
  let spent = 0
  let parsing = 0
  let effects = 0
  // The first tenth warms up.
  for (const warm = messages / 10; seq < messages + warm; ) {
    const texts = Array.from({ length: SLICE }, (_, j) => message(seq + j))
    const began = performance.now()
    const values = texts.map(text => JSON.parse(text) as Record<string, unknown>)
    const parsed = performance.now()
    const rows = values.map((one, j): Input => {
      const at = START + Math.floor(((seq + j) * 1_000) / PER_SECOND)
      return {
        lane: 0,
        seq: seq + j + 1,
        arrived: at,
        kind: 'property',
        device: ((seq + j) % DEVICES) + 1,
        ts: at,
        values: one,
      }
    })
    const out: Effect[] = engine.take(rows)
    const ended = performance.now()
    if (seq >= warm) {
      spent += ended - began
      parsing += parsed - began
      effects += out.length
    }
    seq += SLICE
  }
  const began = performance.now()
  const pieces: string[] = []
  const pass = engine.beginSnapshot()
  for (let piece = pass.next(); piece !== undefined; piece = pass.next()) pieces.push(piece)
  const text = pieces.join('')
  const written = performance.now()
  TriggerEngine.restore(JSON.parse(text) as Snapshot, assignments)
  const restored = performance.now()
  return {
    microseconds: (spent * 1_000) / messages,
    parsing: (parsing * 1_000) / messages,
    effects,
    heldMB,
    snapshotMs: written - began,
    snapshotMB: text.length / 2 ** 20,
    restoreMs: restored - written,
  }
}

const round = (number: number, digits = 1) => Math.round(number * 10 ** digits) / 10 ** digits

/** What judging rules costs a message, with nothing around it. */
export const rulesEngine: Bench = {
  name: 'rules',
  summary: '10,000 rules over 10,000 devices: time a message, snapshot and restore',
  async run({ size }) {
    const seen = run(MESSAGES[size])
    return {
      tables: [
        {
          title: 'Per message, in µs, and the state of all rules',
          head: [
            'messages',
            'parse and judge',
            'of it parsing',
            'effects',
            'state MB',
            'snapshot ms',
            'MB',
            'restore ms',
          ],
          rows: [
            [
              MESSAGES[size],
              round(seen.microseconds, 2),
              round(seen.parsing, 2),
              seen.effects,
              round(seen.heldMB),
              round(seen.snapshotMs),
              round(seen.snapshotMB),
              round(seen.restoreMs),
            ],
          ],
        },
      ],
      goals: [atMost('parsing and judging a message', round(seen.microseconds, 2), 10, 'µs')],
      notes: [
        'Rules of ten makes, ten devices each and ten rules a device; slices of 500 rows; no database and nobody who acts.',
        'One message in a thousand crosses a limit or comes back.',
      ],
      versions: {},
      data: { ...seen },
    }
  },
}
