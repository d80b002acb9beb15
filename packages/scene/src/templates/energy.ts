import type { SceneRole } from '../scene.ts'
import { bind, type Draft, formula, of, quoted, role, today, watched } from './draft.ts'

/** The colours that the pie gives its parts, in their order. */
const SHARES = ['#1b4396', '#e8684a', '#00a870', '#9254de'] as const
const LINES = ['line1', 'line2', 'line3', 'line4'] as const

/** Four feeders behind one busbar, each with its meter. */
export function energy(draft: Draft): SceneRole[] {
  const say = (key: string) => draft.say(`energy.${key}`)
  const total = formula(LINES.map(who => `or(${who}.power, 0)`).join(' + '))
  draft
    .head(say('title'), 'line1')
    .panel(32, 100, 1368, 612, say('diagram'))
    .add('busbar', 72, 150, 1288, 16, { name: say('diagram') })
  for (const [i, who] of LINES.entries()) {
    const x = 56 + i * 334
    draft
      .add('breaker', x + 122, 166, 60, 130, { name: say(who), bind: [bind('on', of(who, 'relay'))], ...watched(who) })
      .words(x + 196, 216, 110, `${who}.relay ? ${quoted(say('closed'))} : ${quoted(say('open'))}`)
      .add('rect', x, 296, 318, 400, { props: { fill: '#f7f8fa', stroke: '#d3d7dd', thickness: 1, radius: 8 } })
      .text(x + 16, 304, 286, say(who), 20, { bold: true })
      .add('gauge', x + 69, 340, 180, 180, {
        name: say('power'),
        props: { min: 0, max: 100, low: 0, high: 80, unit: 'kW' },
        bind: [bind('value', of(who, 'power'))],
      })
      .line(x + 16, 530, 286, say('today'), 'kWh', today(who, 'energy'), 1, 'spread')
      .line(x + 16, 562, 286, say('voltage'), 'V', of(who, 'voltage_a'), 0, 'spread')
      .line(
        x + 16,
        594,
        286,
        say('current'),
        'A',
        formula(`max(${who}.current_a, ${who}.current_b, ${who}.current_c)`),
        1,
        'spread',
      )
      .line(x + 16, 626, 286, say('factor'), '', of(who, 'power_factor'), 2, 'spread')
      .line(x + 16, 658, 286, say('terminal'), '°C', of(who, 'terminal_temperature'), 0, 'spread')
  }
  draft
    .panel(1424, 100, 464, 292, say('figures'))
    .measured(1448, 148, 416, say('total'), 'kW', total, { min: 0, max: 300, low: 0, high: 240 })
    .measured(
      1448,
      256,
      416,
      say('unbalance'),
      '%',
      formula(
        'round((max(line1.current_a, line1.current_b, line1.current_c) - min(line1.current_a, line1.current_b, line1.current_c)) * 100 / max(line1.current_a, line1.current_b, line1.current_c, 0.1), 1)',
      ),
      { min: 0, max: 100, low: 0, high: 30 },
    )
    .line(1448, 346, 416, say('frequency'), 'Hz', of('line1', 'frequency'), 2)
    .panel(1424, 408, 464, 304, say('shares'))
    .add('pie', 1448, 448, 250, 250, {
      name: say('shares'),
      props: { labels: '1,2,3,4', form: 'donut' },
      bind: LINES.map((who, i) => bind('abcd'[i]!, today(who, 'energy'))),
    })
  for (const [i, who] of LINES.entries())
    draft
      .add('rect', 1722, 494 + i * 48, 18, 18, { props: { fill: SHARES[i]!, stroke: SHARES[i]!, radius: 3 } })
      .text(1750, 486 + i * 48, 130, say(who))
  draft
    .chart(32, 728, 676, 320, say('power1'), 'kW', of('line1', 'power'), { form: 'area' })
    .chart(724, 728, 676, 320, say('voltage1'), 'V', of('line1', 'voltage_a'), { low: 209, high: 235 })
    .alarms(1424, 728, 464, 320)
  return LINES.map(key => role(key, say(key)))
}
