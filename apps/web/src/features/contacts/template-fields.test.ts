import { expect, it } from 'vitest'
import { bodyFor, differences } from './template-fields.ts'

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of messages
const FIELDS = [
  { key: 'thing5', name: 'Device' },
  { key: 'thing1', name: 'Alarm' },
  { key: 'time3', name: 'Time' },
  { key: 'character_string4', name: 'Number' },
  { key: 'phrase2', name: 'State' },
]

it('keeps the lines of fields that the other template has too, and proposes variables for the others', () => {
  expect(bodyFor(FIELDS, 'thing1=Alarm: ${trigger}\nthing2=${product}')).toBe(
    'thing5=${device}\nthing1=Alarm: ${trigger}\ntime3=${time}\ncharacter_string4=${deviceNo}\nphrase2=',
  )
  expect(bodyFor([], 'thing1=${trigger}')).toBe('thing1=${trigger}')
})

it('names fields without a line and lines without a field', () => {
  expect(differences(FIELDS.slice(0, 3), 'thing1=x\nthing9=y\nno field')).toEqual({
    missing: ['thing5', 'time3'],
    unknown: ['thing9'],
  })
})
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: variables of messages
