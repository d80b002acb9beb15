import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { TARGETS } from '../lists.ts'
import { type ClientFacts, clientSamples } from './client-samples.ts'

const FACTS: ClientFacts = {
  subscriptionId: '019a9c1e-5d1b-7c53-a9a3-2f6a3a7c9d10',
  origin: 'https://iot.example.com',
  host: 'iot.example.com',
  mqttPort: 1883,
  username: 'sub/019a9c1e-5d1b-7c53-a9a3-2f6a3a7c9d10',
  subject: 'things.{type}.{productKey}-{deviceNo}',
  natsUrl: 'nats://nats.example.com:4222',
  brokers: 'a:9092,b:9092',
  topic: 'things',
}
const codeOf = (kind: (typeof TARGETS)[number], name: string) =>
  clientSamples(kind, FACTS).find(sample => sample.name === name)?.code ?? ''

const folder = mkdtempSync(join(tmpdir(), 'tw-clients-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('clients of subscriptions', () => {
  it('hold the addresses of this installation and of the target', () => {
    expect(codeOf('mqtt', 'mosquitto_sub')).toContain(`-h iot.example.com -p 1883 -u ${FACTS.username}`)
    expect(codeOf('websocket', 'Node.js')).toContain(
      `wss://iot.example.com/api/v1/subscriptions/${FACTS.subscriptionId}/stream`,
    )
    expect(codeOf('pull', 'curl')).toContain(
      `https://iot.example.com/api/v1/subscriptions/${FACTS.subscriptionId}/items?`,
    )
    expect(codeOf('nats', 'nats')).toBe("nats sub 'things.*.*' --server nats://nats.example.com:4222\n")
    expect(codeOf('kafka', 'kcat')).toContain('kcat -b a:9092,b:9092 -G erp things')
    expect(clientSamples('webhook', FACTS)).toEqual([])
  })

  it('are programs that their languages can read', () => {
    const samples = TARGETS.flatMap(kind => clientSamples(kind, FACTS).map(sample => ({ kind, ...sample })))
    const scripts = samples.filter(({ name }) => name === 'Node.js')
    for (const { kind, code } of scripts) {
      const file = join(folder, `${kind}.mjs`)
      writeFileSync(file, code)
      execFileSync(process.execPath, ['--check', file])
    }
    const python = samples.filter(({ name }) => name === 'Python')
    try {
      execFileSync('python3', ['--version'], { stdio: 'ignore' })
    } catch {
      console.log(`no python3 here: ${python.length} samples are not read`)
      return
    }
    execFileSync('python3', ['-c', 'import json,sys; [compile(c, "sample", "exec") for c in json.load(sys.stdin)]'], {
      input: JSON.stringify(python.map(({ code }) => code)),
      stdio: ['pipe', 'inherit', 'inherit'],
    })
    expect(scripts.length).toBe(4)
    expect(python.length).toBe(5)
  })
})
