import type { SceneRole } from '../scene.ts'
import { bind, type Draft, formula, of, quoted, role, watched } from './draft.ts'

/** A clear water tank, two pumps that draw from it, and the main with its meter. */
export function pumpStation(draft: Draft): SceneRole[] {
  const say = (key: string) => draft.say(`pump-station.${key}`)
  const anyPump = formula('pump1.run || pump2.run')
  draft
    .head(say('title'), 'tank')
    .panel(32, 100, 1368, 632, say('process'))
    .text(84, 152, 300, say('tank'), 20, { bold: true })
    .pipe(300, 600, 146, 16, anyPump)
    .pipe(430, 262, 16, 354, anyPump)
    .add('tank-upright', 84, 196, 226, 440, {
      name: say('tank'),
      props: { min: 0, max: 4 },
      bind: [bind('value', of('tank', 'level'))],
      ...watched('tank'),
    })
    .add('number', 112, 400, 180, 60, {
      name: say('level'),
      props: { unit: 'm', digits: 2, size: 44 },
      bind: [bind('value', of('tank', 'level'))],
    })
    .line(112, 462, 190, say('fill'), '%', of('tank', 'fill'), 0)
    .line(112, 496, 190, say('temperature'), '°C', of('tank', 'temperature'))
    .add('bar-upright', 334, 216, 48, 400, {
      name: say('level'),
      props: { min: 0, max: 4, low: 1.2, high: 3.2 },
      bind: [bind('value', of('tank', 'level'))],
    })
  for (const [i, who] of (['pump1', 'pump2'] as const).entries()) {
    const y = 270 + i * 270
    const on = of(who, 'run')
    draft
      .pipe(438, y - 8, 480, 16, on)
      .add('valve-gate-hand', 486, y - 57, 70, 80, { name: say('inlet'), bind: [bind('on', on)] })
      .add('pump-centrifugal', 600, y - 51, 112, 122, { name: say(who), bind: [bind('on', on)], ...watched(who) })
      .add('valve-check', 820, y - 24, 66, 48, { name: say('check'), bind: [bind('on', on)] })
      .text(726, y - 120, 220, say(who), 20, { bold: true })
      .words(726, y - 88, 90, `${who}.run ? ${quoted(say('running'))} : ${quoted(say('stopped'))}`)
      .line(806, y - 84, 150, '', 'Hz', of(who, 'frequency'))
      .line(726, y + 26, 190, say('current'), 'A', of(who, 'current'))
      .line(726, y + 58, 190, say('winding'), '°C', of(who, 'temperature'), 0)
      .line(566, y + 78, 160, say('hours'), 'h', of(who, 'run_hours'), 0)
  }
  return (
    draft
      .pipe(902, 262, 16, 286, anyPump)
      .pipe(910, 397, 424, 16, anyPump)
      .add('triangle', 1322, 386, 38, 38, { r: 90, props: { fill: '#6b7480', thickness: 0 } })
      .text(1262, 424, 130, say('toNetwork'), 18)
      .add('instrument-ft-field', 972, 372, 66, 66, { name: say('flow'), ...watched('meter') })
      .add('instrument-tt-field', 1150, 372, 66, 66, { name: say('water') })
      .big(956, 268, say('flow'), 'm³/h', of('meter', 'flow'), 1)
      .big(1150, 268, say('water'), '°C', of('meter', 'temperature'), 1)
      .measured(956, 496, 400, say('flow'), 'm³/h', of('meter', 'flow'), { min: 0, max: 250, low: 40, high: 200 })
      .measured(956, 596, 400, say('signal'), '%', of('meter', 'signal'), { min: 0, max: 100, low: 60 }, 0)
      .panel(1424, 100, 464, 352, say('figures'))
      .measured(
        1448,
        148,
        416,
        say('inflow'),
        'L/min',
        of('tank', 'inflow'),
        { min: 0, max: 120, low: 0, high: 100 },
        0,
      )
      .measured(
        1448,
        244,
        416,
        say('outflow'),
        'L/min',
        of('tank', 'outflow'),
        { min: 0, max: 120, low: 0, high: 100 },
        0,
      )
      .measured(1448, 340, 416, say('power'), 'kW', formula('or(pump1.power, 0) + or(pump2.power, 0)'), {
        min: 0,
        max: 60,
        low: 0,
        high: 45,
      })
      .panel(1424, 468, 464, 264, say('control'))
      .toggle(1448, 518, 194, say('p1'), 'pump1', 'run')
      .toggle(1670, 518, 194, say('p2'), 'pump2', 'run')
      .slide(1448, 572, 416, say('setpoint'), 'pump1', 'speed_setpoint', [0, 50, 0.5], 'Hz')
      .slide(1448, 624, 416, say('valve'), 'tank', 'valve', [0, 100, 5], '%')
      .choose(1448, 676, 416, say('mode'), 'tank', 'mode', `0=${draft.say('manual')}\n1=${draft.say('automatic')}`)
      .chart(32, 748, 676, 300, say('level'), 'm', of('tank', 'level'), { low: 1.2, high: 3.2 })
      .chart(724, 748, 676, 300, say('outflow'), 'L/min', of('tank', 'outflow'), { form: 'area' })
      .alarms(1424, 748, 464, 300) && [
      role('tank', say('tank')),
      role('pump1', say('pump1')),
      role('pump2', say('pump2')),
      role('meter', say('meter')),
    ]
  )
}
