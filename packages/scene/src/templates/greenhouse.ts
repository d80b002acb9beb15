import type { SceneRole } from '../scene.ts'
import { bind, type Draft, formula, of, quoted, role, watched } from './draft.ts'

/** One greenhouse of many: its climate, and what can be set in it. A visitor chooses which. */
export function greenhouse(draft: Draft): SceneRole[] {
  const say = (key: string) => draft.say(`greenhouse.${key}`)
  draft
    .head(say('title'), 'house', true)
    .panel(32, 100, 900, 584, say('house'))
    .add('greenhouse', 80, 152, 804, 300, { name: say('house'), ...watched('house') })
    .add('fan', 345, 226, 96, 96, { name: say('fan'), bind: [bind('on', of('house', 'fan'))] })
    .add('sprinkler', 523, 222, 100, 110, { name: say('irrigation'), bind: [bind('on', of('house', 'irrigating'))] })
  for (const x of [172, 734])
    draft.add('lamp', x, 262, 56, 56, {
      name: say('lamp'),
      props: { onColour: '#f7d154' },
      bind: [bind('value', of('house', 'lamp'))],
    })
  // Two rows of plants in each of the four bays.
  for (const x of [164, 246, 342, 430, 524, 612, 712, 800]) draft.add('crop', x - 33, 354, 66, 90)
  draft
    .toggle(80, 480, 240, say('lamp'), 'house', 'lamp')
    .toggle(364, 480, 240, say('fan'), 'house', 'fan')
    .text(648, 480, 120, say('irrigation'))
    .words(764, 480, 140, `house.irrigating ? ${quoted(draft.say('on'))} : ${quoted(draft.say('off'))}`)
    .slide(80, 552, 380, say('shade'), 'house', 'shade', [0, 100, 10], '%')
    .choose(504, 552, 380, say('level'), 'house', 'fan_level', `1=${say('low')}\n2=${say('medium')}\n3=${say('high')}`)
    .choose(80, 620, 380, say('mode'), 'house', 'mode', `0=${draft.say('manual')}\n1=${draft.say('automatic')}`)
    .line(504, 622, 380, say('waterUsed'), 'L', of('house', 'water_used'), 0)
  const climate = [
    ['temperature', '°C', 'temperature', { min: 0, max: 45, low: 16, high: 32 }, 1],
    ['humidity', '%', 'humidity', { min: 0, max: 100, low: 45, high: 90 }, 0],
    ['soil', '%', 'soil_moisture', { min: 0, max: 100, low: 30, high: 80 }, 0],
    ['light', 'lx', 'light', { min: 0, max: 100_000, low: 0, high: 80_000 }, 0],
    ['co2', 'ppm', 'co2', { min: 0, max: 2000, low: 300, high: 1500 }, 0],
  ] as const
  for (const [i, [key, unit, point, band, digits]] of climate.entries())
    draft.card(
      956 + (i % 3) * 316,
      100 + Math.floor(i / 3) * 300,
      300,
      284,
      say(key),
      unit,
      of('house', point),
      band,
      digits,
    )
  draft
    .add('panel', 1588, 400, 300, 284, { props: { label: say('deficit'), size: 20 } })
    .add('gauge', 1628, 452, 220, 220, {
      name: say('deficit'),
      props: { min: 0, max: 4, low: 0.4, high: 1.6, unit: 'kPa', digits: 2 },
      // Magnus' formula needs a power; over 10 to 40 °C this parabola stays within 3 % of it.
      bind: [
        bind(
          'value',
          formula(
            'round((0.0046 * house.temperature * house.temperature - 0.04 * house.temperature + 1.1) * (1 - house.humidity / 100), 2)',
          ),
        ),
      ],
    })
    .chart(32, 700, 608, 348, say('temperature'), '°C', of('house', 'temperature'), { low: 16, high: 32 })
    .chart(656, 700, 608, 348, say('humidity'), '%', of('house', 'humidity'), { low: 45, high: 90 })
    .alarms(1280, 700, 608, 348)
  return [role('house', say('house'))]
}
