// Outside suites and the long packet fuzz against the MQTT session layer:
//   MQTT_WIRE_DIR=… PAHO_DIR=… node tools/conformance/run.mjs [--fuzz [PACKETS]] [--tcp-only]
// MQTT_WIRE_DIR: `test/broker/data` of Mosquitto's sources (public repository or Debian source package, 2.0.20 or later);
// its own driver beside it is run too, with python3.
// PAHO_DIR: `interoperability` of eclipse/paho.mqtt.testing; needs python3. A suite that is not there is not run.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { PAHO_NOT_OWED, WIRE_DEVIATIONS } from './accepted-deviations.mjs'
import { runWire } from './mqtt-wire.mjs'

const here = name => fileURLToPath(new URL(name, import.meta.url))
const testing = '../../apps/server/src/ingest/transports/mqtt/testing/'
const { MQTT_WIRE_DIR, PAHO_DIR } = process.env
const PAHO_TIMEOUT_MS = 90_000
const say = line => process.stdout.write(`${line}\n`)
let unexpected = 0

async function startLoopback() {
  const child = spawn(process.execPath, ['--import', 'tsx', here(`${testing}loopback-main.ts`)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  return { ports: JSON.parse(line), stop: () => child.stdin.end() }
}

async function wire(ports) {
  if (!MQTT_WIRE_DIR) return say('Mosquitto wire sequences: not run (MQTT_WIRE_DIR)')
  for (const [door, port] of Object.entries(ports)) {
    const results = await runWire(MQTT_WIRE_DIR, { host: '127.0.0.1', port })
    for (const v5 of [false, true]) {
      const list = results.filter(result => result.v5 === v5)
      const count = key => list.filter(result => result[key]).length
      const name = v5 ? '5.0' : '3.1, 3.1.1'
      say(
        `Mosquitto wire sequences, ${name}, ${door}: ${count('lenient')} of ${list.length} (byte for byte ${count('strict')})`,
      )
    }
    for (const result of results.filter(one => !one.lenient)) {
      const accepted = WIRE_DEVIATIONS.find(deviation => deviation.name.test(result.name))
      if (!accepted) unexpected++
      say(`  ${result.name}: ${accepted ? `accepted, ${accepted.why} (${accepted.clause})` : `FAILED, ${result.why}`}`)
    }
    if (process.argv.includes('--strict')) {
      for (const result of results.filter(one => one.lenient && !one.strict)) say(`  ${result.name}: ${result.why}`)
    }
  }
}

/** Mosquitto's own driver, which wants the very bytes everywhere but in the CONNACK of its default CONNECT. */
async function driver(port) {
  const folder = MQTT_WIRE_DIR && dirname(resolve(MQTT_WIRE_DIR))
  if (!folder || !existsSync(join(folder, 'msg_sequence_test.py'))) return say("Mosquitto's own driver: not run")
  const child = spawn('python3', [here('mosquitto-driver.py'), folder, '127.0.0.1', String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let report = ''
  child.stdout.on('data', chunk => {
    report += chunk
  })
  await once(child, 'exit')
  const number = word => report.match(new RegExp(`^(\\d+) tests ${word}`, 'm'))?.[1] ?? 'unknown'
  say(`Mosquitto's own driver: ${number('succeeded')} of ${number('total')}`)
}

async function paho(port) {
  if (!PAHO_DIR) return say('Paho interoperability: not run (PAHO_DIR)')
  for (const version of [3, 5]) {
    const source = readFileSync(join(PAHO_DIR, version === 5 ? 'client_test5.py' : 'client_test.py'), 'utf8')
    // The suite has methods whose name does not begin with test_, which unittest finds all the same.
    const names = [...source.matchAll(/def (test\w+)\(/g)].map(match => match[1])
    let passed = 0
    const lines = []
    for (const name of names) {
      const child = spawn('python3', [here('paho-one.py'), String(version), '127.0.0.1', String(port), name], {
        stdio: 'ignore',
        timeout: PAHO_TIMEOUT_MS,
        killSignal: 'SIGKILL',
      })
      const [code] = await once(child, 'exit')
      const notOwed = PAHO_NOT_OWED[version][name]
      if (code === 0) passed++
      else {
        if (!notOwed) unexpected++
        lines.push(`  ${name}: ${notOwed ? `not owed, ${notOwed}` : code === null ? 'FAILED, no end' : 'FAILED'}`)
      }
    }
    say(`Paho interoperability, version ${version}: ${passed} of ${names.length}`)
    for (const line of lines) say(line)
  }
}

async function fuzz() {
  const at = process.argv.indexOf('--fuzz')
  if (at < 0) return say('packet fuzz, long form: not run (--fuzz)')
  const packets = Number(process.argv[at + 1]) || 1_000_000
  const child = spawn(process.execPath, ['--import', 'tsx', here(`${testing}fuzz-main.ts`), String(packets)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let report = ''
  child.stdout.on('data', chunk => {
    report += chunk
  })
  const [code] = await once(child, 'exit')
  say(`packet fuzz: ${report.trim()}`)
  if (code !== 0) unexpected++
}

const { ports, stop } = await startLoopback()
await wire(process.argv.includes('--tcp-only') ? { tcp: ports.tcp } : ports)
await driver(ports.tcp)
await paho(ports.tcp)
stop()
await fuzz()
say(unexpected === 0 ? 'no unexpected deviation' : `${unexpected} unexpected deviations`)
process.exit(unexpected === 0 ? 0 : 1)
