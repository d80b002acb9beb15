import { parseModel, parseOverlay } from '@thingwright/thing-model'
import type { TFunction } from 'i18next'
import { describe, expect, it } from 'vitest'
import { outgoing } from '../../../ui/schema-form/validate.ts'
import { changeFields, changeValues, readChange, withChange, withoutOwn } from './overlay-fields.ts'

const t = ((key: string) => key) as unknown as TFunction<'devices'>
const parsed = parseModel({
  properties: [
    {
      identifier: 'p',
      name: 'P',
      dataType: { type: 'double', min: 0, max: 9 },
      unit: 'V',
      outOfRange: 'bad',
      mapping: { up: { x1: 0, y1: 0, x2: 1, y2: 2 } },
      store: { mode: 'deadband', band: 1, maxSeconds: 60 },
    },
    { identifier: 'on', name: 'On', dataType: { type: 'bool' } },
  ],
})
if (!parsed.ok) throw new Error('model')
const { model } = parsed

/** The overlay that a form gives when a person changed these values in it. */
function overlayOf(at: number, typed: Record<string, unknown>) {
  const property = model.properties[at]!
  const start = changeValues(property)
  const sent = outgoing(changeFields(t, property), { ...start, ...typed }, start)
  const read = parseOverlay(model, { changed: { [property.identifier]: readChange({ ...start, ...sent }) } })
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.overlay
}

describe('the form of a device’s own property', () => {
  it('says nothing when nothing was typed', () => {
    expect(overlayOf(0, {})).toEqual({})
    expect(overlayOf(1, {})).toEqual({})
  })

  it('says what was typed and nothing else', () => {
    expect(overlayOf(0, { max: 20 })).toEqual({ changed: { p: { max: 20 } } })
    expect(overlayOf(0, { outOfRange: 'refuse', store: { mode: 'every' } })).toEqual({
      changed: { p: { outOfRange: null, store: null } },
    })
    expect(overlayOf(0, { mapping: {} })).toEqual({ changed: { p: { mapping: null } } })
    expect(overlayOf(1, { name: 'Lamp' })).toEqual({ changed: { on: { name: 'Lamp' } } })
  })

  it('is taken back property by property', () => {
    const overlay = { changed: { p: { max: 20 }, on: { name: 'x' } }, added: [model.properties[1]!] }
    expect(withChange(overlay, 'p', null).changed).toEqual({ on: { name: 'x' } })
    expect(withoutOwn(overlay, 'on').added).toEqual([])
  })
})
