import { describe, expect, it } from 'vitest'
import { answerOf, compileRule, parseRule } from './index.ts'

const BASE = { format: 1, kind: 'above', scope: { deviceIds: ['d1'] }, property: 't', high: 80 }

function problems(fields: object): string[] {
  const result = parseRule({ ...BASE, ...fields })
  return result.ok ? [] : result.problems.map(problem => `${problem.path} ${problem.code}`)
}

function ofCondition(condition: unknown, more: object = {}): string[] {
  return problems({ kind: 'general', property: undefined, high: undefined, condition, ...more })
}

const compare = { type: 'compare', property: 't', op: 'gt', value: 1 }

describe('a rule document', () => {
  it('is taken as it is', () => {
    expect(parseRule(BASE)).toEqual({ ok: true, rule: BASE })
  })

  it('of another form is not read further', () => {
    expect(problems({ format: 2, kind: 'nonsense' })).toEqual(['format format_unknown'])
    expect(parseRule('x')).toMatchObject({ ok: false, problems: [{ path: '', code: 'not_object' }] })
  })

  it.each([
    ['a kind that is not there', { kind: 'higher' }, ['kind choice_unknown']],
    ['a limit that is missing', { high: undefined }, ['high field_missing']],
    ['a limit that is no number', { high: '80' }, ['high not_number']],
    ['a field of another kind', { low: 3 }, ['low field_unknown']],
    ['no scope', { scope: undefined }, ['scope field_missing']],
    ['two scopes', { scope: { deviceIds: ['a'], tags: ['b'] } }, ['scope scope_choice']],
    ['an empty scope', { scope: { tags: [] } }, ['scope.tags items_missing']],
    ['a device twice', { scope: { deviceIds: ['a', 'a'] } }, ['scope.deviceIds[1] item_duplicate']],
    ['a name that no property can have', { property: 'a b' }, ['property property_invalid']],
    ['limits the wrong way round', { kind: 'between', low: 9, high: 1 }, ['low low_not_below_high']],
    [
      'a dead band as wide as the range',
      { kind: 'outside', low: 0, high: 10, deadBand: 5.1 },
      ['deadBand dead_band_too_wide'],
    ],
    ['half a minute', { kind: 'above_for', minutes: 0.5 }, ['minutes number_out_of_range']],
    ['a level that is not there', { alarm: { level: 6 } }, ['alarm.level number_out_of_range']],
    ['a delay without an end', { actions: [{ kind: 'delay' }] }, ['actions[0].seconds field_missing']],
    [
      'hours that are none',
      { active: { zone: 'Mars/Base', periods: [{ from: '24:00', to: '25:00', days: [8] }] } },
      [
        'active.periods[0].days[0] day_invalid',
        'active.periods[0].from time_of_day_invalid',
        'active.periods[0].to time_of_day_invalid',
        'active.zone zone_unknown',
      ],
    ],
    ['shaking once', { antiShake: { times: 1, seconds: 9 } }, ['antiShake.times number_out_of_range']],
  ])('says by its path that it has %s', (_what, fields, expected) => {
    expect(problems(fields)).toEqual(expected)
  })

  it.each([
    ['an unknown one', { type: 'maybe' }, ['condition.type choice_unknown']],
    ['an empty group', { type: 'all', of: [] }, ['condition.of items_missing']],
    [
      'one deep inside',
      { type: 'any', of: [compare, { type: 'not', of: { ...compare, op: 'starts' } }] },
      ['condition.of[1].of.value not_text'],
    ],
    ['a value beside a range', { ...compare, op: 'between', low: 1, high: 2 }, ['condition.value operator_value']],
    [
      'a moment that lasts',
      { type: 'held', of: { type: 'button', key: 'k' }, seconds: 5 },
      ['condition.of momentary_cannot_last'],
    ],
    [
      'moments without an end',
      { type: 'repeated', of: { type: 'event', identifier: 'e' }, times: 3 },
      ['condition.seconds momentary_needs_seconds'],
    ],
  ])('says by its path that a condition is %s', (_what, condition, expected) => {
    expect(ofCondition(condition)).toEqual(expected)
  })

  it('does not clear by itself what was true for a moment', () => {
    expect(ofCondition({ type: 'button', key: 'k' }, { clear: 'when_false' })).toEqual(['clear momentary_cannot_clear'])
  })

  it('has at most fifty conditions, six deep', () => {
    expect(ofCondition({ type: 'all', of: Array.from({ length: 49 }, () => compare) })).toEqual([])
    expect(ofCondition({ type: 'all', of: Array.from({ length: 50 }, () => compare) })).toEqual([
      'condition.of[49] conditions_too_many',
    ])
    const nested = (depth: number): unknown => (depth === 1 ? compare : { type: 'not', of: nested(depth - 1) })
    expect(ofCondition(nested(6))).toEqual([])
    expect(ofCondition(nested(7))).toEqual(['condition.of.of.of.of.of.of too_deep'])
  })

  it('is not compiled when it names a device that is not there', () => {
    const parsed = parseRule({
      format: 1,
      kind: 'general',
      scope: { tags: ['a'] },
      condition: { ...compare, device: 'x' },
    })
    if (!parsed.ok) throw new Error('not read')
    const rule = { id: 'r', version: 1, document: parsed.rule }
    expect(compileRule(rule, { numberOf: () => undefined, calendar: () => undefined })).toEqual({
      ok: false,
      problems: [{ path: 'condition.device', code: 'device_unknown', params: { device: 'x' } }],
    })
  })
})

describe('a rule about cards, gateways or cameras', () => {
  const read = (fields: object) => parseRule({ format: 1, kind: 'object', scope: {}, alarm: { level: 3 }, ...fields })
  const wrong = (fields: object) => {
    const result = read(fields)
    return result.ok ? [] : result.problems.map(({ path, code }) => `${path} ${code}`)
  }

  it('says what it waits for, and nothing that its kind does not have', () => {
    expect(read({ source: { type: 'sim.usage', percent: 80 } })).toMatchObject({ ok: true, rule: { scope: {} } })
    expect(wrong({})).toEqual(['source field_missing'])
    expect(wrong({ source: { type: 'sim.usage' } })).toEqual(['source.percent field_missing'])
    expect(wrong({ source: { type: 'sim.status', state: 'gone' } })).toEqual(['source.state choice_unknown'])
    expect(wrong({ source: { type: 'sim.imei_changed', days: 3 } })).toEqual(['source.days field_unknown'])
    expect(wrong({ source: { type: 'lora.gateway', state: 'offline' }, per: 'scope' })).toEqual(['per field_unknown'])
    expect(wrong({ source: { type: 'camera.alarm' }, scope: { tags: ['a'] } })).toEqual(['scope.tags field_unknown'])
  })

  it('holds what is told against what it waits for', () => {
    const card = (values: object, moment: string | null = null) => ({
      kind: 'sim' as const,
      moment,
      values: { ...values },
    })
    const usage = { type: 'sim.usage' as const, percent: 80 }
    expect([79, 80, undefined].map(percent => answerOf(usage, card({ percent })))).toEqual([false, true, null])
    expect(answerOf(usage, card({ from: 'a' }, 'imei_changed'))).toBeNull()
    expect(answerOf({ type: 'sim.imei_changed' }, card({}, 'imei_changed'))).toBe('moment')
    expect(answerOf({ type: 'sim.imei_changed' }, card({}))).toBeNull()
    expect(answerOf({ type: 'sim.offline_days', days: 3 }, card({ offlineDays: 3 }))).toBe(true)
    expect(answerOf({ type: 'sim.expiring', days: 30 }, card({ daysLeft: 31 }))).toBe(false)
    expect(answerOf({ type: 'lora.gateway', state: 'offline' }, card({ state: 'offline' }))).toBe(null)
    const camera = { kind: 'camera' as const, moment: 'alarm', values: { alarmType: 'pir' } }
    expect(answerOf({ type: 'camera.alarm' }, camera)).toBe('moment')
    expect(answerOf({ type: 'camera.alarm', alarmType: 'smoke' }, camera)).toBeNull()
  })
})
