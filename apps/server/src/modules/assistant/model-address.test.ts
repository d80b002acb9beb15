import { describe, expect, it } from 'vitest'
import { readModelAddress } from './model-address.ts'

describe('the address of a model', () => {
  it.each([
    'https://localhost/v1',
    'https://LOCALHOST./v1',
    'https://models.localhost/v1',
    'https://0x7f.1/v1',
    'https://2130706433/v1',
    'https://[::1]/v1',
    'https://models.example:0/v1',
    'https://models.example:22/v1',
  ])('%s is refused when it is saved', text => expect(() => readModelAddress('en', text, [])).toThrow())

  it('is taken where nothing can be said against it', () => {
    expect(readModelAddress('en', ' https://models.example/v1/chat/completions ', [])).toBe('https://models.example/v1')
    expect(readModelAddress('en', 'http://localhost:8000/v1', ['127.0.0.0/8'])).toBe('http://localhost:8000/v1')
  })
})
