import { parseModel } from '@thingwright/thing-model'
import { describe, expect, it } from 'vitest'
import { propertiesIn, propertyFor } from './model-sentence.ts'

function modelFrom(sentence: string) {
  const taken = new Set<string>()
  return propertiesIn(sentence).map(said => {
    const property = propertyFor(said, taken)
    taken.add(property.identifier)
    return property
  })
}
const briefly = (sentence: string) =>
  modelFrom(sentence).map(({ identifier, name, unit, access, dataType }) => [
    identifier,
    name,
    dataType.type,
    unit ?? '',
    access,
  ])

describe('properties out of a sentence', () => {
  it.each([
    [
      '温度（℃）和湿度（%）',
      [
        ['temperature', '温度', 'double', '℃', 'r'],
        ['humidity', '湿度', 'double', '%', 'r'],
      ],
    ],
    [
      '包含温度、湿度和开关',
      [
        ['temperature', '温度', 'double', '℃', 'r'],
        ['humidity', '湿度', 'double', '%', 'r'],
        ['switch', '开关', 'bool', '', 'rw'],
      ],
    ],
    [
      'with temperature (°F), inlet pressure in bar and a switch',
      [
        ['temperature', 'temperature', 'double', '°F', 'r'],
        ['inlet_pressure', 'inlet pressure', 'double', 'bar', 'r'],
        ['switch', 'switch', 'bool', '', 'rw'],
      ],
    ],
    ['目标温度（读写）', [['target_temperature', '目标温度', 'double', '℃', 'rw']]],
    [
      '转速 单位 rpm, 门磁报警',
      [
        ['speed', '转速', 'double', 'rpm', 'r'],
        ['p1', '门磁报警', 'bool', '', 'r'],
      ],
    ],
    [
      '甲、乙、丙',
      [
        ['p1', '甲', 'double', '', 'r'],
        ['p2', '乙', 'double', '', 'r'],
        ['p3', '丙', 'double', '', 'r'],
      ],
    ],
    [
      'ts and values',
      [
        ['property_1', 'ts', 'double', '', 'r'],
        ['property_2', 'values', 'double', '', 'r'],
      ],
    ],
    ['', []],
  ])('%s', (sentence, expected) => {
    expect(briefly(sentence)).toEqual(expected)
  })

  it('make a model that the product takes, however wild the sentence', () => {
    for (const sentence of [
      '<b>x</b>, __proto__, constructor',
      '温度(℃), temperature(℃), temp',
      '1st stage, 2',
      '（）（）、，',
    ])
      expect(parseModel({ properties: modelFrom(sentence) })).toMatchObject({ ok: true })
  })
})
