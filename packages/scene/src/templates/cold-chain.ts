import type { SceneRole } from '../scene.ts'
import { bind, type Draft, formula, of, quoted, role, today, watched } from './draft.ts'

const ROOMS = ['room1', 'room2', 'room3', 'room4'] as const

/** Four cold rooms and a truck. */
export function coldChain(draft: Draft): SceneRole[] {
  const say = (key: string) => draft.say(`cold-chain.${key}`)
  draft.head(say('title'), 'room1')
  for (const [i, who] of ROOMS.entries()) {
    const x = 32 + (i % 2) * 468
    const y = 100 + Math.floor(i / 2) * 482
    const [min, max, low, high] = i === 3 ? [-5, 15, 2, 8] : [-35, 5, -26, -15]
    draft
      .panel(x, y, 452, 466, say(who))
      .add('cold-store', x + 24, y + 56, 150, 106, {
        name: say(who),
        bind: [bind('on', of(who, 'compressor'))],
        ...watched(who),
      })
      .add('thermometer', x + 196, y + 48, 64, 150, {
        name: say('temperature'),
        props: { min, max, low, high, unit: '°C' },
        bind: [bind('value', of(who, 'temperature'))],
      })
      .add('number', x + 280, y + 52, 160, 84, {
        name: say('temperature'),
        props: { label: say('temperature'), unit: '°C', size: 38, low, high },
        bind: [bind('value', of(who, 'temperature'))],
      })
      .line(x + 280, y + 142, 160, say('setpoint'), '°C', of(who, 'setpoint'))
      .line(x + 280, y + 176, 160, say('humidity'), '%', of(who, 'humidity'), 0)
      .add('state', x + 24, y + 178, 168, 32, {
        name: say('door'),
        props: { onText: say('open'), offText: say('closed'), onColour: '#fa541c' },
        bind: [bind('value', of(who, 'door'))],
      })
      .add('sparkline', x + 24, y + 226, 404, 76, {
        name: say('temperature'),
        props: { hours: 24 },
        bind: [bind('value', of(who, 'temperature'))],
      })
      .line(x + 24, y + 314, 200, say('compressor'), 'kW', of(who, 'power'))
      .line(x + 236, y + 314, 192, say('today'), 'kWh', today(who, 'energy'))
      .line(x + 24, y + 352, 200, say('frost'), '%', of(who, 'frost'), 0)
      .words(
        x + 236,
        y + 352,
        192,
        `${who}.defrosting ? ${quoted(say('defrosting'))} : ${who}.compressor ? ${quoted(say('cooling'))} : ${quoted(say('idle'))}`,
      )
      .slide(x + 24, y + 406, 404, say('setpoint'), who, 'setpoint', i === 3 ? [0, 12, 0.5] : [-30, -10, 0.5], '°C')
  }
  draft
    .panel(968, 100, 452, 466, say('truck'))
    .add('truck', 1000, 152, 170, 92, {
      name: say('truck'),
      bind: [bind('on', of('truck', 'engine'))],
      ...watched('truck'),
    })
    .words(
      1000,
      252,
      180,
      `truck.status == 1 ? ${quoted(say('driving'))} : truck.status == 2 ? ${quoted(say('idling'))} : ${quoted(say('parked'))}`,
      22,
    )
    .add('gauge-half', 1194, 140, 210, 190, {
      name: say('speed'),
      props: { min: 0, max: 120, low: 0, high: 90, unit: 'km/h', digits: 0 },
      bind: [bind('value', of('truck', 'speed'))],
    })
    .line(1000, 300, 180, say('heading'), '°', of('truck', 'heading'), 0)
    .add('state', 1000, 344, 180, 32, {
      name: say('door'),
      props: { onText: say('open'), offText: say('closed'), onColour: '#fa541c' },
      bind: [bind('value', of('truck', 'door'))],
    })
    .measured(1000, 392, 388, say('fuel'), '%', of('truck', 'fuel'), { min: 0, max: 100, low: 15, high: 100 }, 0)
    .line(1000, 494, 388, say('odometer'), 'km', of('truck', 'odometer'), 0)
    .chart(968, 582, 452, 466, say('speed'), 'km/h', of('truck', 'speed'), { hours: 12, form: 'area' })
    .panel(1436, 100, 452, 276, say('figures'))
    .measured(
      1460,
      148,
      404,
      say('warmest'),
      '°C',
      formula('max(room1.temperature, room2.temperature, room3.temperature)'),
      { min: -35, max: 5, low: -35, high: -15 },
    )
    .measured(
      1460,
      256,
      404,
      say('compressors'),
      'kW',
      formula('or(room1.power, 0) + or(room2.power, 0) + or(room3.power, 0) + or(room4.power, 0)'),
      { min: 0, max: 60, low: 0, high: 45 },
    )
    .alarms(1436, 392, 452, 656)
  return [...ROOMS, 'truck' as const].map(key => role(key, say(key)))
}
