import { describe, expect, it } from 'vitest'
import { modelOf } from '../testing/arbitraries.ts'
import fc from '../testing/fast-check.ts'
import { mergeModels } from './merge.ts'
import { parseModel } from './parse.ts'
import { fromTsl, isTsl, toTsl } from './tsl.ts'

/** In the form the Alibaba console exports. */
const TSL = {
  schema: 'https://iotx-tsl.oss-ap-southeast-1.aliyuncs.com/schema.json',
  profile: { productKey: 'a1QNxxxxxxx' },
  properties: [
    {
      identifier: 'temperature',
      name: '温度',
      accessMode: 'r',
      required: true,
      dataType: { type: 'float', specs: { min: '-40', max: '120', unit: '°C', unitName: '摄氏度', step: '0.1' } },
    },
    {
      identifier: 'power',
      name: '开关',
      accessMode: 'rw',
      dataType: { type: 'bool', specs: { 0: '关', 1: '开' } },
    },
    { identifier: 'mode', name: '模式', accessMode: 'rw', dataType: { type: 'enum', specs: { 0: '自动', 1: '手动' } } },
    { identifier: 'note', name: '备注', accessMode: 'rw', dataType: { type: 'text', specs: { length: '20480' } } },
    {
      identifier: 'place',
      name: '位置',
      accessMode: 'r',
      dataType: {
        type: 'struct',
        specs: [{ identifier: 'lng', name: '经度', dataType: { type: 'double', specs: { unit: '°' } } }],
      },
    },
    {
      identifier: 'curve',
      name: '曲线',
      accessMode: 'r',
      dataType: { type: 'array', specs: { size: '16', item: { type: 'int' } } },
    },
  ],
  events: [
    { identifier: 'post', name: 'post', type: 'info', method: 'thing.event.property.post', outputData: [] },
    {
      identifier: 'hot',
      name: '过热',
      type: 'alert',
      method: 'thing.event.hot.post',
      outputData: [{ identifier: 'at', name: 'at', dataType: { type: 'date', specs: {} } }],
    },
  ],
  services: [
    { identifier: 'set', name: 'set', callType: 'async', method: 'thing.service.property.set', inputData: [] },
    {
      identifier: 'reboot',
      name: '重启',
      callType: 'async',
      method: 'thing.service.reboot',
      inputData: [{ identifier: 'delay', name: '延时', dataType: { type: 'int', specs: { min: '0', max: '60' } } }],
      outputData: [],
    },
  ],
  functionBlocks: [{ functionBlockId: 'x' }],
}

describe('a model of Alibaba’s', () => {
  it('is known by its form', () => {
    expect(isTsl(TSL)).toBe(true)
    expect(isTsl({ properties: TSL.properties })).toBe(true)
    expect(isTsl({ properties: [{ identifier: 'p', dataType: { type: 'double' } }] })).toBe(false)
    expect(isTsl(null)).toBe(false)
  })

  it('is read, without what the platform adds itself, and says what it lost', () => {
    const { model, dropped } = fromTsl(TSL)
    const parsed = parseModel(model)
    expect(parsed).toMatchObject({
      ok: true,
      model: {
        properties: [
          {
            identifier: 'temperature',
            dataType: { type: 'float', min: -40, max: 120, step: 0.1 },
            unit: '°C',
            access: 'r',
            required: true,
          },
          { identifier: 'power', dataType: { type: 'bool', falseText: '关', trueText: '开' }, access: 'rw' },
          {
            dataType: {
              type: 'enum',
              items: [
                { value: 0, name: '自动' },
                { value: 1, name: '手动' },
              ],
            },
          },
          { dataType: { type: 'string', maxLength: 10_240 } },
          { dataType: { type: 'struct', fields: [{ identifier: 'lng', dataType: { type: 'double' }, unit: '°' }] } },
          { dataType: { type: 'array', element: { type: 'int32' }, maxItems: 16 } },
        ],
        events: [{ identifier: 'hot', level: 'warning', params: [{ identifier: 'at', dataType: { type: 'date' } }] }],
        services: [{ identifier: 'reboot', async: true, input: [{ dataType: { min: 0, max: 60 } }] }],
      },
    })
    expect(dropped).toEqual([
      { path: '', field: 'functionBlocks' },
      { path: 'properties.note', field: 'length', became: '10240' },
    ])
  })

  it('written and read again is the same, as far as it has words', () => {
    const parsed = parseModel(fromTsl(TSL).model)
    if (!parsed.ok) throw new Error('not read')
    const again = fromTsl(toTsl(parsed.model, 'a1').tsl)
    expect(parseModel(again.model)).toEqual(parsed)
    expect(again.dropped).toEqual([])
  })

  it('gets what has no words in it told', () => {
    const model = modelOf({
      properties: [
        {
          identifier: 'level',
          dataType: { type: 'int64' },
          ename: 'Level',
          store: { mode: 'change' },
          mapping: { up: { x1: 0, y1: 0, x2: 1, y2: 2 } },
        },
        { identifier: 'at', dataType: { type: 'geo' } },
      ],
    })
    const { tsl, dropped } = toTsl(model, 'k')
    expect(dropped.map(({ path, field, became }) => [path, field, became].filter(Boolean).join(' '))).toEqual([
      'properties.level ename',
      'properties.level mapping',
      'properties.level store',
      'properties.level dataType int64 double',
      'properties.at dataType geo struct',
    ])
    expect(parseModel(fromTsl(tsl).model).ok).toBe(true)
  })

  it('may be anything: never an error', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          fc.record({ properties: fc.jsonValue(), events: fc.jsonValue(), services: fc.jsonValue() }),
        ),
        value => {
          expect(typeof parseModel(fromTsl(value).model).ok).toBe('boolean')
          expect(typeof isTsl(value)).toBe('boolean')
        },
      ),
    )
  })
})

describe('a model taken into another', () => {
  const one = modelOf({
    properties: [
      { identifier: 'a', name: 'A', dataType: { type: 'bool' } },
      { identifier: 'b', dataType: { type: 'bool' } },
    ],
  })
  const two = modelOf({
    properties: [
      { identifier: 'c', dataType: { type: 'bool' } },
      { identifier: 'a', name: 'new', dataType: { type: 'int32' } },
    ],
  })

  it('replaces what has its name, keeps the rest, and adds what is new at the end', () => {
    expect(mergeModels(one, two, 'merge').properties.map(({ identifier, name }) => `${identifier} ${name}`)).toEqual([
      'a new',
      'b b',
      'c c',
    ])
    expect(mergeModels(one, two, 'replace')).toBe(two)
  })
})
