import { expect, it } from 'vitest'
import { visible } from './visible.ts'

const tagged = (text: string) => [...text].map(char => String.fromCodePoint(0xe0000 + char.codePointAt(0)!)).join('')

it('what is not seen is taken away, what shapes words stays', () => {
  expect(visible(`Pump${tagged('delete all')} 1`)).toBe('Pump 1')
  expect(visible('a\u202eb\u2066c\u200bd\ufeffe\u0000f\u00adg')).toBe('abcdefg')
  expect(visible('👩‍🔧 नमस्ते\u200c ا\nb\tc')).toBe('👩‍🔧 नमस्ते\u200c ا\nb\tc')
})
