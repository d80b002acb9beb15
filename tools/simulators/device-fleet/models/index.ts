import { coldRoom } from './cold-room.ts'
import { energyMeter } from './energy-meter.ts'
import { factoryLine } from './factory-line.ts'
import { flowMeter } from './flow-meter.ts'
import { greenhouse } from './greenhouse.ts'
import type { Site } from './physical-model.ts'
import { pumpDrive } from './pump-drive.ts'
import { type SimulatedDevice, Simulation, type SimulationSnapshot } from './simulation.ts'
import { tank } from './tank.ts'
import { truck } from './truck.ts'

type Start = { seed: number; site: Site } | { snapshot: SimulationSnapshot }

const KINDS = {
  tank: (start: Start) => new Simulation(tank, start),
  greenhouse: (start: Start) => new Simulation(greenhouse, start),
  energy_meter: (start: Start) => new Simulation(energyMeter, start),
  truck: (start: Start) => new Simulation(truck, start),
  cold_room: (start: Start) => new Simulation(coldRoom, start),
  factory_line: (start: Start) => new Simulation(factoryLine, start),
  pump_drive: (start: Start) => new Simulation(pumpDrive, start),
  flow_meter: (start: Start) => new Simulation(flowMeter, start),
} satisfies Record<string, (start: Start) => SimulatedDevice>

export type DeviceKind = keyof typeof KINDS
export const DEVICE_KINDS = Object.keys(KINDS) as DeviceKind[]

export function isDeviceKind(text: string): text is DeviceKind {
  return Object.hasOwn(KINDS, text)
}

/** How devices of a kind are connected, in the words of the platform's products. */
export type LinkType = 'mqtt' | 'modbus_rtu' | 'tcp'

export function linkTypeOf(kind: DeviceKind): LinkType {
  if (kind === 'pump_drive') return 'modbus_rtu'
  return kind === 'flow_meter' ? 'tcp' : 'mqtt'
}

/** A device of the kind at the beginning of its life, or as it was when the snapshot was taken. */
export function createDevice(kind: DeviceKind, start: Start): SimulatedDevice {
  return KINDS[kind](start)
}
