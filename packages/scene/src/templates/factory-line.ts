import type { SceneRole } from '../scene.ts'
import { bind, type Draft, formula, of, quoted, role, watched } from './draft.ts'

/** The symbol of a step, with its size. */
const DRAWN = {
  elevator: ['elevator', 66, 190],
  mixer: ['tank-cone-stirred', 130, 180],
  press: ['press', 120, 170],
  dryer: ['dryer', 200, 120],
  robot: ['robot', 150, 170],
} as const

/** A packaging line from raw material to pallets. A visitor chooses which of them. */
export function factoryLine(draft: Draft): SceneRole[] {
  const say = (key: string) => draft.say(`factory-line.${key}`)
  const running = formula('line.status == 1')
  const steps = ['elevator', 'mixer', 'press', 'dryer', 'robot'] as const
  draft.head(say('title'), 'line', true).panel(32, 100, 1368, 344, say('line'))
  for (const [i, step] of steps.entries()) {
    const x = 60 + i * 264
    const [kind, w, h] = DRAWN[step]
    draft
      .add('conveyor', x, 326, 256, 70, { name: say('belt'), bind: [bind('on', running)] })
      .add(kind, x + (256 - w) / 2, 344 - h, w, h, { name: say(step), bind: [bind('on', running)], ...watched('line') })
      .text(x + 28, 400, 200, say(step), 18, { align: 'center' })
  }
  draft
    .panel(32, 460, 448, 272, say('state'))
    .add('traffic-light', 64, 512, 72, 196, {
      name: say('state'),
      bind: [bind('value', formula('line.status == 1 ? 2 : line.status == 0 || line.status == 2 ? 1 : 0'))],
    })
    .words(
      168,
      516,
      290,
      `line.status == 1 ? ${quoted(say('running'))} : line.status == 2 ? ${quoted(say('starved'))} : line.status == 3 ? ${quoted(say('fault'))} : line.status == 4 ? ${quoted(say('emergency'))} : ${quoted(say('stopped'))}`,
      34,
    )
    .line(168, 590, 290, say('batch'), '', of('line', 'batch'), 0)
    .text(168, 630, 100, say('recipe'), 20, { ink: '#575f6b' })
    .words(240, 630, 200, 'line.recipe', 20)
    .toggle(168, 676, 288, say('enabled'), 'line', 'enabled')
    .panel(496, 460, 448, 272, say('speed'))
    .add('gauge', 512, 500, 216, 216, {
      name: say('speed'),
      props: { min: 0, max: 120, low: 30, high: 100, unit: draft.say('perMinute'), digits: 0 },
      bind: [bind('value', of('line', 'speed'))],
    })
    .big(744, 520, say('target'), draft.say('perMinute'), of('line', 'target_speed'), 0)
    .add('slider', 744, 632, 184, 44, {
      name: say('target'),
      props: { min: 0, max: 120, step: 5 },
      bind: [bind('value', of('line', 'target_speed'))],
      events: [{ on: 'change', do: 'set', role: 'line', point: 'target_speed', min: 0, max: 120 }],
    })
    .panel(960, 460, 440, 272, say('output'))
    .big(984, 512, say('count'), say('pieces'), of('line', 'count'), 0)
    .big(984, 620, say('rejects'), say('pieces'), of('line', 'rejects'), 0)
    .add('ring', 1216, 520, 160, 160, {
      name: say('good'),
      props: { min: 80, max: 100, low: 95, unit: '%' },
      bind: [bind('value', formula('round(100 - or(line.rejects, 0) * 100 / max(line.count, 1), 1)'))],
    })
    .text(1206, 686, 180, say('good'), 18, { align: 'center' })
    .panel(1424, 100, 464, 344, say('motor'))
    .measured(1448, 150, 416, say('temperature'), '°C', of('line', 'motor_temperature'), {
      min: 0,
      max: 120,
      low: 10,
      high: 85,
    })
    .add('sparkline', 1448, 250, 416, 170, {
      name: say('temperature'),
      bind: [bind('value', of('line', 'motor_temperature'))],
    })
    .chart(32, 748, 676, 300, say('speed'), draft.say('perMinute'), of('line', 'speed'), { form: 'area' })
    .chart(724, 748, 676, 300, say('temperature'), '°C', of('line', 'motor_temperature'))
    .alarms(1424, 460, 464, 588)
  return [role('line', say('line'))]
}
