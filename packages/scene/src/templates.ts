import { emptyScene, newNode, type Scene, type SceneNode, type SceneRole, type Source } from './scene.ts'

/** Pages to begin with: their roles have no devices yet, their words come in the language of who makes one. */
export const TEMPLATES = ['pump-station', 'greenhouse', 'energy', 'cold-chain', 'factory-line'] as const
export type TemplateName = (typeof TEMPLATES)[number]

/** Says a word of a template: `pumpStation.title`. */
type Say = (key: string) => string

const role = (key: string, name: string): SceneRole => ({ key, name, productId: null, deviceId: null, choices: [] })
const of = (who: string, point: string): Source => ({ from: 'property', role: who, point })
const bind = (prop: string, source: Source) => ({ prop, source })
const alarmed = (who: string): Partial<SceneNode> => ({
  effects: [{ effect: 'colour', source: { from: 'alarm', role: who }, when: 'gte', value: 4, colour: '#fa541c' }],
})

/** Puts elements on a page one after the other. */
class Draft {
  readonly nodes: SceneNode[] = []

  add(kind: string, x: number, y: number, w: number, h: number, over: Partial<SceneNode> = {}): this {
    this.nodes.push(newNode(`e${this.nodes.length + 1}`, kind, { x, y, w, h, ...over }))
    return this
  }

  panel(x: number, y: number, w: number, h: number, label: string): this {
    return this.add('panel', x, y, w, h, { props: { label } })
  }

  value(x: number, y: number, label: string, unit: string, source: Source, digits = 1): this {
    return this.add('number', x, y, 200, 72, { props: { label, unit, digits }, bind: [bind('value', source)] })
  }

  head(label: string): this {
    return this.add('header', 0, 0, 1920, 84, { props: { label } })
      .add('alarm-sign', 1480, 22, 40, 40, { bind: [bind('value', { from: 'alarm', role: 'main' })] })
      .add('clock', 1680, 22, 220, 40, { props: { format: 'time', size: 28 } })
  }

  chart(x: number, y: number, w: number, h: number, label: string, unit: string, source: Source): this {
    return this.add('chart', x, y, w, h, { props: { label, unit, hours: 24 }, bind: [bind('value', source)] })
  }
}

function pumpStation(draft: Draft, say: Say): SceneRole[] {
  draft
    .head(say('pump-station.title'))
    .panel(32, 108, 1368, 620, say('pump-station.process'))
    .add('tank-upright', 90, 240, 200, 380, {
      name: say('pump-station.tank'),
      props: { min: 0, max: 4 },
      bind: [bind('value', of('main', 'level'))],
      ...alarmed('main'),
    })
    .value(110, 430, say('pump-station.level'), 'm', of('main', 'level'), 2)
    .add('pipe-straight', 290, 560, 240, 20, { bind: [bind('on', of('pump', 'running'))] })
  for (const [i, y] of [200, 400, 580].entries()) {
    const who = ['pump', 'pump2', 'pump3'][i]!
    draft
      .add('valve-gate-hand', 540, y, 70, 80, { bind: [bind('on', of(who, 'running'))] })
      .add('pump-centrifugal', 660, y - 20, 110, 120, {
        name: `P-10${i + 1}`,
        bind: [bind('on', of(who, 'running'))],
        ...alarmed(who),
      })
      .value(790, y - 20, `P-10${i + 1}`, 'Hz', of(who, 'hz'))
      .add('pipe-straight', 960, y + 30, 160, 20, { bind: [bind('on', of(who, 'running'))] })
  }
  draft
    .value(1150, 260, say('pump-station.flow'), 'm³/h', of('main', 'flow'), 0)
    .value(1150, 380, say('pump-station.pressure'), 'MPa', of('main', 'pressure'), 2)
    .add('bar', 1150, 480, 220, 44, {
      props: { min: 0, max: 1, low: 0.35, high: 0.5 },
      bind: [bind('value', of('main', 'pressure'))],
    })
    .chart(32, 752, 672, 296, say('pump-station.pressure'), 'MPa', of('main', 'pressure'))
    .chart(728, 752, 672, 296, say('pump-station.flow'), 'm³/h', of('main', 'flow'))
    .add('alarms', 1424, 108, 464, 940, { props: { label: say('alarms'), rows: 12 } })
  return [
    role('main', say('pump-station.title')),
    ...[1, 2, 3].map(n => role(n === 1 ? 'pump' : `pump${n}`, `P-10${n}`)),
  ]
}

function greenhouse(draft: Draft, say: Say): SceneRole[] {
  draft.head(say('greenhouse.title')).add('greenhouse', 60, 140, 760, 420, { name: say('greenhouse.title') })
  for (const [i, [point, unit]] of (
    [
      ['temperature', '°C'],
      ['humidity', '%'],
      ['co2', 'ppm'],
      ['light', 'lx'],
      ['soil', '%'],
      ['ph', 'pH'],
    ] as const
  ).entries())
    draft.add('stat', 860 + (i % 3) * 344, 120 + Math.floor(i / 3) * 220, 320, 196, {
      props: { label: say(`greenhouse.${point}`), unit, digits: point === 'co2' || point === 'light' ? 0 : 1 },
      bind: [bind('value', of('main', point))],
    })
  for (const [i, point] of (['fan', 'irrigation', 'lamp'] as const).entries())
    draft
      .add(point === 'fan' ? 'fan' : point === 'irrigation' ? 'sprinkler' : 'lamp', 120 + i * 230, 300, 110, 110, {
        name: say(`greenhouse.${point}`),
        bind: [bind(point === 'lamp' ? 'value' : 'on', of('main', point))],
      })
      .add('text', 120 + i * 230, 580, 140, 36, { props: { value: say(`greenhouse.${point}`) } })
      .add('switch', 120 + i * 230, 620, 80, 44, {
        name: say(`greenhouse.${point}`),
        bind: [bind('value', of('main', point))],
        events: [{ on: 'change', do: 'set', role: 'main', point }],
      })
  draft
    .chart(60, 700, 880, 340, say('greenhouse.temperature'), '°C', of('main', 'temperature'))
    .chart(980, 700, 880, 340, say('greenhouse.humidity'), '%', of('main', 'humidity'))
  return [role('main', say('greenhouse.title'))]
}

function energy(draft: Draft, say: Say): SceneRole[] {
  draft.head(say('energy.title')).add('busbar', 100, 200, 1720, 20)
  for (const [i, who] of (['main', 'line1', 'line2', 'line3'] as const).entries()) {
    const x = 120 + i * 440
    const energyOf: Source = { from: 'aggregate', role: who, point: 'energy', fn: 'delta', span: 'today' }
    draft
      .add('breaker', x + 120, 220, 60, 120, {
        name: say(`energy.${who}`),
        bind: [bind('on', of(who, 'closed'))],
        ...alarmed(who),
      })
      .panel(x, 350, 400, 330, say(`energy.${who}`))
      .value(x + 24, 400, say('energy.power'), 'kW', of(who, 'power'))
      .value(x + 24, 490, say('energy.today'), 'kWh', energyOf)
      .value(x + 24, 580, say('energy.voltage'), 'V', of(who, 'voltage'), 0)
      .add('gauge', x + 220, 400, 160, 160, {
        props: { min: 0, max: 500, unit: 'kW' },
        bind: [bind('value', of(who, 'power'))],
      })
  }
  draft
    .chart(120, 710, 1280, 330, say('energy.power'), 'kW', of('main', 'power'))
    .add('alarms', 1440, 710, 400, 330, { props: { label: say('alarms'), rows: 5 } })
  return (['main', 'line1', 'line2', 'line3'] as const).map(key => role(key, say(`energy.${key}`)))
}

function coldChain(draft: Draft, say: Say): SceneRole[] {
  draft.head(say('cold-chain.title'))
  const rooms = ['main', 'room2', 'room3', 'truck'] as const
  for (const [i, who] of rooms.entries()) {
    const x = 40 + (i % 2) * 700
    const y = 110 + Math.floor(i / 2) * 470
    draft
      .panel(x, y, 670, 440, say(`cold-chain.${who}`))
      .add(who === 'truck' ? 'truck' : 'cold-store', x + 30, y + 70, 220, 150, {
        bind: [bind('on', { from: 'online', role: who })],
        ...alarmed(who),
      })
      .add('thermometer', x + 280, y + 60, 70, 220, {
        props: { min: -30, max: 10, unit: '°C' },
        bind: [bind('value', of(who, 'temperature'))],
      })
      .value(x + 380, y + 70, say('cold-chain.temperature'), '°C', of(who, 'temperature'))
      .value(x + 380, y + 160, say('cold-chain.humidity'), '%', of(who, 'humidity'), 0)
      .add('state', x + 380, y + 250, 200, 36, {
        props: { onText: say('cold-chain.open'), offText: say('cold-chain.closed'), onColour: '#fa541c' },
        bind: [bind('value', of(who, 'door'))],
      })
      .add('sparkline', x + 30, y + 320, 600, 90, { bind: [bind('value', of(who, 'temperature'))] })
  }
  draft.add('alarms', 1440, 110, 450, 910, { props: { label: say('alarms'), rows: 12 } })
  return rooms.map(key => role(key, say(`cold-chain.${key}`)))
}

function factoryLine(draft: Draft, say: Say): SceneRole[] {
  draft.head(say('factory-line.title'))
  const steps = [
    ['main', 'crusher'],
    ['mixer', 'mixer'],
    ['press', 'press'],
    ['dryer', 'dryer'],
    ['robot', 'robot'],
  ] as const
  for (const [i, [who, kind]] of steps.entries()) {
    const x = 60 + i * 365
    draft
      .add(kind, x + 80, 160, 180, 180, {
        name: say(`factory-line.${who}`),
        bind: [bind('on', of(who, 'running'))],
        ...alarmed(who),
      })
      .add('text', x + 60, 350, 240, 40, { props: { value: say(`factory-line.${who}`), size: 22, bold: true } })
      .value(x + 60, 400, say('factory-line.speed'), '/min', of(who, 'speed'), 0)
    if (i > 0) draft.add('conveyor', x - 90, 280, 160, 56, { bind: [bind('on', of(who, 'running'))] })
  }
  draft
    .add('stat', 60, 520, 320, 160, {
      props: { label: say('factory-line.output'), digits: 0 },
      bind: [bind('value', of('main', 'output'))],
    })
    .add('ring', 420, 520, 170, 170, { props: { unit: 'OEE %' }, bind: [bind('value', of('main', 'oee'))] })
    .add('traffic-light', 640, 520, 64, 170, { bind: [bind('value', of('main', 'state'))] })
    .chart(60, 720, 1200, 320, say('factory-line.speed'), '/min', of('main', 'speed'))
    .add('alarms', 1300, 520, 580, 520, { props: { label: say('alarms'), rows: 8 } })
  return steps.map(([key]) => role(key, say(`factory-line.${key}`)))
}

const DRAWN: Record<TemplateName, (draft: Draft, say: Say) => SceneRole[]> = {
  'pump-station': pumpStation,
  greenhouse,
  energy,
  'cold-chain': coldChain,
  'factory-line': factoryLine,
}

/** A page of a template. @param say its words */
export function fromTemplate(name: TemplateName, say: Say): Scene {
  const draft = new Draft()
  const roles = DRAWN[name](draft, say)
  return { ...emptyScene('canvas'), roles, nodes: draft.nodes }
}
