// Runs Mosquitto's wire sequences (test/broker/data/*.json of its sources, 2.0.20 or later; not kept here) against a
// general broker. strict = the very bytes, and none before an end that was expected without; lenient = ended or refused
// as required, whatever the last words.
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'

const PATIENCE_MS = 800
const AT_ONCE = 16
/** These use client ids or topics that collide: one at a time. */
const SERIAL_FILES = new Set(['FLOW.json', 'REGRESSION.json', 'OTHER.json', 'ZZ-broker-check.json'])

const u16 = n => Buffer.from([n >> 8, n & 255])
const text = s => Buffer.concat([u16(Buffer.byteLength(s)), Buffer.from(s)])
const varint = n => {
  const out = []
  do {
    const byte = n % 128
    n = Math.floor(n / 128)
    out.push(n > 0 ? byte | 128 : byte)
  } while (n > 0)
  return Buffer.from(out)
}
const packet = (first, body) => Buffer.concat([Buffer.from([first]), varint(body.length), body])

/** Plain hexadecimal (2.0) or the small language of 2.1: `82 r16 m1 s11 'a' 01`. */
function payloadOf(source) {
  if (/^[0-9a-fA-F ]*$/.test(source)) return Buffer.from(source.replaceAll(' ', ''), 'hex')
  return Buffer.concat(
    source.match(/'[^']*'|\S+/g).map(part => {
      const number = Number(part.slice(1))
      switch (part[0]) {
        case "'":
          return Buffer.from(part.slice(1, -1))
        case 'i':
          return Buffer.from([number])
        case 'H':
        case 'k':
        case 'm':
        case 's':
          return u16(number)
        case 'L': {
          const out = Buffer.alloc(4)
          out.writeUInt32BE(number)
          return out
        }
        case 'v':
        case 'r':
          return varint(number)
        default:
          return Buffer.from(part, 'hex')
      }
    }),
  )
}

function connectPacket(clientId, version) {
  return packet(
    0x10,
    Buffer.concat([
      text(version === 3 ? 'MQIsdp' : 'MQTT'),
      Buffer.from([version, 2]),
      u16(60),
      version === 5 ? Buffer.from([0]) : Buffer.alloc(0),
      text(clientId),
    ]),
  )
}

class Line {
  buffer = Buffer.alloc(0)
  closed = false
  #waiters = []

  constructor(host, port) {
    this.socket = connect(port, host)
    this.socket.setNoDelay(true)
    this.socket.on('data', chunk => {
      this.buffer = Buffer.concat([this.buffer, chunk])
      this.#wake()
    })
    const gone = () => {
      this.closed = true
      this.#wake()
    }
    for (const event of ['close', 'error', 'end']) this.socket.on(event, gone)
  }

  #wake() {
    for (const wake of this.#waiters.splice(0)) wake()
  }

  async until(condition, ms = PATIENCE_MS) {
    const end = Date.now() + ms
    while (!condition()) {
      const left = end - Date.now()
      if (left <= 0) return false
      await new Promise(resolve => {
        const timer = setTimeout(resolve, left)
        this.#waiters.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
    return true
  }

  send(bytes) {
    if (!this.closed) this.socket.write(bytes)
  }

  async read(count) {
    await this.until(() => this.buffer.length >= count || this.closed)
    const out = this.buffer.subarray(0, count)
    this.buffer = this.buffer.subarray(out.length)
    return out
  }

  /** One whole packet, or null. */
  async packet(ms = PATIENCE_MS) {
    const size = () => {
      let length = 0
      for (let i = 1; i < Math.min(5, this.buffer.length); i++) {
        length |= (this.buffer[i] & 127) << (7 * (i - 1))
        if (this.buffer[i] < 128) return i + 1 + length
      }
      return Number.POSITIVE_INFINITY
    }
    await this.until(() => this.buffer.length >= size() || this.closed, ms)
    return this.buffer.length >= size() ? this.read(size()) : null
  }
}

/** Another client that publishes one message. */
async function publishAsHelper({ host, port }, { topic, qos = 0, payload = '' }) {
  const line = new Line(host, port)
  line.send(connectPacket(`helper${Math.random().toString(36).slice(2, 8)}`, 4))
  await line.packet()
  const body = Buffer.concat([text(topic), qos > 0 ? u16(1) : Buffer.alloc(0), Buffer.from(payload)])
  line.send(packet(0x30 | (qos << 1), body))
  if (qos > 0) await line.packet()
  if (qos === 2) {
    line.send(Buffer.from([0x62, 2, 0, 1]))
    await line.packet()
  }
  line.socket.destroy()
}

/** How well an answer fits: 2 = the very bytes, 1 = good enough, 0 = wrong. */
function judge(got, wanted) {
  if (got.equals(wanted)) return 2
  const [type] = wanted
  if (type === 0xe0) return got.length === 0 || got[0] === 0xe0 ? 1 : 0
  if (type === 0x20) {
    if (got.length === 0) return wanted[3] > 0 ? 1 : 0
    return got[0] === 0x20 && (got[3] === wanted[3] || (got[3] > 0 && wanted[3] > 0)) ? 1 : 0
  }
  return 0
}

let serial = 0
async function runOne(target, test) {
  const line = new Line(target.host, target.port)
  const result = {
    file: test.file,
    name: `${test.group}: ${test.name}`,
    v5: /v5/.test(test.group),
    strict: true,
    lenient: true,
    why: '',
  }
  const fail = (why, strictOnly = false) => {
    result.strict = false
    if (!strictOnly) result.lenient = false
    result.why ||= why
  }
  try {
    if (test.connect !== false) {
      line.send(connectPacket(`${test.name} ${serial++}`, test.ver ?? (result.v5 ? 5 : 4)))
      const connack = await line.packet(PATIENCE_MS * 4)
      if (connack?.[0] !== 0x20 || connack[3] !== 0) {
        fail('no CONNACK')
        return result
      }
    }
    for (const step of test.msgs) {
      if (step.type === 'send') line.send(payloadOf(step.payload))
      else if (step.type === 'publish' || step.type === 'external_publish') await publishAsHelper(target, step)
      else if (step.type === 'recv') {
        const wanted = payloadOf(step.payload)
        const got = (await (wanted[0] === 0x20 ? line.packet() : line.read(wanted.length))) ?? Buffer.alloc(0)
        const fit = judge(got, wanted)
        if (fit < 2) fail(`wanted ${wanted.toString('hex')}, got ${got.toString('hex') || 'nothing'}`, fit === 1)
      }
    }
    if (test.expect_disconnect !== false) {
      await line.until(() => line.closed)
      if (!line.closed) fail('still connected')
      else if (line.buffer.length > 0) fail(`before the end: ${line.buffer.toString('hex')}`, true)
    } else {
      const mark = line.buffer.length
      line.send(Buffer.from([0xc0, 0]))
      await line.until(() => line.closed || line.buffer.includes(Buffer.from([0xd0, 0]), mark))
      if (line.closed || !line.buffer.includes(Buffer.from([0xd0, 0]), mark)) fail('connection lost')
    }
    return result
  } finally {
    line.socket.destroy()
  }
}

function readTests(folder) {
  const tests = []
  for (const file of readdirSync(folder)
    .filter(name => name.endsWith('.json'))
    .sort()) {
    for (const group of JSON.parse(readFileSync(join(folder, file), 'utf8'))) {
      if (group.disable) continue
      const { ver, connect: connects, expect_disconnect } = group
      const common = Object.fromEntries(
        Object.entries({ ver, connect: connects, expect_disconnect }).filter(([, value]) => value !== undefined),
      )
      for (const test of group.tests) tests.push({ ...common, ...test, group: group.group, file })
    }
  }
  return tests
}

/** Runs every sequence of `folder` against {host, port}; resolves with one result per sequence. */
export async function runWire(folder, target) {
  const tests = readTests(folder)
  const alone = tests.filter(test => test.connect === false || SERIAL_FILES.has(test.file))
  const together = tests.filter(test => !alone.includes(test))
  const results = []
  for (const test of alone) results.push(await runOne(target, test))
  let next = 0
  const worker = async () => {
    while (next < together.length) results.push(await runOne(target, together[next++]))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results
}
