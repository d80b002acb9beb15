import { expect, it } from 'vitest'
import { fileNameOf } from './server-export.ts'

it('reads the name of a file as the server gave it', () => {
  expect(fileNameOf("attachment; filename*=UTF-8''%E8%AE%BE%E5%A4%87-2026.csv", 'x')).toBe('设备-2026.csv')
  expect(fileNameOf(null, 'x.csv')).toBe('x.csv')
  expect(fileNameOf("attachment; filename*=UTF-8''%E0%A4%A", 'x.csv')).toBe('x.csv')
})
