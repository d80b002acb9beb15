import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reconnectDelay } from '@thingwright/device-sdk/backoff'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import fc from '../../lib/fast-check.ts'
import { readCatalogue } from './catalogue-files.ts'
import { CommandHandler } from './command-handler.ts'
import { parseConfig } from './config.ts'
import { LatencyWindow } from './latency.ts'
import { createDevice } from './models/index.ts'
import { treeCpuSeconds } from './process-cpu.ts'
import { spread } from './provision.ts'
import { emptyState, readState, writeState } from './state-file.ts'

describe('the pause before connecting again', () => {
  it('grows, is jittered over its whole range, and ends at a minute', () => {
    expect(reconnectDelay(0, false, () => 0)).toBe(500)
    expect(reconnectDelay(0, false, () => 1)).toBe(1_000)
    expect(reconnectDelay(3, false, () => 1)).toBe(8_000)
    expect(reconnectDelay(1_000, false, () => 1)).toBe(60_000)
    expect(reconnectDelay(1_000, false, () => 0)).toBe(500)
  })
  it('is long at once when the credentials were refused', () => {
    expect(reconnectDelay(0, true, () => 0)).toBeGreaterThanOrEqual(15_000)
  })
})

describe('latencies', () => {
  it('give percentiles within 15 %', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 300 }), list => {
        const window = new LatencyWindow()
        for (const ms of list) window.record(ms)
        const exact = list.toSorted((a, b) => a - b)[Math.ceil(list.length * 0.99) - 1]!
        expect(window.percentile(0.99) / exact).toBeGreaterThan(0.999)
        expect(window.percentile(0.99) / exact).toBeLessThan(1.16)
      }),
    )
  })
  it('begin anew after a reset', () => {
    const window = new LatencyWindow()
    window.record(500)
    window.reset()
    expect(window).toMatchObject({ count: 0 })
    expect(window.percentile(0.99)).toBe(0)
  })
})

describe('commands to a device', () => {
  const handlerOf = () => {
    const device = createDevice('tank', { seed: 1, site: { at: 0, lng: 120, lat: 30 } })
    return { device, handler: new CommandHandler(device) }
  }
  const ask = (handler: CommandHandler, suffix: string, body: unknown) =>
    handler.handle(suffix, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)))

  it('are carried out and answered on their own reply topic', () => {
    const { device, handler } = handlerOf()
    expect(ask(handler, 'property/set', { id: 'a', params: { pump: true } })).toEqual({
      suffix: 'property/set_reply',
      payload: '{"id":"a","code":0}',
      executed: true,
    })
    expect(device.report().pump).toBe(true)
    const reply = ask(handler, 'service/flush/invoke', { id: 'b', params: { seconds: 60 } })
    expect(reply?.suffix).toBe('service/flush/invoke_reply')
    expect(JSON.parse(reply!.payload)).toMatchObject({
      id: 'b',
      code: 0,
      data: { litres: expect.any(Number) as number },
    })
  })
  it('are carried out once, however often they come', () => {
    const { handler } = handlerOf()
    const first = ask(handler, 'service/reset_run_hours/invoke', { id: 'x', params: {} })!
    const again = ask(handler, 'service/reset_run_hours/invoke', { id: 'x', params: {} })!
    expect(again).toEqual({ ...first, executed: false })
    expect(JSON.parse(again.payload)).toMatchObject({ data: { hours: expect.any(Number) as number } })
    const third = JSON.parse(ask(handler, 'service/reset_run_hours/invoke', { id: 'y' })!.payload) as { data: object }
    expect(third.data).toEqual({ hours: 0 })
  })
  it('of an unknown kind are refused, not ignored', () => {
    const { handler } = handlerOf()
    for (const [suffix, body] of [
      ['property/set', { id: 'a', params: { level: 1 } }],
      ['service/explode/invoke', { id: 'b' }],
    ] as const) {
      expect((JSON.parse(ask(handler, suffix, body)!.payload) as { code: number }).code).toBe(404)
    }
  })
  it('that are no JSON or have no id get an answer and do nothing', () => {
    const { handler } = handlerOf()
    for (const body of ['', '{', '[]', '5', 'null', '{"id":1}']) {
      expect(ask(handler, 'property/set', body)).toMatchObject({ executed: false })
    }
  })
  it('are not everything a device may hear', () => {
    expect(ask(handlerOf().handler, 'shadow/get_reply', {})).toBeNull()
  })
})

describe('the state file', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fleet-state-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('gives back what was written, making its folder', () => {
    const file = join(folder, 'deep/state.json')
    const state = { ...emptyState(), devices: { 'pk/1': { rng: 5, state: { at: 7, level: 1.25 } } } }
    writeState(file, state)
    expect(readState(file)).toEqual(state)
  })
  it.each(['', '{', '{"version":2}', 'null', '{"version":1,"devices":null}'])('begins anew over %j', text => {
    const file = join(folder, 'state.json')
    writeFileSync(file, text)
    expect(readState(file)).toEqual(emptyState())
  })
  it('begins anew without one', () => {
    expect(readState(join(folder, 'none.json'))).toEqual(emptyState())
  })
})

describe('the configuration', () => {
  const device = { kind: 'tank', productKey: 'pk', deviceNo: '1', deviceSecret: 's' }
  const good = { mqtt: { host: 'localhost', port: 1883 }, devices: [device] }
  it('is read as it is', () => {
    expect(parseConfig({ ...good, history: { days: 7 } })).toEqual({
      ...good,
      history: { days: 7, maxMessages: 500_000 },
    })
  })
  it('may say where devices without MQTT dial', () => {
    const withTcp = { ...good, tcp: { host: 'localhost', port: 9000 } }
    expect(parseConfig(withTcp)).toEqual(withTcp)
    expect(parseConfig(good)).not.toHaveProperty('tcp')
  })
  it.each([
    ['configuration', null],
    ['mqtt', { devices: [] }],
    ['mqtt.port', { ...good, mqtt: { host: 'h', port: 0 } }],
    ['tcp', { ...good, tcp: null }],
    ['tcp.port', { ...good, tcp: { host: 'h', port: 65_536 } }],
    ['devices', { mqtt: good.mqtt }],
    ['devices[0].kind', { ...good, devices: [{ ...device, kind: 'toString' }] }],
    ['devices[0].deviceSecret', { ...good, devices: [{ ...device, deviceSecret: '' }] }],
    ['history.days', { ...good, history: {} }],
  ])('names what is wrong: %s', (place, input) => {
    expect(() => parseConfig(input)).toThrow(`${place}: `)
  })
})

describe('the share of each product', () => {
  const catalogue = readCatalogue(new URL('../../../apps/server/src/db/seeds/demo/products', import.meta.url).pathname)
  it('is none for those that do not speak MQTT', () => {
    expect(catalogue.map(product => product.kind)).not.toContain('pump_drive')
    expect(catalogue).toHaveLength(6)
  })
  it('adds up to the number asked for, in the proportions of the catalogue', () => {
    for (const devices of [1, 2, 5, 6, 63, 64, 65, 1_000, 4_999]) {
      const shares = spread(devices, catalogue)
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(devices)
    }
    expect(spread(64, catalogue)).toEqual(catalogue.map(product => product.devices.length))
  })
})

describe.runIf(process.platform === 'linux')('CPU of a process tree', () => {
  it('counts children of children, and not the neighbours', async () => {
    const burn =
      'const t=Date.now();while(process.cpuUsage().user<300000&&Date.now()-t<20000);console.log(1);setInterval(()=>{},1e3)'
    const parent = `const c=require('child_process').spawn(process.execPath,['-e',${JSON.stringify(burn)}],{stdio:['ignore',1,2]});process.on('SIGTERM',()=>{c.kill();process.exit()})`
    const child = spawn(process.execPath, ['-e', parent], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      await once(child.stdout, 'data')
      expect(treeCpuSeconds(child.pid!)).toBeGreaterThanOrEqual(0.3)
      expect(treeCpuSeconds(process.pid)).toBeGreaterThanOrEqual(treeCpuSeconds(child.pid!)!)
      // Newer versions of Node call their main thread otherwise: the program is asked for.
      expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')).toContain(process.execPath)
    } finally {
      child.kill()
      await once(child, 'exit')
    }
    expect(treeCpuSeconds(child.pid!)).toBe(0)
  })
})
