import { describe, expect, it } from 'vitest'
import { fold } from './folding.ts'
import { compilePhrase, matchPhrase } from './phrases.ts'

function slots(phrase: string, question: string, allowed?: (name: string, text: string) => boolean) {
  return matchPhrase(compilePhrase(phrase), fold(question), allowed)?.slots ?? null
}

describe('phrases', () => {
  const history = '[查询|查看|显示]{device}的{property}[在]{period}[的](曲线|趋势|历史)'

  it.each<[string, string, Record<string, string> | null]>([
    [history, '查看泵1的温度最近三天的曲线', { device: '泵1', property: '温', period: '度最近三天' }],
    ['[查询|查看]{device}的{property}[的](曲线|历史)', '泵 1 的温度历史', { device: '泵 1', property: '温度' }],
    ['{device}(离线|掉线)了[吗]', '一号泵掉线了吗', { device: '一号泵' }],
    ['查看所有设备', '查看 所有 设备', {}],
    ['list [all] [the] devices', 'List devices', {}],
    ['list [all] [the] devices', 'list all the devices', {}],
    ['list [all] devices', 'listing devices', null],
    ['delete {device}', 'delete pump 1', { device: 'pump 1' }],
    ['delete {device}', 'deleted devices', null],
    ["what is {device}'s {property}", 'What is Pump-1’s temperature', { device: 'Pump-1', property: 'temperature' }],
    ['turn {value:on=true|off=false} {device}', 'turn off the lamp', { value: 'false', device: 'the lamp' }],
    ['(打开|关闭){device}', '打开', null],
    ['rename {device} to {name}', 'rename a to b to c', { device: 'a', name: 'b to c' }],
    ['{device}状态?', 'ＰＵＭＰ－１状态', { device: 'ＰＵＭＰ－１' }],
    ['创建产品{name}', '创建产品「温室」', { name: '「温室」' }],
    ['a[b[c]]d', 'abcd', {}],
    ['a[b[c]]d', 'ad', {}],
    ['a[b[c]]d', 'acd', null],
  ])('%s <- %s', (phrase, question, expected) => {
    expect(slots(phrase, question)).toEqual(expected)
  })

  it('goes on with a longer text where the slot may not stand for the shorter one', () => {
    const number = (name: string, text: string) => name !== 'n' || /^\d+\s*\w*$/.test(text)
    expect(slots('past {n} hours', 'past 12 hours', number)).toEqual({ n: '12' })
    expect(slots('past {n} hours', 'past some hours', number)).toBeNull()
    expect(slots('[最近]{n}小时[没有]数据', '最近12小时没有数据', number)).toEqual({ n: '12' })
  })

  it('counts what the phrase named itself', () => {
    expect(matchPhrase(compilePhrase('查看{device}的温度'), fold('查看泵1的温度'))?.literal).toBe(5)
  })

  it.each(['(a|b', 'a)', '{', '{}', '{a:|b=1}', '', '[a'])('refuses the phrase %s', phrase => {
    expect(() => compilePhrase(phrase)).toThrow(/phrase/)
  })

  it('gives up on questions that are made to be hard, within bounds of work and not of luck', () => {
    const phrase = compilePhrase('[{a}]的[{b}]的[{c}]的[{d}]的[{e}]在[{f}]的尽头')
    // A matcher that goes back and forth would not come back at all.
    for (const question of ['的'.repeat(4000), '在的'.repeat(2000), `${'a的'.repeat(2000)}在`, 'x'.repeat(4000)])
      expect(matchPhrase(phrase, fold(`${question}的尽`))).toBeNull()
  })
})
