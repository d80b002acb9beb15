import { inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { codePicture } from './code-picture.ts'

it('draws a picture that is the same for the same version, and another for another', () => {
  const picture = codePicture('wx1 1.0.0')
  expect(picture.subarray(1, 4).toString()).toBe('PNG')
  expect(codePicture('wx1 1.0.0')).toEqual(picture)
  expect(codePicture('wx1 1.0.1')).not.toEqual(picture)
  const data = picture.subarray(picture.indexOf('IDAT') + 4)
  const lines = inflateSync(data.subarray(0, -16))
  // 240 lines of 240 pixels, each with its filter before it; dark and light, and the corners light.
  expect(lines).toHaveLength(240 * 241)
  expect(lines[1]).toBe(255)
  expect(lines.filter(value => value === 0).length).toBeGreaterThan(3_000)
})
