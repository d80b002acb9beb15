import { readdirSync, readFileSync } from 'node:fs'
import { compileModel, parseModel } from '@thingwright/thing-model'
import { describe, expect, it } from 'vitest'
import { coldRoom } from './cold-room.ts'
import { energyMeter } from './energy-meter.ts'
import { factoryLine, LineStatus } from './factory-line.ts'
import { flowMeter } from './flow-meter.ts'
import { greenhouse } from './greenhouse.ts'
import { createDevice, DEVICE_KINDS, type DeviceKind, linkTypeOf } from './index.ts'
import type { EmittedEvent, PhysicalModel, PhysicalState, Values } from './physical-model.ts'
import { DriveFault, pumpDrive } from './pump-drive.ts'
import { Rng } from './rng.ts'
import { distance } from './route.ts'
import { Simulation } from './simulation.ts'
import { TANK_HEIGHT_M, tank } from './tank.ts'
import { truck } from './truck.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** A Monday, midnight in Hangzhou. */
const MONDAY = Date.UTC(2026, 5, 7, 16)
const SITE = { at: MONDAY, lng: 120.2, lat: 30.3 }

interface DemoProduct {
  kind: DeviceKind
  linkType?: string
  thingModel: unknown
}

const folder = new URL('../../../../apps/server/src/db/seeds/demo/products/', import.meta.url)
const products = readdirSync(folder).map(file => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as DemoProduct)

function compiled(kind: DeviceKind) {
  const parsed = parseModel(products.find(product => product.kind === kind)?.thingModel)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return compileModel(parsed.model)
}

function startOf<S extends PhysicalState>(model: PhysicalModel<S>, changes: Partial<S> = {}): S {
  return { ...model.create(SITE, new Rng(7)), ...changes }
}

/** The state after the time has passed, in steps of ten seconds. */
function after<S extends PhysicalState>(model: PhysicalModel<S>, state: S, ms: number): S {
  const rng = new Rng(99)
  let s = state
  for (let t = 0; t < ms; t += 10_000) s = model.step(s, 10_000, rng)
  return s
}

describe('every kind of device', () => {
  it('has a product in the demo catalogue, and every product a kind', () => {
    expect(products.map(product => product.kind).sort()).toEqual([...DEVICE_KINDS].sort())
  })

  it.each(DEVICE_KINDS)('%s: connects in the way of its product', kind => {
    expect(linkTypeOf(kind)).toBe(products.find(product => product.kind === kind)?.linkType ?? 'mqtt')
  })

  it.each(DEVICE_KINDS)('%s: a week of posts and events passes its thing model', kind => {
    const model = compiled(kind)
    for (const seed of [1, 2]) {
      const device = createDevice(kind, { seed, site: SITE })
      const events: EmittedEvent[] = []
      for (let at = MONDAY; at <= MONDAY + 7 * DAY; at += 2 * MINUTE) {
        events.push(...device.advance(at))
        const result = model.checkProperties(device.report())
        if (!result.ok) expect.fail(`${new Date(at).toISOString()} ${JSON.stringify(result)}`)
      }
      for (const { identifier, params } of events) {
        expect(model.checkEvent(identifier, params), identifier).toMatchObject({ ok: true })
      }
    }
  })

  it.each(DEVICE_KINDS)('%s: after four months of service its values still fit', kind => {
    const device = createDevice(kind, { seed: 8, site: SITE })
    const model = compiled(kind)
    for (let day = 1; day <= 120; day++) {
      device.advance(MONDAY + day * DAY + 10 * HOUR)
      expect(model.checkProperties(device.report())).toMatchObject({ ok: true })
    }
  })

  it.each(DEVICE_KINDS)('%s: reports every property that can be read, and takes every one that can be set', kind => {
    const { model } = compiled(kind)
    const device = createDevice(kind, { seed: 1, site: SITE })
    device.advance(MONDAY + MINUTE)
    const report = device.report()
    expect(Object.keys(report).sort()).toEqual(model.properties.map(property => property.identifier).sort())
    for (const property of model.properties) {
      const outcome = device.set({ [property.identifier]: report[property.identifier] })
      expect(outcome.code, property.identifier).toBe(property.access === 'rw' ? 0 : 404)
    }
  })

  it.each(DEVICE_KINDS)('%s: knows every service of its model, with output that fits', kind => {
    const checker = compiled(kind)
    const device = createDevice(kind, { seed: 1, site: SITE })
    device.advance(MONDAY + HOUR)
    for (const service of checker.model.services) {
      const { code, data } = device.invoke(service.identifier, {})
      expect(code, service.identifier).not.toBe(404)
      if (code === 0) expect(checker.checkServiceOutput(service.identifier, data)).toMatchObject({ ok: true })
    }
    expect(device.invoke('toString', {}).code).toBe(404)
    expect(device.set({ __proto__x: 1 }).code).toBe(404)
  })

  it.each(DEVICE_KINDS)('%s: the same seed lives the same life, another seed another one', kind => {
    const life = (seed: number) => {
      const device = createDevice(kind, { seed, site: SITE })
      const reports: Values[] = []
      for (let i = 1; i <= 60; i++) {
        device.advance(MONDAY + 9 * HOUR + i * MINUTE)
        reports.push(device.report())
      }
      return JSON.stringify(reports)
    }
    expect(life(5)).toBe(life(5))
    expect(life(6)).not.toBe(life(5))
  })

  it.each(DEVICE_KINDS)('%s: goes on from a stored snapshot as if it had never stopped', kind => {
    const one = createDevice(kind, { seed: 3, site: SITE })
    one.advance(MONDAY + 8 * HOUR)
    const snapshot = JSON.parse(JSON.stringify(one.snapshot())) as ReturnType<typeof one.snapshot>
    const other = createDevice(kind, { snapshot })
    for (const device of [one, other]) device.advance(MONDAY + 20 * HOUR)
    expect(other.report()).toEqual(one.report())
  })

  it.each(DEVICE_KINDS)('%s: ends a long pause about as it would have in small steps', kind => {
    // No equality: noise differs. What adds up must not.
    const sums: Record<DeviceKind, string> = {
      tank: 'run_hours',
      greenhouse: 'water_used',
      energy_meter: 'energy',
      truck: 'odometer',
      cold_room: 'energy',
      factory_line: 'count',
      pump_drive: 'run_hours',
      flow_meter: 'total',
    }
    const grown = (step: number) => {
      let total = 0
      for (let seed = 1; seed <= 12; seed++) {
        const device = createDevice(kind, { seed, site: SITE })
        const before = device.report()[sums[kind]] as number
        for (let at = MONDAY + step; at <= MONDAY + 2 * DAY; at += step) device.advance(at)
        total += (device.report()[sums[kind]] as number) - before
      }
      return total
    }
    const fine = grown(15_000)
    expect(fine).toBeGreaterThan(0)
    expect(Math.abs(grown(MINUTE) / fine - 1)).toBeLessThan(0.2)
  })
})

describe('a tank', () => {
  it('rises while the pump runs and falls while it does not', () => {
    const manual = startOf(tank, { automatic: false, level: 2 })
    const on = tank.writable.pump!({ ...manual, automatic: true }, true)
    if (typeof on === 'string') expect.fail(on)
    expect(on.automatic).toBe(false)
    expect(after(tank, on, 10 * MINUTE).level).toBeGreaterThan(2.2)
    expect(after(tank, { ...manual, pump: false }, 10 * MINUTE).level).toBeLessThan(2)
  })
  it('never leaves its walls, with the pump forced on or the outlet wide open', () => {
    const full = after(tank, startOf(tank, { automatic: false, pump: true, valve: 0 }), 6 * HOUR)
    expect(full.level).toBeLessThanOrEqual(TANK_HEIGHT_M)
    expect(full.level).toBeGreaterThan(3.8)
    const empty = after(tank, startOf(tank, { automatic: false, pump: false, valve: 100 }), 48 * HOUR)
    expect(empty.level).toBeGreaterThanOrEqual(0)
    expect(empty.level).toBeLessThan(0.5)
  })
  it('keeps its level between the marks by itself', () => {
    const device = new Simulation(tank, { seed: 4, site: SITE })
    for (let at = MONDAY + HOUR; at < MONDAY + 3 * DAY; at += 10 * MINUTE) {
      device.advance(at)
      expect(device.report().level).toBeGreaterThan(0.9)
      expect(device.report().level).toBeLessThan(3.4)
    }
  })
  it('says so when the level is high', () => {
    const device = new Simulation(tank, { snapshot: { rng: 1, state: startOf(tank, { level: 3.5, valve: 0 }) } })
    expect(device.set({ pump: true })).toEqual({ code: 0 })
    const events = device.advance(MONDAY + 20 * MINUTE).map(event => event.identifier)
    expect(events).toContain('pump_switched')
    expect(events).toContain('level_high')
  })
  it('refuses a start level above the stop level, and then sets nothing', () => {
    const device = new Simulation(tank, { seed: 1, site: SITE })
    expect(device.set({ valve: 35, start_level: 3.4 })).toMatchObject({ code: 1 })
    expect(device.report().valve).not.toBe(35)
  })
})

describe('a greenhouse', () => {
  it('is brighter and warmer at noon than at night', () => {
    const device = new Simulation(greenhouse, { seed: 1, site: SITE })
    device.advance(MONDAY + 3 * HOUR)
    const night = device.report() as { light: number; temperature: number }
    device.advance(MONDAY + 13 * HOUR)
    const noon = device.report() as { light: number; temperature: number }
    expect(night.light).toBe(0)
    expect(noon.light).toBeGreaterThan(5_000)
    expect(noon.temperature).toBeGreaterThan(night.temperature)
  })
  it('cools down when the fan is switched on in the heat', () => {
    const hot = startOf(greenhouse, { at: MONDAY + 12 * HOUR, temperature: 38, automatic: false, fanLevel: 3 })
    const still = after(greenhouse, { ...hot, fan: false }, 20 * MINUTE)
    const aired = after(greenhouse, { ...hot, fan: true }, 20 * MINUTE)
    expect(aired.temperature).toBeLessThan(still.temperature - 1)
  })
  it('gets wet ground by irrigation, once at a time, and announces it', () => {
    const device = new Simulation(greenhouse, { seed: 1, site: SITE })
    const dry = device.report().soil_moisture as number
    expect(device.invoke('irrigate', { seconds: 600 })).toEqual({ code: 0, data: { litres: 120 } })
    expect(device.invoke('irrigate', { seconds: 600 }).code).not.toBe(0)
    const events = device.advance(MONDAY + 10 * MINUTE)
    expect(events.map(event => event.identifier)).toContain('irrigation_started')
    expect(device.report().soil_moisture).toBeGreaterThan(dry + 8)
  })
})

describe('an energy meter', () => {
  it('only ever counts up, also through sags and with the relay open', () => {
    const device = new Simulation(energyMeter, { seed: 2, site: SITE })
    let last = 0
    for (let at = MONDAY + MINUTE; at < MONDAY + 2 * DAY; at += 5 * MINUTE) {
      if (at > MONDAY + DAY) device.set({ relay: false })
      device.advance(at)
      const energy = device.report().energy as number
      expect(energy).toBeGreaterThanOrEqual(last)
      last = energy
    }
  })
  it('shows no current and no power with the relay open', () => {
    const off = after(energyMeter, startOf(energyMeter, { relay: false }), MINUTE)
    expect(energyMeter.report(off)).toMatchObject({ current_a: 0, current_b: 0, current_c: 0, power: 0 })
  })
  it('adds up: energy grows by power times time', () => {
    const s = startOf(energyMeter, { at: MONDAY + 10 * HOUR })
    const next = energyMeter.step(s, MINUTE, new Rng(1))
    expect(next.energyWh - s.energyWh).toBeCloseTo((next.powerKw * 1000) / 60, 6)
  })
  it('uses more on a working day than at night', () => {
    const at = (hour: number) => after(energyMeter, startOf(energyMeter, { at: MONDAY + hour * HOUR }), MINUTE).powerKw
    expect(at(11)).toBeGreaterThan(at(3) * 2)
  })
})

describe('a truck', () => {
  it('covers the distance its speed says, and its odometer and tank agree', () => {
    const device = new Simulation(truck, { seed: 1, site: SITE })
    device.advance(MONDAY + 7 * HOUR)
    const a = device.report() as { odometer: number; fuel: number }
    device.advance(MONDAY + 12 * HOUR)
    const b = device.report() as { odometer: number; fuel: number }
    expect(b.odometer - a.odometer).toBeGreaterThan(40)
    expect(b.odometer - a.odometer).toBeLessThan(5 * 85)
    expect(b.fuel).toBeLessThan(a.fuel)
  })
  it('never jumps on the map', () => {
    const device = new Simulation(truck, { seed: 3, site: SITE })
    let last = device.report().position as { lng: number; lat: number }
    for (let at = MONDAY; at < MONDAY + DAY; at += 30_000) {
      device.advance(at)
      const here = device.report().position as { lng: number; lat: number }
      expect(distance(last, here)).toBeLessThan(900)
      last = here
    }
  })
  it('stands at the depot at night and opens its door only when it stands', () => {
    const device = new Simulation(truck, { seed: 2, site: SITE })
    for (let at = MONDAY; at < MONDAY + DAY; at += MINUTE) {
      device.advance(at)
      const { door, speed } = device.report()
      if (door) expect(speed).toBe(0)
    }
    expect(device.report()).toMatchObject({ speed: 0, engine: false, position: { lng: 120.2, lat: 30.3 } })
  })
  it('does not lock an open door', () => {
    const open = startOf(truck, { door: true, doorLocked: false })
    expect(truck.services.lock_doors!(open, {}).outcome.code).not.toBe(0)
    expect(typeof truck.writable.door_lock!(open, true)).toBe('string')
  })
})

describe('a cold room', () => {
  it('holds its set point with the door shut', () => {
    const night = startOf(coldRoom, { setpoint: -18, temperature: -18, lastDefrostAt: MONDAY })
    const s = after(coldRoom, night, 4 * HOUR)
    expect(Math.abs(s.temperature + 18)).toBeLessThan(2)
  })
  it('follows a new set point', () => {
    const warmer = coldRoom.writable.setpoint!(startOf(coldRoom, { temperature: -18, setpoint: -18 }), 2)
    if (typeof warmer === 'string') expect.fail(warmer)
    const colder = coldRoom.writable.setpoint!(startOf(coldRoom, { temperature: 4, setpoint: 4 }), -18)
    if (typeof colder === 'string') expect.fail(colder)
    expect(after(coldRoom, colder, 6 * HOUR).temperature).toBeLessThan(-15)
    expect(after(coldRoom, warmer, 10 * HOUR).temperature).toBeGreaterThan(-12)
  })
  it('warms up with the door open, raises the alarm once, and clears it', () => {
    const open = startOf(coldRoom, { setpoint: -18, temperature: -18, door: true, doorOpenedAt: MONDAY })
    const state = { ...open, doorUntil: MONDAY + 15 * MINUTE, lastDefrostAt: MONDAY }
    const device = new Simulation(coldRoom, { snapshot: { rng: 5, state } })
    const seen: string[] = []
    for (let at = MONDAY; at < MONDAY + 4 * HOUR; at += 20_000) {
      seen.push(...device.advance(at).map(event => event.identifier))
    }
    expect(seen).toEqual(['door_left_open', 'temperature_high', 'temperature_normal'])
  })
  it('defrosts on demand, not twice at once, and says when it is done', () => {
    const device = new Simulation(coldRoom, { seed: 1, site: SITE })
    expect(device.invoke('defrost', { minutes: 10 }).code).toBe(0)
    expect(device.invoke('defrost', {}).code).toBe(1)
    const events = device.advance(MONDAY + 11 * MINUTE)
    expect(events.map(event => event.identifier)).toContain('defrost_finished')
  })
})

describe('a factory line', () => {
  const shift = { at: MONDAY + 9 * HOUR }
  it('counts what its speed makes, and never backwards', () => {
    const device = new Simulation(factoryLine, { seed: 1, site: SITE })
    let last = 0
    for (let at = MONDAY; at < MONDAY + DAY; at += MINUTE) {
      device.advance(at)
      const count = device.report().count as number
      expect(count).toBeGreaterThanOrEqual(last)
      if (last > 0) expect(count - last).toBeLessThan(130)
      last = count
    }
  })
  it('stops within seconds on an emergency stop, stays so until it is reset', () => {
    const running = after(factoryLine, startOf(factoryLine, shift), 3 * MINUTE)
    expect(running.status).toBe(LineStatus.running)
    const device = new Simulation(factoryLine, { snapshot: { rng: 1, state: running } })
    expect(device.invoke('emergency_stop', {}).code).toBe(0)
    const events = device.advance(running.at + 10_000)
    expect(events.map(event => event.identifier)).toEqual(['emergency_stopped'])
    expect(device.report()).toMatchObject({ status: LineStatus.emergency, speed: 0 })
    expect(device.set({ enabled: true }).code).not.toBe(0)
    device.advance(running.at + HOUR)
    expect(device.report().status).toBe(LineStatus.emergency)
    expect(device.invoke('reset', {}).code).toBe(0)
    device.advance(running.at + HOUR + MINUTE)
    expect(device.report().status).toBe(LineStatus.running)
  })
  it('stands still at night', () => {
    expect(after(factoryLine, startOf(factoryLine), HOUR)).toMatchObject({ status: LineStatus.stopped, speed: 0 })
  })
})

describe('a pump drive', () => {
  const calm = { heatSinkC: 30, fault: DriveFault.none }
  /** In small steps without chance, so that no trip comes in between. */
  function driven(state: ReturnType<typeof startOf<ReturnType<typeof pumpDrive.create>>>, ms: number) {
    const rng = new Rng(1)
    rng.happens = () => false
    let s = state
    for (let t = 0; t < ms; t += 1_000) s = pumpDrive.step(s, 1_000, rng)
    return s
  }
  const set = (state: ReturnType<typeof pumpDrive.create>, identifier: string, value: unknown) => {
    const next = pumpDrive.writable[identifier]!(state, value)
    if (typeof next === 'string') return expect.fail(next)
    return next
  }

  it('follows a new set point at the pace of its ramp, and draws power with the cube of it', () => {
    const slow = driven(startOf(pumpDrive, { ...calm, setpointHz: 25, frequencyHz: 25 }), 5_000)
    const raised = set(slow, 'speed_setpoint', 50)
    expect(driven(raised, 5_000).frequencyHz).toBeCloseTo(37.5, 6)
    const fast = driven(raised, 30_000)
    expect(fast.frequencyHz).toBe(50)
    expect(fast.powerKw / slow.powerKw).toBeGreaterThan(5)
    expect(fast.powerKw / slow.powerKw).toBeLessThan(9)
  })
  it('runs out when told to stop, and its hours stand still then', () => {
    const stopped = driven(set(startOf(pumpDrive, calm), 'run', false), 60_000)
    expect(pumpDrive.report(stopped)).toMatchObject({ run: false, frequency: 0, current: 0, power: 0 })
    expect(driven(stopped, 60_000).runMs).toBe(stopped.runMs)
  })
  it('shows a fault, stands still, and goes on by itself or when it is acknowledged', () => {
    const faulty = { ...calm, fault: DriveFault.overcurrent, faultUntil: MONDAY + 3 * MINUTE }
    const tripped = driven(startOf(pumpDrive, faulty), MINUTE)
    expect(pumpDrive.report(tripped)).toMatchObject({ run: true, fault_code: 1, frequency: 0 })
    expect(driven(tripped, 5 * MINUTE)).toMatchObject({ fault: DriveFault.none })
    const again = set(set(tripped, 'run', false), 'run', true)
    expect(driven(again, MINUTE).frequencyHz).toBeGreaterThan(30)
  })
  it('gets too hot when it is driven above its rating in the heat', () => {
    const hot = startOf(pumpDrive, { ...calm, at: MONDAY + 8 * HOUR, setpointHz: 60, frequencyHz: 60, heatSinkC: 86 })
    expect(driven(hot, 1_000).fault).toBe(DriveFault.overheated)
  })
  it('refuses what its motor cannot do', () => {
    for (const [identifier, value] of [
      ['speed_setpoint', 60.01],
      ['speed_setpoint', '50'],
      ['ramp_time', 0],
    ] as const)
      expect(typeof pumpDrive.writable[identifier]!(startOf(pumpDrive), value)).toBe('string')
  })
  it('stands still from the start when it is the spare one', () => {
    const spare = new Simulation(pumpDrive, { seed: 1, site: { ...SITE, traits: { standby: true } } })
    spare.advance(MONDAY + MINUTE)
    expect(spare.report()).toMatchObject({ run: false, frequency: 0 })
  })
})

describe('a flow meter', () => {
  it('counts what flows, never backwards', () => {
    const s = startOf(flowMeter, { flow: 60 })
    const next = flowMeter.step(s, MINUTE, new Rng(1))
    expect(next.total - s.total).toBeCloseTo((s.flow + next.flow) / 2 / 60, 9)
    const device = new Simulation(flowMeter, { seed: 2, site: SITE })
    let last = 0
    for (let at = MONDAY; at < MONDAY + 2 * DAY; at += 5 * MINUTE) {
      device.advance(at)
      expect(device.report().total).toBeGreaterThanOrEqual(last)
      last = device.report().total as number
    }
  })
  it('sees more at breakfast than in the dead of night', () => {
    const at = (hour: number) => after(flowMeter, startOf(flowMeter, { at: MONDAY + hour * HOUR }), 5 * MINUTE).flow
    expect(at(7)).toBeGreaterThan(at(3) * 2)
  })
  it('hears less while there is air in the pipe', () => {
    const air = startOf(flowMeter, { airUntil: MONDAY + 10 * MINUTE })
    expect(after(flowMeter, air, 3 * MINUTE).signal).toBeLessThan(65)
  })
})
