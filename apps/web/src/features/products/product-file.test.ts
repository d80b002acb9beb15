import { describe, expect, it } from 'vitest'
import { readModelFile } from './product-file.ts'

const read = (value: unknown) => {
  const result = readModelFile(JSON.stringify(value))
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result
}

describe('a file with a thing model', () => {
  it('may be a whole product', () => {
    const { model, product } = read({
      thingwright: 'product',
      name: '水箱',
      linkType: 'mqtt',
      offlineDelaySeconds: 60,
      icon: 7,
      thingModel: { properties: [{ identifier: 'level', dataType: { type: 'double' } }] },
    })
    expect(model.properties.map(p => p.identifier)).toEqual(['level'])
    expect(product).toEqual({ name: '水箱', linkType: 'mqtt', offlineDelaySeconds: 60 })
  })

  it('may be the model alone, with a byte order mark', () => {
    const result = readModelFile(`\ufeff${JSON.stringify({ properties: [], services: [{ identifier: 's' }] })}`)
    expect(result).toMatchObject({ ok: true, model: { services: [{ identifier: 's', name: 's' }] } })
  })

  it('may be in Alibaba Cloud’s form', () => {
    const { model } = read({
      properties: [
        {
          identifier: 'temp',
          name: '温度',
          accessMode: 'rw',
          required: true,
          dataType: { type: 'float', specs: { min: '-40', max: '80.5', step: '0.1', unit: '°C' } },
        },
        { identifier: 'mode', name: '模式', accessMode: 'r', dataType: { type: 'enum', specs: { 0: '关', 1: '开' } } },
        { identifier: 'on', name: '开关', accessMode: 'rw', dataType: { type: 'bool', specs: { 0: '关', 1: '开' } } },
        {
          identifier: 'pos',
          name: '位置',
          accessMode: 'r',
          dataType: {
            type: 'struct',
            specs: [{ identifier: 'x', name: 'x', dataType: { type: 'int', specs: { min: '0', max: '9' } } }],
          },
        },
        {
          identifier: 'list',
          name: '数组',
          accessMode: 'r',
          dataType: { type: 'array', specs: { size: '5', item: { type: 'text', specs: { length: '20480' } } } },
        },
      ],
      events: [
        { identifier: 'post', name: 'post', type: 'info', outputData: [] },
        {
          identifier: 'fault',
          name: '故障',
          type: 'error',
          outputData: [{ identifier: 'code', name: 'c', dataType: { type: 'int', specs: {} } }],
        },
      ],
      services: [
        { identifier: 'set', name: 'set', callType: 'async', inputData: [] },
        { identifier: 'reboot', name: '重启', callType: 'async', inputData: [], outputData: [] },
      ],
    })
    expect(model.properties.map(p => p.dataType)).toEqual([
      { type: 'float', min: -40, max: 80.5, step: 0.1 },
      {
        type: 'enum',
        items: [
          { value: 0, name: '关' },
          { value: 1, name: '开' },
        ],
      },
      { type: 'bool', trueText: '开', falseText: '关' },
      { type: 'struct', fields: [{ identifier: 'x', name: 'x', dataType: { type: 'int32', min: 0, max: 9 } }] },
      { type: 'array', element: { type: 'string', maxLength: 10_240 }, maxItems: 5 },
    ])
    expect(model.properties[0]).toMatchObject({ access: 'rw', required: true, unit: '°C' })
    expect(model.events).toEqual([
      {
        identifier: 'fault',
        name: '故障',
        level: 'error',
        params: [{ identifier: 'code', name: 'c', dataType: { type: 'int32' } }],
      },
    ])
    expect(model.services).toEqual([{ identifier: 'reboot', name: '重启', async: true, input: [], output: [] }])
  })

  it('is refused with the places that are wrong', () => {
    expect(readModelFile('{')).toEqual({ ok: false, problems: 'json' })
    const result = readModelFile('{"properties":[{"identifier":"1x","dataType":{"type":"bool"}}]}')
    expect(result).toMatchObject({
      ok: false,
      problems: [{ path: 'properties[0].identifier', code: 'identifier_invalid' }],
    })
  })
})
