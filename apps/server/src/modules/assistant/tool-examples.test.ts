import { describe, expect, it } from 'vitest'
import type { Tool } from '../../lib/tools/tools.ts'
import { examplesOf } from './tool-examples.ts'

const tool = (...en: string[]) => ({ words: { phrases: { zh: [], en } } }) as unknown as Tool
const example = (phrase: string) => examplesOf(tool(phrase), 'en')[0]

describe('a question that leads to a tool', () => {
  it.each([
    ['[show|list] [me] (the|all) devices', 'show me the devices'],
    ['how is [the [device]] {device} [doing]', 'how is the device pump 1 doing'],
    ['(turn|switch) {state:on=1|off=0} {device}', 'turn on pump 1'],
    ['[which|what] [{state:online=o|offline=f}] devices', 'which online devices'],
    ['save format to {product}: {format}', 'save format to Climate sensor: [H:#],[D?],[T:#]'],
    ['{period}', 'yesterday'],
  ])('%s: %s', (phrase, question) => {
    expect(example(phrase)).toBe(question)
  })

  it('has a gap only where there is no other, and comes once', () => {
    expect(
      examplesOf(tool('find {strange}', 'find devices', 'find [devices]', 'devices', 'list', 'more'), 'en'),
    ).toEqual(['find devices', 'devices', 'list'])
    expect(examplesOf(tool('find {strange}'), 'en')).toEqual(['find …'])
  })
})
